//! A batch of cases as one Arrow record batch: what goes over the plugin boundary.
//!
//! `example_id` comes first and is always there; then, in this order, what was asked for:
//!
//! | input | columns |
//! |---|---|
//! | `question` | `question: utf8` |
//! | `prediction` | `prediction: utf8?`, `abstained: bool?`, `confidence: float64?`, `citations: list<utf8>?`; all null when there is no prediction |
//! | `references` | `references: list<utf8>` |
//! | `context` | `context: utf8?` |
//! | `history` | `history_questions: list<utf8>`, `history_answers: list<utf8>`, of equal lengths |
//! | `gold_passages` | `gold_passages: list<utf8>` |
//! | `passages` | `passage_ids: list<utf8>`, `passage_titles: list<utf8>`, `passage_texts: list<utf8>`, of equal lengths, best passage first |
//! | `grades` | `grades: list<int32?>?`, null for an unjudged hit; `ideal_grades: list<int32>?`; both null when there is no ranking |
//! | `columns.NAME` | `columns.NAME: utf8?`, the value as JSON |
//!
//! Lists that hold the parts of one thing stand side by side because plain lists of text are easy
//! to read in every language.

mod reader;
mod writer;

pub use reader::decode;
pub(crate) use writer::Table;
pub use writer::encode;

use crate::{Failure, FailureKind};

fn protocol(message: String) -> Failure {
    Failure::new(FailureKind::Protocol, message)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use qeval_core::{Case, Example, Exchange, JudgedRanking, Passage, Prediction, Value};

    use super::*;
    use crate::Input;

    /// All that a case holds and that crosses.
    #[derive(Clone, Debug, PartialEq)]
    struct Parts {
        example: Example,
        prediction: Option<Prediction>,
        passages: Vec<Passage>,
        ranking: Option<JudgedRanking>,
    }

    impl Parts {
        fn of(case: &Case<'_>) -> Self {
            Self {
                example: case.example.clone(),
                prediction: case.prediction.cloned(),
                passages: case.passages.iter().map(|&passage| passage.clone()).collect(),
                ranking: case.ranking.cloned(),
            }
        }
    }

    fn cross(parts: &[Parts], inputs: &[Input]) -> Vec<Parts> {
        let passages: Vec<Vec<&Passage>> =
            parts.iter().map(|parts| parts.passages.iter().collect()).collect();
        let cases: Vec<Case<'_>> = parts
            .iter()
            .zip(&passages)
            .map(|(parts, passages)| {
                let mut case = Case::new(&parts.example).with_passages(passages);
                case.prediction = parts.prediction.as_ref();
                case.ranking = parts.ranking.as_ref();
                case
            })
            .collect();
        let batch = encode(&cases, inputs).unwrap();
        decode(&batch).unwrap().with_cases(|cases| cases.iter().map(Parts::of).collect())
    }

    fn every_input() -> Vec<Input> {
        vec![
            Input::Question,
            Input::Prediction,
            Input::References,
            Input::Context,
            Input::History,
            Input::GoldPassages,
            Input::Passages,
            Input::Grades,
            Input::Column("extra".to_owned()),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<String>().prop_map(Value::Text),
            any::<i64>().prop_map(Value::Integer),
            (-1e300..1e300).prop_map(Value::Number),
            any::<bool>().prop_map(Value::Bool),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| {
            prop::collection::vec(inner, 0..3).prop_map(Value::List)
        })
    }

    fn parts() -> impl Strategy<Value = Parts> {
        let texts = || prop::collection::vec(any::<String>(), 0..3);
        let pairs = || prop::collection::vec(any::<(String, String)>(), 0..3);
        let example = (
            any::<(String, String)>(),
            texts(),
            any::<Option<String>>(),
            pairs(),
            texts(),
            prop::option::of(value()),
        );
        let prediction =
            prop::option::of((any::<(String, bool)>(), prop::option::of(-1e9..1e9), texts()));
        let grades = prop::collection::vec(any::<Option<i32>>(), 0..3);
        let ranking = prop::option::of((grades, prop::collection::vec(any::<i32>(), 0..3)));
        (example, prediction, pairs(), ranking).prop_map(
            |(example, prediction, passages, ranking)| {
                let ((id, question), references, context, history, gold_passages, extra) = example;
                Parts {
                    example: Example {
                        id,
                        question,
                        references: references.into_iter().map(Into::into).collect(),
                        context,
                        history: history
                            .into_iter()
                            .map(|(question, answer)| Exchange { question, answer })
                            .collect(),
                        gold_passages,
                        columns: extra
                            .map(|value| ("extra".to_owned(), value))
                            .into_iter()
                            .collect(),
                        ..Example::default()
                    },
                    prediction: prediction.map(|((text, abstained), confidence, citations)| {
                        Prediction {
                            text,
                            abstained,
                            confidence,
                            citations,
                            ..Prediction::default()
                        }
                    }),
                    passages: passages
                        .into_iter()
                        .map(|(id, text)| Passage {
                            title: id.clone(),
                            id,
                            text,
                            ..Passage::default()
                        })
                        .collect(),
                    ranking: ranking.map(|(grades, ideal)| JudgedRanking {
                        grades,
                        ideal,
                        zeros: None,
                        subtopics: None,
                    }),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn cases_cross_unchanged(parts in prop::collection::vec(parts(), 0..4)) {
            prop_assert_eq!(cross(&parts, &every_input()), parts);
        }
    }

    #[test]
    fn what_is_not_asked_for_stays_behind() {
        let columns = BTreeMap::from([("topic".to_owned(), Value::Text("leave".to_owned()))]);
        let parts = Parts {
            example: Example {
                id: "x".to_owned(),
                question: "how long?".to_owned(),
                references: vec!["3 days".into()],
                columns,
                ..Example::default()
            },
            prediction: Some(Prediction::answer("4 days")),
            passages: Vec::new(),
            ranking: None,
        };
        let got = cross(std::slice::from_ref(&parts), &[Input::References]);
        let example =
            Example { id: "x".to_owned(), references: vec!["3 days".into()], ..Example::default() };
        assert_eq!(got, [Parts { example, prediction: None, ..parts }]);
    }
}
