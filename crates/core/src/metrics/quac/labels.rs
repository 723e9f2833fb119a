//! The closed answers of QuAC: yes or no, and whether to ask on.

use super::{MIN_F1, QUAC_F1, counted};
use crate::{
    Case, Definition, Example, Kind, Metric, Need, Parameter, Score, Unscored, Value, stats,
};

/// The column and the label with the answer yes or no.
const YES_NO: &str = "yesno";

/// The column and the label that says whether to ask on.
const FOLLOWUP: &str = "followup";

const GOLD: Parameter = Parameter {
    name: "gold",
    kind: Kind::Choice(&["single", "majority"]),
    summary: "whether an example has one label, or the majority of several is right",
};

const SEED: Parameter = Parameter {
    name: "seed",
    kind: Kind::Integer { min: 0, default: 0 },
    summary: "seed of the draw between labels that equally many annotators gave",
};

/// Accuracy of the yes-or-no label.
///
/// # Definition
/// 1 if the label `yesno` of the prediction equals the column `yesno` of the example, else 0. QuAC
/// writes `y`, `n` and `x` for neither.
///
/// The script has one label for each question, and so has `gold=single`. With `gold=majority` the
/// column may be a list with the labels of several annotators, and the one that most of them gave
/// is right. A tie is drawn by lot: from a random stream that depends on `seed` and on the id of
/// the example alone, so that it comes out the same in every run, whatever else is evaluated and
/// in whatever order the annotators stand.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `min_f1`: human F1 below which a question is left out. `gold`: `single` or `majority`. `seed`:
/// seed of the draw, of effect with `gold=majority` only.
///
/// # Edge cases
/// A question that [`QUAC_F1`] leaves out is left out here too. A missing prediction scores 0, if any
/// other has such a label. Null where the prediction has none: QuAC's own format always has it. Null
/// where the example has nothing in that column, or with `gold=single` a list of several labels.
///
/// # Equals
/// `yes/no` of QuAC's `scorer.py` with `gold=single`; no script has the other. Choi et al., "QuAC:
/// Question Answering in Context" (2018).
pub static QUAC_YES_NO: Definition = Definition {
    name: "QuAC.YesNo",
    summary: "accuracy of the yes-or-no label",
    equals: "QuAC, scorer.py: yes/no",
    needs: &[Need::References, Need::Column(YES_NO), Need::Label(YES_NO)],
    parameters: &[MIN_F1, GOLD, SEED],
    score: yes_no,
    ..QUAC_F1
};

/// Accuracy of the label that says whether to ask on.
///
/// # Definition
/// 1 if the label `followup` of the prediction equals the column `followup` of the example, else 0.
/// QuAC writes `y` for should, `m` for maybe and `n` for should not. Several annotators as in
/// [`QUAC_YES_NO`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// As [`QUAC_YES_NO`].
///
/// # Edge cases
/// As [`QUAC_YES_NO`].
///
/// # Equals
/// `followup` of QuAC's `scorer.py` with `gold=single`.
pub static QUAC_FOLLOWUP: Definition = Definition {
    name: "QuAC.Followup",
    summary: "accuracy of the label that says whether to ask on",
    equals: "QuAC, scorer.py: followup",
    needs: &[Need::References, Need::Column(FOLLOWUP), Need::Label(FOLLOWUP)],
    parameters: &[MIN_F1, GOLD, SEED],
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
    let gold = gold(metric, case.example, name)?;
    let Some(prediction) = case.prediction else { return Ok(metric.worst()) };
    // An answer without the act was not asked for it.
    let Some(predicted) = prediction.labels.get(name) else {
        return Err(Unscored::NotApplicable(format!("the prediction has no `{name}`")));
    };
    Ok(f64::from(predicted == gold))
}

/// The label that is right.
fn gold<'a>(metric: &Metric, example: &'a Example, name: &str) -> Result<&'a str, Unscored> {
    let labels: Option<Vec<&str>> = match example.columns.get(name) {
        Some(Value::List(values)) => values.iter().map(text).collect(),
        Some(value) => text(value).map(|label| vec![label]),
        None => None,
    };
    let labels = labels.unwrap_or_default();
    match labels.as_slice() {
        [] => Err(Unscored::NotApplicable(format!("the example has no text in column `{name}`"))),
        // A table of texts has no lists: this would be compared as one label and never be right.
        [label] if label.trim().starts_with('[') => Err(Unscored::NotApplicable(format!(
            "column `{name}` has a list written as text: `{label}`; JSON lines and Parquet hold lists"
        ))),
        [label] => Ok(label),
        _ if metric.choice(GOLD.name) == "majority" => {
            let seed = metric.integer(SEED.name).unsigned_abs();
            Ok(majority(labels, seed.into(), &example.id))
        }
        _ => Err(Unscored::NotApplicable(format!(
            "the example has several labels in column `{name}`: `gold=majority` counts them"
        ))),
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The label that occurs most often; a tie is drawn by lot. Their order does not matter.
fn majority<'a>(mut labels: Vec<&'a str>, seed: u64, id: &str) -> &'a str {
    labels.sort_unstable();
    let runs = || labels.chunk_by(|a, b| a == b);
    let most = runs().map(<[&str]>::len).max().unwrap_or(0);
    let tied: Vec<&str> = runs().filter(|run| run.len() == most).map(|run| run[0]).collect();
    tied[stats::draw(seed, id, tied.len())]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Prediction;

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
    fn score(name: &str, id: &str, gold: &[&str], label: &str) -> Score {
        let gold = gold.iter().map(|&label| Value::Text(label.to_owned())).collect();
        let example = Example {
            id: id.to_owned(),
            references: vec!["x".into()],
            columns: [("followup".to_owned(), Value::List(gold))].into(),
            ..Example::default()
        };
        let labels = [("followup".to_owned(), label.to_owned())].into();
        let prediction = Prediction { labels, ..Prediction::answer("y") };
        let metric: Metric = name.parse().unwrap();
        metric.score(&Case::new(&example).with_prediction(&prediction))
    }

    #[test]
    fn the_majority_of_several_annotators_is_right() {
        let majority = "QuAC.Followup(gold=majority)";
        assert_eq!(score(majority, "a", &["y", "n", "y"], "y"), Ok(1.0));
        assert_eq!(score(majority, "a", &["y", "n", "y"], "n"), Ok(0.0));
        assert_eq!(score(majority, "a", &["m"], "m"), Ok(1.0));
        assert!(matches!(score(majority, "a", &[], "y"), Err(Unscored::NotApplicable(_))));
        let written = score(majority, "a", &["[\"y\", \"n\"]"], "y");
        assert!(matches!(written, Err(Unscored::NotApplicable(_))));
        let reason = "the example has several labels in column `followup`: `gold=majority` counts \
                      them";
        let several = score("QuAC.Followup", "a", &["y", "n", "y"], "y");
        assert_eq!(several, Err(Unscored::NotApplicable(reason.to_owned())));
        assert_eq!(score("QuAC.Followup", "a", &["y"], "y"), Ok(1.0));
    }

    #[test]
    fn a_tie_is_drawn_by_the_seed_and_the_id() {
        let right = |seed: u32| -> Vec<f64> {
            let name = format!("QuAC.Followup(gold=majority,seed={seed})");
            let drawn = |i: u32| score(&name, &format!("C_{i}"), &["y", "n", "m", "n", "y"], "y");
            (0..400).map(|i| drawn(i).unwrap()).collect()
        };
        let of_seed = right(13);
        assert_eq!(of_seed, right(13));
        assert_ne!(of_seed, right(14));
        let share = of_seed.iter().sum::<f64>();
        assert!((160.0..240.0).contains(&share), "{share}");
        // Fixed, so that a change of the stream is seen: scores depend on it.
        assert_eq!(of_seed[..8], [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
        assert_eq!(score("QuAC.Followup(gold=majority)", "a", &["y", "n"], "m"), Ok(0.0));
    }

    proptest! {
        #[test]
        fn the_order_of_the_annotators_does_not_matter(
            (labels, shuffled) in prop::collection::vec("y|n|m|x|\\PC", 1..7)
                .prop_flat_map(|labels| (Just(labels.clone()), Just(labels).prop_shuffle())),
            seed in any::<u64>(),
            id in "\\PC*",
        ) {
            let of = |labels: &[String]| {
                let label = majority(labels.iter().map(String::as_str).collect(), seed, &id);
                label.to_owned()
            };
            let found = of(&labels);
            prop_assert_eq!(&found, &of(&shuffled));
            let count = |label: &String| labels.iter().filter(|other| *other == label).count();
            prop_assert!(labels.iter().all(|label| count(label) <= count(&found)));
        }
    }
}
