//! The hits of a run one after the other, whatever its format.

use std::path::Path;

use serde::Deserialize;

use super::{
    RunFormat, RunSource,
    names::{PASSAGE, QUERY},
    trec::{Line, lines_of, number},
};
use crate::{
    Error, Place, Problem,
    cell::Cell,
    document::Document,
    dpr,
    input::Lines,
    kilt,
    members::Members,
    rows::Field,
    table::{Role, Table},
    trec,
};

/// A hit of a file.
pub(super) struct Found<'a> {
    pub(super) query: &'a str,
    pub(super) passage: &'a str,
    pub(super) score: f64,
    /// Number of its line, or of its record in a format whose records are not lines.
    pub(super) number: u64,
}

/// Hands out all hits of one of the files. What the taker finds wrong is placed where the hit stands.
pub(super) fn each(
    source: &RunSource,
    path: &Path,
    format: RunFormat,
    take: impl FnMut(Found<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    match format {
        RunFormat::Trec => trec_lines(path, take),
        RunFormat::Msmarco => msmarco(path, take),
        RunFormat::Json => json(path, take),
        RunFormat::Jsonl | RunFormat::Csv | RunFormat::Tsv | RunFormat::Parquet => {
            table(source, path, format, take)
        }
        RunFormat::Dpr => ranked(dpr::rankings(path)?, take),
        RunFormat::Kilt => kilt(path, take),
    }
}

fn trec_lines(
    path: &Path,
    mut take: impl FnMut(Found<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    while let Some(block) = lines.block()? {
        for ((_, line), number) in lines_of(block.text).zip(block.first..) {
            let taken = line.and_then(|line| {
                let Some(Line { query, passage, score, .. }) = line else { return Ok(()) };
                take(Found { query, passage, score, number })
            });
            taken.map_err(|problem| problem.at(path, Place::line(number)))?;
        }
    }
    Ok(())
}

fn msmarco(
    path: &Path,
    mut take: impl FnMut(Found<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    let mut number = 0;
    while let Some(line) = lines.next()? {
        number += 1;
        if trec::skipped(line) {
            continue;
        }
        let taken = pair(line).and_then(|(query, passage, rank)| {
            take(Found { query, passage, score: score_of(rank), number })
        });
        taken.map_err(|problem| problem.at(path, Place::line(number)))?;
    }
    Ok(())
}

/// The columns of a line of MS MARCO's.
fn pair(line: &str) -> Result<(&str, &str, u32), Problem> {
    let [query, passage, rank] = trec::columns(line, "query TAB passage TAB rank", false)?;
    let number = rank.parse().ok().filter(|&number| number >= 1).ok_or_else(|| {
        let message = format!("the rank of passage `{passage}` is `{rank}`");
        Problem::new(format!("{message}, expected a whole number from 1"))
    });
    Ok((query, passage, number?))
}

/// A score that falls with the rank.
fn score_of(rank: u32) -> f64 {
    1.0 / f64::from(rank)
}

fn json(path: &Path, mut take: impl FnMut(Found<'_>) -> Result<(), Problem>) -> Result<(), Error> {
    let mut document = Document::open_members(path)?;
    let mut record = 0;
    while let Some((query, Members(scores))) = document.next_member_of_all::<Members<Score>>()? {
        record += 1;
        for (passage, Score(score)) in scores {
            take(Found { query: &query, passage: &passage, score, number: record })
                .map_err(|problem| problem.at(path, Place::record(record)))?;
        }
    }
    Ok(())
}

/// A number in JSON.
#[derive(Deserialize)]
struct Score(f64);

fn table(
    source: &RunSource,
    path: &Path,
    format: RunFormat,
    mut take: impl FnMut(Found<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    let RunSource { fields, .. } = source;
    let scored = Role { name: "score", mapped: fields.score.as_ref(), usual: &["score"] };
    let ranked = Role { name: "rank", mapped: fields.rank.as_ref(), usual: &["rank"] };
    let roles = [
        Role { name: "query_id", mapped: fields.query_id.as_ref(), usual: &QUERY },
        Role { name: "passage_id", mapped: fields.passage_id.as_ref(), usual: &PASSAGE },
    ];
    let form = format.table().unwrap_or_default();
    let mut table = Table::open(path, form, roles, &[scored, ranked], true)?;
    let by_rank = table.chosen == 1;
    while let Some(row) = table.next(|[query, passage], value| {
        let (query, passage) = (query.required_id()?, passage.required_id()?);
        let score = if by_rank {
            let rank = value.count::<u32>()?.filter(|&rank| rank >= 1);
            rank.map(score_of).ok_or_else(|| value.wrong("a whole number from 1"))?
        } else {
            score(&value)?
        };
        Ok((query, passage, score))
    })? {
        let (query, passage, score) = row;
        let number = table.number();
        take(Found { query: &query, passage: &passage, score, number })
            .map_err(|problem| table.error(problem))?;
    }
    Ok(())
}

/// A score, which may be infinite where everything is text.
fn score(field: &Field<'_, '_>) -> Result<f64, Problem> {
    let score = match field.cell {
        Cell::Untyped(text) => number(text.trim()),
        Cell::Text(text) => number(text.trim()),
        Cell::Number(number) => Some(*number).filter(|number| !number.is_nan()),
        _ => return field.number()?.ok_or_else(|| field.wrong("a number")),
    };
    score.ok_or_else(|| field.wrong("a number"))
}

fn kilt(path: &Path, mut take: impl FnMut(Found<'_>) -> Result<(), Problem>) -> Result<(), Error> {
    let mut guesses = kilt::Guesses::open(path)?;
    while let Some((query, prediction)) = guesses.next()? {
        for (passage, rank) in prediction.citations.iter().zip(1..) {
            let found =
                Found { query: &query, passage, score: score_of(rank), number: guesses.line() };
            take(found).map_err(|problem| guesses.error(problem))?;
        }
    }
    Ok(())
}

fn ranked(
    mut rankings: dpr::Rankings,
    mut take: impl FnMut(Found<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    while let Some((query, hits)) = rankings.next()? {
        for (passage, score) in hits {
            take(Found { query: &query, passage: &passage, score, number: rankings.number() })
                .map_err(|problem| rankings.error(problem))?;
        }
    }
    Ok(())
}
