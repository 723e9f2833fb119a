//! One JSON object a line; null stays null.

use std::io::Write;

use serde_json::{Map, Value};

use super::{
    ExportError,
    cell::{Cell, Column, Sink},
};

/// Rows as JSON lines.
pub(super) struct JsonSink<W> {
    output: W,
    columns: Vec<Column>,
}

impl<W: Write> JsonSink<W> {
    pub(super) fn new(output: W, columns: Vec<Column>) -> Self {
        Self { output, columns }
    }
}

impl<W: Write> Sink for JsonSink<W> {
    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError> {
        let members = self.columns.iter().zip(&cells);
        let members: Map<String, Value> =
            members.map(|(column, cell)| (column.name.clone(), cell.json(&column.kind))).collect();
        Ok(writeln!(self.output, "{}", Value::Object(members))?)
    }

    fn finish(mut self) -> Result<(), ExportError> {
        Ok(self.output.flush()?)
    }
}
