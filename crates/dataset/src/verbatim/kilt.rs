//! KILT: outputs without an answer, without provenance, and with provenance that names no page.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// A line of a dataset, or of predictions.
#[derive(Clone, Debug, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: Value,
    /// What is asked.
    #[serde(default, deserialize_with = "given")]
    pub input: Option<Value>,
    /// Answers with their provenance.
    pub output: Vec<Output>,
}

/// An answer with its provenance.
#[derive(Clone, Debug, Deserialize)]
pub struct Output {
    /// The answer; `None` where there is no such member.
    #[serde(default, deserialize_with = "given")]
    pub answer: Option<Value>,
    /// The places it comes from.
    pub provenance: Option<Vec<Map<String, Value>>>,
}

/// A member that is there, also where it is null.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_not_missing() {
        let item: Item =
            serde_json::from_str(r#"{"id": 1, "output": [{"answer": null}]}"#).unwrap();
        assert_eq!((item.input, &item.output[0].answer), (None, &Some(Value::Null)));
    }
}
