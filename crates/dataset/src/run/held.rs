//! A run as it is held while it is asked for its rankings.

use std::path::Path;

use qeval_core::{Hits, Ranking, Ties};

use super::{
    RunFormat, RunSource,
    collect::{Collected, Retrieved},
    read::{self, Found},
    recognise,
    sections::Sections,
};
use crate::{Error, Problem, document, input};

/// Bytes from which on a TREC run stays on disk if its queries stand together. A smaller one is
/// read once.
const LARGE: u64 = 16 << 20;

/// A run whose rankings are made when they are asked for.
pub struct HeldRun {
    ties: Ties,
    /// In byte order.
    queries: Vec<String>,
    content: Content,
}

enum Content {
    /// By the places of the queries.
    Packed(Vec<Hits>),
    OnDisk(Sections),
}

impl HeldRun {
    /// The queries, in byte order of their ids.
    pub fn queries(&self) -> &[String] {
        &self.queries
    }

    /// Place of a query among all; `None` for one that the run does not have.
    pub fn place(&self, query: &str) -> Option<usize> {
        self.queries.binary_search_by(|known| known.as_str().cmp(query)).ok()
    }

    /// The first hits of the query at this place. An error is one of a file on disk, which has
    /// changed since it was opened.
    pub fn ranking(&self, place: usize, depth: usize) -> Result<Ranking, Error> {
        match &self.content {
            Content::Packed(hits) => Ok(Ranking::from_distinct(hits[place].first(depth))),
            Content::OnDisk(sections) => {
                let mut hits = sections.hits(place, &self.queries[place])?;
                hits.order(self.ties);
                hits.truncate(depth);
                Ok(Ranking::from_distinct(hits))
            }
        }
    }
}

/// Opens a run and checks all of it. Hits of a query need not be together; a passage that is
/// retrieved twice for a query is an error.
pub fn open_run(source: impl Into<RunSource>, ties: Ties) -> Result<HeldRun, Error> {
    open_with(&source.into(), ties, LARGE)
}

/// The same, with TREC runs of at least so many bytes on disk.
pub(super) fn open_with(source: &RunSource, ties: Ties, large: u64) -> Result<HeldRun, Error> {
    let path = source.path.as_path();
    let format = match source.format {
        Some(format) => format,
        None => recognise::recognise(source)?,
    };
    if !format.has_fields() && source.fields != super::RunFields::default() {
        let message = format!("the fields of format `{}` have fixed names", format.name());
        return Err(Problem::new(message)
            .with_hint("remove `fields`, or name another format")
            .of_file(path));
    }
    if format == RunFormat::Trec
        && input::plain_size(path).is_some_and(|size| size >= large)
        && let Some((queries, sections)) = Sections::of(path)?
    {
        return Ok(HeldRun { ties, queries, content: Content::OnDisk(sections) });
    }
    let mut collected = Collected::default();
    read::each(source, format, |found| {
        collected
            .add(found.query, found.passage, found.score)
            .map_err(|error| Problem::new(error.to_string()))
    })?;
    if collected.is_empty() {
        return Err(document::empty().of_file(path));
    }
    match collected.finish(ties) {
        Ok((queries, hits)) => Ok(HeldRun { ties, queries, content: Content::Packed(hits) }),
        Err(twice) => Err(retrieved_twice(source, format, &twice)),
    }
}

/// The error of a passage that is retrieved twice.
fn retrieved_twice(source: &RunSource, format: RunFormat, twice: &Retrieved) -> Error {
    let Retrieved { query, passage } = twice;
    let message = format!("query `{query}`: passage `{passage}` is retrieved twice");
    // Lines aren't kept beside ten million hits; the file is read again to name them. Where that
    // fails (a pipe can be read once) the message has to do without.
    let mut first = None;
    let second = read::each(source, format, |found| {
        let Found { number, .. } = found;
        if found.query != query || found.passage != passage {
            return Ok(());
        }
        let Some(first) = first.replace(number) else { return Ok(()) };
        let what = if format.has_lines() { "lines" } else { "records" };
        Err(Problem::new(if first == number {
            message.clone()
        } else {
            format!("{message}, on {what} {first} and {number}")
        }))
    });
    second.err().unwrap_or_else(|| Problem::new(message.clone()).of_file(&source.path))
}

/// The error of a TREC run in which a passage is retrieved twice.
pub(super) fn retrieved_twice_in_lines(path: &Path, query: &str, passage: &str) -> Error {
    let twice = Retrieved { query: query.to_owned(), passage: passage.to_owned() };
    retrieved_twice(&RunSource::new(path), RunFormat::Trec, &twice)
}
