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
//! | `hits` | `hit_ids: list<utf8>?`, `hit_scores: list<float64?>?`, of equal lengths; both null when there is no ranking |
//! | `cited_passages` | `cited_ids: list<utf8>?`, `cited_titles: list<utf8?>?`, `cited_texts: list<utf8?>?`, of equal lengths |
//! | `gold_texts` | `gold_titles: list<utf8?>`, `gold_texts: list<utf8?>`, in the order of the gold passages |
//! | `grades` | `grades: list<int32?>?`, null for an unjudged hit; `ideal_grades: list<int32>?`; both null when there is no ranking |
//! | `columns.NAME` | `columns.NAME: utf8?`, the value as JSON |
//!
//! Lists that hold the parts of one thing stand side by side because plain lists of text are easy
//! to read in every language.

mod reader;
mod writer;

pub use reader::decode;
pub(crate) use reader::decode_into;
pub(crate) use writer::Table;
pub use writer::encode;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arrow_array::RecordBatch;

    use proptest::prelude::*;
    use qeval_core::{Case, Example, Exchange, JudgedRanking, Named, Passage, Prediction, Value};

    use super::*;
    use crate::{Input, OwnedCases};

    /// All that a case holds and that crosses.
    #[derive(Clone, Debug, PartialEq)]
    struct Parts {
        example: Example,
        prediction: Option<Prediction>,
        passages: Vec<Passage>,
        hits: Option<Vec<(String, Option<f64>)>>,
        cited: Option<Vec<(String, Option<Passage>)>>,
        gold: Vec<(String, Option<Passage>)>,
        ranking: Option<JudgedRanking>,
    }

    impl Parts {
        fn of(case: &Case<'_>) -> Self {
            Self {
                example: case.example.clone(),
                prediction: case.prediction.cloned(),
                passages: case.passages.iter().map(|&passage| passage.clone()).collect(),
                hits: case.hits.map(|hits| {
                    hits.iter().map(|hit| (hit.passage.to_owned(), hit.score)).collect()
                }),
                cited: case.cited.map(owned),
                gold: owned(case.gold),
                ranking: case.ranking.cloned(),
            }
        }
    }

    fn owned(named: &[Named<'_>]) -> Vec<(String, Option<Passage>)> {
        named.iter().map(|named| (named.id.to_owned(), named.passage.cloned())).collect()
    }

    fn owned_cases(parts: &[Parts]) -> OwnedCases {
        let all = || parts.iter().cloned();
        OwnedCases {
            examples: all().map(|parts| parts.example).collect(),
            predictions: all().map(|parts| parts.prediction).collect(),
            passages: all().map(|parts| parts.passages).collect(),
            hits: all().map(|parts| parts.hits).collect(),
            cited: all().map(|parts| parts.cited).collect(),
            gold: all().map(|parts| parts.gold).collect(),
            rankings: all().map(|parts| parts.ranking).collect(),
            ..OwnedCases::default()
        }
    }

    fn cross(parts: &[Parts], inputs: &[Input]) -> Vec<Parts> {
        decode(&encoded(parts, inputs))
            .unwrap()
            .with_cases(|cases| cases.iter().map(Parts::of).collect())
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
            Input::Hits,
            Input::CitedPassages,
            Input::GoldTexts,
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

    fn passage() -> impl Strategy<Value = Passage> {
        any::<(String, String)>().prop_map(|(title, text)| Passage {
            title,
            text,
            ..Passage::default()
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
        let hits = prop::option::of(prop::collection::vec(
            (any::<String>(), prop::option::of(-1e9..1e9)),
            0..3,
        ));
        let named = || prop::collection::vec((any::<String>(), prop::option::of(passage())), 0..3);
        let evidence = (hits, prop::option::of(named()), named());
        (example, prediction, pairs(), evidence, ranking).prop_map(
            |(example, prediction, passages, (hits, cited, gold), ranking)| {
                let ((id, question), references, context, history, _, extra) = example;
                let gold_passages = gold.iter().map(|(id, _)| id.clone()).collect();
                let under = |named: Vec<(String, Option<Passage>)>| {
                    let named = named.into_iter().map(|(id, passage)| {
                        let passage = passage.map(|passage| Passage { id: id.clone(), ..passage });
                        (id, passage)
                    });
                    named.collect()
                };
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
                    hits,
                    cited: cited.map(under),
                    gold: under(gold),
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

    /// The batch of some cases with these inputs.
    fn encoded(parts: &[Parts], inputs: &[Input]) -> RecordBatch {
        owned_cases(parts).with_cases(|cases| encode(cases, inputs)).unwrap()
    }

    proptest! {
        #[test]
        fn nothing_stays_of_the_batch_before(
            before in prop::collection::vec(parts(), 0..4),
            after in prop::collection::vec(parts(), 0..4),
        ) {
            let mut cases = OwnedCases::default();
            decode_into(&encoded(&before, &every_input()), &mut cases).unwrap();
            decode_into(&encoded(&after, &every_input()), &mut cases).unwrap();
            let got: Vec<Parts> = cases.with_cases(|cases| cases.iter().map(Parts::of).collect());
            prop_assert_eq!(got, after);
        }

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
            hits: Some(Vec::new()),
            cited: None,
            gold: vec![("a".to_owned(), None)],
            ranking: None,
        };
        let got = cross(std::slice::from_ref(&parts), &[Input::References]);
        let example =
            Example { id: "x".to_owned(), references: vec!["3 days".into()], ..Example::default() };
        let gold = Vec::new();
        assert_eq!(got, [Parts { example, prediction: None, hits: None, gold, ..parts }]);
    }
}
