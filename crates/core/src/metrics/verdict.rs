//! The share of answers that somebody has called right.

use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored};

/// Name of the label that holds the verdict.
pub const LABEL: &str = "verdict";

/// Whether a person, or whoever made the file, has called the answer right.
///
/// # Definition
/// 1 where the prediction's field `verdict` says yes, 0 where it says no. The mean is the accuracy
/// as people judge it, which other metrics can be compared with.
///
/// # Edge cases
/// Yes is `true`, `yes`, `correct` or `1`, no is `false`, `no`, `incorrect` or `0`, in any case of
/// letters. Null, with the reason, for an answer without a verdict and for any other word. A missing
/// prediction is wrong, if any other has a verdict.
///
/// # Equals
/// The mean of the column.
pub static VERDICT: Definition = Definition {
    name: "Verdict",
    synonyms: &[],
    summary: "a verdict on the answer that stands in the predictions",
    equals: "the mean of the column",
    subject: Subject::Answer,
    needs: &[Need::Label(LABEL)],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: verdict,
};

fn verdict(metric: &Metric, case: &Case<'_>) -> Score {
    let unscored = |reason: String| Err(Unscored::NotApplicable(reason));
    let Some(prediction) = case.prediction else { return Ok(metric.worst()) };
    let Some(verdict) = prediction.labels.get(LABEL) else {
        return unscored("the answer has no verdict".to_owned());
    };
    match verdict.trim().to_lowercase().as_str() {
        "true" | "yes" | "correct" | "1" => Ok(1.0),
        "false" | "no" | "incorrect" | "0" => Ok(0.0),
        _ => unscored(format!("the verdict `{verdict}` is neither yes nor no")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Example, Prediction};

    #[test]
    fn a_verdict_is_yes_or_no_or_nothing() {
        let metric: Metric = "Verdict".parse().unwrap();
        let score = |verdict: Option<&str>| {
            let mut prediction = Prediction::answer("x");
            prediction.labels.extend(verdict.map(|verdict| (LABEL.to_owned(), verdict.to_owned())));
            metric.score(&Case::new(&Example::default()).with_prediction(&prediction))
        };
        assert_eq!((score(Some("Yes")), score(Some("true"))), (Ok(1.0), Ok(1.0)));
        assert_eq!((score(Some("incorrect")), score(Some("0"))), (Ok(0.0), Ok(0.0)));
        assert!(matches!(score(Some("maybe")), Err(Unscored::NotApplicable(_))));
        assert!(matches!(score(None), Err(Unscored::NotApplicable(_))));
    }
}
