//! KILT's metrics: the answer, the pages that support it, and the answer where the pages are right.
//!
//! The pages that a prediction gives as support are its citations. Those that a dataset holds right
//! come in *evidence sets*: one set is enough, but it takes the whole set. They stand in the column
//! `evidence` of the example, a list of lists of ids; without that column all gold passages are one
//! set.

pub mod downstream;
pub mod joint;
pub mod provenance;
pub mod rouge;

use std::{borrow::Cow, collections::BTreeSet};

use crate::{Example, Unscored, Value};

/// The column with the evidence sets.
pub const EVIDENCE: &str = "evidence";

/// The evidence sets of an example, each without repetition.
struct Evidence<'a>(Vec<Vec<Cow<'a, str>>>);

impl<'a> Evidence<'a> {
    /// Null where no page is right.
    fn of(example: &'a Example) -> Result<Self, Unscored> {
        let gold = &example.gold_passages;
        let sets: Vec<Vec<Cow<'_, str>>> = match example.columns.get(EVIDENCE) {
            Some(Value::List(sets)) => sets.iter().map(ids).collect(),
            Some(one) => vec![ids(one)],
            None if gold.is_empty() => Vec::new(),
            None => vec![distinct(gold.iter().map(|id| id.as_str().into()))],
        };
        if sets.iter().all(Vec::is_empty) {
            Err(Unscored::NoRelevantPassage)
        } else {
            Ok(Self(sets))
        }
    }

    fn sets(&self) -> Vec<Vec<&str>> {
        self.0.iter().map(|set| set.iter().map(Cow::as_ref).collect()).collect()
    }
}

/// One id, or a list of them. An id is a text or a whole number, as it is elsewhere.
fn ids(value: &Value) -> Vec<Cow<'_, str>> {
    match value {
        Value::Text(id) => vec![id.into()],
        Value::Integer(id) => vec![id.to_string().into()],
        Value::List(values) => distinct(values.iter().flat_map(ids)),
        Value::Number(_) | Value::Bool(_) => Vec::new(),
    }
}

/// Each id once, in order.
fn distinct<T: Ord + Clone>(ids: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    ids.filter(|id| seen.insert(id.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Metric, Prediction};

    #[test]
    fn one_evidence_set_is_enough() {
        let text = |id: &str| Value::Text(id.to_owned());
        let mut example = Example {
            gold_passages: ["a", "b", "7"].map(str::to_owned).to_vec(),
            ..Example::default()
        };
        let score = |example: &Example, name: &str| {
            let citations = vec!["7".to_owned()];
            let prediction = Prediction { citations, ..Prediction::answer("x") };
            let metric: Metric = name.parse().unwrap();
            metric.score(&Case::new(example).with_prediction(&prediction))
        };
        assert_eq!(score(&example, "KILT.Rprec"), Ok(1.0 / 3.0));
        let sets = [vec![text("a"), text("b")], vec![Value::Integer(7)]].map(Value::List);
        example.columns.insert(EVIDENCE.to_owned(), Value::List(sets.to_vec()));
        assert_eq!(score(&example, "KILT.Rprec"), Ok(1.0));
        assert_eq!(score(&example, "KILT.Recall@5"), Ok(0.5));
        example.columns.insert(EVIDENCE.to_owned(), Value::List(vec![Value::List(vec![])]));
        assert_eq!(score(&example, "KILT.Rprec"), Err(Unscored::NoRelevantPassage));
    }
}
