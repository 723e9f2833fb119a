//! QuAC: dialogs about a text, and the predictions that its scorer reads.

use qeval_core::{Example, Exchange, Prediction};
use serde::Deserialize;

use crate::{
    Problem, Record,
    record::Span,
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
///
/// The scorer reads the texts. A line may have the places of the answers in the context beside them
/// or in their place, in code points. (`best_span`, which some systems write too, counts tokens.)
#[derive(Deserialize)]
pub(crate) struct DialogAnswers {
    qid: Vec<String>,
    best_span_str: Option<Vec<Option<String>>>,
    span: Option<Vec<Option<(usize, usize)>>>,
    start: Option<Vec<Option<usize>>>,
    end: Option<Vec<Option<usize>>>,
    yesno: Vec<String>,
    followup: Vec<String>,
}

/// The answer to one turn.
pub(crate) struct TurnAnswer {
    pub(crate) id: String,
    pub(crate) prediction: Prediction,
}

impl DialogAnswers {
    /// The answers turn by turn.
    pub(crate) fn turns(self) -> Result<Vec<TurnAnswer>, Problem> {
        let turns = self.qid.len();
        let lengths = [
            ("best_span_str", self.best_span_str.as_ref().map(Vec::len)),
            ("span", self.span.as_ref().map(Vec::len)),
            ("start", self.start.as_ref().map(Vec::len)),
            ("end", self.end.as_ref().map(Vec::len)),
            ("yesno", Some(self.yesno.len())),
            ("followup", Some(self.followup.len())),
        ];
        let other = lengths.into_iter().find(|(_, length)| length.is_some_and(|n| n != turns));
        if let Some((name, length)) = other {
            let found = length.unwrap_or(0);
            return Err(Problem::new(format!(
                "`qid` has {turns} items and `{name}` {found}, expected as many"
            )));
        }
        let mut texts = items(self.best_span_str);
        let (mut starts, mut ends, mut both) =
            (items(self.start), items(self.end), items(self.span));
        let acts = self.yesno.into_iter().zip(self.followup);
        let turns = self.qid.into_iter().zip(acts).map(|(id, (yesno, followup))| {
            let place = Span { start: starts(), end: ends(), both: both() };
            let span = place.range().map_err(|problem| {
                let message = format!("turn `{id}`: {}", problem.message);
                Problem { message, hint: None, ..problem }
            })?;
            let prediction = match (texts(), &span) {
                (Some(text), _) => Prediction::answer(text),
                (None, Some(_)) => Prediction::default(),
                (None, None) => {
                    return Err(Problem::new(format!("turn `{id}` has no `best_span_str`")));
                }
            };
            let labels = [("yesno".to_owned(), yesno), ("followup".to_owned(), followup)].into();
            Ok(TurnAnswer { id, prediction: Prediction { span, labels, ..prediction } })
        });
        turns.collect()
    }
}

/// Hands out the items of a list that may be missing.
fn items<T>(list: Option<Vec<Option<T>>>) -> impl FnMut() -> Option<T> {
    let mut items = list.into_iter().flatten();
    move || items.next().flatten()
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
