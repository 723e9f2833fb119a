//! Tables of pairs: a query and a passage in each record, with one value of the pair.
//!
//! Runs and judgments come from many programs, which name their columns in many ways. So a role
//! that nobody has mapped is read from the first of its usual names that the file has.

use std::path::Path;

use crate::{
    CsvOptions, Error, Problem,
    csv::CsvRows,
    fields::Wanted,
    input::Lines,
    jsonl, parquet,
    rows::{Field, Rows, Shape},
};

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    #[default]
    Jsonl,
    /// With this byte between the cells.
    Delimited(u8),
    Parquet,
}

/// A role that a column plays.
#[derive(Clone, Copy)]
pub(crate) struct Role<'a> {
    pub(crate) name: &'static str,
    /// The column that plays it, where somebody says so.
    pub(crate) mapped: Option<&'a String>,
    /// The columns that play it usually, the first of them first.
    pub(crate) usual: &'a [&'static str],
}

impl Role<'_> {
    /// The column that plays the role in a file with these columns.
    fn column(self, present: &[String]) -> Option<String> {
        let is_there = |name: &&&str| present.iter().any(|known| known == **name);
        let usual = || self.usual.iter().find(is_there).map(|&name| name.to_owned());
        match self.mapped {
            Some(name) if name.is_empty() => None,
            Some(name) => Some(name.clone()),
            None => usual(),
        }
    }
}

/// A table that is being read.
pub(crate) struct Table {
    rows: Rows,
    pair: [usize; 2],
    value: usize,
    /// Which of the values that were offered the table has.
    pub(crate) chosen: usize,
}

impl Table {
    /// Opens a file. The value of a pair is the first of `values` that has a column. Where nobody can
    /// map the roles, no hint asks for it.
    pub(crate) fn open(
        path: &Path,
        form: Form,
        pair: [Role<'_>; 2],
        values: &[Role<'_>],
        mappable: bool,
    ) -> Result<Self, Error> {
        let present = columns(path, form)?;
        let mut wanted = Wanted::default();
        let mut add = |role: Role<'_>| {
            let column = role.column(&present);
            wanted.required(role.name, column.as_ref().or(role.mapped))
        };
        let pair = pair.map(&mut add);
        let mapped = values.iter().position(|value| value.mapped.is_some_and(|n| !n.is_empty()));
        let there = || values.iter().position(|value| value.column(&present).is_some());
        let chosen = mapped.or_else(there).unwrap_or(0);
        let value = add(values[chosen]);
        if !mappable {
            wanted = wanted.with_fixed_names();
        }
        let shape = match form {
            Form::Jsonl => Shape::Jsonl,
            Form::Parquet => Shape::Parquet,
            Form::Delimited(delimiter) => Shape::Csv(options(delimiter)),
        };
        let rows = Rows::open(path, &[], shape, wanted)?;
        Ok(Self { rows, pair, value, chosen })
    }

    /// Builds something from the next record; `None` at the end.
    pub(crate) fn next<T>(
        &mut self,
        mut build: impl FnMut([Field<'_, '_>; 2], Field<'_, '_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Error> {
        let Self { rows, pair: [query, passage], value, .. } = self;
        rows.next(|row| {
            let field = |slot: usize| {
                let mut fields = row.fields();
                let found = fields.find(|(there, _)| *there == slot);
                found
                    .map(|(_, field)| field)
                    .ok_or_else(|| row.wanted.fields[slot].missing("it", &[]))
            };
            build([field(*query)?, field(*passage)?], field(*value)?)
        })
    }

    /// Number of the last record, from 1: its line, or how many there were.
    pub(crate) fn number(&self) -> u64 {
        self.rows.number()
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        self.rows.error(problem)
    }
}

/// Tabs separate what is never quoted.
fn options(delimiter: u8) -> CsvOptions {
    CsvOptions { delimiter, quoting: delimiter != b'\t', list_separator: None }
}

/// The columns of a file: those of its first record in JSON lines.
fn columns(path: &Path, form: Form) -> Result<Vec<String>, Error> {
    match form {
        Form::Parquet => parquet::column_names(path),
        Form::Delimited(delimiter) => {
            let rows = CsvRows::open(path, &options(delimiter), Wanted::default())?;
            Ok(rows.header().to_vec())
        }
        Form::Jsonl => {
            let mut lines = Lines::open(path)?;
            while let Some(line) = lines.next()? {
                if !line.trim().is_empty() {
                    return Ok(jsonl::names(line));
                }
            }
            Err(crate::document::empty().of_file(path))
        }
    }
}
