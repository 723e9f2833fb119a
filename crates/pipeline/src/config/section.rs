//! Reading one table of the file into its type, with all that is wrong with it.
//!
//! serde stops at the first error and names no place for a missing key. So the keys are compared
//! with the type's own schema first, and a value of the wrong type is taken out and the rest read
//! again, until nothing more is wrong.

use std::ops::Range;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::{
    Spanned,
    de::{DeTable, DeValue, ValueDeserializer},
};

use crate::{
    Problem,
    problem::{nearest, suggest},
};

/// One table of the file.
#[derive(Clone, Debug)]
pub(super) struct Section<'i> {
    /// How the file writes it, for example `[dataset]`.
    pub(super) title: String,
    /// Where it stands.
    pub(super) span: Range<usize>,
    pub(super) table: DeTable<'i>,
}

impl<'i> Section<'i> {
    /// A value that must be a table.
    pub(super) fn new(
        title: String,
        value: Spanned<DeValue<'i>>,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Some(Self { title, span, table }),
            other => {
                let found = other.type_str();
                let message = format!("`{title}` is a {found}, expected a table");
                problems.push(Problem::at(span, message));
                None
            }
        }
    }

    /// A string value of this table, for choosing the type to read it into.
    pub(super) fn text(&self, key: &str) -> Option<Spanned<&str>> {
        let value = self.table.get(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Spanned::new(value.span(), text.as_ref())),
            _ => None,
        }
    }

    /// Reads the table. What is wrong in it goes to `problems`; keys that are merely superfluous
    /// leave a section that can be used, everything else gives `None`.
    pub(super) fn read<T: DeserializeOwned + JsonSchema>(
        mut self,
        problems: &mut Vec<Problem>,
    ) -> Option<T> {
        let before = problems.len();
        let schema = schemars::schema_for!(T);
        // A misspelt key leaves the section without what the key says: nothing that follows from
        // that is worth reporting.
        let mut usable = self.refuse_unknown_keys(&schema, problems);
        self.require_keys(&schema, problems);
        loop {
            let value = Spanned::new(self.span.clone(), DeValue::Table(self.table.clone()));
            let error = match T::deserialize(ValueDeserializer::from(value)) {
                Ok(section) => return usable.then_some(section),
                Err(error) => error,
            };
            // serde says nothing of a place inside a value that knows its own.
            let found = culprit_in::<T>(&self.table, &self.span, error.message());
            let found = found.map(|(path, span)| {
                let own = error.span().filter(|own| self.key_at(own).is_some());
                (path, Some(own.unwrap_or(span)))
            });
            let at_key = || {
                let key = self.key_at(&error.span()?)?;
                Some((key, error.span()))
            };
            let found = found.or_else(at_key);
            match found {
                Some((path, span)) => {
                    usable = false;
                    problems.push(self.wrong_value(&path, span, &error));
                    take(&mut self.table, &path);
                }
                None if problems.len() > before => return None,
                None => {
                    let message = format!("`{}`: {}", self.title, error.message());
                    problems.push(Problem::at(self.span.clone(), message));
                    return None;
                }
            }
        }
    }

    /// Takes out unknown keys; false where one of them is probably a known one misspelt.
    fn refuse_unknown_keys(
        &mut self,
        schema: &schemars::Schema,
        problems: &mut Vec<Problem>,
    ) -> bool {
        let mut superfluous = true;
        let known: Vec<&str> = keys(schema);
        let unknown: Vec<(String, Range<usize>)> = self
            .table
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()))
            .map(|key| (key.get_ref().to_string(), key.span()))
            .collect();
        for (key, span) in unknown {
            let message = format!("unknown key `{key}` in `{}`", self.title);
            let hint = gone(&self.title, &key).map(str::to_owned);
            let hint = hint.or_else(|| suggest(&key, known.clone()));
            problems.push(Problem::at(span, message).maybe_hint(hint));
            superfluous &= nearest(&key, known.iter().copied()).is_none();
            self.table.remove(key.as_str());
        }
        superfluous
    }

    fn require_keys(&self, schema: &schemars::Schema, problems: &mut Vec<Problem>) {
        let required = schema.get("required").and_then(|required| required.as_array());
        for key in required.into_iter().flatten().filter_map(|key| key.as_str()) {
            if !self.table.contains_key(key) {
                let message = format!("`{}` needs the key `{key}`", self.title);
                problems.push(Problem::at(self.span.clone(), message));
            }
        }
    }

    fn key_at(&self, span: &Range<usize>) -> Option<String> {
        let inside = |outer: Range<usize>| outer.start <= span.start && span.end <= outer.end;
        let entry =
            self.table.iter().find(|(key, value)| inside(value.span()) || inside(key.span()));
        entry.map(|(key, _)| key.get_ref().to_string())
    }

    fn wrong_value(
        &self,
        key: &str,
        span: Option<Range<usize>>,
        error: &toml::de::Error,
    ) -> Problem {
        let span = span.unwrap_or_else(|| self.span.clone());
        let (message, hint) = reword(error.message());
        // An unknown key is named by the message itself.
        let inside = key.rsplit_once('.').filter(|_| message.starts_with("unknown key "));
        let key = inside.map_or(key, |(inside, _)| inside);
        Problem::at(span, format!("`{key}` in `{}`: {message}", self.title)).maybe_hint(hint)
    }
}

/// What to do about a key that there is no more.
fn gone(title: &str, key: &str) -> Option<&'static str> {
    let reader = title.trim_matches(['[', ']']) == "reader";
    (reader && key == "log")
        .then_some("take it out: the answers of a reader are kept in the results folder without it")
}

/// The key without which the error is another one, with the keys of tables inside, as in
/// `options.k1`, and the place of its value.
fn culprit_in<T: DeserializeOwned>(
    table: &DeTable<'_>,
    span: &Range<usize>,
    message: &str,
) -> Option<(String, Range<usize>)> {
    let decides = |path: &str| {
        let mut rest = table.clone();
        take(&mut rest, path);
        let value = Spanned::new(span.clone(), DeValue::Table(rest));
        let error = T::deserialize(ValueDeserializer::from(value)).err();
        error.is_none_or(|error| error.message() != message)
    };
    let (mut path, mut inside, mut found) = (String::new(), table, None);
    loop {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
        let keys = inside.iter().map(|(key, value)| (format!("{prefix}{}", key.get_ref()), value));
        let Some((key, value)) = keys.into_iter().find(|(key, _)| decides(key)) else {
            return found;
        };
        found = Some((key.clone(), value.span()));
        let DeValue::Table(table) = value.get_ref() else { return found };
        (path, inside) = (key, table);
    }
}

/// Takes the value at a path of keys out.
fn take(table: &mut DeTable<'_>, path: &str) {
    match path.split_once('.') {
        None => drop(table.remove(path)),
        Some((key, rest)) => {
            if let Some(DeValue::Table(table)) = table.get_mut(key).map(Spanned::get_mut) {
                take(table, rest);
            }
        }
    }
}

/// What TOML calls the kinds of values that serde names.
fn kind(words: &str) -> String {
    match words {
        "u32" | "u64" | "usize" => return "a whole number".to_owned(),
        "f64" => return "a number".to_owned(),
        "a string" => return "a text in quotes".to_owned(),
        "sequence" | "a sequence" => return "a list".to_owned(),
        "map" | "a map" => return "a table".to_owned(),
        _ if words.starts_with("struct ") => return "a table".to_owned(),
        _ => {}
    }
    for (rust, toml) in [("string ", "the text "), ("integer ", ""), ("floating point ", "")] {
        if let Some(value) = words.strip_prefix(rust) {
            return format!("{toml}{value}");
        }
    }
    words.to_owned()
}

fn keys(schema: &schemars::Schema) -> Vec<&str> {
    let properties = schema.get("properties").and_then(|properties| properties.as_object());
    properties.into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// serde's words for an unknown key or variant, with the nearest known one as a hint, and for a
/// value of the wrong type.
fn reword(message: &str) -> (String, Option<String>) {
    if let Some((wrong, expected)) = message.split_once(", expected ") {
        // serde takes a list for a table whose keys are left out, as TOML does not.
        let list = wrong.starts_with("invalid length ").then_some("sequence");
        let typed =
            ["invalid type: ", "invalid value: "].iter().find_map(|p| wrong.strip_prefix(p));
        if let Some(found) = list.or(typed) {
            return (format!("found {}, expected {}", kind(found), kind(expected)), None);
        }
    }
    for (kind, word) in [("unknown field ", "key"), ("unknown variant ", "word")] {
        let Some(rest) = message.strip_prefix(kind) else { continue };
        let mut quoted = rest.split('`').skip(1).step_by(2);
        if let Some(given) = quoted.next() {
            let known: Vec<&str> = quoted.collect();
            return (format!("unknown {word} `{given}`"), suggest(given, known));
        }
    }
    (message.to_owned(), None)
}
