//! CSV as RFC 4180 has it, with lines that end in a line feed.
//!
//! Null is an empty field, and an empty text is `""`, so that readers which look can tell them apart.
//! A list is JSON, which is also a list of Python.

use std::io::Write;

use super::{
    ExportError,
    cell::{Cell, Column, Sink},
};

/// Rows as CSV.
pub(super) struct CsvSink<W> {
    output: W,
    columns: Vec<Column>,
    line: String,
}

impl<W: Write> CsvSink<W> {
    /// Writes the header.
    pub(super) fn new(mut output: W, columns: Vec<Column>) -> Result<Self, ExportError> {
        let mut line = String::new();
        for (place, column) in columns.iter().enumerate() {
            separate(&mut line, place);
            quote(&mut line, &column.name);
        }
        line.push('\n');
        output.write_all(line.as_bytes())?;
        Ok(Self { output, columns, line })
    }
}

impl<W: Write> Sink for CsvSink<W> {
    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError> {
        self.line.clear();
        for (place, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            separate(&mut self.line, place);
            match cell {
                Cell::Null => {}
                Cell::Text(text) => quote(&mut self.line, text),
                Cell::Number(_) | Cell::Integer(_) | Cell::Boolean(_) => {
                    self.line.push_str(&cell.json(&column.kind).to_string());
                }
                Cell::List(_) | Cell::Record(_) => {
                    quote(&mut self.line, &cell.json(&column.kind).to_string());
                }
            }
        }
        self.line.push('\n');
        Ok(self.output.write_all(self.line.as_bytes())?)
    }

    fn finish(mut self) -> Result<(), ExportError> {
        Ok(self.output.flush()?)
    }
}

fn separate(line: &mut String, place: usize) {
    if place > 0 {
        line.push(',');
    }
}

/// A text, in quotes where it would be read as something else without.
fn quote(line: &mut String, text: &str) {
    let plain = |c: char| !matches!(c, ',' | '"' | '\'' | '#') && !c.is_control() && c != ' ';
    if !text.is_empty() && text.chars().all(plain) {
        line.push_str(text);
        return;
    }
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}
