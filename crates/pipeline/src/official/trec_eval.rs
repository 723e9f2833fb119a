//! What `trec_eval` prints of judgments and a run.

mod files;
mod gains;
mod judged;
mod measures;
mod preferences;
mod topic;
mod zscores;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use qeval_core::Hits;

use self::{
    judged::Judged,
    measures::{Measure, Value},
    topic::Ranked,
    zscores::ZScores,
};
use super::{OfficialError, Stop, refused};

/// Lowest value in a geometric mean.
const LOWEST: f64 = 0.00001;

/// The versions of trec_eval that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrecVersion {
    /// 9.0.8, whose scores have 32 bits.
    Nine,
    /// 10.0, which rounds otherwise and has more measures.
    Ten,
}

/// What a file of judgments holds: trec_eval's `-R`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrecJudgments {
    /// Grades: `topic iteration document grade`.
    #[default]
    Qrels,
    /// Grades of several judges: `topic judge document grade`.
    Groups,
    /// What judges prefer: `topic judge subgroup document level`.
    Preferences,
    /// Grades, read as what judges prefer.
    QrelsPreferences,
}

/// The options of trec_eval, by its letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrecOptions {
    /// `-q`: the values of each topic are printed too.
    pub topics: bool,
    /// `-c`: topics that the run lacks count as 0.
    pub complete: bool,
    /// `-l`: the lowest grade that is relevant.
    pub level: u32,
    /// `-M`: how many hits of a topic are kept.
    pub depth: Option<usize>,
    /// `-J`: hits that nobody judged are removed.
    pub judged_only: bool,
    /// `-N`: how many documents there are, for `utility`.
    pub collection: u32,
    /// `-m`: what is printed; nothing asks for `official`.
    pub measures: Vec<String>,
    /// `-R`: what the judgments are.
    pub judgments: TrecJudgments,
    /// `-Z`: a file of means and deviations, by which values are standardised.
    pub zscores: Option<PathBuf>,
}

impl Default for TrecOptions {
    fn default() -> Self {
        Self {
            topics: false,
            complete: false,
            level: 1,
            depth: None,
            judged_only: false,
            collection: 0,
            measures: Vec::new(),
            judgments: TrecJudgments::Qrels,
            zscores: None,
        }
    }
}

impl TrecVersion {
    /// The names of the scripts.
    pub const NAMES: [&str; 2] = ["trec_eval", "trec_eval10"];

    /// The version that a script of this name is.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "trec_eval" => Some(Self::Nine),
            "trec_eval10" => Some(Self::Ten),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Nine => "trec_eval 9.0.8",
            Self::Ten => "trec_eval 10.0",
        }
    }
}

impl TrecJudgments {
    const ALL: [Self; 4] = [Self::Qrels, Self::Groups, Self::Preferences, Self::QrelsPreferences];

    /// The names that trec_eval has for them.
    pub const NAMES: [&'static str; 4] = {
        let [qrels, groups, preferences, qrels_preferences] = Self::ALL;
        [qrels.name(), groups.name(), preferences.name(), qrels_preferences.name()]
    };

    /// What has that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|judgments| judgments.name() == name)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Qrels => "qrels",
            Self::Groups => "qrels_jg",
            Self::Preferences => "prefs",
            Self::QrelsPreferences => "qrels_prefs",
        }
    }
}

/// What trec_eval prints.
pub fn trec_eval(
    version: TrecVersion,
    qrels: &Path,
    run: &Path,
    options: &TrecOptions,
) -> Result<String, OfficialError> {
    let name = version.name();
    print(version, qrels, run, options).map_err(|stop| match stop {
        Stop::Refused(reason) => OfficialError::Refused { name, reason },
        Stop::Unreadable(error) => error.into(),
    })
}

fn print(
    version: TrecVersion,
    qrels: &Path,
    run: &Path,
    options: &TrecOptions,
) -> Result<String, Stop> {
    let measures = measures::of(version, options).map_err(refused)?;
    let judged = Judged::read(qrels, options.judgments, version)?;
    let mut retrieved = files::run(run, version)?;
    let zscores =
        options.zscores.as_deref().map(|path| zscores::read(path, version)).transpose()?;
    let page = Page { options, zscores: zscores.as_ref() };
    let mut text = String::new();
    let mut sums = vec![0.0; measures.len()];
    let topics = judged.topics();
    let mut evaluated = 0_usize;
    for (topic, judgments) in &topics {
        let hits = retrieved.topics.remove(*topic);
        let missing = hits.is_none();
        // Where a topic is missing, the later version evaluates a hit that nobody has judged.
        let later = options.complete && version == TrecVersion::Ten;
        let Some(hits) = hits.or_else(|| later.then(unjudged)) else { continue };
        let ranked = Ranked::new(*judgments, hits, options)
            .map_err(|problem| refused(format!("topic `{topic}`: {problem}")))?;
        evaluated += 1;
        for (measure, sum) in measures.iter().zip(&mut sums) {
            page.add(&mut text, topic, measure, &ranked, missing, sum)?;
        }
    }
    if evaluated == 0 {
        return Err(refused("no topic has both judgments and hits"));
    }
    let averaged = if options.complete { topics.len() } else { evaluated };
    let whole = Whole { averaged, evaluated, relevant: judged.relevant(), tag: &retrieved.tag };
    for (measure, sum) in measures.iter().zip(sums) {
        if let Some(value) = whole.value(measure, sum, &page) {
            page.line(&mut text, measure, "all", &value);
        }
    }
    Ok(text)
}

/// One hit, of a passage that no judgment can name.
fn unjudged() -> Hits {
    Hits::of([("", 1.0)]).expect("its score is a number")
}

/// How values are printed.
struct Page<'a> {
    options: &'a TrecOptions,
    zscores: Option<&'a ZScores>,
}

impl Page<'_> {
    /// Adds the value of one topic to the sum, and to the text if it is asked for.
    fn add(
        &self,
        text: &mut String,
        topic: &str,
        measure: &Measure,
        ranked: &Ranked,
        missing: bool,
        sum: &mut f64,
    ) -> Result<(), Stop> {
        if matches!(measure.value, Value::Runid | Value::NumQ) {
            return Ok(());
        }
        let unfit = || {
            let (measure, judgments) = (&measure.name, self.options.judgments.name());
            refused(format!("the measure `{measure}` cannot be calculated with `-R {judgments}`"))
        };
        if let Value::Relstring(length) = measure.value {
            let mut grades = topic::relstring(ranked, length).ok_or_else(unfit)?;
            if missing && measure.name == "relstring" {
                grades.clear();
            }
            if self.options.topics {
                self.line(text, measure, topic, &format!("'{grades}'"));
            }
            return Ok(());
        }
        let mut value = measure.value.of(ranked).ok_or_else(unfit)?;
        if missing && measure.is_zero_where_missing() {
            value = 0.0;
        }
        if matches!(measure.value, Value::Geometric(_)) {
            value = value.max(LOWEST).ln();
        }
        if let Some(zscores) = self.zscores {
            value = zscores.standardised(topic, &measure.name, value);
        }
        *sum += value;
        if self.options.topics && !matches!(measure.value, Value::Geometric(_)) {
            let value = self.number(value, measure.value.is_count());
            self.line(text, measure, topic, &value);
        }
        Ok(())
    }

    /// As C prints it; what counts something is no whole number when it is standardised.
    fn number(&self, value: f64, count: bool) -> String {
        if count && self.zscores.is_none() { format!("{value:.0}") } else { number(value) }
    }

    fn line(&self, text: &mut String, measure: &Measure, topic: &str, value: &str) {
        let plain = matches!(measure.value, Value::Runid | Value::Relstring(_));
        let sign = if self.zscores.is_some() && !plain { "Z" } else { "" };
        writeln!(text, "{sign}{:<22}\t{topic}\t{value}", measure.name)
            .expect("a string takes all text");
    }
}

/// All topics together.
struct Whole<'a> {
    averaged: usize,
    evaluated: usize,
    /// How many passages have a positive grade, in all judged topics.
    relevant: usize,
    tag: &'a str,
}

impl Whole<'_> {
    /// What is printed of all topics; `None` for what is of single ones.
    fn value(&self, measure: &Measure, sum: f64, page: &Page<'_>) -> Option<String> {
        let topics = self.averaged as f64;
        let (value, count) = match &measure.value {
            Value::Runid => return Some(self.tag.to_owned()),
            Value::Relstring(_) => return None,
            Value::NumQ => (topics, true),
            // With `-c` it counts in all topics, and every positive grade whatever `-l` says.
            Value::Count(_) if measure.name == "num_rel" && page.options.complete => {
                (self.relevant as f64, true)
            }
            Value::Geometric(_) => {
                let missing = (self.averaged - self.evaluated) as f64;
                (((sum + missing * LOWEST.ln()) / topics).exp(), false)
            }
            value if value.is_count() => (sum, true),
            _ => (sum / topics, false),
        };
        Some(page.number(value, count))
    }
}

/// As C prints it with `%6.4f`.
fn number(value: f64) -> String {
    match (value.is_nan(), value.is_sign_negative()) {
        (true, true) => "  -nan".to_owned(),
        (true, false) => "   nan".to_owned(),
        (false, _) => format!("{value:6.4}"),
    }
}
