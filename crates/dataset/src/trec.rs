//! TREC's files: topics, judgments and runs.
//!
//! All three are read as trec_eval reads them where it accepts them, and refused where it accepts
//! what cannot be meant: a score that is no number (which it takes for 0), a missing column.

mod qrels;
pub(crate) mod smart;
pub(crate) mod topics;

pub use qrels::{qrels, qrels_on_subtopics};
pub use topics::TopicIds;

use crate::Problem;

/// The columns of a line, which must be as many as there are names. The last may have blanks in
/// it if `open`, and is then cut at the first.
pub(crate) fn columns<'a, const N: usize>(
    line: &'a str,
    names: &str,
    open: bool,
) -> Result<[&'a str; N], Problem> {
    let mut columns = [""; N];
    let mut count = 0;
    for column in line.split_ascii_whitespace() {
        if let Some(place) = columns.get_mut(count) {
            *place = column;
        }
        count += 1;
    }
    if count == N || (open && count > N) {
        return Ok(columns);
    }
    let plural = if count == 1 { "" } else { "s" };
    Err(Problem::new(format!("the line has {count} column{plural}, expected {N}: `{names}`")))
}

/// Whether a line says nothing.
pub(crate) fn skipped(line: &str) -> bool {
    line.starts_with('#') || line.trim_ascii().is_empty()
}
