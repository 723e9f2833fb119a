//! How the formats of runs are told apart: by the first line that says something.

use super::{RunFormat, RunSource, read::{PASSAGE, QUERY}};
use crate::{
    Error, document, dpr,
    input::{self, Lines},
    jsonl,
};

pub(super) fn recognise(source: &RunSource) -> Result<RunFormat, Error> {
    if input::is_parquet(&source.path)? {
        return Ok(RunFormat::Parquet);
    }
    let mut lines = Lines::open(&source.path)?;
    let fields = [&source.fields.query_id, &source.fields.passage_id];
    while let Some(line) = lines.next()? {
        // The columns of a table may have any names, so its header may look like a remark.
        if line.trim().is_empty() || (line.starts_with('#') && !is_header(line, fields)) {
            continue;
        }
        return Ok(of_line(line, fields));
    }
    Err(document::empty().of_file(&source.path))
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

/// What a line of JSON is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Json {
    /// An object, or the beginning of one, whose members are objects.
    Nested,
    /// A record, perhaps with an `output`.
    Record { output: bool },
}

/// What the JSON is that begins with this line; `None` for no object.
pub(crate) fn json(line: &str) -> Option<Json> {
    let rest = line.trim_start().strip_prefix('{')?.trim_start();
    // An object of objects may go on for many lines, so it need not be whole.
    let mut names = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let name = names.next();
    let behind = rest[names.byte_offset()..].trim_start();
    let nested = match (name, behind.strip_prefix(':').map(str::trim_start)) {
        (None, _) => true,
        (Some(Ok(_)), Some(value)) => value.is_empty() || value.starts_with('{'),
        (Some(Ok(_)), None) => behind.is_empty(),
        (Some(Err(_)), _) => false,
    };
    if nested && !jsonl::names(line).iter().any(|name| name == "output") {
        return Some(Json::Nested);
    }
    let output = jsonl::names(line).iter().any(|name| name == "output");
    Some(Json::Record { output })
}

/// Whether a line has the names of both columns, as they are mapped or usual.
pub(crate) fn is_header(line: &str, fields: [&Option<String>; 2]) -> bool {
    let delimiter = if line.contains('\t') { '\t' } else { ',' };
    let has = |mapped: &Option<String>, usual: &[&str]| {
        let mut cells = line.split(delimiter).map(|cell| cell.trim().trim_matches('"'));
        match mapped {
            Some(name) => cells.any(|cell| cell == name),
            None => cells.any(|cell| usual.contains(&cell)),
        }
    };
    has(fields[0], &QUERY) && has(fields[1], &PASSAGE)
}
