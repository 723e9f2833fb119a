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
        let answer = question.answers.first().or(question.orig_answer.as_ref());
        let answer = answer.map(|answer| answer.text.clone()).unwrap_or_default();
        let exchange = Exchange { question: question.question.clone(), answer };
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
