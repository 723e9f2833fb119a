//! Relevance judgments: lines `query 0 passage grade`.

use std::path::Path;

use qeval_core::Qrels;

use super::{columns, skipped};
use crate::{Error, Problem, document, input::Lines, seen::SeenIds};

/// Reads judgments. Blank lines and those that begin with `#` are skipped; a passage that is
/// judged twice for a query is an error.
pub fn qrels(path: &Path) -> Result<Qrels, Error> {
    let mut lines = Lines::open(path)?;
    let mut qrels = Qrels::default();
    let mut seen = SeenIds::default();
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next()? else {
            break;
        };
        let added = if skipped(line) { Ok(()) } else { add(line, number, &mut qrels, &mut seen) };
        added.map_err(|problem| lines.error(problem))?;
    }
    if qrels.is_empty() {
        return Err(document::empty().of_file(path));
    }
    Ok(qrels)
}

fn add(line: &str, number: u64, qrels: &mut Qrels, seen: &mut SeenIds) -> Result<(), Problem> {
    let [query, _, passage, grade] = columns(line, "query 0 passage grade", false)?;
    let grade = grade.parse().map_err(|_| {
        Problem::new(format!(
            "the grade of passage `{passage}` is `{grade}`, expected a whole number"
        ))
    })?;
    // The set knows the lines; what it finds late, the judgments find at once.
    let known = seen.insert(&format!("{query} {passage}"), number);
    qrels.insert(query, passage, grade).map_err(|judged| {
        let lines = match known.and_then(|()| seen.finish()) {
            Err(twice) => format!(", on lines {} and {}", twice.first, twice.second),
            Ok(()) => String::new(),
        };
        Problem::new(format!("{judged}{lines}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    fn grades(content: &str) -> Result<Vec<(String, String, i32)>, String> {
        let qrels = read(content.as_bytes(), qrels)?;
        let judgment =
            |query: &str, passage: &str, grade: i32| (query.to_owned(), passage.to_owned(), grade);
        let of_query = |(query, judgments): (&str, &qeval_core::Judgments)| {
            judgments.iter().map(|(id, grade)| judgment(query, id, grade)).collect::<Vec<_>>()
        };
        Ok(qrels.iter().flat_map(of_query).collect())
    }

    #[test]
    fn odd_blanks_line_ends_and_comments_are_accepted() {
        let content = "# judged in May\r\n1 0 d1 1\r\n\n  1\t0   d2 \t-1 \n2 Q0 d1 3";
        let found = grades(content).unwrap();
        let found: Vec<_> = found.iter().map(|(q, p, g)| (q.as_str(), p.as_str(), *g)).collect();
        assert_eq!(found, [("1", "d1", 1), ("1", "d2", -1), ("2", "d1", 3)]);
    }

    #[test]
    fn bad_lines_are_errors() {
        let check = |content: &str, expected: &str| {
            assert_eq!(grades(content).unwrap_err(), expected);
        };
        check(
            "1 0 d1 1\n1 0 d2\n",
            "`file`, line 2: the line has 3 columns, expected 4: `query 0 passage grade`",
        );
        check(
            "1 0 d1 high\n",
            "`file`, line 1: the grade of passage `d1` is `high`, expected a whole number",
        );
        check(
            "1 0 d1 1\n2 0 d1 1\n\n1 0 d1 1\n",
            "`file`, line 4: passage `d1` is judged twice for query `1`, on lines 1 and 4",
        );
        check("# nothing\n", "`file`: the file is empty: there is nothing to evaluate");
    }
}
