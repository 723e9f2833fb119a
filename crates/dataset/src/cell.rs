//! One value of a record, as the file has it.
//!
//! Every format with named fields ends in cells, so that there is one place that decides what a
//! field may hold. Texts are borrowed from the line where they have no escapes.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

/// A value of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Cell<'a> {
    /// The record lacks the field.
    #[default]
    Absent,
    /// The field says that there is no value.
    Null,
    Bool(bool),
    Integer(i64),
    /// A whole number above `i64::MAX`.
    Large(u64),
    Number(f64),
    Text(Cow<'a, str>),
    /// A cell of a format that has texts only; it may be meant as anything.
    Untyped(&'a str),
    List(Vec<Cell<'a>>),
    Object(Vec<(Cow<'a, str>, Cell<'a>)>),
}

impl Cell<'_> {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Absent => "missing",
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Integer(_) | Self::Large(_) | Self::Number(_) => "a number",
            Self::Text(_) | Self::Untyped(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::Absent | Self::Null)
    }

    /// The member of that name, if this is an object that has it.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, c)| c),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Cell<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Cell::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Cell::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Cell::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(value).map_or(Cell::Large(value), Cell::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Cell::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Cell::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Cell::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut cells = Vec::new();
        while let Some(cell) = list.next_element()? {
            cells.push(cell);
        }
        Ok(Cell::List(cells))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Key(key)) = object.next_key()? {
            members.push((key, object.next_value()?));
        }
        Ok(Cell::Object(members))
    }
}

/// A member's name, borrowed where it can be: a plain `Cow` is always copied.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Borrowed(value)))
    }
}
