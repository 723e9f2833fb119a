//! Some examples of each cause, with what the cause rests on.

use std::collections::BTreeMap;

use anyhow::Result;
use qeval_core::{diagnosis::Cause, metrics::words, stats::lot};
use qeval_report::{CauseExamples, DiagnosedExample, SeenPassage};
use qeval_store::{Evaluation, Scores, StoredCase};

use super::Row;

/// Characters that are shown on each side of an answer.
const AROUND: usize = 60;

/// Up to `most` examples of each cause but `right`, drawn by lot, so that they are no more alike than
/// all of them.
pub(super) fn of_causes(
    evaluation: &Evaluation,
    scores: &Scores,
    rows: &[Row],
    (most, seed): (usize, u64),
    texts: Option<&BTreeMap<String, String>>,
) -> Result<Vec<CauseExamples>> {
    let mut found = Vec::new();
    for cause in Cause::ALL.into_iter().filter(|&cause| cause != Cause::Right && most > 0) {
        let of = |row: &usize| rows[*row].finding.is_some_and(|finding| finding.cause == cause);
        let mut own: Vec<usize> = (0..rows.len()).filter(of).collect();
        if own.is_empty() {
            continue;
        }
        let n = own.len() as u64;
        own.sort_by_key(|&row| lot(seed, scores.ids.get(row)));
        own.truncate(most);
        let cases = evaluation.cases(&own)?;
        let examples = cases.into_iter().map(|case| example(case, texts)).collect();
        found.push(CauseExamples { cause, n, examples });
    }
    Ok(found)
}

fn example(case: StoredCase, texts: Option<&BTreeMap<String, String>>) -> DiagnosedExample {
    let answer = case.prediction.as_ref().map(|prediction| prediction.text.clone());
    let seen = case.hits.iter().flatten().filter(|hit| hit.seen == Some(true)).map(|hit| {
        let gold = hit.grade.is_some_and(|grade| grade > 0)
            || case.gold_passages.contains(&hit.passage_id);
        let text = texts.and_then(|texts| texts.get(&hit.passage_id));
        let marked = |wanted: &str| text.and_then(|text| words::snippet(text, wanted, AROUND));
        let with_answer = answer.as_deref().filter(|answer| !answer.is_empty()).and_then(marked);
        let answers = text.map(|_| with_answer.is_some());
        // Evidence is shown at what should have been answered.
        let reference = case.references.iter().find_map(|reference| marked(reference));
        let snippet = if gold { reference.or(with_answer) } else { with_answer };
        SeenPassage { id: hit.passage_id.clone(), gold, snippet, answers }
    });
    DiagnosedExample {
        seen: seen.collect(),
        answer,
        isolated: case.isolated_prediction,
        id: case.example_id,
        dataset: case.dataset,
        question: case.question,
        references: case.references,
        gold: case.gold_passages,
    }
}
