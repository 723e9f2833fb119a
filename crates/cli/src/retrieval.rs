//! What was retrieved, from stored evaluations.

mod count;

use anyhow::Result;
use qeval_core::Stage;
use qeval_report::{RetrievalReport, UnfoundReport};
use qeval_store::{Evaluation, Labels, StoredHit, StoredRetrieval};

use count::Count;

/// Questions that are named.
const NAMED: usize = 10;

/// Whether a question is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// It has relevant passages: whether one of them is among the hits.
    Judged(bool),
    /// It has references alone: whether a hit has one of them.
    Answerable(bool),
    /// Nothing says what should be found, or the retriever failed.
    Unknown,
}

/// What was retrieved, with what became of each question; `None` where nothing retrieves, and for
/// evaluations of older versions.
pub(crate) fn retrieval(
    evaluation: &Evaluation,
) -> Result<Option<(RetrievalReport, Vec<Question>)>> {
    let Some(rows) = evaluation.retrieved()? else { return Ok(None) };
    let groupings = evaluation.groupings()?;
    let datasets = groupings.datasets.as_ref().map(|labels| ("dataset", labels));
    let slices = groupings.slices.iter().map(|(name, labels)| (name.as_str(), labels));
    let slices: Vec<(&str, &Labels)> = datasets.into_iter().chain(slices).collect();
    let corpus = evaluation.manifest().corpus.as_ref().map(|corpus| corpus.passages);
    let mut count = Count::new(evaluation, slices);
    let mut questions = Vec::new();
    for (row, found) in rows.enumerate() {
        let found = found?;
        questions.push(question(&found, corpus.is_some()));
        count.add(row, &found);
    }
    if count.is_empty() {
        return Ok(None);
    }
    Ok(Some((count.report(evaluation)?, questions)))
}

fn question(found: &StoredRetrieval, texts: bool) -> Question {
    let relevant = found.relevant.as_deref().unwrap_or_default();
    if found.retrieved.is_none() {
        Question::Unknown
    } else if !relevant.is_empty() {
        Question::Judged(relevant.iter().any(|passage| passage.rank.is_some()))
    } else if found.answerable && texts {
        let exact = |hit: &StoredHit| hit.answer.is_some_and(|answer| answer.exact);
        Question::Answerable(found.hits.iter().any(exact))
    } else {
        Question::Unknown
    }
}

/// The questions that no system finds, of evaluations that have the same ones; `found` are the
/// evaluations that retrieve, by place.
pub(crate) fn unfound(
    evaluations: &[Evaluation],
    found: &[(usize, Vec<Question>)],
) -> Result<Option<UnfoundReport>> {
    let Some((first, questions)) = found.first() else { return Ok(None) };
    let datasets = |place: usize| &evaluations[place].manifest().datasets;
    let same = |(place, other): &(usize, Vec<Question>)| {
        datasets(*place) == datasets(*first) && other.len() == questions.len()
    };
    if !found.iter().all(same) {
        return Ok(None);
    }
    let mut report = UnfoundReport { systems: found.len() as u64, ..UnfoundReport::default() };
    for (place, evaluation) in evaluations.iter().enumerate() {
        let metrics = &evaluation.manifest().metrics;
        let retrieves = metrics.iter().any(|metric| metric.stage == Stage::Retrieval);
        let has_hits = found.iter().any(|&(other, _)| other == place);
        // Older versions say nothing of their hits.
        if retrieves && !has_hits && evaluation.retrieved()?.is_some() {
            report.without_hits += 1;
        }
    }
    let mut rows = Vec::new();
    for row in 0..questions.len() {
        let of_systems = || found.iter().map(|(_, questions)| questions[row]);
        let judged = of_systems().any(|question| matches!(question, Question::Judged(_)));
        let answerable = of_systems().any(|question| matches!(question, Question::Answerable(_)));
        if !judged && !answerable {
            continue;
        }
        let hit = of_systems()
            .any(|of| matches!(of, Question::Judged(true) | Question::Answerable(true)));
        let cells = if judged { &mut report.judged } else { &mut report.answerable };
        cells.0 += 1;
        if !hit {
            cells.1 += 1;
            rows.push(row);
        }
    }
    if report.judged.0 + report.answerable.0 == 0 {
        return Ok(None);
    }
    rows.truncate(NAMED);
    let cases = evaluations[*first].cases(&rows)?;
    report.examples = cases.into_iter().map(|case| (case.dataset, case.example_id)).collect();
    Ok(Some(report))
}
