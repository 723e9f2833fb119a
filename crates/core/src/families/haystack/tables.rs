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
    /// Id of the document that the answer stands in, where that is known.
    pub id: Option<&'a str>,
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

/// A retrieved document, compared with the labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrieved<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its place, from 1.
    pub rank: u32,
    /// Which labels it matches; a relevant document matches one.
    pub labels: Vec<usize>,
}

/// The metrics of the documents, from the best; a simulated top-k is a shorter list. `None` without
/// documents, for which Haystack has no row.
pub fn metrics(
    labels: &[Label<'_>],
    documents: &[Document<'_>],
    criterion: Criterion,
) -> Option<Metrics> {
    if documents.is_empty() {
        return None;
    }
    let wanted = labels.iter().filter(|label| label.id != Some(NO_ANSWER)).count();
    Some(of_retrieved(&retrieved(labels, documents, criterion), wanted))
}

/// Compares documents, from the best, with the labels.
pub fn retrieved<'a>(
    labels: &[Label<'_>],
    documents: &[Document<'a>],
    criterion: Criterion,
) -> Vec<Retrieved<'a>> {
    let compare = |(rank, document): (u32, &Document<'a>)| {
        let labels = (0..labels.len()).filter(|&i| criterion.matches(labels[i], *document));
        Retrieved { id: document.id, rank, labels: labels.collect() }
    };
    (1..).zip(documents).map(compare).collect()
}

/// The metrics of what was retrieved, given the number of labels that have an answer.
///
/// Without such a label all are 1, where `trec_eval` has 0. What average precision and nDCG take for
/// the number of relevant documents is that of the different ones retrieved and of the labels that
/// none of them matches.
pub fn of_retrieved(documents: &[Retrieved<'_>], wanted: usize) -> Metrics {
    if wanted == 0 {
        return Metrics::all(1.0);
    }
    let relevant = || documents.iter().filter(|document| !document.labels.is_empty());
    let ranks: Vec<u32> = relevant().map(|document| document.rank).collect();
    let Some(&first) = ranks.iter().min() else { return Metrics::all(0.0) };
    let matched: BTreeSet<usize> =
        relevant().flat_map(|document| document.labels.clone()).collect();
    let ids: BTreeSet<&str> = relevant().map(|document| document.id).collect();
    // A label without an answer may be matched by an id and is not wanted.
    let number = (ids.len() + wanted).saturating_sub(matched.len()).max(1);
    let until = |rank: u32| ranks.iter().filter(|&&other| other <= rank).count() as f64;
    let precisions: Vec<f64> = ranks.iter().map(|&rank| until(rank) / f64::from(rank)).collect();
    let discount = |rank: f64| 1.0 / (rank + 1.0).log2();
    let gains: Vec<f64> = ranks.iter().map(|&rank| discount(f64::from(rank))).collect();
    let ideal: Vec<f64> = (1..=number).map(|rank| discount(rank as f64)).collect();
    Metrics {
        recall_multi_hit: matched.len() as f64 / wanted as f64,
        recall_single_hit: 1.0,
        precision: ranks.len() as f64 / documents.len() as f64,
        map: sum(&precisions) / number as f64,
        mrr: 1.0 / f64::from(first),
        ndcg: sum(&gains) / sum(&ideal),
    }
}

impl Criterion {
    fn matches(self, label: Label<'_>, document: Document<'_>) -> bool {
        let id = || label.id == Some(document.id);
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
        [Label { id: Some("d1"), answer: "nine" }, Label { id: Some("d2"), answer: "" }];

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
        let label = [Label { id: Some("00"), answer: "" }];
        let one = documents(&[("x", "y")]);
        assert_eq!(metrics(&label, &one, Criterion::IdOrAnswer), Some(Metrics::all(1.0)));
        assert_eq!(metrics(&LABELS, &[], Criterion::Id), None);
    }
}
