//! Natural Questions: questions about a page of Wikipedia with the annotations of several people, as
//! published with its HTML or simplified to its tokens; and the predictions that its script reads.
//!
//! A question has a short answer where enough annotators gave one: two, as in the script, or the only
//! one there is, as in the part for training. Then the answers of all of them are references: `yes`,
//! `no`, or the text of the spans, several of which are a list.

mod answer;
mod page;

use std::path::Path;

use qeval_core::{
    Example, Reference, Value,
    metrics::natural_questions::{
        label::{LONG_ANSWERS, Label, SHORT_ANSWERS, YES_NO_ANSWERS},
        outcome::ENOUGH,
    },
};
use serde::Deserialize;

pub(crate) use self::answer::Predicted;
use self::{
    answer::{Annotation, Id},
    page::{Page, Token},
};
use crate::{
    Error, Problem, Record, dataset::RecordStream, fields::check_offered, input::Lines, jsonl,
    record::SEPARATOR,
};

/// The columns that the format offers.
const OFFERED: [&str; 6] =
    [ANSWER_TYPE, DOCUMENT_TITLE, DOCUMENT_URL, LONG_ANSWERS, SHORT_ANSWERS, YES_NO_ANSWERS];

const ANSWER_TYPE: &str = "answer_type";
const DOCUMENT_TITLE: &str = "document_title";
const DOCUMENT_URL: &str = "document_url";

/// The questions of a file.
pub(crate) struct Annotated {
    lines: Lines,
    columns: Vec<String>,
}

/// A line. The HTML is not read.
#[derive(Deserialize)]
struct Line<'a> {
    example_id: Id,
    #[serde(default)]
    question_text: String,
    document_title: Option<String>,
    document_url: Option<String>,
    #[serde(borrow)]
    document_tokens: Option<Vec<Token<'a>>>,
    document_text: Option<String>,
    annotations: Option<Vec<Annotation>>,
}

impl Annotated {
    pub(crate) fn open(path: &Path, columns: &[String]) -> Result<Self, Error> {
        check_offered(columns, &OFFERED).map_err(|problem| problem.of_file(path))?;
        Ok(Self { lines: Lines::open(path)?, columns: columns.to_vec() })
    }
}

impl RecordStream for Annotated {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let read = serde_json::from_str(line).map_err(|error| jsonl::invalid(line, &error));
            let example = read.and_then(|read| example(read, &self.columns));
            let record = example.map(|example| Some(Record::from(example)));
            return record.map_err(|problem| self.lines.error(problem));
        }
    }

    fn line(&self) -> Option<u64> {
        Some(self.lines.number())
    }
}

fn example(line: Line<'_>, columns: &[String]) -> Result<Example, Problem> {
    let Line { example_id: Id(id), question_text: question, annotations, .. } = line;
    let annotations = annotations.filter(|annotations| !annotations.is_empty());
    let Some(annotations) = annotations else {
        return Err(Problem::new(format!("question `{id}` has no annotation"))
            .with_hint("the test set is published without annotations; take another part"));
    };
    let page = match (line.document_tokens, line.document_text) {
        (Some(tokens), _) => Some(Page::of_tokens(&tokens)),
        (None, Some(text)) => Some(Page::of_text(&text)),
        (None, None) => None,
    };
    let labels = (1..).zip(&annotations).map(|(number, annotation)| {
        annotation.label().map_err(|problem| within(&format!("annotation {number}"), problem))
    });
    let labels: Vec<Label> = labels.collect::<Result<_, _>>()?;
    let references = references(&labels, page.as_ref())?;
    let mut example = Example {
        id,
        question,
        references,
        context: page.map(Page::into_context).filter(|context| !context.is_empty()),
        ..Example::default()
    };
    let annotated = Label::columns_of_example(&labels);
    for name in columns {
        let value = match name.as_str() {
            ANSWER_TYPE => Some(Value::Text(answer_type(&labels).to_owned())),
            DOCUMENT_TITLE => line.document_title.clone().map(Value::Text),
            DOCUMENT_URL => line.document_url.clone().map(Value::Text),
            name => annotated.iter().find(|(known, _)| *known == name).map(|(_, v)| v.clone()),
        };
        example.columns.extend(value.map(|value| (name.clone(), value)));
    }
    Ok(example)
}

/// What is wrong with a part of a record.
fn within(part: &str, problem: Problem) -> Problem {
    Problem { message: format!("{part}: {}", problem.message), ..problem }
}

/// Whether so many of the annotators make an answer.
fn is_enough(count: usize, annotators: &[Label]) -> bool {
    count >= ENOUGH.min(annotators.len())
}

/// The different short answers, where there are enough.
fn references(labels: &[Label], page: Option<&Page>) -> Result<Vec<Reference>, Problem> {
    let mut references: Vec<Reference> = Vec::new();
    if !is_enough(labels.iter().filter(|label| label.has_short()).count(), labels) {
        return Ok(references);
    }
    for (number, label) in (1..).zip(labels) {
        let closed = label.yes_no.map(|answer| answer.word().into());
        let open = spelled(label, page)
            .map_err(|problem| within(&format!("annotation {number}, short answer"), problem))?;
        for reference in closed.into_iter().chain(open) {
            if !references.contains(&reference) {
                references.push(reference);
            }
        }
    }
    Ok(references)
}

/// The spans of a short answer as one reference; several are a list.
fn spelled(label: &Label, page: Option<&Page>) -> Result<Option<Reference>, Problem> {
    let cut = |span| {
        let page = page.ok_or_else(|| {
            Problem::new("there is no text, neither `document_tokens` nor `document_text`")
        });
        page?.cut(span)
    };
    let mut spans = label.spans().map(cut).collect::<Result<Vec<Reference>, _>>()?;
    if spans.len() < 2 {
        return Ok(spans.pop());
    }
    let items: Vec<String> = spans.into_iter().map(|span| span.text).collect();
    Ok(Some(Reference { text: items.join(SEPARATOR), items, start: None }))
}

/// What enough annotators gave: a short answer, and whether all such were yes or no; else a long
/// answer; else none.
fn answer_type(labels: &[Label]) -> &'static str {
    let short = || labels.iter().filter(|label| label.has_short());
    let long = labels.iter().filter(|label| !label.long.is_null()).count();
    let closed = |label: &Label| label.yes_no.is_some();
    match () {
        () if is_enough(short().count(), labels) && short().all(closed) => "yes_no",
        () if is_enough(short().count(), labels) => "short",
        () if is_enough(long, labels) => "long",
        () => "none",
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::{Example, Reference, Value};

    use crate::{
        DatasetFormat::NaturalQuestions,
        testing::{example, records},
    };

    const TOKENS: &str = r#"[
        {"token": "<P>", "start_byte": 0, "end_byte": 3, "html_token": true},
        {"token": "Ann", "start_byte": 3, "end_byte": 6, "html_token": false},
        {"token": "Lée", "start_byte": 7, "end_byte": 11, "html_token": false},
        {"token": "<B>", "start_byte": 11, "end_byte": 14, "html_token": true},
        {"token": "and", "start_byte": 14, "end_byte": 17, "html_token": false},
        {"token": "Bo", "start_byte": 18, "end_byte": 20, "html_token": false},
        {"token": "</P>", "start_byte": 20, "end_byte": 24, "html_token": true}]"#;

    const NOWHERE: &str = "[-1, -1]";

    fn span(tokens: &str) -> String {
        let (start, end) = tokens.trim_matches(['[', ']']).split_once(", ").unwrap();
        format!(
            r#"{{"start_byte": -1, "end_byte": -1, "start_token": {start}, "end_token": {end}}}"#
        )
    }

    fn annotation(long: &str, short: &[&str], yes_no: &str) -> String {
        let short: Vec<String> = short.iter().map(|tokens| span(tokens)).collect();
        let (long, short) = (span(long), short.join(", "));
        format!(
            r#"{{"long_answer": {long}, "short_answers": [{short}], "yes_no_answer": "{yes_no}"}}"#
        )
    }

    /// A line of these annotations.
    fn line(annotations: &[String]) -> String {
        let line = format!(
            r#"{{"example_id": -7, "question_text": "who", "document_html": "<P>", "document_title": "T",
                "document_tokens": {TOKENS}, "annotations": [{}]}}"#,
            annotations.join(", ")
        );
        line.replace('\n', " ")
    }

    fn read(line: &str) -> Example {
        example(NaturalQuestions, line, |source| {
            let columns = ["answer_type", "document_title", "long_answers", "short_answers"];
            source.columns = columns.map(str::to_owned).to_vec();
        })
    }

    #[test]
    fn the_answers_of_enough_annotators_are_references() {
        let found = read(&line(&[
            annotation("[0, 7]", &["[1, 3]"], "NONE"),
            annotation(NOWHERE, &[], "NONE"),
            annotation("[0, 7]", &["[1, 2]", "[5, 6]"], "none"),
            annotation("[0, 7]", &["[1, 3]"], "NONE"),
            annotation("[0, 7]", &[NOWHERE], "YES"),
            annotation("[0, 7]", &["[2, 6]"], "NONE"),
        ]));
        assert_eq!((found.id.as_str(), found.question.as_str()), ("-7", "who"));
        assert_eq!(found.context.as_deref(), Some("Ann Lée and Bo"));
        let at = |text: &str, start| Reference { start: Some(start), ..text.into() };
        let list = Reference { items: vec!["Ann".into(), "Bo".into()], .."Ann, Bo".into() };
        let expected = [at("Ann Lée", 0), list, "yes".into(), at("Lée and Bo", 4)];
        assert_eq!(found.references, expected);
        assert_eq!(found.columns["answer_type"], Value::Text("short".to_owned()));
        assert_eq!(found.columns["document_title"], Value::Text("T".to_owned()));
        let Value::List(long) = &found.columns["long_answers"] else { panic!() };
        let numbers = |numbers: [i64; 4]| Value::List(numbers.map(Value::Integer).to_vec());
        assert_eq!(long[..2], [numbers([-1, -1, 0, 7]), numbers([-1; 4])]);
        let Value::List(short) = &found.columns["short_answers"] else { panic!() };
        assert_eq!(short[1], Value::List(vec![]));
        assert_eq!(short[4], Value::List(vec![numbers([-1; 4])]));
    }

    #[test]
    fn one_of_several_annotators_is_not_enough() {
        let answer = || annotation("[0, 7]", &["[1, 3]"], "NONE");
        let long = || annotation("[0, 7]", &[], "NONE");
        let closed = || annotation("[0, 7]", &[], "No");
        let nothing = || annotation(NOWHERE, &[], "NONE");
        let check = |annotations: &[String], expected: &str, references: &[&str]| {
            let found = read(&line(annotations));
            assert_eq!(found.columns["answer_type"], Value::Text(expected.to_owned()));
            assert_eq!(found.reference_texts().collect::<Vec<_>>(), references);
        };
        check(&[answer(), nothing(), nothing()], "none", &[]);
        check(&[answer(), long(), nothing()], "long", &[]);
        check(&[closed(), closed(), long()], "yes_no", &["no"]);
        check(&[closed(), answer()], "short", &["no", "Ann Lée"]);
        // Where there is one annotator, as in the part for training, nobody can agree.
        check(&[answer()], "short", &["Ann Lée"]);
        check(&[nothing()], "none", &[]);
    }

    #[test]
    fn a_simplified_page_is_the_same_page() {
        let annotations =
            [annotation("[0, 7]", &["[1, 3]"], "NONE"), annotation("[0, 7]", &["[2, 6]"], "NONE")];
        let whole = line(&annotations);
        let text = r#""document_text": "<P> Ann Lée <B> and Bo </P>""#;
        let tokens = format!("\"document_tokens\": {}", TOKENS.replace('\n', " "));
        let simple =
            whole.replace(&tokens, text).replace(r#""start_byte": -1, "end_byte": -1, "#, "");
        assert!(simple.contains("document_text") && !simple.contains("byte"));
        assert_eq!(read(&simple), read(&whole));
        // Bytes alone are looked up in the tokens.
        let bytes = r#""start_byte": 3, "end_byte": 11, "start_token": -1, "end_token": -1"#;
        let by_bytes = whole.replace(
            r#""start_byte": -1, "end_byte": -1, "start_token": 1, "end_token": 3"#,
            bytes,
        );
        assert_eq!(read(&by_bytes).references, read(&whole).references);
        // A question without an answer needs no page.
        let nothing = line(&[annotation(NOWHERE, &[], "NONE")]).replace(&tokens, "\"x\": 1");
        assert_eq!((read(&nothing).context, read(&nothing).references.len()), (None, 0));
    }

    #[test]
    fn errors_say_where_and_what() {
        let good =
            [annotation("[0, 7]", &["[1, 3]"], "NONE"), annotation("[0, 7]", &["[1, 3]"], "NONE")];
        let good = line(&good);
        let check = |from: &str, to: &str, expected: &str| {
            assert!(good.contains(from), "{from}");
            let lines = format!("{good}\n\n{}", good.replacen(from, to, 1).replace("-7", "8"));
            let error = records(NaturalQuestions, lines.as_bytes(), |_| {}).unwrap_err();
            assert!(error.starts_with("`file`, line 3"), "{error}");
            assert!(error.contains(expected), "{error}");
        };
        check("\"example_id\": -7, ", "", "missing field `example_id`");
        check("-7", "1.5", "found a number, expected a whole number or a text");
        check(
            "\"annotations\"",
            "\"annotation\"",
            "question `8` has no annotation\nhint: the test set",
        );
        check("\"long_answer\"", "\"answer\"", "missing field `long_answer`");
        check("\"NONE\"", "null", "found null, expected a text");
        check(
            "\"NONE\"",
            "\"x\"",
            "annotation 1: `yes_no_answer` is `x`, expected YES, NO or NONE",
        );
        let expected = "annotation 1: short answers: `9` to `3` is no span\n\
                        hint: the start is before the end, or both are -1 for no span";
        check("\"start_token\": 1", "\"start_token\": 9", expected);
        check(
            "\"end_token\": 7",
            "\"end\": 7",
            "long answer: it has `start_token` and no `end_token`",
        );
        check("\"end_token\": 3", "\"end_token\": null", "it has `start_token` and no `end_token`");
        let expected = "annotation 1, short answer: it ends at token 8, and the page has 7";
        check("\"end_token\": 3", "\"end_token\": 8", expected);
        let expected =
            "annotation 1, short answer: there is no text, neither `document_tokens` nor";
        check("\"document_tokens\"", "\"tokens\"", expected);
        check("\"html_token\": true", "\"html\": true", "missing field `html_token`");
        let nothing = r#"{"start_byte": null}"#;
        let of_nothing = good.replacen(&span("[1, 3]"), nothing, 1);
        let error = records(NaturalQuestions, of_nothing.as_bytes(), |_| {}).unwrap_err();
        assert!(error.contains("it has neither `start_token` nor `start_byte`"), "{error}");
        let column = records(NaturalQuestions, good.as_bytes(), |source| {
            source.columns = vec!["level".to_owned()];
        });
        let expected = "`file`: the format has no column `level`, only `answer_type`, \
                        `document_title`, `document_url`, `long_answers`, `short_answers`, \
                        `yes_no_answers`";
        assert_eq!(column.unwrap_err(), expected);
        let twice = format!("{good}\n{good}");
        let error = records(NaturalQuestions, twice.as_bytes(), |_| {}).unwrap_err();
        assert!(error.contains("line 2: id `-7` is given twice, on lines 1 and 2"), "{error}");
    }
}
