//! The measures of trec_eval, in the order in which it prints them.

use qeval_core::{METRICS, Metric};

use super::{
    TrecOptions, TrecVersion,
    gains::Gains,
    preferences::{Measure as Preference, Scope},
};

/// One number that is printed.
pub(super) struct Measure {
    /// As it stands at the beginning of its line.
    pub(super) name: String,
    pub(super) value: Value,
}

/// How a number comes about.
pub(super) enum Value {
    /// The tag of the run.
    Runid,
    /// The number of topics.
    NumQ,
    /// A whole number, of which the sum is printed.
    Count(Metric),
    /// A number, of which the mean is printed.
    Score(Metric),
    /// A number, of which only the geometric mean is printed.
    Geometric(Metric),
    /// So many first grades as characters.
    Relstring(usize),
    /// Precision at points of recall; the mean, where there are several.
    Interpolated(Points),
    /// nDCG with gains of its own.
    Gains(Gains),
    /// A number for each judge, of which the mean is the topic's.
    Groups(Metric),
    /// How the hits fulfil preferences.
    Preferences(Preference),
}

impl Measure {
    /// The same for each of several judges.
    fn of_judges(mut self) -> Self {
        self.value = match self.value {
            Value::Score(metric) => Value::Groups(metric),
            value => value,
        };
        self
    }

    /// Whether the later version sets it to 0 in a topic that the run lacks.
    pub(super) fn is_zero_where_missing(&self) -> bool {
        matches!(self.name.as_str(), "num_ret" | "utility" | "rbp_resid")
            || self.name.starts_with("unj")
    }
}

/// Some points of recall.
pub(super) struct Points {
    pub(super) recalls: Vec<f64>,
    /// `IPrec` at each.
    pub(super) metrics: Vec<Metric>,
    pub(super) level: i32,
    version: TrecVersion,
}

impl Points {
    /// A number of passages as this version makes it.
    pub(super) fn rounded(&self, exact: f64) -> f64 {
        match self.version {
            TrecVersion::Nine => (exact + 0.9).trunc(),
            TrecVersion::Ten => exact.round(),
        }
    }
}

/// What a measure is made of.
#[derive(Clone, Copy)]
enum Shape {
    Runid,
    NumQ,
    Relstring,
    Count(&'static str),
    Score(&'static str),
    Geometric(&'static str),
    /// A metric at cutoffs.
    Ranks(&'static str, &'static [u32]),
    /// Interpolated precision at recalls, one by one.
    Recalls,
    /// Their mean.
    MeanOfRecalls,
    /// R-precision at multiples.
    Multiples,
    /// A metric, and its parameters in the order in which they are given.
    Weighted(&'static str, &'static [&'static str]),
    Ndcg,
    /// Rank-biased precision.
    Persistence,
    Preferences(Preference),
}

/// In which of the program's sets a measure is. Those of single judges are in `all_trec` too.
#[derive(Clone, Copy, PartialEq)]
enum Member {
    /// In every set.
    Every,
    /// In `official` and `set`.
    Both,
    Official,
    Set,
    None,
    /// In none that the earlier version has.
    Ten,
    /// In `prefs` and `all_prefs`.
    Preferences,
    /// In `all_prefs`.
    AllPreferences,
    /// In `qrels_jg`: the mean of several judges.
    Groups,
}

/// The names of sets.
const SETS: [&str; 6] = ["official", "all_trec", "set", "prefs", "all_prefs", "qrels_jg"];

const RANKS: &[u32] = &[5, 10, 15, 20, 30, 100, 200, 500, 1000];

const RECALLS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

const MULTIPLES: [f64; 10] = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0];

/// All measures.
const TABLE: &[(&str, Shape, Member)] = &[
    ("runid", Shape::Runid, Member::Every),
    ("num_q", Shape::NumQ, Member::Every),
    ("num_ret", Shape::Count("NumRet"), Member::Both),
    ("num_rel", Shape::Count("NumRel"), Member::Both),
    ("num_rel_ret", Shape::Count("NumRet"), Member::Both),
    ("map", Shape::Score("MAP"), Member::Official),
    ("gm_map", Shape::Geometric("MAP"), Member::Official),
    ("Rprec", Shape::Score("Rprec"), Member::Official),
    ("bpref", Shape::Score("Bpref"), Member::Official),
    ("recip_rank", Shape::Score("MRR"), Member::Official),
    ("iprec_at_recall", Shape::Recalls, Member::Official),
    ("P", Shape::Ranks("P", RANKS), Member::Official),
    ("relstring", Shape::Relstring, Member::None),
    ("recall", Shape::Ranks("Recall", RANKS), Member::None),
    ("infAP", Shape::Score("infAP"), Member::None),
    ("gm_bpref", Shape::Geometric("Bpref"), Member::None),
    ("Rprec_mult", Shape::Multiples, Member::None),
    ("utility", Shape::Weighted("Utility", &["hit", "noise", "miss", "rest"]), Member::Set),
    ("11pt_avg", Shape::MeanOfRecalls, Member::None),
    ("binG", Shape::Score("binG"), Member::None),
    ("G", Shape::Score("G"), Member::None),
    ("ndcg", Shape::Ndcg, Member::None),
    ("ndcg_rel", Shape::Score("nDCG-rel"), Member::None),
    ("Rndcg", Shape::Score("RnDCG"), Member::None),
    ("ndcg_cut", Shape::Ranks("nDCG", RANKS), Member::None),
    ("map_cut", Shape::Ranks("MAP", RANKS), Member::None),
    ("relative_P", Shape::Ranks("RelP", RANKS), Member::None),
    ("success", Shape::Ranks("Success", &[1, 5, 10]), Member::None),
    ("set_P", Shape::Score("SetP"), Member::Set),
    ("set_relative_P", Shape::Score("SetRelP"), Member::Set),
    ("set_recall", Shape::Score("SetR"), Member::Set),
    ("set_map", Shape::Score("SetAP"), Member::Set),
    ("set_F", Shape::Weighted("SetF", &["beta"]), Member::Set),
    ("num_nonrel_judged_ret", Shape::Count("NumNonrel"), Member::None),
    ("prefs_num_prefs_poss", Shape::Preferences(Preference::Possible), Member::Preferences),
    (
        "prefs_num_prefs_ful",
        Shape::Preferences(Preference::Fulfilled(Scope::All)),
        Member::Preferences,
    ),
    (
        "prefs_num_prefs_ful_ret",
        Shape::Preferences(Preference::Fulfilled(Scope::Retrieved)),
        Member::Preferences,
    ),
    ("prefs_simp", Shape::Preferences(Preference::Ratio(Scope::All)), Member::Preferences),
    ("prefs_pair", Shape::Preferences(Preference::Pairs(Scope::All)), Member::Preferences),
    ("prefs_avgjg", Shape::Preferences(Preference::Judges(Scope::All)), Member::Preferences),
    (
        "prefs_avgjg_Rnonrel",
        Shape::Preferences(Preference::Balanced(Scope::All)),
        Member::AllPreferences,
    ),
    (
        "prefs_simp_ret",
        Shape::Preferences(Preference::Ratio(Scope::Retrieved)),
        Member::AllPreferences,
    ),
    (
        "prefs_pair_ret",
        Shape::Preferences(Preference::Pairs(Scope::Retrieved)),
        Member::AllPreferences,
    ),
    (
        "prefs_avgjg_ret",
        Shape::Preferences(Preference::Judges(Scope::Retrieved)),
        Member::AllPreferences,
    ),
    (
        "prefs_avgjg_Rnonrel_ret",
        Shape::Preferences(Preference::Balanced(Scope::Retrieved)),
        Member::AllPreferences,
    ),
    (
        "prefs_simp_imp",
        Shape::Preferences(Preference::Ratio(Scope::Implied)),
        Member::AllPreferences,
    ),
    (
        "prefs_pair_imp",
        Shape::Preferences(Preference::Pairs(Scope::Implied)),
        Member::AllPreferences,
    ),
    (
        "prefs_avgjg_imp",
        Shape::Preferences(Preference::Judges(Scope::Implied)),
        Member::AllPreferences,
    ),
    ("map_avgjg", Shape::Score("MAP"), Member::Groups),
    ("P_avgjg", Shape::Ranks("P", RANKS), Member::Groups),
    ("Rprec_mult_avgjg", Shape::Multiples, Member::Groups),
    ("rbp", Shape::Persistence, Member::Ten),
    ("rbp_resid", Shape::Score("RBP-Residual"), Member::Ten),
    ("unj", Shape::Ranks("Unjudged", &[5, 10, 20]), Member::Ten),
];

/// What is printed for these options. The error is what is wrong with them.
pub(super) fn of(version: TrecVersion, options: &TrecOptions) -> Result<Vec<Measure>, String> {
    let official = ["official".to_owned()];
    let asked = if options.measures.is_empty() { &official[..] } else { &options.measures };
    for name in asked {
        let base = name.split_once('.').map_or(name.as_str(), |(base, _)| base);
        if !SETS.contains(&base)
            && !TABLE.iter().any(|(name, _, set)| *name == base && has(version, *set))
        {
            return Err(format!("there is no measure `{name}` to print"));
        }
    }
    let maker = Maker { version, options };
    let mut measures = Vec::new();
    for &(name, shape, set) in TABLE.iter().filter(|(_, _, set)| has(version, *set)) {
        let named = asked.iter().any(|asked| match asked.as_str() {
            of_set if SETS.contains(&of_set) => is_in(set, of_set),
            other => other.split_once('.').map_or(other, |(base, _)| base) == name,
        });
        if named {
            let given = asked.iter().find_map(|asked| asked.strip_prefix(name)?.strip_prefix('.'));
            let wrong = |problem: &str| format!("`{name}.{}`: {problem}", given.unwrap_or(""));
            let mut added = Vec::new();
            maker.add(name, shape, given, &mut added).map_err(wrong)?;
            let judges = set == Member::Groups;
            measures.extend(added.into_iter().map(|m| if judges { m.of_judges() } else { m }));
        }
    }
    Ok(measures)
}

/// Whether a measure is in the set of that name.
fn is_in(member: Member, set: &str) -> bool {
    match member {
        Member::Every => true,
        Member::Both => matches!(set, "official" | "set" | "all_trec"),
        Member::Official => matches!(set, "official" | "all_trec"),
        Member::Set => matches!(set, "set" | "all_trec"),
        Member::None | Member::Ten => set == "all_trec",
        Member::Preferences => matches!(set, "prefs" | "all_prefs"),
        Member::AllPreferences => set == "all_prefs",
        Member::Groups => set == "qrels_jg",
    }
}

/// Whether this version has the measures of a set.
fn has(version: TrecVersion, set: Member) -> bool {
    version == TrecVersion::Ten || set != Member::Ten
}

/// Makes measures for some options.
struct Maker<'a> {
    version: TrecVersion,
    options: &'a TrecOptions,
}

impl Maker<'_> {
    /// Adds the lines of one measure, with the parameters behind the point of its name.
    fn add(
        &self,
        name: &str,
        shape: Shape,
        given: Option<&str>,
        measures: &mut Vec<Measure>,
    ) -> Result<(), &'static str> {
        let mut push = |name: String, value| measures.push(Measure { name, value });
        let with_given = given.map_or(name.to_owned(), |given| format!("{name}_{given}"));
        match (shape, given) {
            (Shape::Runid, None) => push(with_given, Value::Runid),
            (Shape::NumQ, None) => push(with_given, Value::NumQ),
            (Shape::Count(base), None) => {
                let level = format!("rel={}", self.options.level);
                let arguments = if name == "num_ret" { vec![] } else { vec![level] };
                push(with_given, Value::Count(self.metric(base, &arguments, None)?));
            }
            (Shape::Score(base), None) => {
                push(with_given, Value::Score(self.metric(base, &[], None)?));
            }
            (Shape::Geometric(base), None) => {
                push(with_given, Value::Geometric(self.metric(base, &[], None)?));
            }
            (Shape::Relstring, given) => {
                let length = given.map_or(Ok(10), str::parse).map_err(|_| "expected a length")?;
                push(with_given, Value::Relstring(length));
            }
            (Shape::Ranks(base, defaults), given) => {
                for cutoff in given.map_or(Ok(defaults.to_vec()), cutoffs)? {
                    let metric = self.metric(base, &[], Some(cutoff))?;
                    push(format!("{name}_{cutoff}"), Value::Score(metric));
                }
            }
            (Shape::Recalls, given) => {
                for recall in given.map_or(Ok(RECALLS.to_vec()), sorted)? {
                    let points = self.points(vec![recall])?;
                    push(format!("{name}_{recall:.2}"), Value::Interpolated(points));
                }
            }
            (Shape::MeanOfRecalls, given) => {
                let recalls = given.map_or(Ok(RECALLS.to_vec()), numbers)?;
                push(with_given, Value::Interpolated(self.points(recalls)?));
            }
            (Shape::Multiples, given) => {
                for multiple in given.map_or(Ok(MULTIPLES.to_vec()), sorted)? {
                    let metric = self.metric("Rprec", &[format!("multiple={multiple}")], None)?;
                    push(format!("{name}_{multiple:.2}"), Value::Score(metric));
                }
            }
            (Shape::Weighted(base, parameters), given) => {
                let weights = given.map_or(Ok(vec![]), numbers)?;
                if given.is_some() && weights.len() != parameters.len() {
                    return Err("it has another number of parameters");
                }
                let pairs = parameters.iter().zip(weights);
                let mut arguments: Vec<_> = pairs.map(|(p, w)| format!("{p}={w}")).collect();
                if base == "Utility" {
                    arguments.push(format!("collection={}", self.options.collection));
                }
                push(with_given, Value::Score(self.metric(base, &arguments, None)?));
            }
            (Shape::Ndcg, None) => {
                push(with_given, Value::Score(self.metric("nDCG", &[], None)?));
            }
            (Shape::Ndcg, Some(given)) => {
                let gains = Gains::parse(given).ok_or("expected pairs such as `1=3,2=9`")?;
                push(with_given, Value::Gains(gains));
            }
            (Shape::Preferences(measure), None) => {
                push(with_given, Value::Preferences(measure));
            }
            (Shape::Persistence, given) => {
                let p = given.map_or(Some("0.9"), |given| given.strip_prefix("p="));
                let p = p.ok_or("expected a persistence such as `p=0.8`")?;
                let arguments = [format!("p={p}"), "gain=graded".to_owned()];
                push(with_given, Value::Score(self.metric("RBP", &arguments, None)?));
            }
            (_, Some(_)) => return Err("qeval has no parameters for it"),
        }
        Ok(())
    }

    fn points(&self, recalls: Vec<f64>) -> Result<Points, &'static str> {
        let metric = |recall: &f64| self.metric("IPrec", &[format!("recall={recall}")], None);
        let metrics = recalls.iter().map(metric).collect::<Result<_, _>>()?;
        let level = i32::try_from(self.options.level).map_err(|_| "the level is too high")?;
        Ok(Points { recalls, metrics, level, version: self.version })
    }

    /// Our metric with trec_eval's rules: its level, 0 where nothing is relevant, its version.
    fn metric(
        &self,
        base: &str,
        given: &[String],
        cutoff: Option<u32>,
    ) -> Result<Metric, &'static str> {
        let definition = METRICS.iter().find(|definition| definition.name == base);
        let parameters = definition.ok_or("qeval has no such metric")?.parameters;
        let mut arguments = given.to_vec();
        for parameter in parameters {
            arguments.extend(match parameter.name {
                // The counts say themselves what they count, and `rbp` takes no notice of `-l`.
                "rel" if !base.starts_with("Num") && base != "RBP" => {
                    Some(format!("rel={}", self.options.level))
                }
                "empty" => Some("empty=zero".to_owned()),
                "version" if self.version == TrecVersion::Ten => Some("version=10".to_owned()),
                "p" if base == "RBP-Residual" => Some("p=0.9".to_owned()),
                _ => None,
            });
        }
        let cutoff = cutoff.map_or(String::new(), |cutoff| format!("@{cutoff}"));
        let name = match arguments.as_slice() {
            [] => format!("{base}{cutoff}"),
            arguments => format!("{base}({}){cutoff}", arguments.join(",")),
        };
        name.parse().map_err(|_| "a parameter is out of range")
    }
}

/// Ranks in increasing order. The program reads whole numbers, and stops at two that are the same.
fn cutoffs(text: &str) -> Result<Vec<u32>, &'static str> {
    let whole = |part: &str| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        part[..digits].parse().ok().filter(|&cutoff| cutoff > 0)
    };
    let mut cutoffs = text.split(',').map(whole).collect::<Option<Vec<u32>>>();
    let cutoffs = cutoffs.as_mut().ok_or("expected ranks such as `5,10`")?;
    cutoffs.sort_unstable();
    if cutoffs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("a rank is given twice");
    }
    Ok(std::mem::take(cutoffs))
}

/// Numbers in increasing order, each once.
fn sorted(text: &str) -> Result<Vec<f64>, &'static str> {
    let mut numbers = numbers(text)?;
    numbers.sort_by(f64::total_cmp);
    if numbers.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_eq()) {
        return Err("a number is given twice");
    }
    Ok(numbers)
}

fn numbers(text: &str) -> Result<Vec<f64>, &'static str> {
    let number = |part: &str| part.trim().parse().ok().filter(|number: &f64| number.is_finite());
    text.split(',').map(number).collect::<Option<_>>().ok_or("expected numbers such as `0.5,1`")
}
