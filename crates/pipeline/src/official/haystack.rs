//! Haystack 1.x's `EvaluationResult.calculate_metrics`, on the tables that it saved.

use std::collections::BTreeMap;

use qeval_core::{
    arithmetic::mean,
    families::haystack::tables::{Metrics, Retrieved, of_retrieved},
};
use qeval_dataset::verbatim::haystack::{self, Answer, Document, Node, Place};

use super::{
    Files, Output, Stop,
    python::{self, Printed},
};

/// The stage whose numbers are computed unless another one is asked for.
const INTEGRATED: &str = "integrated";

/// The id of a document that says there is no answer.
const NO_ANSWER: &str = "00";

/// What a row with an answer has under a name; `None` where the table lacks it.
type OfAnswer = fn(&Answer) -> Option<f64>;

/// A number of a query.
type OfQuery = fn(&Metrics) -> f64;

const ANSWERS: [(&str, OfAnswer); 3] =
    [("exact_match", |row| row.exact_match), ("f1", |row| row.f1), ("sas", |row| row.sas)];

const DOCUMENTS: [(&str, OfQuery); 6] = [
    ("recall_multi_hit", |metrics| metrics.recall_multi_hit),
    ("recall_single_hit", |metrics| metrics.recall_single_hit),
    ("precision", |metrics| metrics.precision),
    ("map", |metrics| metrics.map),
    ("mrr", |metrics| metrics.mrr),
    ("ndcg", |metrics| metrics.ndcg),
];

/// The dictionary of nodes, each with the means over its queries. A folder does not know the order of
/// a pipeline's nodes: those with documents come first.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let mut nodes = haystack::nodes(files.predictions)?;
    nodes.sort_by_key(|node| node.documents.is_empty());
    let member = |node: &Node| {
        format!("{}: {}", python::quoted(&node.name), of_node(node).line().trim_end())
    };
    let members: Vec<String> = nodes.iter().map(member).collect();
    Ok(Output { stdout: format!("{{{}}}\n", members.join(", ")), stderr: String::new() })
}

fn of_node(node: &Node) -> Printed {
    let answers = by_query(&node.answers, |row| &row.place);
    let mut members: Vec<(&'static str, Printed)> = Vec::new();
    if !answers.is_empty() {
        for (name, score) in ANSWERS {
            let best =
                |rows: &Vec<&Answer>| rows.iter().filter_map(|row| score(row)).reduce(f64::max);
            let scores: Vec<f64> = answers.iter().filter_map(best).collect();
            members.extend(mean(&scores).map(|mean| (name, mean.into())));
        }
        members.push(("num_examples_for_eval", (answers.len() as f64).into()));
    }
    let documents = by_query(&node.documents, |row| &row.place);
    let metrics: Vec<Metrics> = documents.iter().map(|rows| of_query(rows)).collect();
    for (name, score) in DOCUMENTS {
        let scores: Vec<f64> = metrics.iter().map(score).collect();
        members.extend(mean(&scores).map(|mean| (name, mean.into())));
    }
    Printed::Dict(members)
}

/// The rows of each query that count, in the order of their first rows.
fn by_query<T>(rows: &[T], place: impl Fn(&T) -> &Place) -> Vec<Vec<&T>> {
    let mut queries: Vec<Vec<&T>> = Vec::new();
    let mut indexes: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        let Place { multilabel_id, eval_mode, .. } = place(row);
        if eval_mode.as_ref().is_none_or(|mode| mode == INTEGRATED) {
            let index = *indexes.entry(multilabel_id).or_insert(queries.len());
            queries.resize_with(queries.len().max(index + 1), Vec::new);
            queries[index].push(row);
        }
    }
    queries
}

/// The metrics of a query, given the labels that its documents match by their ids or the answer.
fn of_query(rows: &[&Document]) -> Metrics {
    let retrieved: Vec<Retrieved<'_>> = rows.iter().map(|row| retrieved(row)).collect();
    let gold = rows.first().map_or(&[][..], |row| &row.gold_document_ids);
    of_retrieved(&retrieved, gold.iter().filter(|id| *id != NO_ANSWER).count())
}

fn retrieved(row: &Document) -> Retrieved<'_> {
    let labels = [row.id_matches.as_slice(), &row.answer_matches].concat();
    Retrieved { id: &row.document_id, rank: row.place.rank, labels }
}
