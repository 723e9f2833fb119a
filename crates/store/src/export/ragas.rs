//! JSON lines with the names of ragas's `SingleTurnSample`, and a member for each metric.

use std::io::Write;

use super::{
    ExportError, Job, Passages,
    cell::{Cell, Column, Kind, Sink},
    jsonl::JsonSink,
};

/// Writes the lines; their number.
pub(super) fn write(
    job: &Job<'_>,
    passages: &mut Passages<'_>,
    output: impl Write,
) -> Result<u64, ExportError> {
    let fixed = [
        ("example_id", Kind::Text),
        ("dataset", Kind::Text),
        ("user_input", Kind::Text),
        ("response", Kind::Text),
        ("retrieved_contexts", Kind::texts()),
        ("retrieved_context_ids", Kind::texts()),
        ("reference", Kind::Text),
        ("reference_context_ids", Kind::texts()),
    ];
    let evaluation = job.several().then(|| Column::new("evaluation", Kind::Text));
    let fixed = fixed.into_iter().map(|(name, kind)| Column::new(name, kind));
    let metrics = job.columns.metrics.iter();
    let metrics = metrics.map(|metric| Column::new(&metric.column, Kind::Number));
    let columns = evaluation.into_iter().chain(fixed).chain(metrics).collect();
    let mut sink = JsonSink::new(output, columns);
    let mut rows = 0;
    job.each(false, |source, row| {
        let case = row.case;
        // What the reader was not given is no context of its answer.
        let hits = case.hits.map(|hits| hits.into_iter().filter(|hit| hit.seen != Some(false)));
        let ids: Option<Vec<String>> = hits.map(|hits| hits.map(|hit| hit.passage_id).collect());
        let text = |id: &String| passages.text(id).unwrap_or(id).to_owned();
        let texts: Option<Vec<String>> = ids.as_ref().map(|ids| ids.iter().map(text).collect());
        let mut cells: Vec<Cell> = Vec::new();
        if job.several() {
            cells.push(source.name.as_str().into());
        }
        cells.extend([
            case.example_id.into(),
            row.dataset.into(),
            case.question.into(),
            case.prediction.map(|prediction| prediction.text).into(),
            texts.map_or(Cell::Null, Cell::texts),
            ids.map_or(Cell::Null, Cell::texts),
            case.references.into_iter().next().into(),
            Cell::texts(case.gold_passages),
        ]);
        cells.extend(row.scores.into_iter().map(Cell::from));
        rows += 1;
        sink.row(cells)
    })?;
    sink.finish()?;
    Ok(rows)
}
