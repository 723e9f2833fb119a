//! Comma- and tab-separated tables with a header.
//!
//! A cell is text and nothing else: numbers are parsed where a role asks for one, an empty cell
//! is null, and a list is either a JSON list or has a separator that the source names.

use std::{
    io::{Chain, Read},
    path::{Path, PathBuf},
};

use ::csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, StringRecord};

use crate::{
    Error, Place, Problem,
    cell::Cell,
    document,
    fields::{Need, Wanted, WantedField},
    input::{self, Input},
    rows::Row,
};

/// How a table is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// What stands between cells: `,` unless said otherwise.
    pub delimiter: u8,
    /// Whether a cell may stand in `"`, so that it can hold delimiters and line ends.
    pub quoting: bool,
    /// What separates the items of a list inside a cell. Without it a cell in brackets must be a
    /// JSON list, and any other cell is one item.
    pub list_separator: Option<String>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self { delimiter: b',', quoting: true, list_separator: None }
    }
}

/// Two line ends that are read behind the file. The last row ends with the first of them at the
/// latest, so that one is left; only a quote that is never closed takes both in.
const BEHIND: &[u8] = b"\n\n";

/// The rows of a table.
pub(crate) struct CsvRows {
    path: PathBuf,
    reader: Reader<Chain<Input, &'static [u8]>>,
    /// The row that was read last; the header before the first.
    record: StringRecord,
    /// The row before, and at the end the room for a row that didn't come.
    other: StringRecord,
    /// Byte behind the last row.
    end: u64,
    wanted: Wanted,
    header: Vec<String>,
    /// Slots of the wanted fields, with the places of their columns.
    columns: Vec<(usize, usize)>,
    list_separator: Option<String>,
}

impl CsvRows {
    pub(crate) fn open(path: &Path, options: &CsvOptions, wanted: Wanted) -> Result<Self, Error> {
        let mut reader = ReaderBuilder::new()
            .delimiter(options.delimiter)
            .quoting(options.quoting)
            .from_reader(input::open(path)?.chain(BEHIND));
        let header = reader.headers().map_err(|error| unreadable(path, &error, &[]))?;
        let record = header.clone();
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        if header.is_empty() {
            return Err(document::empty().of_file(path));
        }
        let columns = columns(&wanted, &header);
        let mut rows = Self {
            path: path.to_owned(),
            end: reader.position().byte(),
            reader,
            record,
            other: StringRecord::new(),
            wanted,
            header,
            columns: Vec::new(),
            list_separator: options.list_separator.clone(),
        };
        match columns {
            Ok(columns) => rows.columns = columns,
            Err(problem) => return Err(rows.cause(problem.at(path, Place::line(1)))),
        }
        Ok(rows)
    }

    pub(crate) fn next<T>(
        &mut self,
        build: impl FnOnce(&Row<'_, '_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Error> {
        if !self.read()? {
            return Ok(None);
        }
        let cell = |&(slot, column): &(usize, usize)| match self.record.get(column) {
            None | Some("") => (slot, Cell::Null),
            Some(text) => (slot, Cell::Untyped(text)),
        };
        let cells: Vec<(usize, Cell<'_>)> = self.columns.iter().map(cell).collect();
        let separator = self.list_separator.as_deref();
        let row = Row { cells: &cells, wanted: &self.wanted, separator, written: None };
        match build(&row) {
            Ok(built) => Ok(Some(built)),
            Err(problem) => {
                let error = self.error(problem);
                Err(self.cause(error))
            }
        }
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    pub(crate) fn line(&self) -> u64 {
        self.record.position().map_or(0, ::csv::Position::line)
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        problem.at(&self.path, Place::line(self.line()))
    }

    /// Reads the next row; false at the end, where the last row stays.
    fn read(&mut self) -> Result<bool, Error> {
        std::mem::swap(&mut self.record, &mut self.other);
        match self.reader.read_record(&mut self.record) {
            Ok(true) => {
                self.end = self.reader.position().byte();
                Ok(true)
            }
            Ok(false) => {
                std::mem::swap(&mut self.record, &mut self.other);
                self.unclosed().map_or(Ok(false), Err)
            }
            Err(error) => {
                self.end = self.reader.position().byte();
                let unequal = matches!(error.kind(), ErrorKind::UnequalLengths { .. });
                let error = unreadable(&self.path, &error, &self.header);
                Err(if unequal { self.cause(error) } else { error })
            }
        }
    }

    /// What led to the error: a quote that is never closed makes nonsense of the row.
    fn cause(&mut self, error: Error) -> Error {
        self.unclosed().unwrap_or(error)
    }

    /// The error of a last row that ends inside quotes; `None` if this isn't the last row, or it
    /// ends as it should. Nothing can be read after it.
    fn unclosed(&mut self) -> Option<Error> {
        let ended = matches!(self.reader.read_byte_record(&mut ByteRecord::new()), Ok(false));
        let position = self.reader.position();
        if !ended || position.byte() > self.end {
            return None;
        }
        let cell = self.record.iter().next_back()?;
        let line_ends = memchr::memchr_iter(b'\n', cell.as_bytes()).count() as u64;
        let number = self.record.len();
        let message = format!("cell {number} begins with a quote that is never closed");
        Some(
            Problem::new(message)
                .with_hint("close it, and write a quote inside a cell in quotes twice, as `\"\"`")
                .at(&self.path, Place::line(position.line() - line_ends)),
        )
    }
}

/// Where the wanted fields stand.
fn columns(wanted: &Wanted, header: &[String]) -> Result<Vec<(usize, usize)>, Problem> {
    let mut columns = Vec::new();
    for (slot, field) in wanted.fields.iter().enumerate() {
        let mut places = (0..header.len()).filter(|&at| header[at] == field.name);
        match (places.next(), places.next()) {
            (Some(_), Some(_)) => {
                let message = format!("the header has the column `{}` twice", field.name);
                return Err(Problem::new(message));
            }
            (Some(column), None) => columns.push((slot, column)),
            (None, _) if field.need > Need::Never && !stands_in(field, wanted, header) => {
                return Err(field.missing("the header", header));
            }
            (None, _) => {}
        }
    }
    Ok(columns)
}

/// Whether another column stands in for that of the field.
fn stands_in(field: &WantedField, wanted: &Wanted, header: &[String]) -> bool {
    field.stand_ins.iter().any(|&slot| header.contains(&wanted.fields[slot].name))
}

fn unreadable(path: &Path, error: &::csv::Error, header: &[String]) -> Error {
    let place = error.position().map(|position| Place::line(position.line())).unwrap_or_default();
    let problem = match error.kind() {
        ErrorKind::Io(error) => input::unreadable(error),
        ErrorKind::UnequalLengths { expected_len, len, .. } => Problem::new(format!(
            "the row has {len} cells, expected {expected_len} as in the header"
        ))
        .with_hint("a cell that holds the delimiter or a line end must stand in quotes"),
        ErrorKind::Utf8 { err, .. } => {
            let column = header.get(err.field()).map_or("of the header", String::as_str);
            let byte = err.valid_up_to() + 1;
            Problem::new(format!("byte {byte} of the cell `{column}` is not UTF-8"))
                .with_hint("convert the file, for example with `iconv -f latin1 -t utf-8`")
        }
        _ => Problem::new(format!("cannot be read: {error}")),
    };
    problem.at(path, place)
}

#[cfg(test)]
mod tests {
    use qeval_core::{Prediction, Value};

    use crate::{
        DatasetFormat::Csv,
        DatasetSource,
        testing::{example, records},
    };

    #[test]
    fn cells_are_read_as_their_roles_ask() {
        let table = "id,question,references,turn,topic,prediction,confidence,hits\r\n\
                     7,\"who, \"\"and\"\"\nwhy?\",\"[\"\"a\"\", \"\"b\"\"]\", 3,hr,,0.5,p1\r\n\
                     8,,,,,x,,\n";
        let found = records(Csv, table.as_bytes(), |source| {
            source.columns = vec!["topic".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!(first.example.question, "who, \"and\"\nwhy?");
        assert_eq!(first.example.references, ["a".into(), "b".into()]);
        assert_eq!((first.example.id.as_str(), first.example.turn), ("7", Some(3)));
        assert_eq!(first.example.columns["topic"], Value::Text("hr".to_owned()));
        let abstention = Prediction {
            confidence: Some(0.5),
            seen: Some(vec!["p1".to_owned()]),
            ..Prediction::abstention()
        };
        assert_eq!(first.prediction, Some(abstention));
        assert_eq!((second.example.turn, second.example.columns.len()), (None, 0));
        assert_eq!(second.prediction, Some(Prediction::answer("x")));
    }

    #[test]
    fn delimiter_quoting_and_separator_are_options() {
        let found = example(Csv, "id\treferences\n1\t\"a | b\n", |source| {
            source.csv.delimiter = b'\t';
            source.csv.quoting = false;
            source.csv.list_separator = Some("|".to_owned());
        });
        assert_eq!(found.references, ["\"a".into(), "b".into()]);
        let found = example(Csv, "id,references\n1,a | b\n", |_| {});
        assert_eq!(found.references, ["a | b".into()]);
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |table: &[u8], expected: &str| {
            let error = records(Csv, table, |source: &mut DatasetSource| {
                source.fields.references = Some("answers".to_owned());
            });
            assert_eq!(error.unwrap_err(), expected);
        };
        check(b"", "`file`: the file is empty: there is nothing to evaluate");
        check(b"id,answers\n", "`file`: the file is empty: there is nothing to evaluate");
        check(
            b"id,answer\n1,a\n",
            "`file`, line 1: field `answers` is missing; the header has `id`, `answer`\n\
             hint: name the right field: `fields = { references = \"answer\" }`",
        );
        check(b"id,answers,id\n", "`file`, line 1: the header has the column `id` twice");
        check(
            b"id,answers\n\"1\n2\",a\n3,a,b\n",
            "`file`, line 4: the row has 3 cells, expected 2 as in the header\n\
             hint: a cell that holds the delimiter or a line end must stand in quotes",
        );
        check(
            b"id,answers\n1,a\n2,caf\xe9\n",
            "`file`, line 3: byte 4 of the cell `answers` is not UTF-8\n\
             hint: convert the file, for example with `iconv -f latin1 -t utf-8`",
        );
        check(
            b"id,answers\n1,\"['a', 'b']\"\n",
            "`file`, line 2: field `answers` is in brackets and is no JSON list: `['a', 'b']`\n\
             hint: write `[\"a\", \"b\"]`",
        );
        check(
            b"id,answers,confidence\n1,,high\n",
            "`file`, line 2: field `confidence` is `high`, expected a finite number",
        );
        check(
            b"id,answers\n1,a\n1,b\n",
            "`file`, line 3: id `1` is given twice, on lines 2 and 3\n\
             hint: ids must be unique: results are joined on them",
        );
        check(
            b"id,answers\n,b\n",
            "`file`, line 2: field `id` has no value, expected a text or a whole number",
        );
    }

    #[test]
    fn a_quote_that_is_never_closed_is_found_where_it_begins() {
        let check = |table: &str, line: u64, cell: usize| {
            let expected = format!(
                "`file`, line {line}: cell {cell} begins with a quote that is never closed\n\
                 hint: close it, and write a quote inside a cell in quotes twice, as `\"\"`"
            );
            assert_eq!(records(Csv, table.as_bytes(), |_| {}).unwrap_err(), expected, "{table}");
        };
        // The rest of the file becomes part of a good row, of one with too few cells, of one with
        // a wrong value, and of the header.
        check("id,references\n1,a\n2,\"b\n3,c\n4,d\n", 3, 2);
        check("id,references\n1,\"", 2, 2);
        check("id,references\r\n\r\n\r\n\"1\r\n\",\"a\"\"\r\n2,b", 5, 2);
        check("id,references\n\"1,a\n2,b\n", 2, 1);
        check("id,confidence\n1,\"0.5\n2,0.6\n", 2, 2);
        check("id,\"references\n1,a\n", 1, 2);
        check("references,\"id\n1,a\n", 1, 2);
    }

    #[test]
    fn a_last_cell_may_end_in_any_way_that_is_closed() {
        for (end, expected) in
            [("a", "a"), ("\"a\"", "a"), ("\"a\n\n\"", "a\n\n"), ("a\"", "a\""), ("\"\"\"\"", "\"")]
        {
            for line_end in ["", "\n", "\r\n", "\r", "\n\n"] {
                let table = format!("id,references\n1,{end}{line_end}");
                let found = example(Csv, &table, |_| {});
                assert_eq!(found.references, [expected.into()], "{table}");
            }
        }
        let found = example(Csv, "id,references\n1,\"a", |source| source.csv.quoting = false);
        assert_eq!(found.references, ["\"a".into()]);
    }
}
