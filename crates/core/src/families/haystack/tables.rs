//! The document metrics of Haystack 1.x (`EvaluationResult.calculate_metrics`).

use std::collections::BTreeSet;

use crate::arithmetic::sum;

/// The id of a label that says there is no answer.
const NO_ANSWER: &str = "00";

/// What makes a document relevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Its id is that of a label.
    Id,
    /// It contains the answer of a label, letter for letter.
    Answer,
    /// Both, of the same label.
    IdAndAnswer,
    /// One of them; Haystack's default.
    IdOrAnswer,
}

/// A label of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// Id of the document that the answer stands in.
    pub id: &'a str,
    /// The answer.
    pub answer: &'a str,
}

/// A retrieved document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its text.
    pub content: &'a str,
}

/// The metrics of one question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Share of the labels that some document matches.
    pub recall_multi_hit: f64,
    /// Whether any document is relevant.
    pub recall_single_hit: f64,
    /// Share of the documents that are relevant.
    pub precision: f64,
    /// Average precision.
    pub map: f64,
    /// One by the rank of the first relevant document.
    pub mrr: f64,
    /// nDCG with gains of 1.
    pub ndcg: f64,
}

impl Metrics {
    const fn all(value: f64) -> Self {
        Self {
            recall_multi_hit: value,
            recall_single_hit: value,
            precision: value,
            map: value,
            mrr: value,
            ndcg: value,
        }
    }
}

/// The metrics of the documents, from the best; a simulated top-k is a shorter list.
///
/// Without a label that has an answer all are 1, where `trec_eval` has 0. What average precision and
/// nDCG take for the number of relevant documents is that of the different ones retrieved and of
/// the labels that none of them matches. `None` without documents, for which Haystack has no row.
pub fn metrics(
    labels: &[Label<'_>],
    documents: &[Document<'_>],
    criterion: Criterion,
) -> Option<Metrics> {
    if documents.is_empty() {
        return None;
    }
    let wanted = labels.iter().filter(|label| label.id != NO_ANSWER).count();
    if wanted == 0 {
        return Some(Metrics::all(1.0));
    }
    let mut matched = BTreeSet::new();
    let mut ids = BTreeSet::new();
    let mut ranks: Vec<f64> = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let matching = (0..labels.len()).filter(|&i| criterion.matches(labels[i], *document));
        let before = ranks.len();
        for label in matching {
            matched.insert(label);
            if ranks.len() == before {
                ranks.push((index + 1) as f64);
                ids.insert(document.id);
            }
        }
    }
    let Some(&first) = ranks.first() else { return Some(Metrics::all(0.0)) };
    // A label without an answer may be matched by an id and is not wanted.
    let relevant = (ids.len() + wanted).saturating_sub(matched.len()).max(1);
    let precisions: Vec<f64> =
        (1_usize..).zip(&ranks).map(|(found, rank)| found as f64 / rank).collect();
    let discount = |rank: f64| 1.0 / (rank + 1.0).log2();
    let gains: Vec<f64> = ranks.iter().map(|&rank| discount(rank)).collect();
    let ideal: Vec<f64> = (1..=relevant).map(|rank| discount(rank as f64)).collect();
    Some(Metrics {
        recall_multi_hit: matched.len() as f64 / wanted as f64,
        recall_single_hit: 1.0,
        precision: ranks.len() as f64 / documents.len() as f64,
        map: sum(&precisions) / relevant as f64,
        mrr: 1.0 / first,
        ndcg: sum(&gains) / sum(&ideal),
    })
}

impl Criterion {
    fn matches(self, label: Label<'_>, document: Document<'_>) -> bool {
        let id = || label.id == document.id;
        let answer = || !label.answer.is_empty() && document.content.contains(label.answer);
        match self {
            Self::Id => id(),
            Self::Answer => answer(),
            Self::IdAndAnswer => id() && answer(),
            Self::IdOrAnswer => id() || answer(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [Label<'_>; 2] =
        [Label { id: "d1", answer: "nine" }, Label { id: "d2", answer: "" }];

    fn documents<'a>(ids: &[(&'a str, &'a str)]) -> Vec<Document<'a>> {
        ids.iter().map(|&(id, content)| Document { id, content }).collect()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn a_document_is_relevant_by_its_id_or_its_text() {
        let documents = documents(&[("x", "Nine"), ("d1", ""), ("y", "nine lives")]);
        let of = |criterion| metrics(&LABELS, &documents, criterion).unwrap();
        assert_eq!(of(Criterion::Id).mrr, 0.5);
        assert_eq!(of(Criterion::Answer).mrr, 1.0 / 3.0);
        assert_eq!(of(Criterion::IdAndAnswer), Metrics::all(0.0));
        let both = of(Criterion::IdOrAnswer);
        assert_eq!((both.recall_multi_hit, both.precision), (0.5, 2.0 / 3.0));
        // Two different documents for one label, and a label that none matches.
        assert!((both.map - (0.5 + 2.0 / 3.0) / 3.0).abs() < 1e-15);
    }

    #[test]
    fn without_an_answer_all_is_right() {
        let label = [Label { id: "00", answer: "" }];
        let one = documents(&[("x", "y")]);
        assert_eq!(metrics(&label, &one, Criterion::IdOrAnswer), Some(Metrics::all(1.0)));
        assert_eq!(metrics(&LABELS, &[], Criterion::Id), None);
    }
}
