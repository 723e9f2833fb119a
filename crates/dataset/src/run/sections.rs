//! A TREC run on disk, of which it is known where each query stands.
//!
//! The file is read twice: once to check it and to find the queries, then query by query. That is
//! still cheaper than to hold it, and takes no memory.

use std::{
    collections::HashSet,
    fs::File,
    io::{Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use qeval_core::{Duplicates, Hits};

use super::{held::retrieved_twice_in_lines, trec::lines_of};
use crate::{
    Error, Place, Problem, document,
    input::{self, Lines},
};

/// Where each query stands in a file.
pub(super) struct Sections {
    path: PathBuf,
    file: Mutex<File>,
    /// Bytes of each query, in the order of the queries' ids.
    ranges: Vec<Range<u64>>,
}

impl Sections {
    /// Checks a file and finds its queries, in byte order of their ids; `None` for one in which a
    /// query stands in several places.
    pub(super) fn of(path: &Path) -> Result<Option<(Vec<String>, Self)>, Error> {
        let file = input::open_file(path)?;
        let mut lines = Lines::open(path)?;
        let mut open = Open::default();
        let mut queries: Vec<(String, Range<u64>)> = Vec::new();
        let mut known = HashSet::new();
        let mut position = 0;
        while let Some(block) = lines.block()? {
            let mut fault = None;
            for ((start, line), number) in lines_of(block.text).zip(block.first..) {
                match line {
                    Ok(None) => {}
                    Ok(Some(line)) => {
                        if queries.is_empty() || !(line.again || line.query == open.query) {
                            open.check(path)?;
                            if !known.insert(line.query.to_owned()) {
                                return Ok(None);
                            }
                            let begin = position + start as u64;
                            if let Some((_, range)) = queries.last_mut() {
                                range.end = begin;
                            }
                            queries.push((line.query.to_owned(), begin..begin));
                            open.begin(line.query);
                        }
                        fault = open
                            .hits
                            .push(line.passage, line.score)
                            .map_err(|error| Problem::new(error.to_string()))
                            .err();
                    }
                    Err(problem) => fault = Some(problem),
                }
                if let Some(problem) = fault {
                    return Err(problem.at(path, Place::line(number)));
                }
            }
            position += block.text.len() as u64;
        }
        open.check(path)?;
        let Some((_, last)) = queries.last_mut() else {
            return Err(document::empty().of_file(path));
        };
        last.end = position;
        queries.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (queries, ranges) = queries.into_iter().unzip();
        Ok(Some((queries, Self { path: path.to_owned(), file: Mutex::new(file), ranges })))
    }

    /// The hits of the query at this place, as they stand in the file.
    pub(super) fn hits(&self, place: usize, query: &str) -> Result<Hits, Error> {
        let Range { start, end } = self.ranges[place];
        let changed = |what: &str| {
            Problem::new(format!(
                "query `{query}`: the file has changed since it was checked{what}"
            ))
            .of_file(&self.path)
        };
        let mut bytes = Vec::new();
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(start))
                .and_then(|_| (&mut *file).take(end - start).read_to_end(&mut bytes))
                .map_err(|error| input::unreadable(&error).of_file(&self.path))?;
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| changed(": it is not UTF-8"))?;
        if bytes.len() as u64 != end - start {
            return Err(changed(": it is shorter"));
        }
        let mut hits = Hits::default();
        for (_, line) in lines_of(text) {
            match line {
                Ok(None) => {}
                Ok(Some(line)) if line.again || line.query == query => {
                    let pushed = hits.push(line.passage, line.score);
                    pushed.map_err(|error| Problem::new(error.to_string()).of_file(&self.path))?;
                }
                _ => return Err(changed("")),
            }
        }
        Ok(hits)
    }
}

/// The query that is being read.
#[derive(Default)]
struct Open {
    query: String,
    hits: Hits,
    seen: Duplicates,
}

impl Open {
    fn begin(&mut self, query: &str) {
        self.query.clear();
        self.query.push_str(query);
        self.hits.clear();
    }

    /// Refuses a passage that is there twice.
    fn check(&mut self, path: &Path) -> Result<(), Error> {
        match self.seen.first(&self.hits) {
            None => Ok(()),
            Some(passage) => Err(retrieved_twice_in_lines(path, &self.query, passage)),
        }
    }
}
