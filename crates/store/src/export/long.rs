//! One row for each example and metric, with the reason where there is no score.

use std::io::Write;

use super::{
    ExportError, Job,
    cell::{Cell, Column, Kind, Sink},
    parquet::ParquetSink,
};

/// Writes the table; the number of its rows.
pub(super) fn write(job: &Job<'_>, output: impl Write + Send) -> Result<u64, ExportError> {
    let fixed = [
        ("example_id", Kind::Text),
        ("dataset", Kind::Text),
        ("stage", Kind::Text),
        ("metric", Kind::Text),
        ("value", Kind::Number),
        ("reason", Kind::Text),
    ];
    let evaluation = job.several().then(|| Column::new("evaluation", Kind::Text));
    let fixed = fixed.into_iter().map(|(name, kind)| Column::new(name, kind));
    let mut sink = ParquetSink::new(output, evaluation.into_iter().chain(fixed).collect())?;
    let mut rows = 0;
    job.each(true, |source, mut row| {
        let scored = job.columns.metrics.iter().zip(&row.scores).zip(&source.has);
        for ((metric, &value), _) in scored.filter(|&(_, &has)| has) {
            let mut cells: Vec<Cell> = Vec::with_capacity(7);
            if job.several() {
                cells.push(source.name.as_str().into());
            }
            let reason = row.reasons.remove(&metric.column).filter(|_| value.is_none());
            cells.extend([
                row.case.example_id.as_str().into(),
                row.dataset.as_deref().into(),
                metric.stage.name().into(),
                metric.column.as_str().into(),
                value.into(),
                reason.into(),
            ]);
            sink.row(cells)?;
            rows += 1;
        }
        Ok(())
    })?;
    sink.finish()?;
    Ok(rows)
}
