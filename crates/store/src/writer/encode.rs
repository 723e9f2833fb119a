//! Rows to records.

use std::io::Write as _;

use qeval_core::{Prediction, Score, Unscored};

use super::record::{DATASET_BYTES, FIRST_FAILURE, flag};
use crate::{Layout, Row, RowError, RowHit, RowPart, RowRelevant};

/// Longest record in bytes: what one batch of a table has room for.
const LONGEST: u64 = 1 << 30;

/// Turns rows of one layout into records.
#[derive(Debug)]
pub(super) struct Encoder {
    columns: Vec<String>,
    slices: usize,
    /// Names of the datasets in the order of their numbers.
    datasets: Vec<String>,
    /// Whether questions, answers and hits are kept.
    texts: bool,
}

impl Encoder {
    pub(super) fn new(layout: &Layout) -> Self {
        let mut datasets = layout.datasets.clone();
        datasets.sort_unstable();
        Self {
            texts: true,
            columns: layout.metrics.iter().map(|metric| metric.column.clone()).collect(),
            slices: layout.slices.len(),
            datasets,
        }
    }

    /// The same with empty texts and without hits: what remains says which questions have an
    /// answer and which got one.
    pub(super) fn without_texts(layout: &Layout) -> Self {
        Self { texts: false, ..Self::new(layout) }
    }

    /// Appends the record of a row. After an error the end of `out` is unspecified.
    pub(super) fn encode(&self, row: &Row<'_>, out: &mut Vec<u8>) -> Result<(), RowError> {
        let short;
        let row = if self.texts {
            row
        } else {
            short = shortened(row);
            &short
        };
        let start = out.len();
        let dataset = self.dataset(row.dataset)?;
        let key_length = DATASET_BYTES + row.example_id.len();
        out.extend_from_slice(&length(key_length));
        out.extend_from_slice(&dataset.to_be_bytes());
        out.extend_from_slice(row.example_id.as_bytes());
        out.extend_from_slice(&whole::<i64>("the position", row.position)?.to_le_bytes());
        out.extend_from_slice(&flags(row).to_le_bytes());
        if let Some(turn) = row.turn {
            out.extend_from_slice(&whole::<i32>("the turn", turn.into())?.to_le_bytes());
        }
        let isolated = [row.isolated_prediction, row.isolated_error];
        let texts = [row.group_id, row.cause, row.question].into_iter().chain(isolated);
        for text in texts.chain([row.error]).flatten() {
            put_text(text, out);
        }
        self.put_slices(row.slices, out)?;
        self.put_scores(row.scores, out)?;
        put_texts(row.references.iter().map(|reference| self.text(&reference.text)), out);
        put_texts(row.gold_passages.iter().map(String::as_str), out);
        if let Some(prediction) = row.prediction {
            put_text(self.text(&prediction.text), out);
            put_prediction(prediction, out)?;
        }
        if let Some(hits) = row.hits {
            put_hits(hits, out)?;
        }
        if let Some(retrieved) = row.retrieved {
            put_small("the number of hits", retrieved, out)?;
        }
        if let Some(relevant) = row.relevant {
            put_relevant(relevant, out)?;
        }
        if !row.parts.is_empty() {
            self.put_parts(row.parts, out)?;
        }
        let size = (out.len() - start) as u64;
        if size > LONGEST {
            return Err(RowError::TooLarge {
                name: "its size in bytes",
                value: size,
                most: LONGEST,
            });
        }
        Ok(())
    }

    fn text<'t>(&self, text: &'t str) -> &'t str {
        if self.texts { text } else { "" }
    }

    /// Name of a dataset by its number; `None` when there is only one.
    pub(super) fn dataset_name(&self, number: u32) -> Option<&str> {
        self.datasets.get(number as usize).map(String::as_str)
    }

    fn dataset(&self, name: Option<&str>) -> Result<u32, RowError> {
        let found = match name {
            None if self.datasets.is_empty() => Some(0),
            None => None,
            Some(name) => self.datasets.iter().position(|dataset| dataset == name),
        };
        let unknown = || RowError::Dataset(name.map(str::to_owned));
        let number = found.ok_or_else(unknown)?;
        u32::try_from(number).map_err(|_| unknown())
    }

    fn put_slices(&self, slices: &[Option<&str>], out: &mut Vec<u8>) -> Result<(), RowError> {
        expect_length("slice values", slices.len(), self.slices)?;
        framed(out, |out| {
            for slice in slices {
                out.push(u8::from(slice.is_some()));
                if let Some(text) = slice {
                    put_text(text, out);
                }
            }
            Ok(())
        })
    }

    fn put_scores(&self, scores: &[Score], out: &mut Vec<u8>) -> Result<(), RowError> {
        expect_length("scores", scores.len(), self.columns.len())?;
        framed(out, |out| {
            for (score, column) in scores.iter().zip(&self.columns) {
                match score {
                    Ok(value) if value.is_finite() => {
                        let mut cell = [0; 9];
                        cell[1..].copy_from_slice(&value.to_le_bytes());
                        out.extend_from_slice(&cell);
                    }
                    Ok(value) => {
                        return Err(RowError::NotFinite { column: column.clone(), value: *value });
                    }
                    Err(unscored) => {
                        out.push(reason_number(unscored));
                        framed(out, |out| {
                            write!(out, "{unscored}").expect("a vector takes every write");
                            Ok(())
                        })?;
                    }
                }
            }
            Ok(())
        })
    }

    fn put_parts(&self, parts: &[RowPart<'_>], out: &mut Vec<u8>) -> Result<(), RowError> {
        framed(out, |out| {
            for part in parts {
                let metric = part.metric as u64;
                let known = u32::try_from(part.metric).ok();
                let Some(place) = known.filter(|_| part.metric < self.columns.len()) else {
                    let most = self.columns.len().saturating_sub(1) as u64;
                    let name = "the metric of a part";
                    return Err(RowError::TooLarge { name, value: metric, most });
                };
                let when = |condition: bool, flag: u8| if condition { flag } else { 0 };
                out.push(
                    when(part.value.is_some(), flag::PART_VALUE)
                        | when(part.label.is_some(), flag::PART_LABEL)
                        | when(part.text.is_some(), flag::PART_TEXT),
                );
                out.extend_from_slice(&place.to_le_bytes());
                put_number("the value of a part", part.value, out)?;
                part.label.into_iter().chain(part.text).for_each(|text| put_text(text, out));
            }
            Ok(())
        })
    }
}

/// A row without what only somebody who reads it needs.
fn shortened<'a>(row: &Row<'a>) -> Row<'a> {
    let isolated_prediction = row.isolated_prediction.map(|_| "");
    Row {
        question: None,
        gold_passages: &[],
        isolated_prediction,
        hits: None,
        relevant: None,
        parts: &[],
        ..*row
    }
}

fn flags(row: &Row<'_>) -> u32 {
    let when = |condition: bool, flag: u32| if condition { flag } else { 0 };
    let usage = row.prediction.map(|prediction| prediction.usage).unwrap_or_default();
    when(row.group_id.is_some(), flag::GROUP)
        | when(row.turn.is_some(), flag::TURN)
        | when(row.evidence_seen.is_some(), flag::EVIDENCE)
        | when(row.evidence_seen == Some(true), flag::EVIDENCE_SEEN)
        | when(row.cause.is_some(), flag::CAUSE)
        | when(row.question.is_some(), flag::QUESTION)
        | when(row.prediction.is_some(), flag::PREDICTION)
        | when(row.prediction.is_some_and(|p| p.abstained), flag::ABSTAINED)
        | when(row.prediction.is_some_and(|p| p.confidence.is_some()), flag::CONFIDENCE)
        | when(usage.latency_ms.is_some(), flag::LATENCY)
        | when(usage.tokens_in.is_some(), flag::TOKENS_IN)
        | when(usage.tokens_out.is_some(), flag::TOKENS_OUT)
        | when(usage.cost.is_some(), flag::COST)
        | when(row.isolated_prediction.is_some(), flag::ISOLATED)
        | when(row.isolated_abstained, flag::ISOLATED_ABSTAINED)
        | when(row.isolated_error.is_some(), flag::ISOLATED_ERROR)
        | when(row.hits.is_some(), flag::HITS)
        | when(row.retrieved.is_some(), flag::RETRIEVED)
        | when(row.relevant.is_some(), flag::RELEVANT)
        | when(!row.parts.is_empty(), flag::PARTS)
        | when(row.error.is_some(), flag::ERROR)
        | when(row.scores.iter().any(Result::is_err), flag::UNSCORED)
}

/// Puts what a prediction has besides its text.
fn put_prediction(prediction: &Prediction, out: &mut Vec<u8>) -> Result<(), RowError> {
    let usage = &prediction.usage;
    put_texts(prediction.citations.iter().map(String::as_str), out);
    put_number("the confidence", prediction.confidence, out)?;
    put_number("the latency", usage.latency_ms, out)?;
    for tokens in [usage.tokens_in, usage.tokens_out].into_iter().flatten() {
        out.extend_from_slice(&whole::<i64>("the number of tokens", tokens)?.to_le_bytes());
    }
    put_number("the cost", usage.cost, out)
}

fn put_hits(hits: &[RowHit<'_>], out: &mut Vec<u8>) -> Result<(), RowError> {
    framed(out, |out| {
        for hit in hits {
            let when = |condition: bool, flag: u8| if condition { flag } else { 0 };
            out.push(
                when(hit.score.is_some(), flag::HIT_SCORE)
                    | when(hit.grade.is_some(), flag::HIT_GRADE)
                    | when(hit.seen.is_some(), flag::HIT_KNOWN)
                    | when(hit.seen == Some(true), flag::HIT_SEEN)
                    | when(hit.answer.is_some(), flag::HIT_READ)
                    | when(hit.answer.is_some_and(|answer| answer.exact), flag::HIT_EXACT)
                    | when(hit.answer.is_some_and(|a| a.normalised), flag::HIT_NORMALISED)
                    | when(hit.near_copy_of.is_some(), flag::HIT_COPY),
            );
            put_text(hit.passage_id, out);
            put_number("the score of a hit", hit.score, out)?;
            hit.grade.iter().for_each(|grade| out.extend_from_slice(&grade.to_le_bytes()));
            hit.near_copy_of.map_or(Ok(()), |rank| put_small("a rank", rank, out))?;
        }
        Ok(())
    })
}

fn put_relevant(relevant: &[RowRelevant<'_>], out: &mut Vec<u8>) -> Result<(), RowError> {
    framed(out, |out| {
        for passage in relevant {
            let when = |condition: bool, flag: u8| if condition { flag } else { 0 };
            out.push(
                when(passage.rank.is_some(), flag::RELEVANT_RANK)
                    | when(passage.length.is_some(), flag::RELEVANT_LENGTH)
                    | when(passage.answer_at.is_some(), flag::RELEVANT_ANSWER),
            );
            put_text(passage.passage_id, out);
            out.extend_from_slice(&passage.grade.to_le_bytes());
            for number in [passage.rank, passage.length, passage.answer_at].into_iter().flatten() {
                put_small("a rank, length or position", number, out)?;
            }
        }
        Ok(())
    })
}

fn put_small(name: &'static str, number: u32, out: &mut Vec<u8>) -> Result<(), RowError> {
    out.extend_from_slice(&whole::<i32>(name, number.into())?.to_le_bytes());
    Ok(())
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&length(text.len()));
    out.extend_from_slice(text.as_bytes());
}

fn put_texts<'a>(texts: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    let frame = open_frame(out);
    texts.for_each(|text| put_text(text, out));
    close_frame(frame, out);
}

fn put_number(name: &'static str, number: Option<f64>, out: &mut Vec<u8>) -> Result<(), RowError> {
    match number {
        Some(number) if number.is_nan() => Err(RowError::NotANumber(name)),
        Some(number) => {
            out.extend_from_slice(&number.to_le_bytes());
            Ok(())
        }
        None => Ok(()),
    }
}

/// Writes what `content` writes, with its length before it.
fn framed(
    out: &mut Vec<u8>,
    content: impl FnOnce(&mut Vec<u8>) -> Result<(), RowError>,
) -> Result<(), RowError> {
    let frame = open_frame(out);
    content(out)?;
    close_frame(frame, out);
    Ok(())
}

fn open_frame(out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(&[0; 4]);
    out.len()
}

fn close_frame(start: usize, out: &mut [u8]) {
    let size = length(out.len() - start);
    out[start - 4..start].copy_from_slice(&size);
}

/// A length in a record. What is longer than the longest record is refused by its whole size.
fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes()
}

/// A whole number in the type of its column.
fn whole<T: TryFrom<u64> + Bounded>(name: &'static str, value: u64) -> Result<T, RowError> {
    T::try_from(value).map_err(|_| RowError::TooLarge { name, value, most: T::MOST })
}

trait Bounded {
    const MOST: u64;
}

impl Bounded for i32 {
    const MOST: u64 = i32::MAX as u64;
}

impl Bounded for i64 {
    const MOST: u64 = i64::MAX as u64;
}

fn expect_length(name: &'static str, found: usize, expected: usize) -> Result<(), RowError> {
    if found == expected { Ok(()) } else { Err(RowError::Shape { name, found, expected }) }
}

/// The number of a reason in a record; 0 is a score, and failures have one for each kind.
fn reason_number(unscored: &Unscored) -> u8 {
    match unscored {
        Unscored::NoReference => 1,
        Unscored::NoRelevantPassage => 2,
        Unscored::LowAgreement => 3,
        Unscored::NotApplicable(_) => 4,
        Unscored::Failed(kind, _) => FIRST_FAILURE + *kind as u8,
    }
}
