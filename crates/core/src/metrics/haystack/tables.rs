//! Haystack 1.x: which labels the retriever found.

use crate::{
    Case, Cutoff, Definition, Estimator, Example, Kind, Metric, Need, Parameter, Score, Subject,
    Unscored,
    families::haystack::tables::{Criterion, Document, Label, Metrics, of_retrieved, retrieved},
};

/// Haystack's `document_scope`, for the scopes that compare no contexts.
const SCOPE: Parameter = Parameter {
    name: "scope",
    kind: Kind::Choice(&["id_or_answer", "id", "answer", "id_and_answer"]),
    summary: "what a passage and a label must have in common: the id, the answer, one of them, or both",
};

/// Share of the labels that one of the first k passages matches.
///
/// # Definition
/// A *label* is a reference with the gold passage that it stands in. A passage matches a label if it
/// is that passage, or if the reference is a part of its text, letter for letter. The number of
/// labels matched by one of the first k passages, by all labels; without a cutoff all passages count.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `scope` says what must match: the id, the answer, one of them, or both for the same label.
///
/// # Edge cases
/// References and gold passages belong together by their order. Where there is one gold passage all
/// references stand in it; where there is one reference it stands in all gold passages; other numbers
/// that differ are null. Without a gold passage each reference is a label of an unknown passage, and
/// null where the id is needed. An example without references scores 1, where trec_eval has 0. The
/// judgments of a file are not looked at.
///
/// # Equals
/// `recall_multi_hit` of Haystack 1.x's `EvaluationResult.calculate_metrics`; the cutoff is its
/// `simulated_top_k_retriever`.
pub static HAYSTACK1_RECALL: Definition = Definition {
    name: "Haystack1.Recall",
    synonyms: &[],
    summary: "share of the labels that the first k passages match; 1 without a reference",
    equals: "Haystack 1.x, EvaluationResult: recall_multi_hit",
    subject: Subject::Retrieval,
    needs: &[Need::References, Need::PassageTexts],
    cutoff: Cutoff::Optional,
    parameters: &[SCOPE],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: recall,
};

/// Whether one of the first k passages matches a label.
///
/// # Definition
/// 1 if one of the first k passages matches a label of [`HAYSTACK1_RECALL`], else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HAYSTACK1_RECALL`].
///
/// # Equals
/// `recall_single_hit` of Haystack 1.x's `EvaluationResult.calculate_metrics`.
pub static HAYSTACK1_SUCCESS: Definition = Definition {
    name: "Haystack1.Success",
    summary: "whether one of the first k passages matches a label; 1 without a reference",
    equals: "Haystack 1.x, EvaluationResult: recall_single_hit",
    score: success,
    ..HAYSTACK1_RECALL
};

/// Share of the first k passages that match a label.
///
/// # Definition
/// The number of passages among the first k that match a label of [`HAYSTACK1_RECALL`], by the number
/// of passages, which is less than k where fewer were retrieved.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HAYSTACK1_RECALL`].
///
/// # Equals
/// `precision` of Haystack 1.x's `EvaluationResult.calculate_metrics`.
pub static HAYSTACK1_PRECISION: Definition = Definition {
    name: "Haystack1.Precision",
    summary: "share of the first k passages that match a label; 1 without a reference",
    equals: "Haystack 1.x, EvaluationResult: precision",
    score: precision,
    ..HAYSTACK1_RECALL
};

/// Average precision over the passages that match a label.
///
/// # Definition
/// The sum of the precisions at the ranks of the matching passages, by a number that Haystack makes
/// up of both sides: the matching passages that were retrieved, and the labels that none of them
/// matches.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HAYSTACK1_RECALL`].
///
/// # Equals
/// `map` of Haystack 1.x's `EvaluationResult.calculate_metrics`.
pub static HAYSTACK1_MAP: Definition = Definition {
    name: "Haystack1.MAP",
    summary: "average precision over the passages that match a label; 1 without a reference",
    equals: "Haystack 1.x, EvaluationResult: map",
    score: average_precision,
    ..HAYSTACK1_RECALL
};

/// One over the rank of the first passage that matches a label.
///
/// # Definition
/// 1 / rank of the first of the k passages that matches a label of [`HAYSTACK1_RECALL`], else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HAYSTACK1_RECALL`].
///
/// # Equals
/// `mrr` of Haystack 1.x's `EvaluationResult.calculate_metrics`.
pub static HAYSTACK1_MRR: Definition = Definition {
    name: "Haystack1.MRR",
    summary: "one over the rank of the first passage that matches a label; 1 without a reference",
    equals: "Haystack 1.x, EvaluationResult: mrr",
    score: reciprocal_rank,
    ..HAYSTACK1_RECALL
};

/// nDCG with gains of 1 for the passages that match a label.
///
/// # Definition
/// The sum of 1 / log2(rank + 1) over the matching passages among the first k, by the same sum over as
/// many first ranks as [`HAYSTACK1_MAP`] divides by. The ideal is not cut at k.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HAYSTACK1_RECALL`].
///
/// # Equals
/// `ndcg` of Haystack 1.x's `EvaluationResult.calculate_metrics`.
pub static HAYSTACK1_NDCG: Definition = Definition {
    name: "Haystack1.nDCG",
    summary: "nDCG of the passages that match a label, with gains of 1; 1 without a reference",
    equals: "Haystack 1.x, EvaluationResult: ndcg",
    score: ndcg,
    ..HAYSTACK1_RECALL
};

fn recall(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(metrics(metric, case)?.recall_multi_hit)
}

fn success(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(metrics(metric, case)?.recall_single_hit)
}

fn precision(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(metrics(metric, case)?.precision)
}

fn average_precision(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(metrics(metric, case)?.map)
}

fn reciprocal_rank(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(metrics(metric, case)?.mrr)
}

fn ndcg(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(metrics(metric, case)?.ndcg)
}

fn metrics(metric: &Metric, case: &Case<'_>) -> Result<Metrics, Unscored> {
    let (criterion, by_id) = match metric.choice("scope") {
        "id" => (Criterion::Id, true),
        "answer" => (Criterion::Answer, false),
        "id_and_answer" => (Criterion::IdAndAnswer, true),
        _ => (Criterion::IdOrAnswer, false),
    };
    if by_id && case.example.answerable() && case.example.gold_passages.is_empty() {
        return Err(Unscored::NoRelevantPassage);
    }
    let passages = case.passages.iter().take(metric.depth());
    let documents: Vec<Document<'_>> =
        passages.map(|p| Document { id: p.id.as_str(), content: p.text.as_str() }).collect();
    let labels = labels(case.example)?;
    Ok(of_retrieved(&retrieved(&labels, &documents, criterion), labels.len()))
}

/// References with the gold passages that they stand in.
fn labels(example: &Example) -> Result<Vec<Label<'_>>, Unscored> {
    let answers: Vec<&str> = example.reference_texts().collect();
    let ids: Vec<&str> = example.gold_passages.iter().map(String::as_str).collect();
    let pairs: Vec<(Option<&str>, &str)> = match (ids.as_slice(), answers.as_slice()) {
        (_, []) => Vec::new(),
        ([], answers) => answers.iter().map(|&answer| (None, answer)).collect(),
        ([id], answers) => answers.iter().map(|&answer| (Some(*id), answer)).collect(),
        (ids, [answer]) => ids.iter().map(|&id| (Some(id), *answer)).collect(),
        (ids, answers) if ids.len() == answers.len() => {
            ids.iter().zip(answers).map(|(&id, &answer)| (Some(id), answer)).collect()
        }
        (ids, answers) => {
            let (ids, answers) = (ids.len(), answers.len());
            return Err(Unscored::NotApplicable(format!(
                "which of {answers} references stands in which of {ids} gold passages is not known"
            )));
        }
    };
    Ok(pairs.into_iter().map(|(id, answer)| Label { id, answer }).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Case, Example, Metric, Passage, Score, Unscored};

    /// Passages with their ids and texts.
    fn score(metric: &str, passages: &[(&str, &str)], references: &[&str], gold: &[&str]) -> Score {
        let passage = |&(id, text): &(&str, &str)| Passage {
            id: id.to_owned(),
            text: text.to_owned(),
            ..Passage::default()
        };
        let passages: Vec<Passage> = passages.iter().map(passage).collect();
        let passages: Vec<&Passage> = passages.iter().collect();
        let example = Example {
            references: references.iter().map(|&text| text.into()).collect(),
            gold_passages: gold.iter().map(|&id| id.to_owned()).collect(),
            ..Example::default()
        };
        let metric: Metric = metric.parse().unwrap();
        metric.score(&Case::new(&example).with_passages(&passages))
    }

    #[test]
    fn a_passage_matches_by_its_id_or_its_text() {
        let passages = [("x", "Nine"), ("d1", "a cat"), ("y", "nine lives")];
        let check = |metric: &str, expected: f64| {
            let found = score(metric, &passages, &["nine", "ten"], &["d1", "d2"]).unwrap();
            assert!((found - expected).abs() < 1e-15, "{metric}: {found}");
        };
        check("Haystack1.Recall", 0.5);
        check("Haystack1.Recall@1", 0.0);
        check("Haystack1.Success", 1.0);
        check("Haystack1.Success(scope=id_and_answer)", 0.0);
        check("Haystack1.Precision", 2.0 / 3.0);
        check("Haystack1.Precision@5", 2.0 / 3.0);
        check("Haystack1.MRR", 0.5);
        check("Haystack1.MRR(scope=answer)", 1.0 / 3.0);
        // Two passages for one label, and a label that none matches.
        check("Haystack1.MAP", (0.5 + 2.0 / 3.0) / 3.0);
        check("Haystack1.MAP(scope=id)", 0.25);
        let discount = |rank: f64| 1.0 / (rank + 1.0).log2();
        let ideal = discount(1.0) + discount(2.0);
        check("Haystack1.nDCG(scope=id)", discount(2.0) / ideal);
    }

    #[test]
    fn references_and_gold_passages_are_labels() {
        let passages = [("d1", "nine"), ("d2", "ten")];
        let recall = |references: &[&str], gold: &[&str]| {
            score("Haystack1.Recall@1", &passages, references, gold)
        };
        assert_eq!(recall(&["ten", "six"], &["d1"]), Ok(1.0));
        assert_eq!(recall(&["ten"], &["d1", "d2"]), Ok(0.5));
        assert_eq!(recall(&["six", "nine"], &[]), Ok(0.5));
        assert_eq!(recall(&[], &["d1"]), Ok(1.0));
        assert_eq!(recall(&[], &[]), Ok(1.0));
        assert!(matches!(recall(&["a", "b"], &["1", "2", "3"]), Err(Unscored::NotApplicable(_))));
        let by_id = |references| score("Haystack1.MRR(scope=id)", &passages, references, &[]);
        assert_eq!(by_id(&["nine"]), Err(Unscored::NoRelevantPassage));
        assert_eq!(by_id(&[]), Ok(1.0));
        assert_eq!(score("Haystack1.Precision", &[], &["nine"], &["d1"]), Ok(0.0));
    }

    proptest! {
        #[test]
        fn scores_are_in_range_and_do_not_depend_on_the_order_of_labels(
            texts in prop::collection::vec("\\PC{0,6}|[a-c ]{0,6}", 0..6),
            labels in prop::collection::vec(("\\PC{0,2}|[a-c]{0,2}", 0..9_usize), 0..5),
            scope in prop::sample::select(vec!["id_or_answer", "id", "answer", "id_and_answer"]),
        ) {
            let ids = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
            let passages: Vec<(&str, &str)> =
                ids.into_iter().zip(texts.iter().map(String::as_str)).collect();
            let mut labels: Vec<(&str, &str)> =
                labels.iter().map(|(text, id)| (text.as_str(), ids[*id])).collect();
            for name in ["Recall", "Success", "Precision", "MAP", "MRR", "nDCG"] {
                let metric = format!("Haystack1.{name}(scope={scope})");
                let mut of = || {
                    labels.reverse();
                    let (references, gold): (Vec<&str>, Vec<&str>) = labels.iter().copied().unzip();
                    score(&metric, &passages, &references, &gold).unwrap()
                };
                let found = of();
                prop_assert!((0.0..=1.0 + 1e-12).contains(&found), "{}: {}", metric, found);
                prop_assert_eq!(found.to_bits(), of().to_bits());
            }
        }
    }
}
