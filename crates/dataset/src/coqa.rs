//! CoQA: dialogs about a story, and the predictions that its script reads.
//!
//! Story and turn together are the key of a question, so its id is written `story#turn`, with the
//! number of the turn as the file has it (from 1). All annotators' answers are references, also
//! equal ones: the script leaves each out in turn.

use std::{collections::BTreeMap, path::Path, vec};

use qeval_core::{Example, Exchange, Value};
use serde::Deserialize;

use crate::{
    Error, Problem, Record, dataset::RecordStream, document::Document, fields::check_offered,
    members::Members,
};

/// The questions of a file.
pub(crate) struct Stories {
    document: Document,
    columns: Vec<String>,
    records: vec::IntoIter<Record>,
    /// Stories read so far.
    count: u64,
}

#[derive(Deserialize)]
struct Story {
    id: String,
    source: Option<String>,
    filename: Option<String>,
    #[serde(rename = "story")]
    text: Option<String>,
    questions: Vec<Turn>,
    answers: Vec<Turn>,
    /// By annotator.
    #[serde(default)]
    additional_answers: Members<Vec<Turn>>,
}

/// What one person asked or answered in a turn.
#[derive(Deserialize)]
struct Turn {
    #[serde(rename = "input_text")]
    text: String,
    #[serde(rename = "turn_id")]
    number: u64,
}

/// The id of a turn.
pub(crate) fn id(story: &str, turn: u64) -> String {
    format!("{story}#{turn}")
}

impl Stories {
    pub(crate) fn open(path: &Path, columns: &[String]) -> Result<Self, Error> {
        check_offered(columns, &["source", "filename"]).map_err(|problem| problem.of_file(path))?;
        Ok(Self {
            document: Document::open(path, "data")?,
            columns: columns.to_vec(),
            records: Vec::new().into_iter(),
            count: 0,
        })
    }
}

impl RecordStream for Stories {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            if let Some(record) = self.records.next() {
                return Ok(Some(record));
            }
            let Some(story) = self.document.next::<Story>()? else { return Ok(None) };
            self.count += 1;
            let records = dialog(story, &self.columns).map_err(|problem| {
                let message = format!("story {}: {}", self.count, problem.message);
                Problem { message, ..problem }.of_file(self.document.path())
            })?;
            self.records = records.into_iter();
        }
    }
}

/// The records of a story. The history of a turn has the earlier questions with their first
/// answers.
fn dialog(story: Story, columns: &[String]) -> Result<Vec<Record>, Problem> {
    let Story { id: story_id, source, filename, text: context, questions, .. } = story;
    let streams: Vec<(&str, &Vec<Turn>)> = std::iter::once(("answers", &story.answers))
        .chain(story.additional_answers.0.iter().map(|(name, turns)| (name.as_str(), turns)))
        .collect();
    for (name, turns) in &streams {
        check(name, turns, &questions)?;
    }
    let value = |name: &String| {
        let text = if name == "source" { source.clone() } else { filename.clone() };
        text.map(|text| (name.clone(), Value::Text(text)))
    };
    let columns: BTreeMap<String, Value> = columns.iter().filter_map(value).collect();
    let mut history: Vec<Exchange> = Vec::new();
    let mut records = Vec::with_capacity(questions.len());
    for (place, question) in questions.into_iter().enumerate() {
        let answer = |(_, turns): &(&str, &Vec<Turn>)| turns[place].text.clone();
        let exchange = Exchange { question: question.text.clone(), answer: answer(&streams[0]) };
        records.push(Record::from(Example {
            id: id(&story_id, question.number),
            group: Some(story_id.clone()),
            turn: u32::try_from(place).ok(),
            question: question.text,
            references: streams.iter().map(answer).map(Into::into).collect(),
            context: context.clone(),
            history: history.clone(),
            columns: columns.clone(),
            ..Example::default()
        }));
        history.push(exchange);
    }
    Ok(records)
}

/// Answers belong to the questions by their places, and the numbers of the turns must agree.
fn check(name: &str, answers: &[Turn], questions: &[Turn]) -> Result<(), Problem> {
    if answers.len() != questions.len() {
        let (found, expected) = (answers.len(), questions.len());
        let message = format!("`{name}` has {found} turns and `questions` {expected}");
        return Err(Problem::new(format!("{message}, expected as many")));
    }
    let differs = |(answer, question): &(&Turn, &Turn)| answer.number != question.number;
    match answers.iter().zip(questions).find(differs) {
        None => Ok(()),
        Some((answer, question)) => Err(Problem::new(format!(
            "`{name}` has turn {} where `questions` has turn {}",
            answer.number, question.number
        ))),
    }
}

/// An answer as the script reads it: an item of a list.
#[derive(Deserialize)]
pub(crate) struct TurnPrediction {
    id: String,
    turn_id: u64,
    answer: Option<String>,
}

impl TurnPrediction {
    /// The id of the example, and the answer.
    pub(crate) fn into_parts(self) -> (String, Option<String>) {
        (id(&self.id, self.turn_id), self.answer)
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::{Exchange, Value};

    use crate::{DatasetFormat::Coqa, testing::records};

    const FILE: &str = r#"{"version": "1.0", "data": [
        {"source": "mctest", "id": "s1", "filename": "a.txt", "story": "Ann has a red boat.",
         "questions": [{"input_text": "Who?", "turn_id": 1}, {"input_text": "What?", "turn_id": 2}],
         "answers": [
            {"span_start": 0, "span_end": 3, "span_text": "Ann", "input_text": "Ann", "turn_id": 1},
            {"span_start": -1, "span_text": "unknown", "input_text": "unknown", "turn_id": 2}],
         "additional_answers": {
            "1": [{"input_text": "Ann", "turn_id": 1}, {"input_text": "a boat", "turn_id": 2}],
            "0": [{"input_text": "ann", "turn_id": 1}, {"input_text": "boat", "turn_id": 2}]},
         "name": "a.txt"},
        {"id": "s2", "questions": [{"input_text": "Why?", "turn_id": 7}],
         "answers": [{"input_text": "", "turn_id": 7}]}]}"#;

    #[test]
    fn a_turn_has_the_answers_of_all_annotators() {
        let found = records(Coqa, FILE.as_bytes(), |source| {
            source.columns = vec!["source".to_owned()];
        });
        let [first, second, third] = found.unwrap().try_into().unwrap();
        let (first, second, third) = (first.example, second.example, third.example);
        assert_eq!(first.references, ["Ann".into(), "Ann".into(), "ann".into()]);
        assert_eq!((first.id.as_str(), first.turn), ("s1#1", Some(0)));
        assert_eq!(first.context.as_deref(), Some("Ann has a red boat."));
        assert_eq!(second.references, ["unknown".into(), "a boat".into(), "boat".into()]);
        let exchange = Exchange { question: "Who?".to_owned(), answer: "Ann".to_owned() };
        assert_eq!((second.group.as_deref(), second.history), (Some("s1"), vec![exchange]));
        assert_eq!(second.columns["source"], Value::Text("mctest".to_owned()));
        assert_eq!((third.id.as_str(), third.references), ("s2#7", vec!["".into()]));
        assert_eq!((third.turn, third.columns.len(), third.context), (Some(0), 0, None));
    }

    #[test]
    fn answers_that_are_not_those_of_the_questions_are_refused() {
        let check = |from: &str, to: &str, expected: &str| {
            let error = records(Coqa, FILE.replacen(from, to, 1).as_bytes(), |_| {});
            assert_eq!(error.unwrap_err(), expected);
        };
        check(
            r#""Ann", "turn_id": 1},"#,
            r#""Ann", "turn_id": 2},"#,
            "`file`: story 1: `answers` has turn 2 where `questions` has turn 1",
        );
        check(
            r#"{"input_text": "ann", "turn_id": 1}, "#,
            "",
            "`file`: story 1: `0` has 1 turns and `questions` 2, expected as many",
        );
        check(
            r#""answers": [{"input_text": "", "turn_id": 7}]"#,
            r#""answer": []"#,
            "`file`, line 12, column 22: missing field `answers`",
        );
    }
}
