//! How the formats of runs are told apart: by the first line that says something.

use std::path::Path;

use super::{
    RunFields, RunFormat,
    names::{Json, is_header, json},
};
use crate::{
    Error, document, dpr,
    input::{self, Lines},
};

pub(super) fn recognise(path: &Path, fields: &RunFields) -> Result<RunFormat, Error> {
    if input::is_parquet(path)? {
        return Ok(RunFormat::Parquet);
    }
    let mut lines = Lines::open(path)?;
    let fields = [&fields.query_id, &fields.passage_id];
    while let Some(line) = lines.next()? {
        // The columns of a table may have any names, so its header may look like a remark.
        if line.trim().is_empty() || (line.starts_with('#') && !is_header(line, fields)) {
            continue;
        }
        return Ok(of_line(line, fields));
    }
    Err(document::empty().of_file(path))
}

fn of_line(line: &str, fields: [&Option<String>; 2]) -> RunFormat {
    if dpr::is_list(line) {
        return RunFormat::Dpr;
    }
    match json(line) {
        Some(Json::Nested) => return RunFormat::Json,
        Some(Json::Record { output: true }) => return RunFormat::Kilt,
        Some(Json::Record { output: false }) => return RunFormat::Jsonl,
        None => {}
    }
    if is_header(line, fields) {
        return if line.contains('\t') { RunFormat::Tsv } else { RunFormat::Csv };
    }
    match line.split_ascii_whitespace().count() {
        3 => RunFormat::Msmarco,
        _ => RunFormat::Trec,
    }
}
