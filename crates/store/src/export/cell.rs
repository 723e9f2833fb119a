//! Tables of an export: typed columns, and rows of cells.

use serde_json::{Map, Value};

use super::ExportError;

/// The type of a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// UTF-8.
    Text,
    /// A 64-bit float.
    Number,
    /// A signed 64-bit integer.
    Integer,
    /// True or false.
    Boolean,
    /// A list of one type.
    List(Box<Kind>),
    /// Named members.
    Record(Vec<(&'static str, Kind)>),
}

impl Kind {
    /// Lists of texts.
    pub(super) fn texts() -> Self {
        Self::List(Box::new(Self::Text))
    }
}

/// A column with its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

impl Column {
    pub(super) fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind }
    }
}

/// A value of the kind of its column, or null.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Cell {
    #[default]
    Null,
    Text(String),
    Number(f64),
    Integer(i64),
    Boolean(bool),
    List(Vec<Cell>),
    /// In the order of the members.
    Record(Vec<Cell>),
}

impl Cell {
    /// A list of texts.
    pub(super) fn texts(texts: Vec<String>) -> Self {
        Self::List(texts.into_iter().map(Self::Text).collect())
    }

    /// A count; one beyond 64 bits is as good as unknown.
    pub(super) fn count(count: Option<u64>) -> Self {
        count.and_then(|count| i64::try_from(count).ok()).into()
    }

    /// The cell in JSON; members have the names of their kind.
    pub(super) fn json(&self, kind: &Kind) -> Value {
        match (self, kind) {
            (Self::Text(text), _) => Value::String(text.clone()),
            (Self::Number(number), _) => Value::from(*number),
            (Self::Integer(number), _) => Value::from(*number),
            (Self::Boolean(truth), _) => Value::Bool(*truth),
            (Self::List(cells), Kind::List(inner)) => {
                cells.iter().map(|cell| cell.json(inner)).collect()
            }
            (Self::Record(cells), Kind::Record(members)) => {
                let members = members.iter().zip(cells);
                let members =
                    members.map(|((name, kind), cell)| (String::from(*name), cell.json(kind)));
                Value::Object(members.collect::<Map<_, _>>())
            }
            (Self::Null | Self::List(_) | Self::Record(_), _) => Value::Null,
        }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len() + 8,
            Self::List(cells) | Self::Record(cells) => cells.iter().map(Self::bytes).sum(),
            Self::Null | Self::Number(_) | Self::Integer(_) | Self::Boolean(_) => 8,
        }
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<i32> for Cell {
    fn from(number: i32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<bool> for Cell {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

/// Where rows go.
pub(super) trait Sink {
    /// Writes a row: a cell for each column.
    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError>;

    /// Writes what is left.
    fn finish(self) -> Result<(), ExportError>;
}
