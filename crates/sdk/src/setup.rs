//! The setup: what an instance of a plugin is asked to be.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{Argument, Failure, FailureKind};

/// What an instance is asked to be. It crosses the boundary as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Which component of the plugin.
    #[serde(flatten)]
    pub role: Role,
    /// The user's options for the plugin.
    #[serde(default)]
    pub options: Map<String, Value>,
}

/// Which component of a plugin an instance is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "component", rename_all = "snake_case")]
pub enum Role {
    /// Scores cases.
    Scorer {
        /// What it computes, in the order of its columns.
        metrics: Vec<Asked>,
    },
    /// Normalises texts.
    Normalizer {
        /// Which one.
        name: String,
    },
    /// Finds passages.
    Retriever {
        /// The most hits for a question.
        depth: usize,
    },
    /// Answers questions.
    Reader,
}

/// A metric that a scorer is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The name of its column: the metric with the parameters that are not the default.
    pub column: String,
    /// The metric.
    pub name: String,
    /// A value for each of its parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, Argument>,
}

impl Setup {
    /// The options as a value of the plugin's own; an empty table gives what serde makes of one.
    /// Options that do not fit are a failure, which users see with the place in their file.
    pub fn options<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_value(Value::Object(self.options.clone())).map_err(|error| {
            Failure::new(FailureKind::Refused, format!("its options are wrong: {error}"))
        })
    }

    /// For a plugin without options: a failure where some are given.
    pub fn no_options(&self) -> Result<(), Failure> {
        match self.options.keys().next() {
            None => Ok(()),
            Some(key) => Err(Failure::new(
                FailureKind::Refused,
                format!("the plugin takes no options, but `{key}` is given"),
            )),
        }
    }

    /// The metrics of a scorer; none of another component.
    pub fn metrics(&self) -> &[Asked] {
        match &self.role {
            Role::Scorer { metrics } => metrics,
            Role::Normalizer { .. } | Role::Retriever { .. } | Role::Reader => &[],
        }
    }
}

impl Asked {
    /// The value of a number parameter.
    ///
    /// # Panics
    ///
    /// When the metric declares no such parameter.
    pub fn number(&self, name: &str) -> f64 {
        match self.argument(name) {
            Argument::Number(value) => *value,
            // JSON does not tell 1.0 from 1.
            #[expect(clippy::cast_precision_loss, reason = "a number that a user wrote")]
            Argument::Integer(value) => *value as f64,
            Argument::Text(text) => panic!("`{name}` of `{}` is the text `{text}`", self.name),
        }
    }

    /// The value of an integer parameter.
    ///
    /// # Panics
    ///
    /// When the metric declares no such parameter.
    pub fn integer(&self, name: &str) -> i64 {
        match self.argument(name) {
            Argument::Integer(value) => *value,
            other => panic!("`{name}` of `{}` is `{other}`, no whole number", self.name),
        }
    }

    /// The value of a choice or a text.
    ///
    /// # Panics
    ///
    /// When the metric declares no such parameter.
    pub fn text(&self, name: &str) -> &str {
        match self.argument(name) {
            Argument::Text(text) => text,
            other => panic!("`{name}` of `{}` is `{other}`, no text", self.name),
        }
    }

    fn argument(&self, name: &str) -> &Argument {
        self.parameters
            .get(name)
            .unwrap_or_else(|| panic!("`{}` has no parameter `{name}`", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setups_are_the_json_of_the_specification() {
        for json in [
            r#"{"component":"scorer","metrics":[{"column":"m(t=0.1)","name":"m","parameters":{"t":0.1}}],"options":{"a":"b"}}"#,
            r#"{"component":"normalizer","name":"legal","options":{}}"#,
            r#"{"component":"retriever","depth":100,"options":{}}"#,
            r#"{"component":"reader","options":{}}"#,
        ] {
            let setup: Setup = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&setup).unwrap(), json);
        }
    }

    #[test]
    fn options_that_do_not_fit_are_refused() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Own {
            #[serde(default)]
            limit: u32,
        }
        let setup = |options: Value| Setup {
            role: Role::Reader,
            options: options.as_object().cloned().unwrap_or_default(),
        };
        assert_eq!(setup(serde_json::json!({})).options::<Own>().unwrap().limit, 0);
        let error = setup(serde_json::json!({"limti": 1})).options::<Own>().unwrap_err();
        assert!(
            error.message.starts_with("its options are wrong: unknown field `limti`"),
            "{error}"
        );
        let refused = setup(serde_json::json!({"x": 1})).no_options().unwrap_err();
        assert_eq!(refused.message, "the plugin takes no options, but `x` is given");
    }
}
