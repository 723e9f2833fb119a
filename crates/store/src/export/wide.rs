//! One row an example: its case, its slices and a column for each metric.

use qeval_core::Prediction;

use super::{
    Columns, Row, Source,
    cell::{Cell, Column, Kind},
};
use crate::{StoredHit, StoredRelevant};

/// The columns of the table.
pub(super) fn columns(columns: &Columns, several: bool) -> Vec<Column> {
    let fixed = [
        ("dataset", Kind::Text),
        ("example_id", Kind::Text),
        ("position", Kind::Integer),
        ("question", Kind::Text),
        ("prediction", Kind::Text),
        ("abstained", Kind::Boolean),
        ("confidence", Kind::Number),
        ("citations", Kind::texts()),
        ("isolated_prediction", Kind::Text),
        ("isolated_abstained", Kind::Boolean),
        ("isolated_error", Kind::Text),
        ("gold_passages", Kind::texts()),
        ("reference", Kind::texts()),
        ("group_id", Kind::Text),
        ("turn", Kind::Integer),
        ("hits", Kind::List(Box::new(hit_kind()))),
        ("retrieved", Kind::Integer),
        ("relevant", Kind::List(Box::new(relevant_kind()))),
        ("latency_ms", Kind::Number),
        ("tokens_in", Kind::Integer),
        ("tokens_out", Kind::Integer),
        ("cost", Kind::Number),
        ("error", Kind::Text),
        ("evidence_seen", Kind::Boolean),
        ("cause", Kind::Text),
    ];
    let evaluation = several.then(|| Column::new("evaluation", Kind::Text));
    let fixed = fixed.into_iter().map(|(name, kind)| Column::new(name, kind));
    let mut all: Vec<Column> = evaluation.into_iter().chain(fixed).collect();
    for slice in &columns.slices {
        let name = free(&all, slice, "slice");
        all.push(Column::new(name, Kind::Text));
    }
    for metric in &columns.metrics {
        let name = free(&all, &metric.column, "metric");
        all.push(Column::new(name, Kind::Number));
    }
    all
}

/// A name that no column has yet: a slice may be called as a column of the cases. Case does not tell
/// names apart, as in SQL.
fn free(columns: &[Column], name: &str, prefix: &str) -> String {
    let taken = |name: &String| {
        columns.iter().any(|column| column.name.to_lowercase() == name.to_lowercase())
    };
    let mut name = name.to_owned();
    while taken(&name) {
        name = format!("{prefix}_{name}");
    }
    name
}

/// The cells of a row.
pub(super) fn cells(source: &Source, row: Row, several: bool) -> Vec<Cell> {
    let Row { dataset, case, position, slices, evidence_seen, cause, scores, .. } = row;
    let answered = case.prediction.is_some();
    let Prediction { text, abstained, confidence, citations, usage, .. } =
        case.prediction.unwrap_or_default();
    let isolated = case.isolated_prediction.is_some();
    let mut cells: Vec<Cell> = Vec::new();
    if several {
        cells.push(source.name.as_str().into());
    }
    cells.extend([
        dataset.into(),
        case.example_id.into(),
        position.into(),
        case.question.into(),
        answered.then_some(text).into(),
        answered.then_some(abstained).into(),
        confidence.into(),
        if answered { Cell::texts(citations) } else { Cell::Null },
        case.isolated_prediction.into(),
        isolated.then_some(case.isolated_abstained).into(),
        case.isolated_error.into(),
        Cell::texts(case.gold_passages),
        Cell::texts(case.references),
        case.group_id.into(),
        case.turn.into(),
        list(case.hits, hit),
        case.retrieved.into(),
        list(case.relevant, relevant),
        usage.latency_ms.into(),
        Cell::count(usage.tokens_in),
        Cell::count(usage.tokens_out),
        usage.cost.into(),
        case.error.into(),
        evidence_seen.into(),
        cause.into(),
    ]);
    cells.extend(slices.into_iter().map(Cell::from));
    cells.extend(scores.into_iter().map(Cell::from));
    cells
}

fn list<T>(items: Option<Vec<T>>, cell: impl FnMut(T) -> Cell) -> Cell {
    items.map_or(Cell::Null, |items| Cell::List(items.into_iter().map(cell).collect()))
}

fn hit_kind() -> Kind {
    Kind::Record(vec![
        ("passage_id", Kind::Text),
        ("rank", Kind::Integer),
        ("score", Kind::Number),
        ("grade", Kind::Integer),
        ("seen", Kind::Boolean),
    ])
}

fn hit(hit: StoredHit) -> Cell {
    let StoredHit { passage_id, rank, score, grade, seen, .. } = hit;
    Cell::Record(vec![passage_id.into(), rank.into(), score.into(), grade.into(), seen.into()])
}

fn relevant_kind() -> Kind {
    Kind::Record(vec![
        ("passage_id", Kind::Text),
        ("grade", Kind::Integer),
        ("rank", Kind::Integer),
    ])
}

fn relevant(passage: StoredRelevant) -> Cell {
    let StoredRelevant { passage_id, grade, rank, .. } = passage;
    Cell::Record(vec![passage_id.into(), grade.into(), rank.into()])
}
