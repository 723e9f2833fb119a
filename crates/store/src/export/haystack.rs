//! A table with the columns of Haystack 1.x's `EvaluationResult`: for each example its answers and
//! the documents that were retrieved.
//!
//! Haystack writes a file for each node of a pipeline. Here the rows of reader and retriever stand in
//! one, told apart by `node` and `type`, as in the frames that it makes.

use std::io::Write;

use qeval_core::Stage;
use serde_json::json;

use super::{
    ExportError, Job, Passages,
    cell::{Cell, Column, Kind, Sink},
    csv::CsvSink,
};

/// The columns, in the order of [`Line`].
const COLUMNS: [&str; 16] = [
    "multilabel_id",
    "query",
    "type",
    "node",
    "eval_mode",
    "rank",
    "answer",
    "document_ids",
    "gold_answers",
    "exact_match",
    "f1",
    "context",
    "document_id",
    "gold_document_ids",
    "gold_documents_id_match",
    "gold_answers_match",
];

/// The last columns of a row, after the rank.
#[derive(Default)]
struct Line {
    answer: Cell,
    document_ids: Cell,
    exact_match: Option<f64>,
    f1: Option<f64>,
    context: Cell,
    document_id: Cell,
    id_match: Cell,
    answer_match: Cell,
}

/// Writes the table; the number of its rows.
pub(super) fn write(
    job: &Job<'_>,
    passages: &mut Passages<'_>,
    output: impl Write,
) -> Result<u64, ExportError> {
    let columns = COLUMNS.map(|name| Column::new(name, Kind::Text));
    let mut sink = CsvSink::new(output, columns.to_vec())?;
    let metric = |name: &str, stage: Stage| {
        job.columns.metrics.iter().position(|metric| metric.name == name && metric.stage == stage)
    };
    let scores_of = |stage| [metric("EM", stage), metric("F1", stage)];
    let (integrated, isolated) = (scores_of(Stage::Integrated), scores_of(Stage::Isolated));
    let mut rows = 0;
    job.each(false, |_, row| {
        let case = row.case;
        let score = |place: Option<usize>| place.and_then(|place| row.scores[place]);
        let gold_answers = json!(case.references).to_string();
        let gold_ids = json!(case.gold_passages).to_string();
        let mut write = |kind: &str, node: &str, mode: &str, rank: u32, line: Line| {
            rows += 1;
            sink.row(vec![
                case.example_id.as_str().into(),
                case.question.as_deref().into(),
                kind.into(),
                node.into(),
                mode.into(),
                rank.into(),
                line.answer,
                line.document_ids,
                gold_answers.as_str().into(),
                line.exact_match.into(),
                line.f1.into(),
                line.context,
                line.document_id,
                gold_ids.as_str().into(),
                line.id_match,
                line.answer_match,
            ])
        };
        for hit in case.hits.iter().flatten() {
            let id = &hit.passage_id;
            let text = passages.text(id);
            let same = |gold: &String| f64::from(u8::from(gold == id));
            let within = |text: &str| -> Vec<f64> {
                let has = |reference: &String| f64::from(u8::from(text.contains(reference)));
                case.references.iter().map(has).collect()
            };
            let id_match: Vec<f64> = case.gold_passages.iter().map(same).collect();
            // Without texts nobody knows which answers a document holds.
            let answer_match = text.map(within).unwrap_or_default();
            let line = Line {
                context: text.unwrap_or(id).into(),
                document_id: id.as_str().into(),
                id_match: json!(id_match).to_string().into(),
                answer_match: json!(answer_match).to_string().into(),
                ..Line::default()
            };
            write("document", "Retriever", "integrated", hit.rank, line)?;
        }
        if let Some(prediction) = &case.prediction {
            let line = Line {
                answer: prediction.text.as_str().into(),
                document_ids: json!(prediction.citations).to_string().into(),
                exact_match: score(integrated[0]),
                f1: score(integrated[1]),
                ..Line::default()
            };
            write("answer", "Reader", "integrated", 1, line)?;
        }
        if let Some(answer) = &case.isolated_prediction {
            let line = Line {
                answer: answer.as_str().into(),
                document_ids: gold_ids.as_str().into(),
                exact_match: score(isolated[0]),
                f1: score(isolated[1]),
                ..Line::default()
            };
            write("answer", "Reader", "isolated", 1, line)?;
        }
        Ok(())
    })?;
    sink.finish()?;
    Ok(rows)
}
