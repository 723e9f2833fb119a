//! CuratedTREC's metric: references that are regular expressions.

use super::python_regex::{self, Dialect, Pattern};
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject, Unscored,
};

/// Whether a reference, taken as a regular expression, matches the prediction.
///
/// # Definition
/// 1 if one of the patterns matches, else 0. They are patterns of Python's `re`; case does not
/// matter, and `^` and `$` are the ends of lines. Nothing is normalised.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `match`: `search` lets a pattern match anywhere, as DrQA and DPR do; `start` only at the start
/// of the prediction, as ORQA does.
///
/// # Edge cases
/// A pattern that Python refuses matches nothing, as in the scripts. Where no pattern matches and
/// one is not supported here (verbose flags, conditions, named characters) or takes too long, the
/// example is unscored. A missing prediction scores 0. An example without references is unscored.
///
/// # Equals
/// With `start`, `is_correct` with `is_regex` of ORQA's `eval_utils.py`. Baudiš and Šedivý,
/// "Modeling of the Question Answering Task in the YodaQA System" (2015).
pub static CURATED_TREC_EM: Definition = Definition {
    name: "CuratedTREC.EM",
    synonyms: &[],
    summary: "a reference, as a regular expression, matches the prediction",
    equals: "CuratedTREC, ORQA eval_utils.py: is_correct with regular expressions",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[Parameter {
        name: "match",
        kind: Kind::Choice(&["search", "start"]),
        summary: "where a pattern may match: anywhere, or only at the start",
    }],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: matches,
};

fn matches(metric: &Metric, case: &Case<'_>) -> Score {
    let references = case.example.reference_texts();
    if references.len() == 0 {
        return Err(Unscored::NoReference);
    }
    let compile = match metric.choice("match") {
        "start" => Pattern::at_start,
        _ => Pattern::anywhere,
    };
    let text = case.prediction_text();
    let tests = references.map(|pattern| compile(pattern, Dialect::Re)?.matches(text));
    python_regex::any(tests).map(f64::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::metrics::testing::{check, check_hostile};

    #[test]
    fn patterns_match_anywhere_or_at_the_start() {
        check("CuratedTREC.EM", "in New  York", &["new\\s+york|nyc"], 1.0);
        check("CuratedTREC.EM(match=start)", "in New  York", &["new\\s+york|nyc"], 0.0);
        check("CuratedTREC.EM(match=start)", "NYC now", &["new\\s+york|nyc"], 1.0);
        check("CuratedTREC.EM(match=start)", "one\ntwo", &["^two"], 0.0);
        check("CuratedTREC.EM", "one\ntwo", &["^two"], 1.0);
        check("CuratedTREC.EM", "(x", &["(x", "y"], 0.0);
    }

    proptest! {
        #[test]
        fn any_text_is_scored(
            prediction in "\\PC{0,12}|[aA_.' nTHe(]{0,12}",
            references in prop::collection::vec("\\PC{0,9}|[aA_.' nTHe(]{0,9}", 1..4),
        ) {
            for metric in ["CuratedTREC.EM", "CuratedTREC.EM(match=start)"] {
                check_hostile(metric, &prediction, &references);
            }
        }
    }
}
