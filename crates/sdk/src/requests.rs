//! Questions with passages to answers: what goes to a reader and comes back.
//!
//! A wrong answer is a failure of its question alone; a wrong form is one of all questions of the
//! batch.

use arrow_array::{Array, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use qeval_core::{Case, Prediction};

use crate::{
    Failure, FailureKind, Input, Request,
    batch::{self, Table},
    cells::{self, Lists},
};

/// What a reader gives for a question.
type Answer = Result<Option<Prediction>, Failure>;

/// Writes requests as a record batch: as cases with the inputs that a reader is given.
pub fn encode(requests: &[Request<'_>]) -> Result<RecordBatch, Failure> {
    let cases: Vec<Case<'_>> = requests.iter().map(case_of).collect();
    batch::encode(&cases, &[Input::Question, Input::History, Input::Passages])
}

/// Reads requests and calls `work` with them.
pub fn decode<T>(
    batch: &RecordBatch,
    work: impl FnOnce(&[Request<'_>]) -> T,
) -> Result<T, Failure> {
    Ok(batch::decode(batch)?.with_cases(|cases| {
        let requests: Vec<Request<'_>> = cases.iter().map(request_of).collect();
        work(&requests)
    }))
}

fn case_of<'a>(request: &Request<'a>) -> Case<'a> {
    Case::new(request.example).with_passages(request.passages)
}

fn request_of<'a>(case: &Case<'a>) -> Request<'a> {
    Request { example: case.example, passages: case.passages }
}

/// Writes the answers to so many requests.
pub fn encode_answer(answers: &[Answer], requests: usize) -> Result<RecordBatch, Failure> {
    if answers.len() != requests {
        let message = format!("it gave {} answers for {requests} questions", answers.len());
        return Err(Failure::protocol(message));
    }
    let placed = |answer: &Answer| {
        let prediction = answer.as_ref().ok()?.as_ref()?;
        prediction
            .span_alone()
            .map(|_| Failure::protocol("an answer that is known by its place alone cannot cross"))
    };
    let placed: Vec<Option<Failure>> = answers.iter().map(placed).collect();
    let given = || {
        let both = answers.iter().zip(&placed);
        both.map(|(answer, placed)| match (answer, placed) {
            (Ok(Some(prediction)), None) => Some(prediction),
            _ => None,
        })
    };
    let mut table = Table::default();
    table.texts("prediction", given().map(|given| Some(given?.text.as_str())))?;
    table.push("abstained", given().map(|g| Some(g?.abstained)).collect::<BooleanArray>());
    table.push("confidence", given().map(|g| g?.confidence).collect::<Float64Array>());
    table.lists("citations", given().map(|g| Some(g?.citations.iter().map(String::as_str))))?;
    let failures = answers.iter().zip(&placed);
    table.failures(failures.map(|(answer, placed)| answer.as_ref().err().or(placed.as_ref())))?;
    table.into_batch()
}

/// Reads and checks the answers that came back for so many requests.
pub fn decode_answer(batch: &RecordBatch, requests: usize) -> Result<Vec<Answer>, Failure> {
    cells::check_rows(batch, requests, "questions")?;
    let texts = cells::required::<StringArray>(batch, "prediction", &DataType::Utf8)?;
    let abstained = cells::optional::<BooleanArray>(batch, "abstained", &DataType::Boolean)?;
    let confidence = cells::optional::<Float64Array>(batch, "confidence", &DataType::Float64)?;
    let citations = Lists::<StringArray>::optional(batch, "citations", &DataType::Utf8)?;
    let failures = cells::optional::<StringArray>(batch, "failure", &DataType::Utf8)?;
    let answer = |row| {
        if let Some(message) = cells::text(failures, row) {
            return Err(Failure::new(FailureKind::Refused, message));
        }
        let abstained = abstained.filter(|a| a.is_valid(row)).map(|a| a.value(row));
        let Some(text) = cells::text(Some(texts), row) else {
            if abstained == Some(true) {
                let message = "`abstained` is true without a prediction, expected an empty one";
                return Err(Failure::protocol(message.to_owned()));
            }
            return Ok(None);
        };
        let confidence = confidence.filter(|c| c.is_valid(row)).map(|c| c.value(row));
        if confidence.is_some_and(|confidence| !confidence.is_finite()) {
            return Err(Failure::new(FailureKind::Value, "the confidence is not a number"));
        }
        let cited = citations.as_ref().and_then(|lists| lists.row(row)).unwrap_or_default();
        let cited: Option<Vec<String>> =
            cited.into_iter().map(|id| id.map(str::to_owned)).collect();
        let citations = cited.ok_or_else(|| Failure::protocol("a citation is null"))?;
        let prediction = Prediction::answer(text);
        let abstained = abstained.unwrap_or(prediction.abstained);
        Ok(Some(Prediction { abstained, confidence, citations, ..prediction }))
    };
    Ok((0..requests).map(answer).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef,
        builder::{ListBuilder, StringBuilder},
    };
    use proptest::prelude::*;
    use qeval_core::{Example, Exchange, Passage};

    use super::*;

    fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
        prop::collection::vec(any::<(String, String)>(), 0..3)
    }

    proptest! {
        #[test]
        fn requests_cross_unchanged(
            parts in prop::collection::vec((any::<(String, String)>(), pairs(), pairs()), 0..4),
        ) {
            let example = |id: &str, question: &str, history: &[(String, String)]| Example {
                id: id.to_owned(),
                question: question.to_owned(),
                history: history
                    .iter()
                    .map(|(q, a)| Exchange { question: q.clone(), answer: a.clone() })
                    .collect(),
                ..Example::default()
            };
            let passage = |(id, text): &(String, String)| Passage {
                id: id.clone(),
                title: text.clone(),
                text: text.clone(),
                ..Passage::default()
            };
            let examples: Vec<Example> =
                parts.iter().map(|((id, q), history, _)| example(id, q, history)).collect();
            let passages: Vec<Vec<Passage>> =
                parts.iter().map(|(_, _, p)| p.iter().map(passage).collect()).collect();
            let shown: Vec<Vec<&Passage>> = passages.iter().map(|p| p.iter().collect()).collect();
            let requests: Vec<Request<'_>> = examples
                .iter()
                .zip(&shown)
                .map(|(example, passages)| Request { example, passages })
                .collect();
            let batch = encode(&requests).unwrap();
            let same = decode(&batch, |got| {
                got.len() == requests.len()
                    && got.iter().zip(&requests).all(|(got, request)| {
                        got.example == request.example && got.passages == request.passages
                    })
            });
            prop_assert_eq!(same, Ok(true));
        }

        #[test]
        fn answers_cross_unchanged(
            answers in prop::collection::vec(
                prop::result::maybe_ok(
                    prop::option::of((
                        any::<String>(),
                        any::<bool>(),
                        prop::option::of(-1e9..1e9),
                        prop::collection::vec(any::<String>(), 0..3),
                    )),
                    any::<String>(),
                ),
                0..5,
            ),
        ) {
            let answers: Vec<Answer> = answers
                .into_iter()
                .map(|answer| match answer {
                    Ok(parts) => Ok(parts.map(|(text, abstained, confidence, citations)| {
                        Prediction { text, abstained, confidence, citations, ..Prediction::default() }
                    })),
                    Err(message) => Err(Failure::new(FailureKind::Refused, message)),
                })
                .collect();
            let batch = encode_answer(&answers, answers.len()).unwrap();
            prop_assert_eq!(decode_answer(&batch, answers.len()), Ok(answers));
        }
    }

    fn read(columns: Vec<(&str, ArrayRef)>) -> Result<Vec<Answer>, Failure> {
        let columns = columns.into_iter().map(|(name, array)| (name, array, true));
        decode_answer(&RecordBatch::try_from_iter_with_nullable(columns).unwrap(), 2)
    }

    fn texts(texts: [Option<&str>; 2]) -> ArrayRef {
        Arc::new(StringArray::from(texts.to_vec()))
    }

    #[test]
    fn a_text_is_enough() {
        assert_eq!(
            read(vec![("prediction", texts([Some(" "), None]))]),
            Ok(vec![
                Ok(Some(Prediction { text: " ".into(), ..Prediction::abstention() })),
                Ok(None)
            ])
        );
    }

    #[test]
    fn a_wrong_answer_fails_its_question_alone() {
        let mut cited = ListBuilder::new(StringBuilder::new());
        cited.values().append_null();
        cited.append(true);
        cited.append(false);
        let cited: ArrayRef = Arc::new(cited.finish());
        let sure: ArrayRef = Arc::new(Float64Array::from(vec![Some(f64::NAN), None]));
        let abstained: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None]));
        for (first, name, column, message) in [
            (Some("a"), "citations", cited, "protocol: a citation is null"),
            (Some("a"), "confidence", sure, "value: the confidence is not a number"),
            (Some("a"), "failure", texts([Some("no luck"), None]), "refused: no luck"),
            (
                None,
                "abstained",
                abstained,
                "protocol: `abstained` is true without a prediction, expected an empty one",
            ),
        ] {
            let answers = read(vec![("prediction", texts([first, Some("b")])), (name, column)]);
            let answers = answers.unwrap();
            assert_eq!(answers[0].as_ref().unwrap_err().to_string(), message);
            assert_eq!(answers[1], Ok(Some(Prediction::answer("b"))));
        }
    }

    #[test]
    fn a_wrong_form_fails_all_questions() {
        let lacking = read(vec![("failure", texts([None, None]))]).unwrap_err();
        assert_eq!(lacking.to_string(), "protocol: the batch has no column `prediction`");
        let batch = encode_answer(&[Ok(None)], 1).unwrap();
        let short = decode_answer(&batch, 2).unwrap_err();
        assert_eq!(short.to_string(), "protocol: it gave 1 rows for 2 questions");
    }

    #[test]
    fn a_place_without_a_text_is_told() {
        let batch = encode_answer(&[Ok(Some(Prediction::at(0..3)))], 1).unwrap();
        let answers = decode_answer(&batch, 1).unwrap();
        assert_eq!(
            answers[0].as_ref().unwrap_err().message,
            "an answer that is known by its place alone cannot cross"
        );
    }
}
