//! Haystack 0.10: whether, and how early, the retriever found the answer.

use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject, Unscored,
    families::haystack::nodes::position_of_answer,
};

const DOMAIN: Parameter = Parameter {
    name: "domain",
    kind: Kind::Choice(&["open", "closed"]),
    summary: "what makes a passage right: an answer in its text, or that it is a gold passage",
};

/// Whether one of the first k passages is right.
///
/// # Definition
/// 1 if one of the first k passages is right, else 0; without a cutoff all count. An example without
/// a reference is always right.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// With `domain=open` a passage is right if a reference is a part of its text, whatever the case of
/// letters; nothing is normalised, and "art" is found in "party". With `domain=closed` it is right if
/// it is a gold passage or judged relevant.
///
/// # Edge cases
/// A blank reference is a part of every text. With `domain=closed` null for an example that has
/// references and no relevant passage.
///
/// # Equals
/// `recall` of Haystack 0.10's `EvalDocuments`. Its `has_answer_recall` leaves out the examples
/// without a reference.
pub static HAYSTACK0_RECALL: Definition = Definition {
    name: "Haystack0.Recall",
    synonyms: &[],
    summary: "whether one of the first k passages has an answer; always right without a reference",
    equals: "Haystack 0.10, EvalDocuments: recall",
    subject: Subject::Retrieval,
    needs: &[Need::References, Need::PassageTexts],
    cutoff: Cutoff::Optional,
    parameters: &[DOMAIN],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: recall,
};

/// One over the rank of the passage that Haystack 0.10 takes for the right one.
///
/// # Definition
/// 1 / rank of the right passage among the first k, else 0; 1 for an example without a reference. In
/// the open domain the references are tried one after the other: the first that is found in any
/// passage decides, and the passage is the first one that has it. That need not be the first passage
/// with any reference, so that the order of the references matters.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// Those of [`HAYSTACK0_RECALL`].
///
/// # Edge cases
/// As [`HAYSTACK0_RECALL`].
///
/// # Equals
/// `mean_reciprocal_rank` of Haystack 0.10's `EvalDocuments`.
pub static HAYSTACK0_MRR: Definition = Definition {
    name: "Haystack0.MRR",
    summary: "one over the rank of the first passage with the first reference that is found",
    equals: "Haystack 0.10, EvalDocuments: mean_reciprocal_rank",
    score: reciprocal_rank,
    ..HAYSTACK0_RECALL
};

fn recall(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(f64::from(reciprocal_rank(metric, case)? > 0.0))
}

fn reciprocal_rank(metric: &Metric, case: &Case<'_>) -> Score {
    if !case.example.answerable() {
        return Ok(1.0);
    }
    let position = if metric.choice("domain") == "closed" {
        let ranking = case.ranking.filter(|ranking| ranking.relevant(1) > 0);
        let ranking = ranking.ok_or(Unscored::NoRelevantPassage)?;
        ranking.hits(1).take(metric.depth()).position(|hit| hit)
    } else {
        let passages = case.passages.iter().take(metric.depth());
        let texts = passages.map(|passage| passage.text.as_str());
        position_of_answer(case.example.reference_texts(), texts)
    };
    Ok(position.map_or(0.0, |index| 1.0 / (index + 1) as f64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Case, Example, JudgedRanking, Metric, Passage, Score, Unscored};

    fn score(metric: &str, texts: &[&str], references: &[&str], grades: &[Option<i32>]) -> Score {
        let passage = |text: &&str| Passage { text: (*text).to_owned(), ..Passage::default() };
        let passages: Vec<Passage> = texts.iter().map(passage).collect();
        let passages: Vec<&Passage> = passages.iter().collect();
        let references = references.iter().map(|&text| text.into()).collect();
        let example = Example { references, ..Example::default() };
        let ideal = grades.iter().copied().flatten().collect();
        let ranking =
            JudgedRanking { grades: grades.to_vec(), ideal, zeros: None, subtopics: None };
        let metric: Metric = metric.parse().unwrap();
        metric.score(&Case::new(&example).with_passages(&passages).with_ranking(&ranking))
    }

    #[test]
    fn the_first_reference_that_is_found_decides() {
        let texts = ["the EBRO", "the Tajo", "ebro"];
        assert_eq!(score("Haystack0.MRR", &texts, &["Tajo", "Ebro"], &[]), Ok(0.5));
        assert_eq!(score("Haystack0.MRR", &texts, &["Ebro", "Tajo"], &[]), Ok(1.0));
        assert_eq!(score("Haystack0.MRR@1", &texts, &["Tajo", "Ebro"], &[]), Ok(1.0));
        assert_eq!(score("Haystack0.Recall@1", &texts, &["Tajo"], &[]), Ok(0.0));
        assert_eq!(score("Haystack0.Recall", &["party"], &["Art"], &[]), Ok(1.0));
    }

    #[test]
    fn gold_passages_decide_in_the_closed_domain() {
        let (closed, grades) = ("Haystack0.MRR(domain=closed)", [None, Some(1), Some(1)]);
        assert_eq!(score(closed, &[], &["x"], &grades), Ok(0.5));
        assert_eq!(score(&format!("{closed}@1"), &[], &["x"], &grades), Ok(0.0));
        let none = score(closed, &[], &["x"], &[None]);
        assert_eq!(none, Err(Unscored::NoRelevantPassage));
        assert_eq!(score(closed, &[], &[], &[None]), Ok(1.0));
        assert_eq!(score("Haystack0.Recall@5", &["x"], &[], &[]), Ok(1.0));
    }

    proptest! {
        #[test]
        fn any_text_is_scored(
            texts in prop::collection::vec("\\PC{0,9}|[a-c ]{0,9}", 0..5),
            references in prop::collection::vec("\\PC{0,3}|[a-c ]{0,2}", 0..4),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            let rank = score("Haystack0.MRR", &texts, &references, &[]).unwrap();
            let recall = score("Haystack0.Recall", &texts, &references, &[]).unwrap();
            prop_assert!((0.0..=1.0).contains(&rank));
            prop_assert_eq!(recall.to_bits(), f64::from(rank > 0.0).to_bits());
        }
    }
}
