//! Answers that are a list: precision, recall and F1 over the items.

mod split;

use super::{
    assignment,
    language::{self, ARTICLES, CASE, LANGUAGE, NORMALIZE, PUNCTUATION, UNICODE, WORDS},
    squad::Answer,
};
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Parameter, Score, Subject, Unscored,
};

const MATCH: Parameter = Parameter {
    name: "match",
    kind: Kind::Choice(&["f1", "exact"]),
    summary: "what two items have in common: their token F1, or 1 where they are the same",
};

const SEPARATOR: Parameter = Parameter {
    name: "separator",
    kind: Kind::Choice(split::SEPARATORS),
    summary: "where a text without items is split; `list`: at any of these and at the word `and`",
};

/// Harmonic mean of precision and recall over the items of a list.
///
/// # Definition
/// Each item of the prediction is paired with at most one item of the reference, so that the sum s of
/// what the pairs have in common is as large as possible. With p items predicted and r in the
/// reference: precision s / p, recall s / r, F1 their harmonic mean; best over the references.
///
/// The items are those of the prediction or reference that has some; otherwise its text is split. A
/// comma between two digits splits nothing, and in lines bullets and numbers are left out. Items are
/// normalised as in EM; equal ones count once, and those that normalise to nothing not at all.
///
/// # Range
/// 0 to 1.
///
/// # Parameters
/// `match`, `separator`, and those of EM. With `normalize` a text without items is normalised before
/// it is split, so the normalizer has to leave the separators.
///
/// # Edge cases
/// Two empty lists score 1, one empty list scores 0. Without references the right answer is the empty
/// list. Null where a list has more than 500 items. With several references precision and recall may
/// come from different ones.
///
/// # Equals
/// No script. The pairing is that of DROP's multi-span answers, whose F1 is a mean over the longer
/// list and not over precision and recall.
pub static SET_F1: Definition = Definition {
    name: "Set.F1",
    synonyms: &["SetF1"],
    summary: "F1 over the items of a list, paired one to one",
    equals: "no script; pairing of DROP",
    subject: Subject::Answer,
    needs: &[],
    cutoff: Cutoff::Never,
    parameters: &[
        MATCH,
        SEPARATOR,
        LANGUAGE,
        UNICODE,
        CASE,
        PUNCTUATION,
        ARTICLES,
        WORDS,
        NORMALIZE,
    ],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: |metric, case| best(metric, case, Common::f1),
};

/// Share of the predicted items that are right.
///
/// # Definition
/// As [`SET_F1`]: s / p, best over the references.
///
/// # Range
/// 0 to 1.
///
/// # Edge cases
/// As [`SET_F1`].
///
/// # Equals
/// No script.
pub static SET_PRECISION: Definition = Definition {
    name: "Set.Precision",
    synonyms: &["SetPrecision"],
    summary: "share of the predicted items that are in the reference, paired one to one",
    score: |metric, case| best(metric, case, Common::precision),
    ..SET_F1
};

/// Share of the items of the reference that were predicted.
///
/// # Definition
/// As [`SET_F1`]: s / r, best over the references.
///
/// # Range
/// 0 to 1.
///
/// # Edge cases
/// As [`SET_F1`].
///
/// # Equals
/// No script.
pub static SET_RECALL: Definition = Definition {
    name: "Set.Recall",
    synonyms: &["SetRecall"],
    summary: "share of the reference's items that were predicted, paired one to one",
    score: |metric, case| best(metric, case, Common::recall),
    ..SET_F1
};

/// The most items that are compared: pairing takes the cube of it.
const MOST: usize = 500;

fn best(metric: &Metric, case: &Case<'_>, value: fn(Common) -> f64) -> Score {
    let separator = metric.choice(SEPARATOR.name);
    let items = case.prediction.map_or(&[][..], |prediction| &prediction.items);
    let predicted = split::items(case.prediction_text(), items, separator);
    let references = case.example.references.iter();
    let lists =
        references.map(|reference| split::items(&reference.text, &reference.items, separator));
    let lists: Vec<Vec<&str>> = lists.collect();
    if lists.iter().chain([&predicted]).any(|list| list.len() > MOST) {
        return Err(Unscored::NotApplicable(format!("a list has more than {MOST} items")));
    }
    let none = [Vec::new()];
    let lists = if lists.is_empty() { &none[..] } else { &lists };
    let scores = lists.iter().map(|list| value(common(metric, &predicted, list)));
    Ok(scores.fold(0.0, f64::max))
}

/// What two lists have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Common {
    sum: f64,
    predicted: usize,
    reference: usize,
}

fn common(metric: &Metric, predicted: &[&str], reference: &[&str]) -> Common {
    let texts: Vec<&str> = predicted.iter().chain(reference).copied().collect();
    let answers = language::answers(metric, "", texts.iter().copied());
    let mut predicted_items = answers.references();
    let left = distinct(predicted_items.by_ref().take(predicted.len()));
    let right = distinct(predicted_items);
    let exact = metric.choice(MATCH.name) == "exact";
    let weight = |a: Answer<'_>, b: Answer<'_>| {
        if exact { f64::from(a.equals(b)) } else { a.overlap(b).f1(0.0) }
    };
    let weights: Vec<Vec<f64>> =
        left.iter().map(|&a| right.iter().map(|&b| weight(a, b)).collect()).collect();
    Common { sum: assignment::largest(&weights), predicted: left.len(), reference: right.len() }
}

/// The items that are not empty, each once.
fn distinct<'a>(items: impl Iterator<Item = Answer<'a>>) -> Vec<Answer<'a>> {
    let mut distinct: Vec<Answer<'a>> = Vec::new();
    for item in items.filter(|item| !item.is_empty()) {
        if !distinct.iter().any(|known| known.equals(item)) {
            distinct.push(item);
        }
    }
    distinct
}

impl Common {
    fn precision(self) -> f64 {
        self.share(self.predicted)
    }

    fn recall(self) -> f64 {
        self.share(self.reference)
    }

    fn f1(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 {
            (2.0 * precision * recall) / (precision + recall)
        } else {
            0.0
        }
    }

    fn share(self, whole: usize) -> f64 {
        if self.predicted == 0 && self.reference == 0 {
            return 1.0;
        }
        if whole == 0 { 0.0 } else { (self.sum / whole as f64).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, Reference, metrics::testing::check};

    fn score(name: &str, predicted: &[String], reference: &[String]) -> f64 {
        let reference = Reference { items: reference.to_vec(), ..Reference::default() };
        let example = Example { references: vec![reference], ..Example::default() };
        let prediction = Prediction { items: predicted.to_vec(), ..Prediction::default() };
        let case = Case::new(&example).with_prediction(&prediction);
        name.parse::<Metric>().unwrap().score(&case).unwrap()
    }

    #[test]
    fn items_are_paired() {
        check("Set.F1", "red, green, blue", &["Blue, red and green"], 0.6);
        check("Set.F1(separator=list)", "red, green, blue", &["Blue, red and green"], 1.0);
        check("Set.Precision", "red, green", &["red, blue, black, white"], 0.5);
        check("Set.Recall", "red, green", &["red, blue, black, white"], 0.25);
        check("Set.F1", "red, green", &["red, blue, black, white"], 1.0 / 3.0);
        check("Set.Recall", "New York, York", &["York, New York"], 1.0);
        check("Set.Recall(match=exact)", "York City", &["York"], 0.0);
        check("Set.Precision", "York, york, the York", &["York"], 1.0);
        check("Set.F1", "", &[], 1.0);
        check("Set.F1", "", &["the, ."], 1.0);
        check("Set.F1", "x", &[], 0.0);
        check("Set.Recall", "", &["x"], 0.0);
        check("Set.Precision", "x", &["y", "x, y"], 1.0);
        check("Set.F1(separator=list,language=zh)", "北京、上海", &["上海，北京"], 1.0);
    }

    #[test]
    fn items_come_before_text_and_long_lists_are_refused() {
        let strings =
            |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>();
        let (a, b) = (strings(&["x, b", "c"]), strings(&["c", "b"]));
        assert!((score("Set.F1(match=exact)", &a, &b) - 0.5).abs() < 1e-15);
        let example = Example { references: vec!["x".into()], ..Example::default() };
        let prediction = Prediction::answer("x,".repeat(501));
        let case = Case::new(&example).with_prediction(&prediction);
        assert!("Set.F1".parse::<Metric>().unwrap().score(&case).is_err());
    }

    proptest! {
        #[test]
        fn precision_and_recall_change_places(
            predicted in prop::collection::vec("[a-d ]{0,5}|\\PC{0,4}", 0..6),
            reference in prop::collection::vec("[a-d ]{0,5}|\\PC{0,4}", 0..6),
        ) {
            for parameters in ["", "(match=exact)"] {
                let of = |name: &str, a, b| score(&format!("{name}{parameters}"), a, b);
                let forth = of("Set.Precision", &predicted, &reference);
                prop_assert!((forth - of("Set.Recall", &reference, &predicted)).abs() < 1e-12);
                let f1 = of("Set.F1", &predicted, &reference);
                prop_assert!((f1 - of("Set.F1", &reference, &predicted)).abs() < 1e-12);
                prop_assert!((0.0..=1.0).contains(&f1) && (0.0..=1.0).contains(&forth));
                let mut reversed = predicted.clone();
                reversed.reverse();
                prop_assert!((f1 - of("Set.F1", &reversed, &reference)).abs() < 1e-12);
            }
        }
    }
}
