//! KILT: JSON lines whose `output` has the answers and the Wikipedia pages that they come from.
//! Predictions have the same form.

use std::path::Path;

use qeval_core::{Example, Prediction, Value, metrics::kilt::EVIDENCE};

use crate::{
    Error, Problem, Record,
    cell::Cell,
    dataset::RecordStream,
    fields::{Need, Wanted},
    jsonl::JsonRows,
    rows::Row,
};

/// The questions of a file.
pub(crate) struct Outputs {
    rows: JsonRows,
    slots: Slots,
    /// Slots of further columns, with their names.
    columns: Vec<(usize, String)>,
    evidence: bool,
}

/// Where the parts of a record are.
struct Slots {
    id: usize,
    question: Option<usize>,
    output: usize,
}

impl Slots {
    fn add(wanted: &mut Wanted) -> Self {
        let question = wanted.role("input", None, Need::Never);
        Self { id: wanted.fixed("id"), question, output: wanted.fixed("output") }
    }
}

impl Outputs {
    pub(crate) fn open(
        path: &Path,
        columns: &[String],
        optional_columns: &[String],
    ) -> Result<Self, Error> {
        let mut wanted = Wanted::default();
        let slots = Slots::add(&mut wanted);
        let fields = columns.iter().filter(|name| *name != EVIDENCE);
        let further = fields.map(|name| (wanted.column(name), name.clone())).collect();
        Ok(Self {
            rows: JsonRows::open(path, wanted)?,
            slots,
            columns: further,
            evidence: columns.iter().chain(optional_columns).any(|name| name == EVIDENCE),
        })
    }
}

impl RecordStream for Outputs {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        let Self { rows, slots, columns, evidence } = self;
        let record = rows.next(|row| {
            let mut example = Example::default();
            let outputs = fill(&mut example, row, slots)?;
            for (slot, field) in row.fields() {
                for (_, name) in columns.iter().filter(|(column, _)| *column == slot) {
                    if let Some(value) = field.value()? {
                        example.columns.insert(name.clone(), value);
                    }
                }
            }
            if *evidence {
                let list = |pages: &Vec<String>| {
                    Value::List(pages.iter().cloned().map(Value::Text).collect())
                };
                let lists = outputs.iter().filter_map(|output| output.pages.as_ref());
                let lists = lists.map(list).collect();
                example.columns.insert(EVIDENCE.to_owned(), Value::List(lists));
            }
            // The script takes the set of answers, without blanks around them.
            for text in outputs.iter().filter_map(|output| output.answer.as_deref()) {
                let text = text.trim();
                let known = example.reference_texts().any(|known| known == text);
                if !text.is_empty() && !known {
                    example.references.push(text.into());
                }
            }
            for page in outputs.into_iter().filter_map(|output| output.pages).flatten() {
                if !example.gold_passages.contains(&page) {
                    example.gold_passages.push(page);
                }
            }
            Ok(Record::from(example))
        })?;
        Ok(record)
    }

    fn line(&self) -> Option<u64> {
        Some(self.rows.line())
    }
}

/// One output: an answer with the pages that it comes from.
struct Output {
    answer: Option<String>,
    /// Ids, each once; `None` where the output says of none that it comes from there.
    pages: Option<Vec<String>>,
}

/// Fills in id and question, and gives the outputs.
fn fill(example: &mut Example, row: &Row<'_, '_>, slots: &Slots) -> Result<Vec<Output>, Problem> {
    let mut outputs = Vec::new();
    for (slot, field) in row.fields() {
        if slot == slots.id {
            example.id = field.required_id()?;
        } else if Some(slot) == slots.question {
            example.question = field.text()?.unwrap_or_default();
        } else if slot == slots.output {
            let Cell::List(items) = field.cell else { return Err(field.wrong("a list")) };
            for (index, item) in items.iter().enumerate() {
                let name = format!("item {} of field `output`", index + 1);
                outputs.push(output(item, &name)?);
            }
        }
    }
    Ok(outputs)
}

fn output(item: &Cell<'_>, name: &str) -> Result<Output, Problem> {
    let wrong = |what: &str, cell: &Cell<'_>, expected: &str| {
        Problem::new(format!("{what} is {}, expected {expected}", cell.kind()))
    };
    if !matches!(item, Cell::Object(_)) {
        return Err(wrong(name, item, "an object with `answer`"));
    }
    let answer = match item.member("answer") {
        None | Some(Cell::Null) => None,
        Some(Cell::Text(text)) => Some(text.clone().into_owned()),
        Some(other) => return Err(wrong(&format!("`answer` of {name}"), other, "a text")),
    };
    let sources = match item.member("provenance") {
        None | Some(Cell::Null) => return Ok(Output { answer, pages: None }),
        Some(Cell::List(sources)) => sources,
        Some(other) => return Err(wrong(&format!("`provenance` of {name}"), other, "a list")),
    };
    let mut pages = Vec::new();
    for source in sources {
        let page = match source.member("wikipedia_id") {
            // As in the script: what names no page is no page.
            None | Some(Cell::Null) => continue,
            Some(Cell::Text(id)) => id.trim().to_owned(),
            Some(Cell::Integer(id)) => id.to_string(),
            Some(other) => {
                let what = format!("`wikipedia_id` of {name}");
                return Err(wrong(&what, other, "a text or a whole number"));
            }
        };
        if !pages.contains(&page) {
            pages.push(page);
        }
    }
    Ok(Output { answer, pages: Some(pages) })
}

/// The predictions of a file, which have one output each: its pages are the citations.
pub(crate) struct Guesses {
    rows: JsonRows,
    slots: Slots,
}

impl Guesses {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let mut wanted = Wanted::default();
        let slots = Slots::add(&mut wanted);
        Ok(Self { rows: JsonRows::open(path, wanted)?, slots })
    }

    /// The next prediction with its id.
    pub(crate) fn next(&mut self) -> Result<Option<(String, Prediction)>, Error> {
        let Self { rows, slots } = self;
        rows.next(|row| {
            let mut example = Example::default();
            let outputs = fill(&mut example, row, slots)?;
            let count = outputs.len();
            let Ok([Output { answer, pages }]) = <[Output; 1]>::try_from(outputs) else {
                let message = format!("field `output` has {count} items, expected one");
                return Err(Problem::new(format!("{message}: a prediction is one answer")));
            };
            let prediction = answer.map_or_else(Prediction::abstention, Prediction::answer);
            Ok((example.id, Prediction { citations: pages.unwrap_or_default(), ..prediction }))
        })
    }

    pub(crate) fn line(&self) -> u64 {
        self.rows.line()
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        self.rows.error(problem)
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::Value;

    use crate::{DatasetFormat::Kilt, testing::records};

    const LINES: &str = r#"{"id": 7, "input": "Who?", "meta": {"level": 2}, "output": [{"answer": " Ann ", "provenance": [{"wikipedia_id": 12, "title": "A"}, {"wikipedia_id": "12 "}, {"title": "?"}]}, {"answer": "Bo", "provenance": [{"wikipedia_id": "9"}]}, {"answer": "Ann"}, {"answer": "", "provenance": []}]}
{"id": "b", "output": [{"provenance": null}]}
"#;

    #[test]
    fn answers_are_references_and_pages_gold_passages() {
        let found = records(Kilt, LINES.as_bytes(), |source| {
            source.columns = vec!["meta.level".to_owned()];
            source.optional_columns = vec!["evidence".to_owned(), "other".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.example.id.as_str(), first.example.question.as_str()), ("7", "Who?"));
        assert_eq!(first.example.references, ["Ann".into(), "Bo".into()]);
        assert_eq!(first.example.gold_passages, ["12", "9"]);
        assert_eq!(first.example.columns["meta.level"], Value::Integer(2));
        let pages =
            |ids: &[&str]| Value::List(ids.iter().map(|&id| Value::Text(id.to_owned())).collect());
        let lists = vec![pages(&["12"]), pages(&["9"]), pages(&[])];
        assert_eq!(first.example.columns["evidence"], Value::List(lists));
        assert_eq!((second.example.answerable(), second.example.columns.len()), (false, 1));
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |line: &str, expected: &str| {
            assert_eq!(records(Kilt, line.as_bytes(), |_| {}).unwrap_err(), expected);
        };
        check(
            r#"{"id": 1, "input": "x"}"#,
            "`file`, line 1: field `output` is missing; the record has `id`, `input`",
        );
        check(
            r#"{"id": 1, "output": "x"}"#,
            "`file`, line 1: field `output` is a text, expected a list",
        );
        check(
            r#"{"id": 1, "output": [{"answer": "x"}, {"answer": 5}]}"#,
            "`file`, line 1: `answer` of item 2 of field `output` is a number, expected a text",
        );
        check(
            r#"{"id": 1, "output": [{"provenance": [{"wikipedia_id": [1]}]}]}"#,
            "`file`, line 1: `wikipedia_id` of item 1 of field `output` is a list, expected a \
             text or a whole number",
        );
    }
}
