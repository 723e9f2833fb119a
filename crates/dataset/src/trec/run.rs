//! Runs: lines `query Q0 passage rank score tag`.
//!
//! The rank column is ignored, as trec_eval does: the order is that of the scores. Runs of a
//! large evaluation have ten million lines, so the query of a line is compared with that of the
//! line before, and nothing is allocated for a line but its passage id.

use std::{collections::HashMap, path::Path};

use qeval_core::{Hit, InvalidRanking, Ranking, Run, Ties};

use super::{columns, skipped};
use crate::{Error, Problem, document, dpr, input::Lines};

/// Reads a run. Lines of a query need not be together. Blank lines and those that begin with `#`
/// are skipped; a passage that is retrieved twice for a query is an error. A file that is a JSON
/// list has DPR's results of a retrieval, whose queries are the texts of the questions.
pub fn run(path: &Path, ties: Ties) -> Result<Run, Error> {
    let mut lines = Lines::open(path)?;
    let mut queries = Queries::default();
    while let Some(line) = lines.next()? {
        if queries.hits.is_empty() && dpr::is_list(line) {
            return dpr::run(path, ties);
        }
        let added = if skipped(line) { Ok(()) } else { queries.add(line) };
        added.map_err(|problem| lines.error(problem))?;
    }
    if queries.hits.is_empty() {
        return Err(document::empty().of_file(path));
    }
    let mut run = Run::new();
    for (query, hits) in queries.hits {
        let ranking = Ranking::new(hits, ties).map_err(|error| invalid(path, &query, &error))?;
        run.insert(query, ranking);
    }
    Ok(run)
}

/// Hits by query, as they come.
#[derive(Default)]
struct Queries {
    hits: Vec<(String, Vec<Hit>)>,
    places: HashMap<String, usize>,
    /// Place of the query of the line before.
    current: usize,
}

impl Queries {
    fn add(&mut self, line: &str) -> Result<(), Problem> {
        const NAMES: &str = "query Q0 passage rank score tag";
        let [query, _, passage, _, score, _] = columns(line, NAMES, true)?;
        let score: f64 =
            score.parse().ok().filter(|score: &f64| !score.is_nan()).ok_or_else(|| {
                Problem::new(format!(
                    "the score of passage `{passage}` is `{score}`, expected a number"
                ))
            })?;
        let hit = Hit { passage: passage.to_owned(), score };
        match self.hits.get_mut(self.current) {
            Some((current, hits)) if current == query => hits.push(hit),
            _ => self.go_to(query).push(hit),
        }
        Ok(())
    }

    fn go_to(&mut self, query: &str) -> &mut Vec<Hit> {
        self.current = self.places.get(query).copied().unwrap_or(self.hits.len());
        if self.current == self.hits.len() {
            self.places.insert(query.to_owned(), self.current);
            self.hits.push((query.to_owned(), Vec::new()));
        }
        &mut self.hits[self.current].1
    }
}

fn invalid(path: &Path, query: &str, error: &InvalidRanking) -> Error {
    let problem = |lines: &str| Problem::new(format!("query `{query}`: {error}{lines}"));
    let InvalidRanking::Duplicate(passage) = error else {
        return problem("").of_file(path);
    };
    // Lines aren't kept beside ten million hits; the file is read again to name them. Where that
    // fails (a pipe can be read once) the message has to do without.
    match twice(path, query, passage) {
        Ok(Some((first, second))) => problem(&format!(", on lines {first} and {second}"))
            .at(path, crate::Place::line(second)),
        Ok(None) | Err(_) => problem("").of_file(path),
    }
}

/// The first two lines on which a passage is retrieved for a query.
fn twice(path: &Path, query: &str, passage: &str) -> Result<Option<(u64, u64)>, Error> {
    let mut lines = Lines::open(path)?;
    let mut first = None;
    while let Some(line) = lines.next()? {
        let mut columns = line.split_ascii_whitespace();
        let found = columns.next() == Some(query) && columns.nth(1) == Some(passage);
        if found && !skipped(line) {
            match first {
                None => first = Some(lines.number()),
                Some(first) => return Ok(Some((first, lines.number()))),
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    fn ids(content: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let run = read(content.as_bytes(), |path| run(path, Ties::Docno))?;
        let ids = |ranking: Ranking| ranking.hits().iter().map(|hit| hit.passage.clone()).collect();
        Ok(run.into_iter().map(|(query, ranking)| (query, ids(ranking))).collect())
    }

    #[test]
    fn the_order_is_that_of_the_scores_and_queries_may_be_scattered() {
        let content = "q2 Q0 d1 1 0.5 a\r\nq1\tQ0\td1\t1\t-1e-3\ta b c\n\n# half time\n\
                       q2 Q0 d2 2 0.75 a\nq1 Q0 d2 9 inf a\n q2 Q0 d3 3 .5 a";
        let found = ids(content).unwrap();
        let expected = [("q1", vec!["d2", "d1"]), ("q2", vec!["d2", "d3", "d1"])];
        let expected = expected.map(|(query, ids)| {
            (query.to_owned(), ids.into_iter().map(str::to_owned).collect::<Vec<_>>())
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn bad_lines_are_errors() {
        let check = |content: &str, expected: &str| {
            assert_eq!(ids(content).unwrap_err(), expected);
        };
        check(
            "q1 Q0 d1 1 0.5\n",
            "`file`, line 1: the line has 5 columns, expected 6: `query Q0 passage rank score tag`",
        );
        check(
            "q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 NaN a\n",
            "`file`, line 2: the score of passage `d2` is `NaN`, expected a number",
        );
        check(
            "q1 Q0 d1 1 high a\n",
            "`file`, line 1: the score of passage `d1` is `high`, expected a number",
        );
        check(
            "#\nq1 Q0 d1 1 2 a\nq2 Q0 d1 1 2 a\nq1 Q0 d1 2 1 a\n",
            "`file`, line 4: query `q1`: passage `d1` is retrieved twice, on lines 2 and 4",
        );
        check("", "`file`: the file is empty: there is nothing to evaluate");
    }
}
