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
    let format = format_of(source)?;
    if !format.has_fields() && source.fields != super::RunFields::default() {
        let message = format!("the fields of format `{}` have fixed names", format.name());
        return Err(Problem::new(message)
            .with_hint("remove `fields`, or name another format")
            .of_file(path));
    }
    if format == RunFormat::Trec
        && source.further.is_empty()
        && input::plain_size(path).is_some_and(|size| size >= large)
        && let Some((queries, sections)) = Sections::of(path)?
    {
        return Ok(HeldRun { ties, queries, content: Content::OnDisk(sections) });
    }
    let mut collected = Collected::default();
    for path in source.files() {
        read::each(source, path, format, |found| {
            collected
                .add(found.query, found.passage, found.score)
                .map_err(|error| Problem::new(error.to_string()))
        })?;
    }
    if collected.is_empty() {
        return Err(document::empty().of_file(path));
    }
    match collected.finish(ties) {
        Ok((queries, hits)) => Ok(HeldRun { ties, queries, content: Content::Packed(hits) }),
        Err(twice) => Err(retrieved_twice(source, format, &twice)),
    }
}

/// The format of all files.
fn format_of(source: &RunSource) -> Result<RunFormat, Error> {
    if let Some(format) = source.format {
        return Ok(format);
    }
    let first = recognise::recognise(&source.path, &source.fields)?;
    for path in &source.further {
        let format = recognise::recognise(path, &source.fields)?;
        if format != first {
            let (format, first, other) = (format.name(), first.name(), source.path.display());
            let message = format!("is of the format `{format}`, and `{other}` is `{first}`");
            return Err(Problem::new(message)
                .with_hint("all files of a run have one format; `format` names it")
                .of_file(path));
        }
    }
    Ok(first)
}

/// The error of a passage that is retrieved twice.
fn retrieved_twice(source: &RunSource, format: RunFormat, twice: &Retrieved) -> Error {
    let Retrieved { query, passage } = twice;
    let message = format!("query `{query}`: passage `{passage}` is retrieved twice");
    // Lines aren't kept beside ten million hits; the files are read again to name them. Where that
    // fails (a pipe can be read once) the message has to do without.
    let mut first: Option<(&Path, u64)> = None;
    for path in source.files() {
        let second = read::each(source, path, format, |found| {
            let Found { number, .. } = found;
            if found.query != query || found.passage != passage {
                return Ok(());
            }
            let Some((file, first)) = first.replace((path, number)) else { return Ok(()) };
            let what = if format.has_lines() { "line" } else { "record" };
            let preposition = if format.has_lines() { "on" } else { "in" };
            Err(Problem::new(if file != path {
                let file = file.display();
                format!("{message}, first {preposition} {what} {first} of `{file}`")
            } else if first == number {
                message.clone()
            } else {
                format!("{message}, on {what}s {first} and {number}")
            }))
        });
        if let Err(error) = second {
            return error;
        }
    }
    Problem::new(message).of_file(&source.path)
}

/// The error of a TREC run in which a passage is retrieved twice.
pub(super) fn retrieved_twice_in_lines(path: &Path, query: &str, passage: &str) -> Error {
    let twice = Retrieved { query: query.to_owned(), passage: passage.to_owned() };
    retrieved_twice(&RunSource::new(path), RunFormat::Trec, &twice)
}
