//! The examples that a gate is about, and those that speak against it.

use std::collections::HashSet;

use anyhow::Result;
use qeval_core::Stage;
use qeval_report::GateExample;
use qeval_store::{Evaluation, GateInfo, MetricColumn, Scores};

/// The rows that a gate is about.
pub(super) struct Selection {
    /// `None` for all rows.
    rows: Option<HashSet<usize>>,
}

impl Selection {
    pub(super) fn of(evaluation: &Evaluation, gate: &GateInfo) -> Result<Self> {
        let several = evaluation.manifest().datasets.len() > 1;
        let dataset = gate.dataset.as_ref().filter(|_| several);
        let slice = gate.slice.as_ref().zip(gate.slice_value.as_ref());
        if dataset.is_none() && slice.is_none() {
            return Ok(Self { rows: None });
        }
        let scores = evaluation.groupings()?;
        let of_dataset = |row: usize| match (dataset, &scores.datasets) {
            (Some(wanted), Some(datasets)) => datasets.get(row) == Some(wanted),
            _ => true,
        };
        let of_slice = |row: usize| {
            slice.is_none_or(|(name, value)| {
                let labels = scores.slices.iter().find(|(own, _)| own == name);
                labels.is_some_and(|(_, labels)| labels.get(row) == Some(value))
            })
        };
        let rows = (0..length(&scores)).filter(|&row| of_dataset(row) && of_slice(row));
        Ok(Self { rows: Some(rows.collect()) })
    }

    pub(super) fn has(&self, row: usize) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows.contains(&row))
    }

    /// How many of the examples have no score because something failed.
    pub(super) fn failed(&self, evaluation: &Evaluation, column: &str) -> Result<u64> {
        if self.rows.is_none() {
            let reasons = evaluation.reasons()?.into_iter();
            let failed = reasons.filter(|reason| reason.metric == column && reason.kind == "error");
            return Ok(failed.map(|reason| reason.count).sum());
        }
        let scores = evaluation.scores(&[])?;
        let mut failed = 0;
        for detail in evaluation.details()? {
            let detail = detail?;
            if detail.metric == column && detail.kind == "error" {
                let row = scores.row(detail.dataset.as_deref(), &detail.example_id);
                failed += u64::from(row.is_some_and(|row| self.has(row)));
            }
        }
        Ok(failed)
    }
}

/// Number of rows of groupings, which have no length of their own.
fn length(scores: &Scores) -> usize {
    let slices = scores.slices.iter().map(|(_, labels)| labels.len());
    slices.chain(scores.datasets.iter().map(qeval_store::Labels::len)).max().unwrap_or(0)
}

/// The examples with the worst scores; of equal ones those with the lower ids.
pub(super) fn lowest(
    evaluation: &Evaluation,
    column: &MetricColumn,
    selection: &Selection,
    most: usize,
) -> Result<Vec<GateExample>> {
    let scores = evaluation.column(&column.column)?;
    let mut rows: Vec<usize> =
        (0..scores.len()).filter(|&row| !scores[row].is_nan() && selection.has(row)).collect();
    let sign = if column.higher_is_better { 1.0 } else { -1.0 };
    rows.sort_by(|&a, &b| (sign * scores[a]).total_cmp(&(sign * scores[b])));
    rows.truncate(most);
    let found: Vec<(usize, f64, Option<f64>)> =
        rows.into_iter().map(|row| (row, scores[row], None)).collect();
    described(evaluation, column.stage, &found)
}

/// Examples with their texts, as far as the evaluation has them: row, score, and score before.
pub(super) fn described(
    evaluation: &Evaluation,
    stage: Stage,
    found: &[(usize, f64, Option<f64>)],
) -> Result<Vec<GateExample>> {
    let rows: Vec<usize> = found.iter().map(|&(row, ..)| row).collect();
    if !evaluation.has_texts() {
        let scores = evaluation.scores(&[])?;
        let of = |&(row, score, before): &(usize, f64, Option<f64>)| GateExample {
            id: scores.ids.get(row).to_owned(),
            score,
            before,
            ..GateExample::default()
        };
        return Ok(found.iter().map(of).collect());
    }
    let cases = evaluation.cases(&rows)?.into_iter();
    let of =
        |(case, &(_, score, before)): (qeval_store::StoredCase, &(usize, f64, Option<f64>))| {
            GateExample {
                score,
                before,
                answer: match stage {
                    Stage::Retrieval => None,
                    Stage::Isolated => case.isolated_prediction,
                    Stage::Integrated => case.prediction.map(|prediction| prediction.text),
                },
                id: case.example_id,
                question: case.question,
                references: case.references,
            }
        };
    Ok(cases.zip(found).map(of).collect())
}
