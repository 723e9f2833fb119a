//! Several files that are read one after the other as if they were one.

use std::path::{Path, PathBuf};

use crate::{
    Error, Place, Problem,
    seen::{Duplicate, Refused},
};

/// The files that were read so far, the last of them perhaps not to its end, with what their records
/// are numbered by among all: the numbers of a file go on where those of the file before ended.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    /// The number before the first record of each file.
    files: Vec<(u64, PathBuf)>,
    /// The largest number.
    end: u64,
}

impl Sequence {
    /// A file begins.
    pub(crate) fn begin(&mut self, path: &Path) {
        self.files.push((self.end, path.to_owned()));
    }

    /// Number among all of a record that has this number in the file that is read now.
    pub(crate) fn number(&mut self, own: u64) -> u64 {
        let number = self.files.last().map_or(0, |(before, _)| *before) + own;
        self.end = self.end.max(number);
        number
    }

    /// The file of a record and its number there.
    pub(crate) fn locate(&self, number: u64) -> Option<(&Path, u64)> {
        let begun = self.files.partition_point(|(before, _)| *before < number);
        let (before, path) = self.files.get(begun.checked_sub(1)?)?;
        Some((path, number - before))
    }

    /// What is wrong with an id that is there twice, by the numbers of the records among all; `what`
    /// they count is `line` or `record`.
    pub(crate) fn problem(&self, twice: &Duplicate, what: &str) -> Problem {
        match (self.locate(twice.first), self.locate(twice.second)) {
            (Some((one, first)), Some((other, _))) if one != other => {
                Problem::duplicate_in(&twice.id, what, first, one)
            }
            (Some((_, first)), Some((_, second))) => {
                Problem::duplicate(&Duplicate { id: twice.id.clone(), first, second }, what)
            }
            _ => Problem::duplicate(twice, what),
        }
    }

    /// Why an id is not taken.
    pub(crate) fn refused(&self, refused: Refused, what: &str) -> Error {
        match refused {
            Refused::Twice(twice) => self.twice(&twice, what),
            Refused::Io(error) => {
                let path = self.files.last().map_or(Path::new(""), |(_, path)| path);
                Problem::new(format!("the ids do not go through a temporary file: {error}"))
                    .with_hint("make room in the results folder")
                    .of_file(path)
            }
        }
    }

    /// The same, placed at the second of the records.
    pub(crate) fn twice(&self, twice: &Duplicate, what: &str) -> Error {
        let problem = self.problem(twice, what);
        let (path, number) = self.locate(twice.second).unwrap_or((Path::new(""), twice.second));
        problem.at(path, place(what, number))
    }
}

/// The place of a record, which is a line where that is what its number counts.
pub(crate) fn place(what: &str, number: u64) -> Place {
    if what == "line" { Place::line(number) } else { Place::record(number) }
}

#[cfg(test)]
mod tests;
