//! Cases: the texts and the hits, one example at a time.

use std::path::Path;

use arrow_array::{Int64Array, ListArray, cast::AsArray};
use parquet::arrow::arrow_reader::RowSelection;
use qeval_core::{Prediction, Usage};

use super::{
    ReadError,
    retrieved::{self, StoredHit, StoredRelevant, places},
    table::{self, Batch, Part, label, value},
};

/// All that is stored of one example but its scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredCase {
    /// Name of the dataset; `None` unless there are several.
    pub dataset: Option<String>,
    /// Id of the example.
    pub example_id: String,
    /// What was asked; `None` when only an id is known.
    pub question: Option<String>,
    /// What the system answered; `None` for a missing prediction. The spans, labels and passages
    /// seen are not stored.
    pub prediction: Option<Prediction>,
    /// What the reader answered on the gold passages.
    pub isolated_prediction: Option<String>,
    /// Whether it declined to answer there.
    pub isolated_abstained: bool,
    /// Why that answer is not scored; `None` where it is, and in evaluations of older versions.
    pub isolated_error: Option<String>,
    /// Ids of the passages that hold the answer.
    pub gold_passages: Vec<String>,
    /// The acceptable answers.
    pub references: Vec<String>,
    /// The dialog or document.
    pub group_id: Option<String>,
    /// Place in the dialog, from 0.
    pub turn: Option<u32>,
    /// What was retrieved, best first; `None` when nothing was retrieved for the example.
    pub hits: Option<Vec<StoredHit>>,
    /// Why a component gave nothing for the example.
    pub error: Option<String>,
    /// How many hits the retriever gave; `None` where it failed, and in evaluations of older
    /// versions.
    pub retrieved: Option<u32>,
    /// The relevant passages, retrieved or not; `None` for an example without judgments, and in
    /// evaluations of older versions.
    pub relevant: Option<Vec<StoredRelevant>>,
}

/// Reads the cases in the given rows, in the order of `rows`.
pub(super) fn read_rows(folder: &Path, rows: &[usize]) -> Result<Vec<StoredCase>, ReadError> {
    let mut wanted = rows.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut cases = Vec::with_capacity(wanted.len());
    let mut first = 0;
    for path in table::required_parts(folder, "cases")? {
        let part = Part::open(&path)?;
        let length = part.rows();
        let here = wanted.iter().filter(|&&row| (first..first + length).contains(&row));
        let ranges = here.map(|row| row - first..row - first + 1);
        let selection = RowSelection::from_consecutive_ranges(ranges, length);
        if selection.selects_any() {
            for batch in part.with(|builder| builder.with_row_selection(selection)).batches()? {
                append(&batch?, &mut cases)?;
            }
        }
        first += length;
    }
    let case = |&row: &usize| {
        let found = wanted.binary_search(&row).ok().and_then(|place| cases.get(place));
        found.cloned().ok_or(ReadError::Row { folder: folder.to_owned(), row, rows: first })
    };
    rows.iter().map(case).collect()
}

/// Reads all cases in order.
pub(crate) fn read_all(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<StoredCase, ReadError>> + use<>, ReadError> {
    let batches = table::batches(table::required_parts(folder, "cases")?, |part| part);
    Ok(batches.flat_map(|batch| {
        let mut cases = Vec::new();
        let appended = batch.and_then(|batch| append(&batch, &mut cases));
        cases.into_iter().map(Ok).chain(appended.err().map(Err))
    }))
}

/// Appends the cases of a batch.
fn append(batch: &Batch, cases: &mut Vec<StoredCase>) -> Result<(), ReadError> {
    let first = cases.len();
    let datasets = batch.optional_labels("dataset")?;
    let ids = batch.texts("example_id")?;
    let questions = batch.texts("question")?;
    let isolated = batch.texts("isolated_prediction")?;
    let gold_passages = batch.text_lists("gold_passages")?;
    let references = batch.text_lists("reference")?;
    let groups = batch.texts("group_id")?;
    let turns = batch.small_integers("turn")?;
    let errors = batch.texts("error")?;
    for row in 0..batch.rows() {
        cases.push(StoredCase {
            dataset: datasets.and_then(|datasets| label(datasets, row)).map(str::to_owned),
            example_id: ids.value(row).to_owned(),
            question: value(questions, row).map(str::to_owned),
            prediction: None,
            isolated_prediction: value(isolated, row).map(str::to_owned),
            isolated_abstained: false,
            isolated_error: None,
            gold_passages: texts(gold_passages, row),
            references: texts(references, row),
            group_id: value(groups, row).map(str::to_owned),
            turn: value(turns, row).and_then(|turn| u32::try_from(turn).ok()),
            hits: None,
            error: value(errors, row).map(str::to_owned),
            retrieved: None,
            relevant: None,
        });
    }
    add_predictions(batch, &mut cases[first..])?;
    add_isolated(batch, &mut cases[first..])?;
    let hits = retrieved::hits(batch)?;
    cases[first..].iter_mut().zip(hits).for_each(|(case, hits)| case.hits = hits);
    if batch.has("retrieved") {
        let counts = batch.small_integers("retrieved")?;
        let relevant = retrieved::relevant(batch)?;
        for ((row, case), relevant) in cases[first..].iter_mut().enumerate().zip(relevant) {
            case.retrieved = value(counts, row).and_then(|count| u32::try_from(count).ok());
            case.relevant = relevant;
        }
    }
    Ok(())
}

fn add_predictions(batch: &Batch, cases: &mut [StoredCase]) -> Result<(), ReadError> {
    let predictions = batch.texts("prediction")?;
    let confidences = batch.floats("confidence")?;
    let abstentions = batch.booleans("abstained")?;
    let citations = batch.text_lists("citations")?;
    let latencies = batch.floats("latency_ms")?;
    let (tokens_in, tokens_out) = (batch.integers("tokens_in")?, batch.integers("tokens_out")?);
    let costs = batch.floats("cost")?;
    for (row, case) in cases.iter_mut().enumerate() {
        case.prediction = value(predictions, row).map(|text| Prediction {
            text: text.to_owned(),
            abstained: value(abstentions, row).unwrap_or(false),
            confidence: value(confidences, row),
            citations: texts(citations, row),
            usage: Usage {
                latency_ms: value(latencies, row),
                tokens_in: count(tokens_in, row),
                tokens_out: count(tokens_out, row),
                cost: value(costs, row),
            },
            ..Prediction::default()
        });
    }
    Ok(())
}

/// What older evaluations do not store: there, an answer of nothing is an abstention.
fn add_isolated(batch: &Batch, cases: &mut [StoredCase]) -> Result<(), ReadError> {
    if !batch.has("isolated_abstained") {
        for case in cases {
            let blank = |text: &String| text.trim().is_empty();
            case.isolated_abstained = case.isolated_prediction.as_ref().is_some_and(blank);
        }
        return Ok(());
    }
    let abstained = batch.booleans("isolated_abstained")?;
    let errors = batch.texts("isolated_error")?;
    for (row, case) in cases.iter_mut().enumerate() {
        case.isolated_abstained = value(abstained, row).unwrap_or(false);
        case.isolated_error = value(errors, row).map(str::to_owned);
    }
    Ok(())
}

/// The texts of a list; none for null.
fn texts(lists: &ListArray, row: usize) -> Vec<String> {
    let texts = lists.values().as_string::<i32>();
    places(lists, row).map(|place| texts.value(place).to_owned()).collect()
}

fn count(numbers: &Int64Array, row: usize) -> Option<u64> {
    value(numbers, row).and_then(|number| u64::try_from(number).ok())
}
