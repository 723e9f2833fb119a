//! The closed answers of QuAC: yes or no, and whether to ask on.

use super::{QUAC_F1, counted};
use crate::{Case, Definition, Metric, Need, Score, Unscored, Value};

/// The column and the label with the answer yes or no.
const YES_NO: &str = "yesno";

/// The column and the label that says whether to ask on.
const FOLLOWUP: &str = "followup";

/// Accuracy of the yes-or-no label.
///
/// # Definition
/// 1 if the label `yesno` of the prediction equals the column `yesno` of the example, else 0. QuAC
/// writes `y`, `n` and `x` for neither.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `min_f1`: human F1 below which a question is left out.
///
/// # Edge cases
/// A question that [`QUAC_F1`] leaves out is left out here too. A missing prediction scores 0. Null
/// where the prediction has no such label: QuAC's own format of predictions always has it. Null
/// where the example has nothing in that column.
///
/// # Equals
/// `yes/no` of QuAC's `scorer.py`. Choi et al., "QuAC: Question Answering in Context" (2018).
pub static QUAC_YES_NO: Definition = Definition {
    name: "QuAC.YesNo",
    summary: "accuracy of the yes-or-no label",
    equals: "QuAC, scorer.py: yes/no",
    needs: &[Need::References, Need::Column(YES_NO)],
    score: yes_no,
    ..QUAC_F1
};

/// Accuracy of the label that says whether to ask on.
///
/// # Definition
/// 1 if the label `followup` of the prediction equals the column `followup` of the example, else 0.
/// QuAC writes `y` for should, `m` for maybe and `n` for should not.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `min_f1`: human F1 below which a question is left out.
///
/// # Edge cases
/// As [`QUAC_YES_NO`].
///
/// # Equals
/// `followup` of QuAC's `scorer.py`.
pub static QUAC_FOLLOWUP: Definition = Definition {
    name: "QuAC.Followup",
    summary: "accuracy of the label that says whether to ask on",
    equals: "QuAC, scorer.py: followup",
    needs: &[Need::References, Need::Column(FOLLOWUP)],
    score: followup,
    ..QUAC_F1
};

fn yes_no(metric: &Metric, case: &Case<'_>) -> Score {
    label(metric, case, YES_NO)
}

fn followup(metric: &Metric, case: &Case<'_>) -> Score {
    label(metric, case, FOLLOWUP)
}

fn label(metric: &Metric, case: &Case<'_>, name: &str) -> Score {
    counted(metric, case)?;
    let Some(Value::Text(gold)) = case.example.columns.get(name) else {
        return Err(Unscored::NotApplicable(format!("the example has no text in column `{name}`")));
    };
    // An answer without the act was not asked for it; a missing answer does not come here.
    let Some(predicted) = case.prediction.and_then(|prediction| prediction.labels.get(name)) else {
        return Err(Unscored::NotApplicable(format!("the prediction has no `{name}`")));
    };
    Ok(f64::from(predicted == gold))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Example, Prediction};

    #[test]
    fn labels_are_compared_as_they_are() {
        let mut example = Example { references: vec!["x".into()], ..Example::default() };
        let score = |example: &Example, label: Option<&str>| {
            let labels = label.map(|label| ("yesno".to_owned(), label.to_owned()));
            let labels = labels.into_iter().collect();
            let prediction = Prediction { labels, ..Prediction::answer("y") };
            let metric: Metric = "QuAC.YesNo".parse().unwrap();
            metric.score(&Case::new(example).with_prediction(&prediction))
        };
        assert!(matches!(score(&example, Some("y")), Err(Unscored::NotApplicable(_))));
        example.columns.insert("yesno".to_owned(), Value::Text("y".to_owned()));
        assert_eq!(score(&example, Some("y")), Ok(1.0));
        assert_eq!(score(&example, Some("Y")), Ok(0.0));
        assert!(matches!(score(&example, None), Err(Unscored::NotApplicable(_))));
        example.references.push("z".into());
        assert_eq!(score(&example, Some("y")), Err(Unscored::LowAgreement));
    }
}
