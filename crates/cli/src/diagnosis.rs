//! The numbers and examples of a diagnosis, from stored evaluations.

mod examples;
mod hints;
mod passages;

use std::collections::BTreeMap;

use anyhow::Result;
use qeval_core::{
    Interval, Stage,
    diagnosis::{Cause, Counts, Finding, Outcome, gains},
    stats::{Column, Intervals, LEVEL, PERMUTATIONS, estimate, sign_flip, units},
};
use qeval_report::{CauseShare, FullDiagnosis, SliceCounts};
use qeval_store::{Evaluation, MetricColumn, Scores, StoredCase, StoredHit};

use crate::{args::Diagnose, exit_code::BadRequest, slices};

/// What an example of the diagnosis is known by.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
pub(crate) struct Row {
    finding: Option<Finding>,
    isolated_right: Option<bool>,
    answerable: bool,
    /// Rank of the first evidence among the hits.
    evidence: Option<u32>,
    /// Whether it has evidence that could be found.
    has_evidence: bool,
    /// Whether it has gold passages or judgments.
    judged: bool,
    /// Whether it is known what was retrieved.
    retrieved: bool,
}

/// Diagnoses the first of some evaluations; the others are of its system with other numbers of passages.
pub(crate) fn diagnose(
    evaluations: &[Evaluation],
    args: &Diagnose,
    texts: Option<&BTreeMap<String, String>>,
) -> Result<FullDiagnosis> {
    let evaluation = &evaluations[0];
    let manifest = evaluation.manifest();
    if !evaluation.has_texts() {
        let message = format!("`{}` is without its texts", manifest.evaluation_id);
        let hint = "diagnose it where it was made, or export it with `--texts`".to_owned();
        return Err(BadRequest { message, hint: Some(hint) }.into());
    }
    let isolated = isolated_column(evaluation);
    let columns: Vec<&str> = isolated.iter().map(|column| column.column.as_str()).collect();
    let scores = evaluation.scores(&columns)?;
    let rows = rows(evaluation, &scores)?;
    let mut found = FullDiagnosis {
        evaluation: manifest.evaluation_id.clone(),
        label: manifest.label.clone(),
        system: manifest.system.clone(),
        ..FullDiagnosis::default()
    };
    let all: Vec<u32> = (0..).take(rows.len()).collect();
    let groups = scores.group_numbers(&all);
    let known = rows.iter().any(|row| row.finding.is_some());
    if let Some(settings) = manifest.diagnosis.as_ref().filter(|_| known) {
        found.right = Some((settings.metric.clone(), settings.threshold));
        for finding in rows.iter().filter_map(|row| row.finding) {
            found.counts.add(finding);
        }
        found.groups =
            groups.as_ref().and_then(|groups| groups.iter().max()).map(|last| u64::from(*last) + 1);
        found.shares = shares(&rows, groups.as_deref(), found.counts, manifest.intervals());
        found.main_share = main_share(&rows, groups.as_deref(), found.counts, manifest.intervals());
        found.rival = rival(&rows, groups.as_deref(), found.counts, manifest.seed);
        found.gains = gains(&outcomes(&rows, groups.as_deref()), manifest.seed);
        found.slices = slices_of(&rows, &scores, &args.slices)?;
        found.examples =
            examples::of_causes(evaluation, &scores, &rows, (args.examples, manifest.seed), texts)?;
    }
    found.passages = passages::curve(evaluation, groups.as_deref(), &rows);
    found.settings = passages::settings(evaluations)?;
    found.hints = hints::hints(evaluation, &rows);
    Ok(found)
}

/// The column that says whether the answer on the gold passages is right.
fn isolated_column(evaluation: &Evaluation) -> Option<&MetricColumn> {
    let manifest = evaluation.manifest();
    let right = &manifest.diagnosis.as_ref()?.metric;
    let mut columns = manifest.metrics.iter();
    columns.find(|column| column.stage == Stage::Isolated && column.name == *right)
}

fn rows(evaluation: &Evaluation, scores: &Scores) -> Result<Vec<Row>> {
    let threshold = evaluation.manifest().diagnosis.as_ref().map(|settings| settings.threshold);
    let isolated = scores.metrics.first().map(|(_, values)| values);
    let mut rows = Vec::with_capacity(scores.len());
    for (row, case) in evaluation.all_cases()?.enumerate() {
        let case = case?;
        let score = isolated.and_then(|values| values[row]);
        let isolated_right = score.zip(threshold).map(|(score, least)| score >= least);
        let (evidence, has_evidence) = evidence(&case);
        rows.push(Row {
            finding: finding(scores, row, isolated_right),
            isolated_right,
            answerable: !case.references.is_empty(),
            evidence,
            has_evidence,
            judged: !case.gold_passages.is_empty() || case.relevant.is_some(),
            retrieved: case.hits.is_some(),
        });
    }
    Ok(rows)
}

/// The finding of a row. Older evaluations do not tell distraction from other errors of reading.
fn finding(scores: &Scores, row: usize, isolated_right: Option<bool>) -> Option<Finding> {
    let cause = Cause::from_name(scores.causes.as_ref()?.get(row)?)?;
    let cause = match cause {
        Cause::ReadingError if isolated_right == Some(true) => Cause::Distraction,
        cause => cause,
    };
    Some(Finding { evidence_seen: scores.evidence_seen.as_ref()?[row], cause })
}

/// The rank of the first evidence, and whether there is any to find.
fn evidence(case: &StoredCase) -> (Option<u32>, bool) {
    // Behind what was retrieved stand passages that only the reader names.
    let retrieved = |hit: &&StoredHit| case.retrieved.is_none_or(|retrieved| hit.rank <= retrieved);
    let hits = case.hits.iter().flatten().filter(retrieved);
    let relevant = case.relevant.as_ref().is_some_and(|relevant| !relevant.is_empty());
    if relevant || !case.gold_passages.is_empty() {
        let mut gold = hits.filter(|hit| {
            hit.grade.is_some_and(|grade| grade > 0) || case.gold_passages.contains(&hit.passage_id)
        });
        return (gold.next().map(|hit| hit.rank), true);
    }
    let mut with_answer = hits.filter(|hit| hit.answer.is_some_and(|answer| answer.normalised));
    (with_answer.next().map(|hit| hit.rank), !case.references.is_empty())
}

/// Interval of the share that the main cause has of all errors; it knows of groups.
fn main_share(
    rows: &[Row],
    groups: Option<&[u32]>,
    counts: Counts,
    intervals: Intervals,
) -> Option<Interval> {
    let (main, _) = counts.main_cause()?;
    let names: Vec<String> = groups.unwrap_or_default().iter().map(u32::to_string).collect();
    let column = Column::of_shares("main cause", intervals);
    let of_error = |(row, found): (usize, &Row)| {
        let cause = found.finding?.cause;
        let score = f64::from(u8::from(cause == main));
        (!cause.is_right()).then(|| (Some(score), names.get(row).map(String::as_str)))
    };
    estimate(column, rows.iter().enumerate().filter_map(of_error)).interval
}

/// The second cause, where a coin could have put it behind the first: an example has one cause, so
/// each of those with either of the two is a toss, and those of a group fall together.
fn rival(rows: &[Row], groups: Option<&[u32]>, counts: Counts, seed: u64) -> Option<Cause> {
    let (main, _) = counts.main_cause()?;
    let others = Cause::ALL.into_iter().filter(|cause| *cause != main && !cause.is_right());
    let second = others.max_by_key(|&cause| counts.of(cause)).filter(|&c| counts.of(c) > 0)?;
    let has = |cause: Cause| -> Vec<f64> {
        let is = |row: &Row| row.finding.is_some_and(|finding| finding.cause == cause);
        rows.iter().map(|row| f64::from(u8::from(is(row)))).collect()
    };
    let test = sign_flip(&units(&has(main), &has(second), groups), seed, PERMUTATIONS)?;
    (test.p >= 1.0 - LEVEL).then_some(second)
}

/// The causes that occur, with intervals that know of groups.
fn shares(
    rows: &[Row],
    groups: Option<&[u32]>,
    counts: Counts,
    intervals: Intervals,
) -> Vec<CauseShare> {
    let names: Vec<String> = groups.unwrap_or_default().iter().map(u32::to_string).collect();
    let of = |cause: Cause| {
        let column = Column::of_shares(cause.name(), intervals);
        let has = |(row, found): (usize, &Row)| {
            let score = found.finding.map(|own| f64::from(u8::from(own.cause == cause)));
            (score, names.get(row).map(String::as_str))
        };
        // A row without a finding is no example of the diagnosis.
        let with = rows.iter().enumerate().filter(|(_, found)| found.finding.is_some());
        CauseShare {
            cause,
            n: counts.of(cause),
            interval: estimate(column, with.map(has)).interval,
        }
    };
    let there = Cause::ALL.into_iter().filter(|&cause| counts.of(cause) > 0);
    there.map(of).collect()
}

fn outcomes(rows: &[Row], groups: Option<&[u32]>) -> Vec<Outcome> {
    let of = |(place, row): (usize, &Row)| {
        let Finding { cause, evidence_seen } = row.finding?;
        let (answerable, isolated_right) = (row.answerable, row.isolated_right);
        let group = groups.map(|groups| groups[place]);
        Some(Outcome { cause, evidence_seen, answerable, isolated_right, group })
    };
    rows.iter().enumerate().filter_map(of).collect()
}

fn slices_of(rows: &[Row], scores: &Scores, names: &[String]) -> Result<Vec<SliceCounts>> {
    let mut found = Vec::new();
    for name in names {
        let labels = slices::labels(scores, name)?;
        let mut counts: BTreeMap<Option<&str>, Counts> = BTreeMap::new();
        for (row, own) in rows.iter().enumerate() {
            if let Some(finding) = own.finding {
                counts.entry(labels.get(row)).or_default().add(finding);
            }
        }
        found.extend(counts.into_iter().map(|(value, counts)| SliceCounts {
            slice: name.clone(),
            value: value.map(str::to_owned),
            counts,
        }));
    }
    Ok(found)
}
