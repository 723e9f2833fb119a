//! Worked examples: cases whose scores the author of a scorer states.

use std::collections::BTreeMap;

use qeval_core::{Example, Passage, Prediction, Value};
use serde::{Deserialize, Serialize};

use crate::{
    OwnedCases,
    owned_cases::{OwnedHit, OwnedPassage},
};

/// A small case with the scores that it must get. They are the documentation of a metric, the
/// test of its author, and what `qeval plugin check` runs after a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkedExample {
    /// What is asked.
    pub question: String,
    /// The acceptable answers.
    pub references: Vec<String>,
    /// The answer of the system; `None` when it gave none.
    pub prediction: Option<String>,
    /// The text that holds the answer.
    pub context: Option<String>,
    /// The passages that the answer cites.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<String>,
    /// The texts of the retrieved passages, best first; their ids are `p1`, `p2` and so on.
    pub passages: Vec<String>,
    /// The texts of passages that were not retrieved, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub corpus: BTreeMap<String, String>,
    /// Ids of the passages that hold the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gold_passages: Vec<String>,
    /// Texts of further columns of the dataset, by name.
    pub columns: BTreeMap<String, String>,
    /// Names of the metrics that are meant, such as `key_figures(tolerance=0.1)`; where there are
    /// none, all metrics of the scorer with the defaults of their parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// The score for each of these metrics, in their order; `None` where it is unscored.
    pub expected: Vec<Option<f64>>,
}

impl WorkedExample {
    /// An answer compared with references, and the score of the only metric.
    pub fn answer(prediction: &str, references: &[&str], expected: Option<f64>) -> Self {
        Self {
            prediction: Some(prediction.to_owned()),
            references: references.iter().map(|&text| text.to_owned()).collect(),
            expected: vec![expected],
            ..Self::default()
        }
    }

    /// The cases that these describe; their ids are `example-1`, `example-2` and so on.
    pub fn cases(examples: &[Self]) -> OwnedCases {
        OwnedCases {
            examples: examples.iter().enumerate().map(|(i, this)| this.example(i + 1)).collect(),
            predictions: examples.iter().map(Self::answer_of).collect(),
            passages: examples.iter().map(Self::passages).collect(),
            hits: examples.iter().map(Self::hits).collect(),
            cited: examples.iter().map(Self::cited).collect(),
            gold: examples.iter().map(|this| this.named(&this.gold_passages)).collect(),
            rankings: vec![None; examples.len()],
            ..OwnedCases::default()
        }
    }

    /// The hits have no scores; without passages nothing was retrieved.
    fn hits(&self) -> Option<Vec<OwnedHit>> {
        let ids = self.passages().into_iter().map(|passage| (passage.id, None));
        (!self.passages.is_empty()).then(|| ids.collect())
    }

    fn cited(&self) -> Option<Vec<OwnedPassage>> {
        self.prediction.as_ref().map(|_| self.named(&self.citations))
    }

    /// These ids with their passages: the corpus of a worked example is what was retrieved, and
    /// what is beside it.
    fn named(&self, ids: &[String]) -> Vec<OwnedPassage> {
        let known = self.passages();
        let beside = |id: &String| {
            let text = self.corpus.get(id)?.clone();
            Some(Passage { id: id.clone(), text, ..Passage::default() })
        };
        let passage = |id: &String| {
            let found = known.iter().find(|passage| passage.id == *id).cloned();
            (id.clone(), found.or_else(|| beside(id)))
        };
        ids.iter().map(passage).collect()
    }

    fn answer_of(&self) -> Option<Prediction> {
        let text = self.prediction.as_ref()?;
        Some(Prediction { citations: self.citations.clone(), ..Prediction::answer(text) })
    }

    fn example(&self, number: usize) -> Example {
        let columns = self.columns.iter();
        Example {
            id: format!("example-{number}"),
            question: self.question.clone(),
            references: self.references.iter().map(|text| text.as_str().into()).collect(),
            context: self.context.clone(),
            gold_passages: self.gold_passages.clone(),
            columns: columns
                .map(|(name, text)| (name.clone(), Value::Text(text.clone())))
                .collect(),
            ..Example::default()
        }
    }

    fn passages(&self) -> Vec<Passage> {
        let passage = |(i, text): (usize, &String)| Passage {
            id: format!("p{}", i + 1),
            text: text.clone(),
            ..Passage::default()
        };
        self.passages.iter().enumerate().map(passage).collect()
    }
}
