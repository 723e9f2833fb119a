//! Parameters of the metrics of plugins, and the names that give them values.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A parameter of a metric: what stands in `plugin.metric(parameter=value)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name: letters, digits, `_` and `-`, a letter first.
    pub name: String,
    /// What it changes, in one sentence.
    #[serde(default)]
    pub summary: String,
    /// What it takes and what it is when absent.
    #[serde(flatten)]
    pub kind: ParameterKind,
}

/// The values that a parameter takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ParameterKind {
    /// A whole number.
    Integer {
        /// Lowest value; `None` where there is no limit.
        #[serde(default)]
        min: Option<i64>,
        /// Highest value.
        #[serde(default)]
        max: Option<i64>,
        /// Value when absent.
        default: i64,
    },
    /// A finite number.
    Number {
        /// Lowest value; `None` where there is no limit.
        #[serde(default)]
        min: Option<f64>,
        /// Highest value.
        #[serde(default)]
        max: Option<f64>,
        /// Value when absent.
        default: f64,
    },
    /// One of some words.
    Choice {
        /// The words.
        values: Vec<String>,
        /// Value when absent; the first word where there is none.
        #[serde(default)]
        default: Option<String>,
    },
    /// Any text without `,`, `(`, `)` and `=`.
    Text {
        /// Value when absent.
        default: String,
    },
}

/// The value of a parameter. As JSON it is a number or a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Argument {
    /// Of [`ParameterKind::Integer`].
    Integer(i64),
    /// Of [`ParameterKind::Number`].
    Number(f64),
    /// Of [`ParameterKind::Choice`] and [`ParameterKind::Text`].
    Text(String),
}

impl Parameter {
    /// A number from `min` to `max`.
    pub fn number(name: &str, summary: &str, min: f64, max: f64, default: f64) -> Self {
        let limit = |limit: f64| limit.is_finite().then_some(limit);
        let kind = ParameterKind::Number { min: limit(min), max: limit(max), default };
        Self { name: name.to_owned(), summary: summary.to_owned(), kind }
    }

    /// A whole number from `min` on.
    pub fn integer(name: &str, summary: &str, min: i64, default: i64) -> Self {
        let kind = ParameterKind::Integer { min: Some(min), max: None, default };
        Self { name: name.to_owned(), summary: summary.to_owned(), kind }
    }

    /// One of these words, the first of which is the default.
    pub fn choice(name: &str, summary: &str, values: &[&str]) -> Self {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        let kind = ParameterKind::Choice { values, default: None };
        Self { name: name.to_owned(), summary: summary.to_owned(), kind }
    }

    /// The value when the parameter is absent.
    pub fn default(&self) -> Argument {
        match &self.kind {
            ParameterKind::Integer { default, .. } => Argument::Integer(*default),
            ParameterKind::Number { default, .. } => Argument::Number(*default),
            ParameterKind::Choice { values, default } => {
                let first = || values.first().cloned().unwrap_or_default();
                Argument::Text(default.clone().unwrap_or_else(first))
            }
            ParameterKind::Text { default } => Argument::Text(default.clone()),
        }
    }

    /// The values at the ends of what it takes: limits of numbers, all words of a choice.
    pub fn limits(&self) -> Vec<Argument> {
        match &self.kind {
            ParameterKind::Integer { min, max, .. } => {
                [min, max].into_iter().flatten().copied().map(Argument::Integer).collect()
            }
            ParameterKind::Number { min, max, .. } => {
                [min, max].into_iter().flatten().copied().map(Argument::Number).collect()
            }
            ParameterKind::Choice { values, .. } => {
                values.iter().cloned().map(Argument::Text).collect()
            }
            ParameterKind::Text { .. } => vec![Argument::Text(String::new())],
        }
    }

    /// Reads a value, or says what was expected.
    fn parse(&self, text: &str) -> Result<Argument, String> {
        let expected = match &self.kind {
            ParameterKind::Integer { min, max, .. } => match text.parse() {
                Ok(value) if within(&value, min.as_ref(), max.as_ref()) => {
                    return Ok(Argument::Integer(value));
                }
                _ => format!("a whole number{}", limits(min.as_ref(), max.as_ref())),
            },
            ParameterKind::Number { min, max, .. } => match text.parse() {
                Ok(value)
                    if f64::is_finite(value) && within(&value, min.as_ref(), max.as_ref()) =>
                {
                    return Ok(Argument::Number(value));
                }
                _ => format!("a number{}", limits(min.as_ref(), max.as_ref())),
            },
            ParameterKind::Choice { values, .. } => {
                match values.iter().find(|value| value.eq_ignore_ascii_case(text)) {
                    Some(value) => return Ok(Argument::Text(value.clone())),
                    None => format!("one of {}", values.join(", ")),
                }
            }
            ParameterKind::Text { .. } if !text.contains(['(', ')', '=', ',']) => {
                return Ok(Argument::Text(text.to_owned()));
            }
            ParameterKind::Text { .. } => "a text without `,`, `(`, `)` and `=`".to_owned(),
        };
        Err(format!("parameter `{}` is `{text}`, expected {expected}", self.name))
    }

    /// Whether the default is a value that may be given.
    pub(crate) fn check(&self) -> Result<(), String> {
        let default = self.default();
        match self.parse(&default.to_string()) {
            Ok(read) if read == default => Ok(()),
            Ok(_) | Err(_) => Err(format!("`{default}` cannot be the default of `{}`", self.name)),
        }
    }
}

fn within<T: PartialOrd>(value: &T, min: Option<&T>, max: Option<&T>) -> bool {
    min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
}

fn limits<T: fmt::Display>(min: Option<&T>, max: Option<&T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(", {min} or more"),
        (None, Some(max)) => format!(", {max} or less"),
        (None, None) => String::new(),
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

/// Splits `metric(a=1,b=2)` into the name and what stands between the parentheses.
pub fn split_name(text: &str) -> Result<(&str, &str), String> {
    match text.split_once('(') {
        None => Ok((text.trim(), "")),
        Some((base, rest)) => match rest.trim_end().strip_suffix(')') {
            Some(arguments) => Ok((base.trim(), arguments)),
            None => Err(format!("`{text}` lacks its closing parenthesis")),
        },
    }
}

/// The values of all parameters, in their order, from `a=1,b=2`. What is not named has its default.
pub fn parse_arguments(parameters: &[Parameter], text: &str) -> Result<Vec<Argument>, String> {
    let mut given: Vec<Option<Argument>> = vec![None; parameters.len()];
    for argument in text.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        let (name, value) = argument
            .split_once('=')
            .ok_or_else(|| format!("`{argument}` is no parameter, expected `name=value`"))?;
        let (name, value) = (name.trim(), value.trim().trim_matches(['\'', '"']));
        let index = parameters.iter().position(|p| p.name == name).ok_or_else(|| {
            let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
            if names.is_empty() {
                format!("it has no parameter `{name}`, and no other")
            } else {
                format!("it has no parameter `{name}`, it takes {}", names.join(", "))
            }
        })?;
        if given[index].replace(parameters[index].parse(value)?).is_some() {
            return Err(format!("parameter `{name}` is given twice"));
        }
    }
    let values = parameters.iter().zip(given);
    Ok(values.map(|(parameter, given)| given.unwrap_or_else(|| parameter.default())).collect())
}

/// The name with the values that are not the default: `metric(a=1)`.
pub fn display_name(name: &str, parameters: &[Parameter], arguments: &[Argument]) -> String {
    let told: Vec<String> = parameters
        .iter()
        .zip(arguments)
        .filter(|(parameter, argument)| parameter.default() != **argument)
        .map(|(parameter, argument)| format!("{}={argument}", parameter.name))
        .collect();
    if told.is_empty() { name.to_owned() } else { format!("{name}({})", told.join(",")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::number("tolerance", "", 0.0, 1.0, 0.0),
            Parameter::integer("words", "", 1, 3),
            Parameter::choice("case", "", &["lower", "keep"]),
            Parameter {
                name: "unit".to_owned(),
                summary: String::new(),
                kind: ParameterKind::Text { default: String::new() },
            },
        ]
    }

    fn display(text: &str) -> Result<String, String> {
        let parameters = parameters();
        let (name, arguments) = split_name(text)?;
        Ok(display_name(name, &parameters, &parse_arguments(&parameters, arguments)?))
    }

    #[test]
    fn names_are_canonical() {
        for (written, shown) in [
            ("m", "m"),
            ("m()", "m"),
            ("m(tolerance=0)", "m"),
            ("m( words = 5 , tolerance=0.10 )", "m(tolerance=0.1,words=5)"),
            ("m(case=KEEP)", "m(case=keep)"),
            ("m(unit='km')", "m(unit=km)"),
        ] {
            assert_eq!(display(written).as_deref(), Ok(shown), "{written}");
        }
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        for (written, message) in [
            ("m(tolerance=2)", "parameter `tolerance` is `2`, expected a number from 0 to 1"),
            ("m(tolerance=NaN)", "parameter `tolerance` is `NaN`, expected a number from 0 to 1"),
            ("m(words=0)", "parameter `words` is `0`, expected a whole number, 1 or more"),
            ("m(case=upper)", "parameter `case` is `upper`, expected one of lower, keep"),
            ("m(k=1)", "it has no parameter `k`, it takes tolerance, words, case, unit"),
            ("m(words=1,words=1)", "parameter `words` is given twice"),
            ("m(words)", "`words` is no parameter, expected `name=value`"),
            ("m(words=1", "`m(words=1` lacks its closing parenthesis"),
        ] {
            assert_eq!(display(written), Err(message.to_owned()), "{written}");
        }
    }

    #[test]
    fn a_default_must_be_a_value() {
        assert_eq!(Parameter::number("a", "", 0.0, 1.0, 0.5).check(), Ok(()));
        let low = Parameter::integer("a", "", 1, 0).check();
        assert_eq!(low, Err("`0` cannot be the default of `a`".to_owned()));
        assert!(Parameter::choice("a", "", &[]).check().is_err());
    }

    proptest! {
        #[test]
        fn parsing_undoes_display(tolerance in 0.0..=1.0_f64, words in 1..i64::MAX, keep: bool, unit in "[^,()='\"]{0,8}") {
            let case = if keep { "keep" } else { "lower" };
            let arguments = vec![
                Argument::Number(tolerance),
                Argument::Integer(words),
                Argument::Text(case.to_owned()),
                Argument::Text(unit.trim().to_owned()),
            ];
            let shown = display_name("m", &parameters(), &arguments);
            let (name, text) = split_name(&shown).unwrap();
            prop_assert_eq!((name, parse_arguments(&parameters(), text)), ("m", Ok(arguments)));
        }
    }
}
