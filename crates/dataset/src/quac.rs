//! QuAC: dialogs about a text, and the predictions that its scorer reads.

use qeval_core::{Example, Exchange};
use serde::Deserialize;

use crate::{
    Problem, Record,
    squad::{Paragraph, Question},
};

/// The records of a dialog. The history of a turn has the earlier questions with their first
/// answers.
pub(crate) fn dialog(
    paragraph: Paragraph,
    example: impl Fn(Question, Option<String>) -> Example,
) -> Result<Vec<Record>, Problem> {
    let Some(id) = paragraph.id else {
        return Err(Problem::new("the dialog has no `id`")
            .with_hint("a file without dialogs has the format `squad`"));
    };
    let mut history: Vec<Exchange> = Vec::new();
    let mut records = Vec::with_capacity(paragraph.qas.len());
    for (turn, question) in (0..).zip(paragraph.qas) {
        let answer = question.answers.iter().flatten().next().or(question.orig_answer.as_ref());
        let answer = answer.map(|answer| answer.text.clone()).unwrap_or_default();
        let exchange = Exchange { question: question.text.clone(), answer };
        let example = Example {
            group: Some(id.clone()),
            turn: Some(turn),
            history: history.clone(),
            ..example(question, paragraph.context.clone())
        };
        records.push(Record::from(example));
        history.push(exchange);
    }
    Ok(records)
}

/// One line of a predictions file: the answers of a dialog as parallel lists.
#[derive(Deserialize)]
pub(crate) struct DialogAnswers {
    qid: Vec<String>,
    best_span_str: Vec<String>,
    yesno: Vec<String>,
    followup: Vec<String>,
}

/// The answer to one turn.
pub(crate) struct TurnAnswer {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) yesno: String,
    pub(crate) followup: String,
}

impl DialogAnswers {
    /// The answers turn by turn.
    pub(crate) fn turns(self) -> Result<impl Iterator<Item = TurnAnswer>, Problem> {
        let Self { qid, best_span_str, yesno, followup } = self;
        let others =
            [("best_span_str", &best_span_str), ("yesno", &yesno), ("followup", &followup)];
        for (name, list) in others {
            if list.len() != qid.len() {
                let (expected, found) = (qid.len(), list.len());
                return Err(Problem::new(format!(
                    "`qid` has {expected} items and `{name}` {found}, expected as many"
                )));
            }
        }
        let turns = qid.into_iter().zip(best_span_str).zip(yesno.into_iter().zip(followup));
        Ok(turns.map(|((id, text), (yesno, followup))| TurnAnswer { id, text, yesno, followup }))
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::{Exchange, Value};

    use crate::{DatasetFormat::Quac, testing::records};

    const FILE: &str = r#"{"data": [{"title": "T", "paragraphs": [
        {"id": "C_0", "context": "c", "qas": [
            {"id": "C_0_q#0", "question": "who?", "answers": [{"text": "x"}, {"text": "y"}],
             "yesno": "y", "followup": "n", "orig_answer": {"text": "y", "answer_start": 1}},
            {"id": "C_0_q#1", "question": "why?", "answers": [{"text": "CANNOTANSWER"}],
             "yesno": "x"}]}]}]}"#;

    #[test]
    fn a_turn_has_its_dialog_and_history() {
        let found = records(Quac, FILE.as_bytes(), |source| {
            source.columns = vec!["yesno".to_owned(), "followup".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!(first.example.references, ["x".into(), "y".into()]);
        assert_eq!((first.example.turn, first.example.history.len()), (Some(0), 0));
        assert_eq!((second.example.group.as_deref(), second.example.turn), (Some("C_0"), Some(1)));
        let history = Exchange { question: "who?".to_owned(), answer: "x".to_owned() };
        assert_eq!(second.example.history, [history]);
        assert_eq!(first.example.columns["yesno"], Value::Text("y".to_owned()));
        assert_eq!(second.example.columns.get("followup"), None);
    }

    #[test]
    fn a_paragraph_must_be_a_dialog() {
        let error = records(Quac, FILE.replace("\"id\": \"C_0\",", "").as_bytes(), |_| {});
        let expected = "`file`: paragraph 1: the dialog has no `id`\n\
                        hint: a file without dialogs has the format `squad`";
        assert_eq!(error.unwrap_err(), expected);
    }
}
