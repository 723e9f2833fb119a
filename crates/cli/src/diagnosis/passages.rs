//! How far down the evidence is found, and how answers depend on the number of passages.

use anyhow::Result;
use qeval_core::{
    diagnosis::{Cause, share},
    stats::{paired, units},
};
use qeval_report::{CurvePoint, PassageCurve, PassageSetting};
use qeval_store::Evaluation;

use super::Row;

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

/// The share of right answers at each number of passages, where there are several evaluations.
pub(super) fn settings(evaluations: &[Evaluation]) -> Result<Vec<PassageSetting>> {
    if evaluations.len() < 2 {
        return Ok(Vec::new());
    }
    let mut settings = Vec::new();
    for evaluation in evaluations {
        let Some(passages) = shown(evaluation) else { continue };
        let scores = evaluation.groupings()?;
        let causes = scores.causes.iter().flat_map(|causes| causes.iter().flatten());
        let causes: Vec<Cause> = causes.filter_map(Cause::from_name).collect();
        let right = causes.iter().filter(|cause| cause.is_right()).count();
        settings.push(PassageSetting {
            evaluation: evaluation.manifest().evaluation_id.clone(),
            passages,
            right: share(right as u64, causes.len() as u64),
        });
    }
    settings.sort_by_key(|setting| setting.passages);
    Ok(settings)
}
