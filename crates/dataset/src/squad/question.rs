//! A text of SQuAD's JSON with its questions.

use std::fmt;

use qeval_core::{Reference, Value};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::cell::Key;

/// A text with its questions.
#[derive(Deserialize)]
pub(crate) struct Paragraph {
    /// Id of the dialog, in QuAC.
    pub(crate) id: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) qas: Vec<Question>,
}

/// A question with its answers.
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Always there in a file that can be scored; empty for a question without an answer.
    pub(crate) answers: Option<Vec<Answer>>,
    pub(crate) orig_answer: Option<Answer>,
    /// All other members, which may be asked for as columns.
    pub(crate) others: Vec<(String, Plain)>,
}

/// Members that the questions of SQuAD have and nobody asks for: one follows from the answers, the
/// other is large.
const IGNORED: [&str; 2] = ["is_impossible", "plausible_answers"];

/// A value that can be a column, and what else there is.
pub(crate) enum Plain {
    Value(Value),
    Null,
    /// An object, or a list with something that is no plain value.
    Other,
}

/// An answer with its place in the context.
#[derive(Deserialize)]
pub(crate) struct Answer {
    pub(crate) text: String,
    #[serde(rename = "answer_start")]
    start: Option<i64>,
}

impl From<Answer> for Reference {
    fn from(answer: Answer) -> Self {
        // Datasets write -1 for a place that they don't know.
        let start = answer.start.and_then(|start| usize::try_from(start).ok());
        Self { start, ..answer.text.into() }
    }
}

impl<'de> Deserialize<'de> for Question {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(QuestionVisitor)
    }
}

struct QuestionVisitor;

impl<'de> Visitor<'de> for QuestionVisitor {
    type Value = Question;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Question, A::Error> {
        let (mut id, mut text, mut answers, mut orig_answer) = (None, None, None, None);
        let mut others: Vec<(String, Plain)> = Vec::new();
        while let Some(Key(key)) = object.next_key()? {
            match key.as_ref() {
                "id" => once(&mut id, "id", object.next_value()?)?,
                "question" => once(&mut text, "question", object.next_value()?)?,
                "answers" => once(&mut answers, "answers", object.next_value()?)?,
                "orig_answer" => once(&mut orig_answer, "orig_answer", object.next_value()?)?,
                ignored if IGNORED.contains(&ignored) => {
                    object.next_value::<IgnoredAny>()?;
                }
                other if others.iter().any(|(name, _)| name == other) => {
                    return Err(A::Error::custom(format!("duplicate field `{other}`")));
                }
                _ => others.push((key.into_owned(), object.next_value()?)),
            }
        }
        Ok(Question {
            id: id.ok_or_else(|| A::Error::missing_field("id"))?,
            text: text.unwrap_or_default(),
            answers: answers.flatten(),
            orig_answer: orig_answer.flatten(),
            others,
        })
    }
}

/// Puts a member where it belongs; it may occur once.
fn once<T, E: serde::de::Error>(
    place: &mut Option<T>,
    name: &'static str,
    value: T,
) -> Result<(), E> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Plain, E> {
        Ok(Plain::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Plain, E> {
        Ok(Plain::Value(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Plain, E> {
        Ok(Plain::Value(Value::Integer(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Plain, E> {
        let value = i64::try_from(value).map_or(Value::Number(value as f64), Value::Integer);
        Ok(Plain::Value(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Plain, E> {
        Ok(Plain::Value(Value::Number(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Plain, E> {
        Ok(Plain::Value(Value::Text(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Plain, A::Error> {
        let mut values = Some(Vec::new());
        while let Some(item) = list.next_element()? {
            values = match (values, item) {
                (Some(mut values), Plain::Value(value)) => {
                    values.push(value);
                    Some(values)
                }
                _ => None,
            };
        }
        Ok(values.map_or(Plain::Other, |values| Plain::Value(Value::List(values))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Plain, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Plain::Other)
    }
}
