//! What was retrieved, and what should have been.

use std::{ops::Range, path::Path};

use arrow_array::{Array, Int32Array, ListArray};
use qeval_core::retrieved::HasAnswer;

use super::{
    ReadError,
    table::{self, Batch, value},
};
use crate::{RowHit, RowRelevant};

/// A passage that was retrieved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredHit {
    /// Id of the passage.
    pub passage_id: String,
    /// Place in the ranking, from 1.
    pub rank: u32,
    /// The retriever's score; `None` where nobody knows it.
    pub score: Option<f64>,
    /// The judged relevance; `None` for an unjudged passage.
    pub grade: Option<i32>,
    /// Whether the reader was given it; `None` when nobody knows.
    pub seen: Option<bool>,
    /// Whether a reference stands in it; `None` without a reference, or where its text is unknown.
    pub answer: Option<HasAnswer>,
    /// The rank of the best hit that it nearly repeats.
    pub near_copy_of: Option<u32>,
}

/// A passage that is relevant to an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRelevant {
    /// Id of the passage.
    pub passage_id: String,
    /// The judged relevance, above 0.
    pub grade: i32,
    /// Its rank among the hits, from 1; `None` where it was not retrieved.
    pub rank: Option<u32>,
    /// Number of its words; `None` where its text is unknown.
    pub length: Option<u32>,
    /// The first of them at which a reference begins, from 0; `None` where none does.
    pub answer_at: Option<u32>,
}

/// What was retrieved for one example.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredRetrieval {
    /// Whether it has a reference.
    pub answerable: bool,
    /// How many hits the retriever gave; `None` where it failed.
    pub retrieved: Option<u32>,
    /// The relevant passages, retrieved or not; `None` for an example without judgments.
    pub relevant: Option<Vec<StoredRelevant>>,
    /// The hits, where the texts of the passages are known; else none.
    pub hits: Vec<StoredHit>,
}

/// As it is written again.
impl<'a> From<&'a StoredHit> for RowHit<'a> {
    fn from(hit: &'a StoredHit) -> Self {
        Self {
            passage_id: &hit.passage_id,
            score: hit.score,
            grade: hit.grade,
            seen: hit.seen,
            answer: hit.answer,
            near_copy_of: hit.near_copy_of,
        }
    }
}

/// As it is written again.
impl<'a> From<&'a StoredRelevant> for RowRelevant<'a> {
    fn from(passage: &'a StoredRelevant) -> Self {
        Self {
            passage_id: &passage.passage_id,
            grade: passage.grade,
            rank: passage.rank,
            length: passage.length,
            answer_at: passage.answer_at,
        }
    }
}

/// Reads what was retrieved for all examples, in order; `None` where nothing retrieves, and for
/// evaluations of older versions. The hits are read only with `texts`: the relevant passages have
/// their ranks, and hits are many.
pub(super) fn read_all(
    folder: &Path,
    texts: bool,
) -> Result<Option<impl Iterator<Item = Result<StoredRetrieval, ReadError>> + use<>>, ReadError> {
    let parts = table::required_parts(folder, "cases")?;
    let first = table::Part::open(&parts[0])?;
    if !first.columns().any(|column| column == "retrieved") {
        return Ok(None);
    }
    let wanted = move |column: &str| match column {
        "answerable" | "retrieved" | "relevant" => true,
        "hits" => texts,
        _ => false,
    };
    let batches = table::batches(parts, move |part| part.project(wanted));
    Ok(Some(batches.flat_map(|batch| match batch.and_then(|batch| examples(&batch)) {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    })))
}

fn examples(batch: &Batch) -> Result<Vec<StoredRetrieval>, ReadError> {
    let answerable = batch.booleans("answerable")?;
    let counts = batch.small_integers("retrieved")?;
    let mut hits = if batch.has("hits") { hits(batch)? } else { Vec::new() }.into_iter();
    let relevant = relevant(batch)?.into_iter();
    let examples = relevant.enumerate().map(|(row, relevant)| StoredRetrieval {
        answerable: answerable.value(row),
        retrieved: small(counts, row),
        relevant,
        hits: hits.next().flatten().unwrap_or_default(),
    });
    Ok(examples.collect())
}

/// The hits of each example of a batch; `None` where nothing was retrieved.
pub(super) fn hits(batch: &Batch) -> Result<Vec<Option<Vec<StoredHit>>>, ReadError> {
    let (lists, hits) = batch.elements("hits")?;
    let passages = hits.texts("passage_id")?;
    let ranks = hits.small_integers("rank")?;
    let scores = hits.floats("score")?;
    let grades = hits.small_integers("grade")?;
    let seen = hits.booleans("seen")?;
    let texts = hits.has("has_answer").then(|| -> Result<_, ReadError> {
        let exact = hits.booleans("has_answer")?;
        let normalised = hits.booleans("has_normalised_answer")?;
        Ok((exact, normalised, hits.small_integers("near_copy_of")?))
    });
    let texts = texts.transpose()?;
    let hit = |place: usize| StoredHit {
        passage_id: passages.value(place).to_owned(),
        rank: small(ranks, place).unwrap_or(0),
        score: value(scores, place),
        grade: value(grades, place),
        seen: value(seen, place),
        answer: texts.and_then(|(exact, normalised, _)| {
            let normalised = value(normalised, place)?;
            Some(HasAnswer { exact: value(exact, place)?, normalised })
        }),
        near_copy_of: texts.and_then(|(_, _, copies)| small(copies, place)),
    };
    let list = |row| lists.is_valid(row).then(|| places(lists, row).map(hit).collect());
    Ok((0..batch.rows()).map(list).collect())
}

/// The relevant passages of each example of a batch; `None` where it has no judgments.
pub(super) fn relevant(batch: &Batch) -> Result<Vec<Option<Vec<StoredRelevant>>>, ReadError> {
    let (lists, relevant) = batch.elements("relevant")?;
    let passages = relevant.texts("passage_id")?;
    let grades = relevant.small_integers("grade")?;
    let ranks = relevant.small_integers("rank")?;
    let texts = relevant.has("length").then(|| -> Result<_, ReadError> {
        Ok((relevant.small_integers("length")?, relevant.small_integers("answer_at")?))
    });
    let texts = texts.transpose()?;
    let passage = |place: usize| StoredRelevant {
        passage_id: passages.value(place).to_owned(),
        grade: grades.value(place),
        rank: small(ranks, place),
        length: texts.and_then(|(lengths, _)| small(lengths, place)),
        answer_at: texts.and_then(|(_, answers)| small(answers, place)),
    };
    let list = |row| lists.is_valid(row).then(|| places(lists, row).map(passage).collect());
    Ok((0..batch.rows()).map(list).collect())
}

/// Where the elements of a list stand among all elements.
pub(super) fn places(lists: &ListArray, row: usize) -> Range<usize> {
    let place = |row: usize| usize::try_from(lists.value_offsets()[row]).unwrap_or(0);
    if lists.is_valid(row) { place(row)..place(row + 1) } else { 0..0 }
}

fn small(numbers: &Int32Array, row: usize) -> Option<u32> {
    value(numbers, row).and_then(|number| u32::try_from(number).ok())
}
