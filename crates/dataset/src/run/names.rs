//! What the first line of a table of queries and passages shows.

use crate::jsonl;

/// Names that are usual for a query and for a passage.
pub(crate) const QUERY: [&str; 7] =
    ["query_id", "qid", "query-id", "q_id", "topic_id", "topic", "query"];
pub(crate) const PASSAGE: [&str; 9] = [
    "passage_id",
    "pid",
    "doc_id",
    "docid",
    "docno",
    "document_id",
    "corpus-id",
    "corpus_id",
    "doc",
];

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
        _ if rest.starts_with('}') => true,
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
