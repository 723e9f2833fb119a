//! The rankings as a TREC run: `query Q0 passage rank score tag`.

use std::io::Write;

use super::{ExportError, Job, selection};

/// Writes the run; the number of its lines.
///
/// Scores are written so that they read back equal. Where a hit of a query has none, all hits of the
/// query get the negative of their rank, which keeps the order.
pub(super) fn write(job: &Job<'_>, mut output: impl Write) -> Result<u64, ExportError> {
    let name = selection::names(job.evaluations).into_iter().next().unwrap_or_default();
    let tag = name.split_whitespace().collect::<Vec<_>>().join("_");
    let tag = if tag.is_empty() { "qeval" } else { &tag };
    let mut lines = 0;
    job.each(false, |_, row| {
        let hits = row.case.hits.unwrap_or_default();
        if hits.is_empty() {
            return Ok(());
        }
        let query = row.case.example_id.as_str();
        word("query", query)?;
        let known = hits.iter().all(|hit| hit.score.is_some());
        for hit in &hits {
            word("passage", &hit.passage_id)?;
            let by_rank = -f64::from(hit.rank);
            let score = hit.score.filter(|_| known).unwrap_or(by_rank);
            writeln!(output, "{query} Q0 {} {} {score:?} {tag}", hit.passage_id, hit.rank)?;
            lines += 1;
        }
        Ok(())
    })?;
    output.flush()?;
    Ok(lines)
}

/// Refuses what would be read as several fields.
fn word(what: &str, id: &str) -> Result<(), ExportError> {
    if !id.is_empty() && !id.contains(char::is_whitespace) {
        return Ok(());
    }
    let message = format!("the id `{}` of a {what} has no place in a TREC run", id.escape_debug());
    Err(ExportError::unfit(message, "its fields are separated by blanks: export as `jsonl`"))
}
