//! Relevance judgments: TREC's lines `query 0 passage grade`, and the other forms in which they are
//! published.

use std::{fmt, path::Path};

use qeval_core::{JudgedTwice, Qrels};
use serde::{
    Deserialize, Deserializer,
    de::{self, Unexpected, Visitor},
};

use super::{columns, skipped};
use crate::{
    Error, Place, Problem,
    document::{self, Document},
    input::{self, Lines},
    members::Members,
    run::names::{Json, PASSAGE, QUERY, is_header, json},
    table::{Form, Role, Table},
};

/// Reads judgments; the format is recognised by the content: TREC's lines, a table with a header
/// (as in BEIR), JSON lines, Parquet, or one JSON object `{query: {passage: grade}}`. In TREC's
/// lines blank ones and those that begin with `#` are skipped. A passage that is judged twice for a
/// query is an error.
pub fn qrels(path: &Path) -> Result<Qrels, Error> {
    read(path, false)
}

/// Reads judgments on subtopics, which the second column of TREC's lines names. Other formats have
/// none. A passage may be judged once for each subtopic of a query.
pub fn qrels_on_subtopics(path: &Path) -> Result<Qrels, Error> {
    read(path, true)
}

fn read(path: &Path, on_subtopics: bool) -> Result<Qrels, Error> {
    let format = recognise(path)?;
    let mut qrels = Qrels::default();
    let mut twice = None;
    let taken = each(path, format, |Judgment { query, subtopic, passage, grade, .. }| {
        let subtopic = subtopic.filter(|_| on_subtopics);
        let inserted = match subtopic {
            Some(subtopic) => qrels.insert_on(query, subtopic, passage, grade),
            None => qrels.insert(query, passage, grade),
        };
        inserted.map_err(|judged| {
            let problem = Problem::new(judged.to_string());
            twice = Some((judged, subtopic.map(str::to_owned)));
            problem
        })
    });
    if let (Err(error), Some((judged, subtopic))) = (&taken, twice) {
        let placed = judged_twice(path, format, &judged, subtopic.as_deref());
        return Err(placed.unwrap_or_else(|| error.clone()));
    }
    taken?;
    if qrels.is_empty() {
        return Err(document::empty().of_file(path));
    }
    Ok(qrels)
}

/// How judgments are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Lines,
    Object,
    Table(Form),
}

fn recognise(path: &Path) -> Result<Format, Error> {
    if input::is_parquet(path)? {
        return Ok(Format::Table(Form::Parquet));
    }
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next()? {
        if skipped(line) {
            continue;
        }
        return Ok(match json(line) {
            Some(Json::Nested) => Format::Object,
            Some(Json::Record { output: true }) => {
                return Err(Problem::new("these are records of KILT, expected judgments")
                    .with_hint("give the file as the dataset, with format `kilt`")
                    .of_file(path));
            }
            Some(Json::Record { output: false }) => Format::Table(Form::Jsonl),
            None if is_header(line, [&None, &None]) => {
                Format::Table(Form::Delimited(if line.contains('\t') { b'\t' } else { b',' }))
            }
            None => Format::Lines,
        });
    }
    Err(document::empty().of_file(path))
}

/// A judgment of a file.
struct Judgment<'a> {
    query: &'a str,
    /// The second column of TREC's lines.
    subtopic: Option<&'a str>,
    passage: &'a str,
    grade: i32,
    /// Number of its line or record, from 1.
    number: u64,
}

/// Hands out all judgments of a file. What the taker finds wrong is placed where it stands.
fn each(
    path: &Path,
    format: Format,
    take: impl FnMut(Judgment<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    match format {
        Format::Lines => each_line(path, take),
        Format::Object => each_member(path, take),
        Format::Table(form) => each_row(path, form, take),
    }
}

fn each_line(
    path: &Path,
    mut take: impl FnMut(Judgment<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next()? else { return Ok(()) };
        let taken = if skipped(line) { Ok(()) } else { judgment(line, number).and_then(&mut take) };
        taken.map_err(|problem| problem.at(path, Place::line(number)))?;
    }
}

fn judgment(line: &str, number: u64) -> Result<Judgment<'_>, Problem> {
    let [query, subtopic, passage, grade] = columns(line, "query 0 passage grade", false)?;
    match grade.parse() {
        Ok(grade) => Ok(Judgment { query, subtopic: Some(subtopic), passage, grade, number }),
        Err(_) => Err(Problem::new(format!(
            "the grade of passage `{passage}` is `{grade}`, expected {GRADE}"
        ))),
    }
}

/// What a grade is.
const GRADE: &str = "a whole number from -2147483648 to 2147483647";

/// A grade in JSON, where 1.0 is 1.
struct Grade(i32);

impl<'de> Deserialize<'de> for Grade {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GradeVisitor)
    }
}

struct GradeVisitor;

impl Visitor<'_> for GradeVisitor {
    type Value = Grade;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(GRADE)
    }

    fn visit_i64<E: de::Error>(self, grade: i64) -> Result<Grade, E> {
        let small = i32::try_from(grade).map(Grade);
        small.map_err(|_| E::invalid_value(Unexpected::Signed(grade), &self))
    }

    fn visit_u64<E: de::Error>(self, grade: u64) -> Result<Grade, E> {
        let small = i32::try_from(grade).map(Grade);
        small.map_err(|_| E::invalid_value(Unexpected::Unsigned(grade), &self))
    }

    fn visit_f64<E: de::Error>(self, grade: f64) -> Result<Grade, E> {
        let small = format!("{grade}").parse().ok().filter(|_| grade.fract() == 0.0).map(Grade);
        small.ok_or_else(|| E::invalid_value(Unexpected::Float(grade), &self))
    }
}

fn each_member(
    path: &Path,
    mut take: impl FnMut(Judgment<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    let mut document = Document::open_members(path)?;
    let mut number = 0;
    while let Some((query, Members(grades))) = document.next_member_of_all::<Members<Grade>>()? {
        number += 1;
        for (passage, Grade(grade)) in grades {
            take(Judgment { query: &query, subtopic: None, passage: &passage, grade, number })
                .map_err(|problem| problem.at(path, Place::record(number)))?;
        }
    }
    Ok(())
}

fn each_row(
    path: &Path,
    form: Form,
    mut take: impl FnMut(Judgment<'_>) -> Result<(), Problem>,
) -> Result<(), Error> {
    let role = |name, usual| Role { name, mapped: None, usual };
    let grade = role("grade", &["grade", "relevance", "rel", "label", "judgment", "score"]);
    let pair = [role("query_id", &QUERY), role("passage_id", &PASSAGE)];
    let mut table = Table::open(path, form, pair, &[grade], false)?;
    while let Some((query, passage, grade)) = table.next(|[query, passage], grade| {
        let number = grade.number()?.filter(|number| number.fract() == 0.0);
        let whole = number.and_then(|number| format!("{number}").parse().ok());
        let whole: i32 = whole.ok_or_else(|| grade.wrong(GRADE))?;
        Ok((query.required_id()?, passage.required_id()?, whole))
    })? {
        let number = table.number();
        take(Judgment { query: &query, subtopic: None, passage: &passage, grade, number })
            .map_err(|problem| table.error(problem))?;
    }
    Ok(())
}

/// The error of a passage that is judged twice, perhaps for the same subtopic, which needs another
/// look into the file to say where the first time was.
fn judged_twice(
    path: &Path,
    format: Format,
    judged: &JudgedTwice,
    of: Option<&str>,
) -> Option<Error> {
    let mut first = None;
    let read = each(path, format, |Judgment { query, subtopic, passage, number, .. }| {
        let other = of.is_some() && subtopic != of;
        if query != judged.query || passage != judged.passage || other {
            return Ok(());
        }
        match first.replace(number) {
            None => Ok(()),
            Some(first) if first == number => Err(Problem::new(judged.to_string())),
            Some(first) => {
                let what = match format {
                    Format::Object | Format::Table(Form::Parquet) => "records",
                    Format::Lines | Format::Table(_) => "lines",
                };
                Err(Problem::new(format!("{judged}, on {what} {first} and {number}")))
            }
        }
    });
    read.err()
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
    fn subtopics_are_read_where_they_are_asked_for() {
        let content = "1 2 a 1\n1 10 a 0\n1 2 b 3\n";
        let found = read(content.as_bytes(), qrels_on_subtopics).unwrap();
        let judgments = found.get("1").unwrap();
        let subtopics: Vec<_> = judgments.subtopics().collect();
        assert_eq!(subtopics, [("b", "2", 3), ("a", "10", 0), ("a", "2", 1)]);
        assert_eq!(judgments.grade("a"), Some(1));
        assert!(grades(content).unwrap_err().ends_with("on lines 1 and 2"));
        let twice = format!("{content}1 10 a 1\n");
        let error = read(twice.as_bytes(), qrels_on_subtopics).unwrap_err();
        assert!(error.ends_with("on lines 2 and 4"), "{error}");
        let table = "query-id\tcorpus-id\tscore\n1\ta\t1\n";
        let found = read(table.as_bytes(), qrels_on_subtopics).unwrap();
        assert!(!found.get("1").unwrap().has_subtopics());
    }

    #[test]
    fn other_forms_are_recognised() {
        let check = |content: &str| {
            let found = grades(content).unwrap();
            let found: Vec<_> = found.iter().map(|(q, p, g)| (&**q, &**p, *g)).collect();
            assert_eq!(found, [("1", "d1", 1), ("1", "d2", 0), ("2", "d1", -2)], "{content}");
        };
        check("1\t0\td1\t1\n1\t0\td2\t0\n2\t0\td1\t-2\n");
        check("query-id\tcorpus-id\tscore\r\n1\td1\t1\r\n1\td2\t0\r\n2\td1\t-2\r\n");
        check("query_id,iter,doc_id,relevance\n1,0,d1,1\n1,0,d2,0\n2,0,d1,-2\n");
        check("{\"1\": {\"d1\": 1, \"d2\": 0},\n\"2\": {\"d1\": -2}}\n");
        check("{\"1\": {\"d1\": 1, \"d2\": 0}}\n{\"2\": {\"d1\": -2}}\n{}\n");
        check(
            "{\"qid\": 1, \"docid\": \"d1\", \"rel\": 1}\n\
               {\"qid\": 1, \"docid\": \"d2\", \"rel\": 0.0}\n\
               {\"qid\": \"2\", \"docid\": \"d1\", \"rel\": -2}\n",
        );
    }

    #[test]
    fn bad_records_of_other_forms_are_errors() {
        let check = |content: &str, expected: &str| {
            assert_eq!(grades(content).unwrap_err(), expected);
        };
        check(
            "query-id\tcorpus-id\tscore\n1\td1\t0.5\n",
            "`file`, line 2: field `score` is `0.5`, expected a whole number from -2147483648 to 2147483647",
        );
        check(
            "qid,pid,rel\n1,d1,1\n1,d1,0\n",
            "`file`, line 3: passage `d1` is judged twice for query `1`, on lines 2 and 3",
        );
        check(
            "{\"1\": {\"d1\": 1, \"d1\": 1}}",
            "`file`, record 1: passage `d1` is judged twice for query `1`",
        );
    }

    #[test]
    fn hints_ask_for_what_can_be_done() {
        let check = |content: &str, expected: &str| {
            assert_eq!(grades(content).unwrap_err(), expected);
        };
        check(
            "{\"id\": \"1\", \"input\": \"?\", \"output\": []}\n",
            "`file`: these are records of KILT, expected judgments\n\
             hint: give the file as the dataset, with format `kilt`",
        );
        check(
            "{\"question\": 1, \"docid\": \"d1\", \"rel\": 1}\n",
            "`file`, line 1: field `query_id` is missing; the record has `question`, `docid`, `rel`",
        );
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
            "`file`, line 1: the grade of passage `d1` is `high`, expected a whole number from -2147483648 to 2147483647",
        );
        check(
            "1 0 d1 1\n2 0 d1 1\n\n1 0 d1 1\n",
            "`file`, line 4: passage `d1` is judged twice for query `1`, on lines 1 and 4",
        );
        check("# nothing\n", "`file`: the file is empty: there is nothing to evaluate");
    }
}
