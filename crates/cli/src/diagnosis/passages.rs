//! How far down the evidence is found, and how answers depend on the number of passages.

use anyhow::Result;
use qeval_core::{
    diagnosis::Cause,
    stats::{Change, Column, estimate, paired, units},
};
use qeval_report::{CurvePoint, PassageCurve, PassageSetting};
use qeval_store::{Clusters, Evaluation, Pairing, Scores};

use super::Row;
use crate::exit_code::BadRequest;

/// The numbers of passages that are looked at.
const CUTOFFS: [u32; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 1000];

/// The share of examples with evidence among the first passages; `None` where nothing was retrieved.
pub(super) fn curve(
    evaluation: &Evaluation,
    groups: Option<&[u32]>,
    rows: &[Row],
) -> Option<PassageCurve> {
    let with: Vec<usize> =
        (0..rows.len()).filter(|&row| rows[row].has_evidence && rows[row].retrieved).collect();
    let deepest = with.iter().filter_map(|&row| rows[row].evidence).max()?;
    let found = |row: usize, k: u32| rows[row].evidence.is_some_and(|rank| rank <= k);
    let mut points: Vec<CurvePoint> = Vec::new();
    for k in CUTOFFS {
        let n = with.iter().filter(|&&row| found(row, k)).count();
        let step = points.last().and_then(|before| {
            let shares = |k: u32| -> Vec<f64> {
                with.iter().map(|&row| f64::from(u8::from(found(row, k)))).collect()
            };
            let groups: Option<Vec<u32>> =
                groups.map(|groups| with.iter().map(|&row| groups[row]).collect());
            let units = units(&shares(before.k), &shares(k), groups.as_deref());
            paired(&units, evaluation.manifest().seed)
        });
        points.push(CurvePoint { k, share: n as f64 / with.len() as f64, step });
        if k >= deepest {
            break;
        }
    }
    let plan = &evaluation.manifest().plan;
    let unread = plan["reader"]["type"] == "replay" && !plan["retriever"].is_null();
    Some(PassageCurve { n: with.len() as u64, shown: shown(evaluation), unread, points })
}

/// How many passages a live reader is shown.
fn shown(evaluation: &Evaluation) -> Option<u64> {
    evaluation.manifest().plan["reader"]["options"]["passages"].as_u64()
}

/// The share of right answers at each number of passages, where there are several evaluations, and
/// what each step to more passages gains on the same examples.
pub(super) fn settings(evaluations: &[Evaluation]) -> Result<Vec<PassageSetting>> {
    if evaluations.len() < 2 {
        return Ok(Vec::new());
    }
    let mut by_passages: Vec<(u64, &Evaluation)> = Vec::new();
    for evaluation in evaluations {
        let id = |of: &Evaluation| of.manifest().evaluation_id.clone();
        if by_passages.iter().any(|(_, other)| id(other) == id(evaluation)) {
            let message = format!("`{}` is named twice", id(evaluation));
            let hint = "name each evaluation once".to_owned();
            return Err(BadRequest { message, hint: Some(hint) }.into());
        }
        let Some(passages) = shown(evaluation) else {
            let id = &evaluation.manifest().evaluation_id;
            let message = format!("nobody knows how many passages the reader of `{id}` was shown");
            let hint = "further evaluations are of a live reader with other `passages`".to_owned();
            return Err(BadRequest { message, hint: Some(hint) }.into());
        };
        by_passages.push((passages, evaluation));
    }
    by_passages.sort_by_key(|(passages, _)| *passages);
    let mut settings: Vec<PassageSetting> = Vec::new();
    let mut before: Option<(&Evaluation, Vec<Option<f64>>)> = None;
    for (passages, evaluation) in by_passages {
        let scores = evaluation.groupings()?;
        let right = right(&scores);
        let clusters = Clusters::new(&scores);
        let column = Column::of_shares("right", evaluation.manifest().intervals());
        let group = |row: usize| clusters.as_ref().and_then(|clusters| clusters.get(row));
        let known = right.iter().enumerate().filter(|(_, right)| right.is_some());
        let found = estimate(column, known.map(|(row, &right)| (right, group(row))));
        let step = match &before {
            None => None,
            Some((other, of_other)) => step((*other, of_other), (evaluation, &right))?,
        };
        settings.push(PassageSetting {
            evaluation: evaluation.manifest().evaluation_id.clone(),
            passages,
            right: found.mean,
            interval: found.interval,
            step,
        });
        before = Some((evaluation, right));
    }
    Ok(settings)
}

/// For each row 1 for a right answer and 0 for another; `None` where nothing was diagnosed.
fn right(scores: &Scores) -> Vec<Option<f64>> {
    let Some(causes) = &scores.causes else { return Vec::new() };
    let of =
        |cause: &str| Cause::from_name(cause).map(|cause| f64::from(u8::from(cause.is_right())));
    causes.iter().map(|cause| cause.and_then(of)).collect()
}

/// From one setting to the next, on the examples that both have.
fn step(
    (before, of_before): (&Evaluation, &[Option<f64>]),
    (after, of_after): (&Evaluation, &[Option<f64>]),
) -> Result<Option<Change>> {
    let pairing = Pairing::of(&[before, after])?;
    let (mut first, mut second, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for (example, (&row, &other)) in pairing.rows(0).iter().zip(pairing.rows(1)).enumerate() {
        let known = |of: &[Option<f64>], row: u32| of.get(row as usize).copied().flatten();
        let both = known(of_before, row).zip(known(of_after, other));
        if let Some((one, two)) = both {
            first.push(one);
            second.push(two);
            groups.extend(pairing.groups().map(|groups| groups[example]));
        }
    }
    let groups = pairing.groups().map(|_| groups.as_slice());
    Ok(paired(&units(&first, &second, groups), after.manifest().seed))
}
