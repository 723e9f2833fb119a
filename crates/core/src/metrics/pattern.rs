//! References that are regular expressions.

use regex::{Regex, RegexBuilder};

use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject, Unscored,
};

const MATCH: Parameter = Parameter {
    name: "match",
    kind: Kind::Choice(&["search", "full"]),
    summary: "whether the pattern may match a part of the prediction, or must match all of it",
};

const CASE: Parameter = Parameter {
    name: "case",
    kind: Kind::Choice(&["ignore", "keep"]),
    summary: "whether capital and small letters are the same",
};

/// Whether a reference, read as a regular expression, matches the prediction.
///
/// # Definition
/// 1 if one of the references matches, else 0. `^` and `$` match at lines, as in the scripts that use
/// such references; with `match=full` the whole text must match, blanks around it left out.
///
/// # Range
/// 0 or 1.
///
/// # Edge cases
/// Null without references, and where a reference is no valid pattern: the reason names it. The
/// syntax is that of Rust's `regex`: neither look-around nor back-references, so that no pattern
/// takes long. Nothing is normalised.
///
/// # Equals
/// `regex_match` of DPR's `has_answer`, where the pattern is valid, on the prediction instead of a
/// passage; that counts an invalid pattern as no match.
pub static REGEX: Definition = Definition {
    name: "Regex",
    synonyms: &["RegexMatch"],
    summary: "a reference, read as a regular expression, matches the prediction",
    equals: "DPR: regex_match, on the prediction",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[MATCH, CASE],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: regex,
};

fn regex(metric: &Metric, case: &Case<'_>) -> Score {
    if case.example.references.is_empty() {
        return Err(Unscored::NoReference);
    }
    let full = metric.choice(MATCH.name) == "full";
    let ignore_case = metric.choice(CASE.name) == "ignore";
    let text = case.prediction_text();
    let text = if full { text.trim() } else { text };
    let mut right = false;
    // All patterns are tried, so that an invalid one is seen wherever it stands.
    for reference in case.example.reference_texts() {
        let mut pattern = compile(reference, ignore_case).ok_or_else(|| invalid(reference))?;
        if full {
            let whole = format!(r"\A(?:{reference})\z");
            pattern = compile(&whole, ignore_case).ok_or_else(|| invalid(reference))?;
        }
        right |= pattern.is_match(text);
    }
    Ok(f64::from(right))
}

fn compile(pattern: &str, ignore_case: bool) -> Option<Regex> {
    RegexBuilder::new(pattern).case_insensitive(ignore_case).multi_line(true).build().ok()
}

fn invalid(reference: &str) -> Unscored {
    Unscored::NotApplicable(format!("the reference `{reference}` is no valid pattern"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, metrics::testing::check};

    fn score(name: &str, prediction: &str, references: &[&str]) -> Score {
        let references = references.iter().map(|&text| text.into()).collect();
        let example = Example { references, ..Example::default() };
        let prediction = Prediction::answer(prediction);
        let case = Case::new(&example).with_prediction(&prediction);
        name.parse::<Metric>().unwrap().score(&case)
    }

    #[test]
    fn a_pattern_matches() {
        check("Regex", "about 15 Working days", &[r"\d+ working"], 1.0);
        check("Regex(case=keep)", "about 15 Working days", &[r"\d+ working"], 0.0);
        check("Regex(match=full)", "about 15 days", &[r"\d+ days"], 0.0);
        check("Regex(match=full)", " 15 days\n", &["ten|15 days"], 1.0);
        check("Regex(match=full)", "15 days or", &["15 days|ten"], 0.0);
        check("Regex", "first\nsecond", &["^second$"], 1.0);
        check("Regex", "x", &["y", "x"], 1.0);
    }

    #[test]
    fn an_invalid_pattern_is_named() {
        let reason = Unscored::NotApplicable("the reference `(` is no valid pattern".to_owned());
        assert_eq!(score("Regex", "x", &["x", "("]), Err(reason.clone()));
        assert_eq!(score("Regex", "x", &["(", "x"]), Err(reason));
        assert!(score("Regex", "x", &[r"(?=x)"]).is_err());
        // Valid alone, so that the brackets around it must not make it valid or invalid.
        assert!(score("Regex(match=full)", "x", &["x)|(y"]).is_err());
        assert_eq!(score("Regex", "x", &[]), Err(Unscored::NoReference));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_pattern_has_a_score_or_a_reason(pattern in "\\PC*|[a-c(|)*+\\[\\]\\\\^$.{}0-9]*", text in "\\PC*") {
            for name in ["Regex", "Regex(match=full)"] {
                match score(name, &text, &[&pattern]) {
                    Ok(score) => prop_assert!((0.0..=1.0).contains(&score)),
                    Err(Unscored::NotApplicable(reason)) => prop_assert!(reason.contains(&pattern)),
                    Err(other) => prop_assert!(false, "{other:?}"),
                }
            }
        }
    }
}
