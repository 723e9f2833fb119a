//! NQ-open: JSON lines of questions and answers, without ids.
//!
//! The script of EfficientQA joins predictions on the text of the question, so that is the id.

use std::collections::BTreeMap;

use crate::DatasetFields;

/// Where the lines have what. Nothing else is read but columns that somebody asks for.
pub(crate) fn fields() -> DatasetFields {
    let named = |name: &str| Some(name.to_owned());
    DatasetFields {
        id: named("question"),
        question: named("question"),
        references: named("answer"),
        context: named(""),
        gold_passages: named(""),
        group: named(""),
        turn: named(""),
        history: named(""),
        prediction: named(""),
        confidence: named(""),
        hits: named(""),
        citations: named(""),
        verdict: named(""),
        labels: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::Value;

    use crate::{DatasetFormat::NqOpen, testing::records};

    #[test]
    fn the_question_is_the_id() {
        let lines = "{\"question\": \"who?\", \"answer\": [\"Ann\", \"Bo\"], \"context\": 1}\n\
                     {\"question\": \"why?\", \"answer\": [], \"hard\": true}\n";
        let found = records(NqOpen, lines.as_bytes(), |source| {
            source.columns = vec!["hard".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.example.id.as_str(), first.example.question.as_str()), ("who?", "who?"));
        assert_eq!(first.example.references, ["Ann".into(), "Bo".into()]);
        assert_eq!((first.example.context, second.example.answerable()), (None, false));
        assert_eq!(second.example.columns["hard"], Value::Bool(true));
    }

    #[test]
    fn lines_without_answers_and_second_questions_are_refused() {
        let check = |lines: &str, expected: &str| {
            assert_eq!(records(NqOpen, lines.as_bytes(), |_| {}).unwrap_err(), expected);
        };
        check(
            "{\"question\": \"who?\"}",
            "`file`, line 1: field `answer` is missing; the record has `question`",
        );
        check(
            "{\"question\": \"who?\", \"answer\": []}\n{\"question\": \"who?\", \"answer\": []}",
            "`file`, line 2: id `who?` is given twice, on lines 1 and 2\n\
             hint: ids must be unique: results are joined on them",
        );
    }
}
