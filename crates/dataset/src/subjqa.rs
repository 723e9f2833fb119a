//! SubjQA: questions about reviews, in a table with a row for each annotator.
//!
//! The rows of one question about one review share `q_review_id` and are one example: its
//! references are the distinct spans of all annotators, and it has an answer if one of them found
//! one. Rows of one example need not be together, so the table is read whole; it is small.
//!
//! A review ends with the word `ANSWERNOTFOUND`, which who found no answer chose as the span. That
//! word is not in the context. Spans are written as their tokens, with blanks between them; where
//! they are the text at their offsets but for blanks, the reference is that text. A span from which
//! the annotator left tokens out stands nowhere in the review and has no offset.

use std::{collections::HashMap, path::Path};

use qeval_core::{Example, Reference, Value, slice};

use crate::{
    CsvOptions, Error, Place, Problem, Record,
    csv::CsvRows,
    document,
    fields::Wanted,
    rows::{Field, Row},
};

const NOT_FOUND: &str = "ANSWERNOTFOUND";

/// Columns that are counted over the rows of an example.
const ANNOTATORS: &str = "annotators";
const WITHOUT_ANSWER: &str = "annotators_without_answer";

/// Columns of the table that are no texts, and how to read them.
const WHOLE: [&str; 2] = ["question_subj_level", "answer_subj_level"];
const NUMBERS: [&str; 2] = ["ques_subj_score", "ans_subj_score"];
const TRUTHS: [&str; 2] = ["is_ques_subjective", "is_ans_subjective"];

/// One example while its rows are collected.
struct Entry {
    example: Example,
    /// Line of its first row.
    line: u64,
    annotators: i64,
    without_answer: i64,
    /// The values of the columns in all rows.
    values: Vec<Vec<Value>>,
}

/// What one row says.
struct Annotation {
    id: String,
    item: Option<String>,
    question: String,
    review: String,
    /// `None` where the annotator found no answer.
    span: Option<Reference>,
    values: Vec<Option<Value>>,
}

/// Reads the table. Examples come in the order of their first rows.
pub(crate) fn read(path: &Path, columns: &[String]) -> Result<Vec<Record>, Error> {
    let mut wanted = Wanted::default();
    let slots =
        ["q_review_id", "item_id", "question", "review", "human_ans_spans", "human_ans_indices"]
            .map(|name| wanted.column(name));
    let counted = |name: &&String| **name == ANNOTATORS || **name == WITHOUT_ANSWER;
    let of_rows: Vec<&String> = columns.iter().filter(|name| !counted(name)).collect();
    let value_slots: Vec<usize> = of_rows.iter().map(|name| wanted.column(name)).collect();
    let mut rows = CsvRows::open(path, &CsvOptions::default(), wanted)?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    while let Some(annotation) = rows.next(|row| annotation(row, slots, &value_slots))? {
        let line = rows.line();
        if let Some(&place) = places.get(&annotation.id) {
            let added = entries[place].add(annotation, line);
            added.map_err(|problem| problem.at(path, Place::line(line)))?;
        } else {
            places.insert(annotation.id.clone(), entries.len());
            entries.push(Entry::new(annotation, line));
        }
    }
    if entries.is_empty() {
        return Err(document::empty().of_file(path));
    }
    Ok(entries.into_iter().map(|entry| entry.finish(columns, &of_rows)).collect())
}

impl Entry {
    fn new(annotation: Annotation, line: u64) -> Self {
        let Annotation { id, item, question, review, span, values } = annotation;
        Self {
            line,
            annotators: 1,
            without_answer: i64::from(span.is_none()),
            example: Example {
                id,
                group: item,
                question,
                references: span.into_iter().collect(),
                context: Some(review),
                ..Example::default()
            },
            values: values.into_iter().map(|value| value.into_iter().collect()).collect(),
        }
    }

    /// Another row of the same question and review.
    fn add(&mut self, annotation: Annotation, line: u64) -> Result<(), Problem> {
        let Annotation { id, item, question, review, span, values } = annotation;
        let example = &mut self.example;
        let same = [
            ("question", example.question == question),
            ("review", example.context.as_deref() == Some(review.as_str())),
            ("item_id", example.group == item),
        ];
        if let Some((name, _)) = same.iter().find(|(_, same)| !same) {
            let first = self.line;
            let message = format!("`{id}` has another `{name}` on lines {first} and {line}");
            return Err(Problem::new(message)
                .with_hint("the rows of one id are the annotators of one question and review"));
        }
        self.annotators += 1;
        self.without_answer += i64::from(span.is_none());
        example.references.extend(span.filter(|span| !example.references.contains(span)));
        for (values, value) in self.values.iter_mut().zip(values) {
            values.extend(value.filter(|value| !values.contains(value)));
        }
        Ok(())
    }

    fn finish(self, columns: &[String], of_rows: &[&String]) -> Record {
        let Self { mut example, annotators, without_answer, values, .. } = self;
        for (name, mut values) in of_rows.iter().zip(values) {
            // Annotators may differ. The order must not depend on that of the rows.
            values.sort_by_cached_key(Value::to_string);
            let value = if values.len() > 1 { Some(Value::List(values)) } else { values.pop() };
            example.columns.extend(value.map(|value| ((*name).clone(), value)));
        }
        for (name, count) in [(ANNOTATORS, annotators), (WITHOUT_ANSWER, without_answer)] {
            if columns.iter().any(|column| column == name) {
                example.columns.insert(name.to_owned(), Value::Integer(count));
            }
        }
        example.into()
    }
}

fn annotation(
    row: &Row<'_, '_>,
    slots: [usize; 6],
    value_slots: &[usize],
) -> Result<Annotation, Problem> {
    let field = |wanted: usize| row.fields().find(|(slot, _)| *slot == wanted).map(|(_, f)| f);
    let text = |slot| field(slot).map_or(Ok(None), |field| field.text());
    let required = |slot, name: &str| {
        text(slot)?.ok_or_else(|| Problem::new(format!("field `{name}` has no value")))
    };
    let [id, item, question, review, spans, indices] = slots;
    let review = required(review, "review")?;
    let span = span(
        &review,
        &required(spans, "human_ans_spans")?,
        &required(indices, "human_ans_indices")?,
    )?;
    let context = review
        .strip_suffix(NOT_FOUND)
        .map_or(review.as_str(), |rest| rest.strip_suffix(' ').unwrap_or(rest));
    let values = value_slots.iter().map(|&slot| field(slot).map_or(Ok(None), |f| value(&f)));
    Ok(Annotation {
        id: required(id, "q_review_id")?,
        item: text(item)?,
        question: required(question, "question")?,
        review: context.to_owned(),
        span,
        values: values.collect::<Result<_, _>>()?,
    })
}

/// The span as a reference; `None` where the annotator found no answer.
fn span(review: &str, tokens: &str, indices: &str) -> Result<Option<Reference>, Problem> {
    if tokens.ends_with(NOT_FOUND) {
        return Ok(None);
    }
    let (start, end) = offsets(indices).ok_or_else(|| {
        let message = format!("field `human_ans_indices` is `{indices}`");
        Problem::new(format!("{message}, expected two offsets such as `(12, 40)`"))
    })?;
    let Some(text) = slice(review, start..end) else {
        let length = review.chars().count();
        return Err(Problem::new(format!(
            "the span from {start} to {end} is not in the review, which has {length} characters"
        )));
    };
    let visible = |text: &str| text.split_whitespace().collect::<String>();
    Ok(Some(if text == tokens || visible(text) == visible(tokens) {
        Reference { start: Some(start), ..text.into() }
    } else {
        tokens.into()
    }))
}

/// Two offsets as Python writes a tuple.
fn offsets(text: &str) -> Option<(usize, usize)> {
    let (start, end) = text.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    Some((start.trim().parse().ok()?, end.trim().parse().ok()?))
}

/// The value of a column, which is a number or a truth value in some of them.
fn value(field: &Field<'_, '_>) -> Result<Option<Value>, Problem> {
    let name = field.name;
    if WHOLE.contains(&name) {
        return Ok(field.count()?.map(Value::Integer));
    }
    if NUMBERS.contains(&name) {
        return Ok(field.number()?.map(Value::Number));
    }
    if TRUTHS.contains(&name) {
        return match field.text()?.as_deref() {
            None => Ok(None),
            Some("True") => Ok(Some(Value::Bool(true))),
            Some("False") => Ok(Some(Value::Bool(false))),
            Some(_) => Err(field.wrong("`True` or `False`")),
        };
    }
    field.value()
}

#[cfg(test)]
mod tests {
    use qeval_core::{Reference, Value};

    use crate::{DatasetFormat::Subjqa, testing::records};

    const TABLE: &str = "item_id,domain,q_review_id,question,question_subj_level,\
        is_ques_subjective,review,human_ans_spans,human_ans_indices,ans_subj_score\n\
        i1,books,a,Is it good?,1,False,\"Été, really \n\"\"good\"\" fun. ANSWERNOTFOUND\",ANSWERNOTFOUND,\"(26, 40)\",0.0\n\
        i2,books,b,Is it long?,2,True,So long. ANSWERNOTFOUND,So,\"(0, 2)\",0.5\n\
        i1,books,a,Is it good?,5,False,\"Été, really \n\"\"good\"\" fun. ANSWERNOTFOUND\",\"Été , really\",\"(0, 11)\",0.75\n\
        i1,books,a,Is it good?,1,False,\"Été, really \n\"\"good\"\" fun. ANSWERNOTFOUND\",\"Été , fun\",\"(0, 23)\",0.75\n\
        i1,books,a,Is it good?,1,False,\"Été, really \n\"\"good\"\" fun. ANSWERNOTFOUND\",\"Été , really\",\"(0, 11)\",0.75\n";

    #[test]
    fn the_rows_of_a_question_and_a_review_are_one_example() {
        let found = records(Subjqa, TABLE.as_bytes(), |source| {
            let columns = [
                "domain",
                "question_subj_level",
                "is_ques_subjective",
                "ans_subj_score",
                "annotators",
                "annotators_without_answer",
            ];
            source.columns = columns.map(str::to_owned).to_vec();
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        let (first, second) = (first.example, second.example);
        assert_eq!(first.context.as_deref(), Some("Été, really \n\"good\" fun."));
        let really = Reference { start: Some(0), .."Été, really".into() };
        assert_eq!(first.references, [really, "Été , fun".into()]);
        assert_eq!((first.id.as_str(), first.group.as_deref()), ("a", Some("i1")));
        assert_eq!(first.columns["domain"], Value::Text("books".to_owned()));
        let levels = Value::List(vec![Value::Integer(1), Value::Integer(5)]);
        assert_eq!(first.columns["question_subj_level"], levels);
        assert_eq!(first.columns["annotators"], Value::Integer(4));
        assert_eq!(first.columns["annotators_without_answer"], Value::Integer(1));
        assert_eq!(first.columns["is_ques_subjective"], Value::Bool(false));
        assert_eq!((second.id.as_str(), second.references.len()), ("b", 1));
        assert_eq!(second.columns["ans_subj_score"], Value::Number(0.5));
    }

    #[test]
    fn a_question_that_nobody_answered_has_no_reference() {
        let found = records(Subjqa, TABLE.as_bytes(), |_| {}).unwrap();
        assert!(found[0].example.answerable());
        let table: String = TABLE.split_inclusive("books,a,").take(2).collect();
        let table = table.rsplit_once("\ni1").unwrap().0.replace("So,\"(", "So ANSWERNOTFOUND,\"(");
        let found = records(Subjqa, table.as_bytes(), |_| {}).unwrap();
        assert!(found.iter().all(|record| !record.example.answerable()));
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |from: &str, to: &str, expected: &str| {
            let found = records(Subjqa, TABLE.replacen(from, to, 1).as_bytes(), |source| {
                source.columns = vec!["is_ques_subjective".to_owned()];
            });
            assert_eq!(found.unwrap_err(), expected);
        };
        check(
            "\"(0, 2)\"",
            "\"(0, 99)\"",
            "`file`, line 4: the span from 0 to 99 is not in the review, which has 23 characters",
        );
        check(
            "\"(0, 2)\"",
            "0-2",
            "`file`, line 4: field `human_ans_indices` is `0-2`, expected two offsets such as \
             `(12, 40)`",
        );
        check(
            "Is it good?,5",
            "Is it bad?,5",
            "`file`, line 5: `a` has another `question` on lines 2 and 5\n\
             hint: the rows of one id are the annotators of one question and review",
        );
        check(
            "2,True",
            "2,yes",
            "`file`, line 4: field `is_ques_subjective` is `yes`, expected `True` or `False`",
        );
        check(
            "q_review_id",
            "id",
            "`file`, line 1: field `q_review_id` is missing; the header has `item_id`, `domain`, \
             `id`, `question`, `question_subj_level`, `is_ques_subjective`, `review`, \
             `human_ans_spans`, `human_ans_indices`, `ans_subj_score`",
        );
    }
}
