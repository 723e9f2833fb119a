//! An answer as JSON, which gives the same answer back to the last bit.

use std::collections::BTreeMap;

use qeval_endpoint::Spent;
use qeval_sdk::core::{Candidate, Prediction, Usage, Value as Column};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the journal holds of an answer.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// `None` where the reader has nothing for the example.
    prediction: Option<Answer>,
    #[serde(default, skip_serializing_if = "is_zero")]
    requests: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    bytes: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    tokens: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    cost: u64,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    abstained: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Offer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<(usize, usize)>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    columns: BTreeMap<String, Cell>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    citations: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens_in: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens_out: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    price: Option<f64>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Offer {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<(usize, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passage: Option<String>,
}

/// A value of a column with its type.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Cell {
    Text(String),
    Integer(i64),
    Number(f64),
    Bool(bool),
    List(Vec<Cell>),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The answer as JSON; `None` where that would not be the same answer, as with a number that is none.
pub(super) fn write(prediction: Option<&Prediction>, spent: Spent) -> Option<Value> {
    let Spent { requests, bytes, tokens, cost, .. } = spent;
    let kept = Kept { prediction: prediction.map(Answer::new), requests, bytes, tokens, cost };
    let value = serde_json::to_value(kept).ok()?;
    let (again, _) = read(value.clone())?;
    (again.as_ref() == prediction).then_some(value)
}

/// The answer again, with what it has spent; `None` where this is none.
pub(super) fn read(value: Value) -> Option<(Option<Prediction>, Spent)> {
    let Kept { prediction, requests, bytes, tokens, cost } = serde_json::from_value(value).ok()?;
    let spent = Spent { requests, bytes, tokens, cost, ..Spent::default() };
    Some((prediction.map(Answer::into_prediction), spent))
}

impl Answer {
    fn new(prediction: &Prediction) -> Self {
        let Prediction {
            text,
            abstained,
            items,
            candidates,
            span,
            labels,
            columns,
            confidence,
            citations,
            seen,
            usage,
        } = prediction.clone();
        let Usage { latency_ms, tokens_in, tokens_out, cost } = usage;
        Self {
            text,
            abstained,
            items,
            candidates: candidates.into_iter().map(Offer::new).collect(),
            span: span.map(|span| (span.start, span.end)),
            labels,
            columns: columns.into_iter().map(|(name, cell)| (name, Cell::new(cell))).collect(),
            confidence,
            citations,
            seen,
            latency_ms,
            tokens_in,
            tokens_out,
            price: cost,
        }
    }

    fn into_prediction(self) -> Prediction {
        let Self {
            text,
            abstained,
            items,
            candidates,
            span,
            labels,
            columns,
            confidence,
            citations,
            seen,
            latency_ms,
            tokens_in,
            tokens_out,
            price,
        } = self;
        Prediction {
            text,
            abstained,
            items,
            candidates: candidates.into_iter().map(Offer::into_candidate).collect(),
            span: span.map(|(start, end)| start..end),
            labels,
            columns: columns.into_iter().map(|(name, cell)| (name, cell.into_column())).collect(),
            confidence,
            citations,
            seen,
            usage: Usage { latency_ms, tokens_in, tokens_out, cost: price },
        }
    }
}

impl Offer {
    fn new(candidate: Candidate) -> Self {
        let Candidate { text, confidence, span, passage } = candidate;
        Self { text, confidence, span: span.map(|span| (span.start, span.end)), passage }
    }

    fn into_candidate(self) -> Candidate {
        let Self { text, confidence, span, passage } = self;
        Candidate { text, confidence, span: span.map(|(start, end)| start..end), passage }
    }
}

impl Cell {
    fn new(column: Column) -> Self {
        match column {
            Column::Text(text) => Self::Text(text),
            Column::Integer(number) => Self::Integer(number),
            Column::Number(number) => Self::Number(number),
            Column::Bool(value) => Self::Bool(value),
            Column::List(list) => Self::List(list.into_iter().map(Self::new).collect()),
        }
    }

    fn into_column(self) -> Column {
        match self {
            Self::Text(text) => Column::Text(text),
            Self::Integer(number) => Column::Integer(number),
            Self::Number(number) => Column::Number(number),
            Self::Bool(value) => Column::Bool(value),
            Self::List(list) => Column::List(list.into_iter().map(Self::into_column).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_back_to_the_last_bit() {
        let full = Prediction {
            text: "caf\u{e9}\n\"\u{2028}".to_owned(),
            items: vec!["a".to_owned(), String::new()],
            candidates: vec![Candidate {
                text: "b".to_owned(),
                confidence: Some(0.1 + 0.2),
                span: Some(3..3),
                passage: Some("p".to_owned()),
            }],
            span: Some(1..4),
            labels: BTreeMap::from([("yes_no".to_owned(), "y".to_owned())]),
            columns: BTreeMap::from([(
                "c".to_owned(),
                Column::List(vec![Column::Integer(1), Column::Number(1.0), Column::Bool(true)]),
            )]),
            confidence: Some(-0.0),
            citations: vec!["p".to_owned()],
            seen: Some(Vec::new()),
            usage: Usage {
                latency_ms: Some(f64::MIN_POSITIVE),
                tokens_in: Some(u64::MAX),
                tokens_out: Some(0),
                cost: Some(1e-7),
            },
            ..Prediction::default()
        };
        let spent = Spent { requests: 2, bytes: 1000, tokens: 9, cost: 3, replayed: 0 };
        let all = [None, Some(full), Some(Prediction::abstention()), Some(Prediction::answer("x"))];
        for prediction in all {
            let text = write(prediction.as_ref(), spent).unwrap().to_string();
            let (again, spent_again) = read(serde_json::from_str(&text).unwrap()).unwrap();
            // The debug form tells the zeros apart.
            assert_eq!(format!("{again:?}"), format!("{prediction:?}"));
            assert_eq!(spent_again, spent);
        }
    }

    #[test]
    fn what_would_change_is_not_kept() {
        let prediction = Prediction { confidence: Some(f64::NAN), ..Prediction::answer("x") };
        assert_eq!(write(Some(&prediction), Spent::default()), None);
        assert!(read(serde_json::json!({"prediction": {"text": "x", "later": 1}})).is_none());
    }
}
