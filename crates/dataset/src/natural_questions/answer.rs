//! What a file says that an annotator or a system says.

use std::fmt;

use qeval_core::{
    Prediction, Value,
    metrics::natural_questions::{
        label::{LONG_SCORE, Label, SHORT_SCORE, Span, YesNo, yes_no},
        outcome::BothKinds,
    },
};
use serde::{Deserialize, Deserializer, de::Visitor};

use super::within;
use crate::Problem;

/// An id, which is a whole number in the published files.
pub(crate) struct Id(pub(crate) String);

/// What one annotator says.
#[derive(Deserialize)]
pub(super) struct Annotation {
    long_answer: Place,
    short_answers: Vec<Place>,
    yes_no_answer: String,
}

impl Annotation {
    pub(super) fn label(&self) -> Result<Label, Problem> {
        label(Some(&self.long_answer), &self.short_answers, Some(&self.yes_no_answer))
    }
}

/// A prediction: an item of the list `predictions`.
#[derive(Deserialize)]
pub(crate) struct Predicted {
    example_id: Id,
    long_answer: Option<Place>,
    long_answer_score: Option<f64>,
    short_answers: Option<Vec<Place>>,
    short_answers_score: Option<f64>,
    yes_no_answer: Option<String>,
}

impl Predicted {
    /// The id of the example, and the prediction. The short answer counts as its answer; the text of
    /// spans is not known.
    pub(crate) fn into_parts(self) -> Result<(String, Prediction), Problem> {
        let Self { example_id: Id(id), long_answer, short_answers, yes_no_answer, .. } = self;
        let spans = short_answers.unwrap_or_default();
        let label = label(long_answer.as_ref(), &spans, yes_no_answer.as_deref())
            .map_err(|problem| within(&format!("prediction of `{id}`"), problem))?;
        if label.yes_no.is_some() && label.spans().next().is_some() {
            return Err(within(
                &format!("prediction of `{id}`"),
                Problem::new(BothKinds.to_string()),
            ));
        }
        let scores =
            [(LONG_SCORE, self.long_answer_score), (SHORT_SCORE, self.short_answers_score)];
        let scores = scores.map(|(name, score)| Some((name, Value::Number(score?))));
        let columns = label.columns_of_prediction().into_iter().chain(scores.into_iter().flatten());
        let prediction = Prediction {
            text: label.yes_no.map(YesNo::word).unwrap_or_default().to_owned(),
            abstained: !label.has_short(),
            confidence: self.short_answers_score,
            columns: columns.map(|(name, value)| (name.to_owned(), value)).collect(),
            ..Prediction::default()
        };
        Ok((id, prediction))
    }
}

/// A span. A file may have its bytes, its tokens, or both.
#[derive(Deserialize)]
struct Place {
    start_byte: Option<i64>,
    end_byte: Option<i64>,
    start_token: Option<i64>,
    end_token: Option<i64>,
}

impl Place {
    fn span(&self) -> Result<Span, Problem> {
        let Self { start_byte, end_byte, start_token, end_token } = *self;
        let pair = |what: &str, start: Option<i64>, end: Option<i64>| match (start, end) {
            (Some(start), Some(end)) => Ok((start, end)),
            (None, None) => Ok((-1, -1)),
            (Some(_), None) => Err(missing(&format!("`start_{what}` and no `end_{what}`"))),
            (None, Some(_)) => Err(missing(&format!("`end_{what}` and no `start_{what}`"))),
        };
        if [start_byte, start_token, end_byte, end_token].iter().all(Option::is_none) {
            return Err(missing("neither `start_token` nor `start_byte`"));
        }
        let bytes = pair("byte", start_byte, end_byte)?;
        let tokens = pair("token", start_token, end_token)?;
        Span::new(bytes, tokens).map_err(|error| {
            Problem::new(error.to_string())
                .with_hint("the start is before the end, or both are -1 for no span")
        })
    }
}

fn missing(what: &str) -> Problem {
    Problem::new(format!("it has {what}"))
}

fn label(long: Option<&Place>, short: &[Place], word: Option<&str>) -> Result<Label, Problem> {
    let long = long.map(Place::span).transpose();
    let spans = short.iter().map(Place::span).collect::<Result<_, _>>();
    let closed = match word {
        None => None,
        Some(word) => yes_no(word).ok_or_else(|| {
            Problem::new(format!("`yes_no_answer` is `{word}`, expected YES, NO or NONE"))
        })?,
    };
    Ok(Label {
        long: long.map_err(|problem| within("long answer", problem))?.unwrap_or_default(),
        short: spans.map_err(|problem| within("short answers", problem))?,
        yes_no: closed,
    })
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number or a text")
    }

    fn visit_i64<E>(self, id: i64) -> Result<Id, E> {
        Ok(Id(id.to_string()))
    }

    fn visit_u64<E>(self, id: u64) -> Result<Id, E> {
        Ok(Id(id.to_string()))
    }

    fn visit_str<E>(self, id: &str) -> Result<Id, E> {
        Ok(Id(id.to_owned()))
    }
}
