//! The grammar of metric names: `Base(param=value,...)@cutoff`. Parsing undoes display.

use std::{fmt, str::FromStr};

use super::{
    Argument, Cutoff, Definition, FAMILIES, Family, Gains, Kind, METRICS, Metric, MetricError, trec,
};
use crate::metrics::language;

/// The canonical name: parameters that have their default value are left out.
impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.definition.name)?;
        let mut open = '(';
        for (parameter, argument) in self.definition.parameters.iter().zip(&self.arguments) {
            if *argument != parameter.kind.default() {
                write!(f, "{open}{}={argument}", parameter.name)?;
                open = ',';
            }
        }
        if open == ',' {
            f.write_str(")")?;
        }
        match self.cutoff {
            Some(cutoff) => write!(f, "@{cutoff}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self, MetricError> {
        let text = text.trim();
        let other = trec::from_name(text).or_else(|| from_chrf_name(text));
        if let Some(name) = other.or_else(|| from_haystack_name(text)) {
            return name.parse();
        }
        let (head, cutoff) = match text.rsplit_once('@') {
            Some((head, cutoff)) => (head, Some(parse_cutoff(text, cutoff)?)),
            None => (text, None),
        };
        let (base, arguments) = match head.split_once('(') {
            Some((base, rest)) => (
                base,
                rest.strip_suffix(')')
                    .ok_or_else(|| error(format!("`{text}` lacks its closing parenthesis")))?,
            ),
            None => (head, ""),
        };
        let definition = find(base).ok_or_else(|| unknown(base))?;
        match (definition.cutoff, cutoff) {
            (Cutoff::Never, Some(k)) => {
                return Err(MetricError {
                    message: format!("`{}` takes no cutoff, but `@{k}` is given", definition.name),
                    hint: Some(format!("write `{}`", definition.name)),
                });
            }
            (Cutoff::Required, None) => {
                return Err(MetricError {
                    message: format!("`{}` needs a cutoff", definition.name),
                    hint: Some(format!("write `{}@10`, for example", definition.name)),
                });
            }
            _ => {}
        }
        let arguments = parse_arguments(definition, arguments)?;
        check_normalizer(definition, &arguments)?;
        let mut defaults = definition.parameters.iter().map(|parameter| parameter.kind.default());
        let plain = arguments.iter().all(|argument| defaults.next().as_ref() == Some(argument));
        Ok(Self { definition, arguments, plain, cutoff })
    }
}

impl Kind {
    /// The value when the parameter is absent.
    pub fn default(&self) -> Argument {
        match *self {
            Self::Integer { default, .. } => Argument::Integer(default),
            Self::Number { default, .. } => Argument::Number(default),
            Self::Choice(words) => Argument::Choice(words[0]),
            Self::Gains => Argument::Gains(Gains::default()),
            Self::Normalizer => Argument::Normalizer(None),
        }
    }

    fn parse(&self, name: &str, value: &str) -> Result<Argument, MetricError> {
        let expected = match *self {
            Self::Integer { min, .. } => match value.parse() {
                Ok(number) if number >= min => return Ok(Argument::Integer(number)),
                _ => format!("a whole number of at least {min}"),
            },
            Self::Number { min, max, .. } => match value.parse() {
                Ok(number) if (min..=max).contains(&number) && number.is_finite() => {
                    return Ok(Argument::Number(number));
                }
                _ if max.is_infinite() => format!("a number, {min} or more"),
                _ => format!("a number from {min} to {max}"),
            },
            Self::Choice(words) => match words.iter().find(|word| word.eq_ignore_ascii_case(value))
            {
                Some(word) => return Ok(Argument::Choice(word)),
                None => format!("one of {}", words.join(", ")),
            },
            Self::Gains => match Gains::parse(value) {
                Some(gains) => return Ok(Argument::Gains(gains)),
                None => {
                    "grades from 0, each once and with a gain from 0, as in `1:1;2:3`".to_owned()
                }
            },
            Self::Normalizer => match value {
                "none" => return Ok(Argument::Normalizer(None)),
                _ if is_normalizer(value) => {
                    return Ok(Argument::Normalizer(Some(value.to_owned())));
                }
                _ => "a plugin and its normalizer, as in `acme.legal`".to_owned(),
            },
        };
        Err(error(format!("parameter `{name}` is `{value}`, expected {expected}")))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Choice(value) => f.write_str(value),
            Self::Gains(value) => write!(f, "{value}"),
            Self::Normalizer(name) => f.write_str(name.as_deref().unwrap_or("none")),
        }
    }
}

/// A metric name as a column of a table: lower snake case, `@` spelled out.
/// `nDCG@10` becomes `ndcg_at_10`, `AnswerRecall@5` `answer_recall_at_5`, `P(rel=2)@5`
/// `p_rel_2_at_5`.
pub fn column_name(metric: &str) -> String {
    let letters: Vec<char> = metric.replace('@', "_at_").chars().collect();
    let mut column = String::with_capacity(metric.len() + 3);
    for (index, &c) in letters.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !column.ends_with('_') {
                column.push('_');
            }
            continue;
        }
        if begins_word(&letters, index) {
            column.push('_');
        }
        column.push(c.to_ascii_lowercase());
    }
    column.trim_matches('_').to_owned()
}

/// Whether a capital begins a new word, as in `AnswerRecall`; an abbreviation such as `nDCG` or
/// `chrF` is one word.
fn begins_word(letters: &[char], index: usize) -> bool {
    let lower = |at: usize| letters.get(at).is_some_and(char::is_ascii_lowercase);
    letters[index].is_ascii_uppercase()
        && index >= 2
        && lower(index - 1)
        && lower(index - 2)
        && letters.get(index + 1).is_some_and(char::is_ascii_alphabetic)
}

fn find(base: &str) -> Option<&'static Definition> {
    METRICS.iter().copied().find(|d| d.name == base || d.synonyms.contains(&base))
}

fn parse_cutoff(text: &str, cutoff: &str) -> Result<u32, MetricError> {
    match cutoff.parse() {
        Ok(cutoff) if cutoff > 0 => Ok(cutoff),
        _ => Err(error(format!(
            "the cutoff of `{text}` is `{cutoff}`, expected a whole number from 1 to {}",
            u32::MAX
        ))),
    }
}

fn parse_arguments(definition: &Definition, text: &str) -> Result<Vec<Argument>, MetricError> {
    let mut arguments: Vec<Argument> =
        definition.parameters.iter().map(|parameter| parameter.kind.default()).collect();
    let mut given: Vec<Option<&str>> = vec![None; arguments.len()];
    // ir_measures writes a mapping in braces.
    let mut depth = 0_i32;
    let commas = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    for argument in text.split(commas).map(str::trim).filter(|argument| !argument.is_empty()) {
        let (name, value) = argument
            .split_once('=')
            .ok_or_else(|| error(format!("`{argument}` is no parameter, expected `name=value`")))?;
        // ir_measures writes words in quotes.
        let (name, value) = (name.trim(), value.trim().trim_matches(['\'', '"']));
        let index = definition.parameters.iter().position(|p| p.name == name).ok_or_else(|| {
            let names: Vec<&str> = definition.parameters.iter().map(|p| p.name).collect();
            MetricError {
                message: format!("`{}` has no parameter `{name}`", definition.name),
                hint: (!names.is_empty()).then(|| format!("it takes {}", names.join(", "))),
            }
        })?;
        if let Some(first) = given[index].replace(value) {
            return Err(MetricError {
                message: format!("parameter `{name}` of `{}` is given twice", definition.name),
                hint: Some(if first == value {
                    format!("write `{name}={value}` once")
                } else {
                    format!("keep `{name}={first}` or `{name}={value}`")
                }),
            });
        }
        arguments[index] = definition.parameters[index].kind.parse(name, value)?;
    }
    Ok(arguments)
}

/// A normalizer takes the place of the rules that the parameters of languages say.
fn check_normalizer(definition: &Definition, arguments: &[Argument]) -> Result<(), MetricError> {
    let given = || definition.parameters.iter().zip(arguments);
    let normalizer = given().find(|(_, value)| matches!(value, Argument::Normalizer(Some(_))));
    let rule = given().find(|(parameter, value)| {
        language::is_rule(parameter) && **value != parameter.kind.default()
    });
    let (Some((parameter, normalizer)), Some((rule, value))) = (normalizer, rule) else {
        return Ok(());
    };
    Err(MetricError {
        message: format!(
            "`{}` has both `{}={normalizer}` and `{}={value}`, but a normalizer makes the words alone",
            definition.name, parameter.name, rule.name
        ),
        hint: Some(format!("leave out `{}={value}`", rule.name)),
    })
}

/// Whether a text can stand before or after the point of `plugin.metric`.
pub fn is_name(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(word)
}

/// Whether a value names a normalizer of a plugin: two names with a point between them.
fn is_normalizer(value: &str) -> bool {
    value.split_once('.').is_some_and(|(plugin, name)| is_name(plugin) && is_name(name))
}

/// Haystack's names of the best of several answers: `top_5_em`, `top_5_f1`.
fn from_haystack_name(text: &str) -> Option<String> {
    let (cutoff, base) = text.strip_prefix("top_")?.split_once('_')?;
    let base = match base {
        "em" => "Top-EM",
        "f1" => "Top-F1",
        _ => return None,
    };
    let number = !cutoff.is_empty() && cutoff.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| format!("{base}@{cutoff}"))
}

/// The names that chrF has with n-grams of words: `chrF++`, `chrF++(beta=1)`.
fn from_chrf_name(text: &str) -> Option<String> {
    let rest = text.strip_prefix("chrF+")?;
    let (order, rest) = rest.strip_prefix('+').map_or((1, rest), |rest| (2, rest));
    Some(match rest.strip_prefix('(') {
        Some(arguments) => format!("chrF(word_order={order},{arguments}"),
        None => format!("chrF(word_order={order}){rest}"),
    })
}

fn unknown(base: &str) -> MetricError {
    if let Some(family) = Family::named(base) {
        return family.error();
    }
    let names =
        METRICS.iter().flat_map(|d| std::iter::once(d.name).chain(d.synonyms.iter().copied()));
    let names = names.chain(FAMILIES.iter().map(|family| family.name));
    let lower = base.to_lowercase();
    let nearest = names
        .map(|name| (strsim::damerau_levenshtein(&name.to_lowercase(), &lower), name))
        .min_by_key(|&(distance, name)| (distance, name.len()));
    let hint = match nearest {
        Some((distance, name)) if distance <= base.chars().count().div_ceil(3) => {
            format!("did you mean `{}`?", find(name).map_or(name, |definition| definition.name))
        }
        _ => "`qeval list metrics` prints all metrics".to_owned(),
    };
    MetricError { message: format!("there is no metric `{base}`"), hint: Some(hint) }
}

fn error(message: String) -> MetricError {
    MetricError { message, hint: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        match text.parse::<Metric>() {
            Ok(metric) => metric.to_string(),
            Err(error) => format!("{} / {}", error.message, error.hint.unwrap_or_default()),
        }
    }

    #[test]
    fn names_are_read_and_printed_in_one_form() {
        for (text, printed) in [
            ("EM", "EM"),
            (" nDCG@10 ", "nDCG@10"),
            ("NDCG@10", "nDCG@10"),
            ("ndcg_cut_10", "nDCG@10"),
            ("P(rel=2)@5", "P(rel=2)@5"),
            ("P( rel = 1 )@5", "P@5"),
            ("AP", "MAP"),
            ("map_cut_100", "MAP@100"),
            ("RR@10", "MRR@10"),
            ("HitRate@5", "Success@5"),
            ("nDCG(dcg='exp-log2')@10", "nDCG(dcg=exp-log2)@10"),
            ("AP(judged_only=True)", "MAP(judged_only=true)"),
            ("nDCG(gains={0: 0, 2:3.50,1:1})@10", "nDCG(gains=0:0;1:1;2:3.5)@10"),
            ("nDCG(gains={2:3, 1:1}, dcg=exp-log2)", "nDCG(dcg=exp-log2,gains=1:1;2:3)"),
            ("ndcg.1=3.5,2=9.0", "nDCG(gains=1:3.5;2:9)"),
            ("ndcg_1=3.5,2=9.0", "nDCG(gains=1:3.5;2:9)"),
            ("nDCG(gains=1:1e308;2:1e15)", "nDCG(gains=1:1e308;2:1000000000000000)"),
            ("Recall(unit=passage)@5", "Recall@5"),
            ("Recall(unit=document,rel=2)@5", "Recall(rel=2,unit=document)@5"),
            ("IPrec@0.1", "IPrec(recall=0.1)"),
            ("HEQ-D", "HEQ-D"),
            ("top_5_em", "Top-EM@5"),
            ("Top-F1", "Top-F1"),
            ("EM(normalize=none)", "EM"),
            ("F1( normalize = 'acme-1.legal_2' )", "F1(normalize=acme-1.legal_2)"),
            ("Contains(normalize=a.b,language=en)", "Contains(normalize=a.b)"),
            ("chrF++", "chrF(word_order=2)"),
            ("chrF+(beta=1)", "chrF(word_order=1,beta=1)"),
        ] {
            assert_eq!(canonical(text), printed, "{text}");
        }
    }

    #[test]
    fn a_wrong_name_says_what_may_have_been_meant() {
        for (text, message) in [
            ("F2", "there is no metric `F2` / did you mean `F1`?"),
            ("ExactMatsh", "there is no metric `ExactMatsh` / did you mean `EM`?"),
            ("Recal@5", "there is no metric `Recal` / did you mean `Recall`?"),
            ("wibble", "there is no metric `wibble` / `qeval list metrics` prints all metrics"),
            ("Recall", "`Recall` needs a cutoff / write `Recall@10`, for example"),
            ("EM@5", "`EM` takes no cutoff, but `@5` is given / write `EM`"),
            ("P@0", "the cutoff of `P@0` is `0`, expected a whole number from 1 to 4294967295 / "),
            ("Number(abs=nan)", "parameter `abs` is `nan`, expected a number, 0 or more / "),
            ("Number(abs=inf)", "parameter `abs` is `inf`, expected a number, 0 or more / "),
            ("P(rel=x)@5", "parameter `rel` is `x`, expected a whole number of at least 1 / "),
            (
                "P(level=2)@5",
                "`P` has no parameter `level` / it takes rel, empty, judged_only, unit",
            ),
            (
                "F1(language=de,language=fr)",
                "parameter `language` of `F1` is given twice / keep `language=de` or `language=fr`",
            ),
            ("P( rel=2, rel = 2)@5", "parameter `rel` of `P` is given twice / write `rel=2` once"),
            (
                "nDCG(gains=1:2;1:3)",
                "parameter `gains` is `1:2;1:3`, expected grades from 0, each once and with a gain \
                 from 0, as in `1:1;2:3` / ",
            ),
            (
                "F1(normalize=acme.legal, words=unicode)",
                "`F1` has both `normalize=acme.legal` and `words=unicode`, but a normalizer makes the \
                 words alone / leave out `words=unicode`",
            ),
            (
                "EM(normalize=legal)",
                "parameter `normalize` is `legal`, expected a plugin and its normalizer, as in \
                 `acme.legal` / ",
            ),
            ("P(rel=2@5", "`P(rel=2@5` lacks its closing parenthesis / "),
        ] {
            assert_eq!(canonical(text), message, "{text}");
        }
    }

    #[test]
    fn display_and_parse_are_inverse_for_every_metric() {
        for definition in METRICS {
            let mut names = vec![definition.name.to_owned()];
            for parameter in definition.parameters {
                let value = match parameter.kind {
                    Kind::Integer { min, .. } => (min + 1).to_string(),
                    // A quarter of the way is no default.
                    Kind::Number { min, max, .. } => (min + (max.min(1e6) - min) / 4.0).to_string(),
                    Kind::Choice(words) => words[words.len() - 1].to_owned(),
                    Kind::Gains => "0:0.5;2:3".to_owned(),
                    Kind::Normalizer => "acme.legal".to_owned(),
                };
                names.push(format!("{}({}={value})", definition.name, parameter.name));
            }
            let suffix = if definition.cutoff == Cutoff::Required { "@7" } else { "" };
            for name in names {
                let name = name + suffix;
                let metric: Metric = name.parse().unwrap();
                assert_eq!(metric.to_string(), name);
                assert_eq!(metric.to_string().parse::<Metric>().as_ref(), Ok(&metric));
            }
        }
    }

    #[test]
    fn columns_are_snake_case() {
        for (metric, column) in [
            ("nDCG@10", "ndcg_at_10"),
            ("P(rel=2)@5", "p_rel_2_at_5"),
            ("SQuAD1.F1", "squad1_f1"),
            ("HEQ-D", "heq_d"),
            ("F1(normalize=acme.legal)", "f1_normalize_acme_legal"),
            ("AnswerRecall@5", "answer_recall_at_5"),
            ("AnswerMRR@5", "answer_mrr_at_5"),
            ("QuAC.F1", "quac_f1"),
            ("chrF", "chrf"),
            ("acme.key_figures", "acme_key_figures"),
        ] {
            assert_eq!(column_name(metric), column);
        }
    }

    #[test]
    fn a_list_of_cutoffs_is_several_metrics() {
        let names: Vec<String> = Metric::parse_list("Recall@{1, 5,20}")
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["Recall@1", "Recall@5", "Recall@20"]);
    }
}
