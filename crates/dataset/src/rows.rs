//! Records with named fields, whatever the format, and what a field may hold.

mod files;
mod parts;

use std::borrow::Cow;

use qeval_core::{Candidate, Exchange, Reference, Value};

pub(crate) use self::files::{Rows, Shape};
pub(crate) use self::parts::{Fault, candidate_text, finite, member, texts};
use self::parts::{candidate, exchange, id, position, reference, value};
use crate::{Problem, cell::Cell, fields::Wanted};

/// One record.
pub(crate) struct Row<'r, 'a> {
    /// The wanted fields that the record has, by their slots. Records lack most of what could be
    /// wanted, so this is shorter than a cell for each slot.
    pub(crate) cells: &'r [(usize, Cell<'a>)],
    pub(crate) wanted: &'r Wanted,
    /// What separates the items of a list in a format that has texts only.
    pub(crate) separator: Option<&'r str>,
    /// The record as it is written, in a format that has numbers.
    pub(crate) written: Option<&'r str>,
}

impl<'r, 'a> Row<'r, 'a> {
    /// The fields that the record has, with their slots.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, Field<'r, 'a>)> {
        let Self { cells, wanted, separator, written } = *self;
        cells.iter().map(move |(slot, cell)| {
            (*slot, Field { name: &wanted.fields[*slot].name, cell, separator, written })
        })
    }
}

/// What a prediction may be.
pub(crate) enum Answer {
    None,
    Text(String),
    List(Vec<String>),
}

/// A field with its value. Each method reads it as what its role asks for; `None` and an empty
/// list stand for a field that is missing or null.
#[derive(Clone, Copy)]
pub(crate) struct Field<'r, 'a> {
    pub(crate) name: &'r str,
    pub(crate) cell: &'r Cell<'a>,
    separator: Option<&'r str>,
    written: Option<&'r str>,
}

impl Field<'_, '_> {
    /// Whether there is a value.
    pub(crate) fn given(&self) -> bool {
        !self.cell.is_none()
    }

    /// A text.
    pub(crate) fn text(&self) -> Result<Option<String>, Problem> {
        match self.cell {
            cell if cell.is_none() => Ok(None),
            Cell::Text(text) => Ok(Some(text.as_ref().to_owned())),
            Cell::Untyped(text) => Ok(Some((*text).to_owned())),
            _ => Err(self.wrong("a text")),
        }
    }

    /// A text, written over `spare`, or a list of texts. In a format that has texts only it is a
    /// text.
    pub(crate) fn answer(&self, mut spare: String) -> Result<Answer, Problem> {
        match self.cell {
            Cell::List(items) => {
                let text = |item: &Cell<'_>| match item {
                    Cell::Text(text) => Some(text.as_ref().to_owned()),
                    _ => None,
                };
                self.items(items, "a text", text).map(Answer::List)
            }
            cell if cell.is_none() => Ok(Answer::None),
            Cell::Text(text) => {
                overwrite(&mut spare, text);
                Ok(Answer::Text(spare))
            }
            Cell::Untyped(text) => {
                overwrite(&mut spare, text);
                Ok(Answer::Text(spare))
            }
            _ => Err(self.wrong("a text or a list of texts")),
        }
    }

    /// An id: a text, or a whole number as text.
    pub(crate) fn id(&self) -> Result<Option<String>, Problem> {
        if self.cell.is_none() {
            return Ok(None);
        }
        match id(self.cell) {
            Some(id) if id.is_empty() => {
                Err(Problem::new(format!("field `{}` is empty", self.name)))
            }
            Some(id) => Ok(Some(id)),
            None => Err(self.wrong("a text or a whole number")),
        }
    }

    /// An id that must be there.
    pub(crate) fn required_id(&self) -> Result<String, Problem> {
        self.id()?.ok_or_else(|| {
            let message = format!("field `{}` has no value", self.name);
            Problem::new(format!("{message}, expected a text or a whole number"))
        })
    }

    /// An id that must be there, written over another one.
    pub(crate) fn write_id(&self, id: &mut String) -> Result<(), Problem> {
        match self.cell {
            Cell::Text(text) if !text.is_empty() => overwrite(id, text),
            _ => *id = self.required_id()?,
        }
        Ok(())
    }

    /// A list of ids; a single one counts as a list.
    pub(crate) fn ids(&self) -> Result<Vec<String>, Problem> {
        const EXPECTED: &str = "an id or a list of ids";
        if self.cell.is_none() {
            return Ok(Vec::new());
        }
        match self.list()?.as_ref() {
            Cell::List(items) => self.items(items, "a text or a whole number", id),
            cell => id(cell).map(|id| vec![id]).ok_or_else(|| self.wrong(EXPECTED)),
        }
    }

    /// The references, written over others.
    pub(crate) fn write_references(&self, references: &mut Vec<Reference>) -> Result<(), Problem> {
        match self.cell {
            Cell::List(items) if items.iter().all(|item| matches!(item, Cell::Text(_))) => {
                references.resize_with(items.len(), Reference::default);
                for (Reference { text, start, items }, item) in references.iter_mut().zip(items) {
                    if let Cell::Text(written) = item {
                        overwrite(text, written);
                    }
                    *start = None;
                    items.clear();
                }
            }
            _ => *references = self.references()?,
        }
        Ok(())
    }

    /// The references: a text, a list of texts or of objects with a `text`, or an object with a
    /// list of texts.
    fn references(&self) -> Result<Vec<Reference>, Problem> {
        const ITEM: &str = "a text or an object with `text`";
        if self.cell.is_none() {
            return Ok(Vec::new());
        }
        match self.list()?.as_ref() {
            Cell::Text(text) => Ok(vec![text.as_ref().into()]),
            Cell::List(items) => self.items(items, ITEM, reference),
            Cell::Object(_) => self.parallel_references(),
            _ => Err(self.wrong("a list of texts")),
        }
    }

    /// Several answers, best first; null is a blank one.
    pub(crate) fn candidates(&self) -> Result<Vec<Candidate>, Problem> {
        const ITEM: &str = "a text, null, or an object with `text` and perhaps `confidence`, \
                            `start`, `end` and `passage_id`";
        if self.cell.is_none() {
            return Ok(Vec::new());
        }
        match self.list()?.as_ref() {
            Cell::List(items) => (1..)
                .zip(items)
                .map(|(number, item)| {
                    let name = format!("item {number} of field `{}`", self.name);
                    candidate(item).map_err(|fault| match fault {
                        Some(fault) => Problem::new(format!("{name} {fault}")),
                        None => self.unfit(&name, item, ITEM),
                    })
                })
                .collect(),
            _ => Err(self.wrong("a list of answers")),
        }
    }

    /// Earlier questions of a dialog with their answers.
    pub(crate) fn history(&self) -> Result<Vec<Exchange>, Problem> {
        const ITEM: &str = "an object with the texts `question` and `answer`";
        if self.cell.is_none() {
            return Ok(Vec::new());
        }
        match self.list()?.as_ref() {
            Cell::List(items) => self.items(items, ITEM, exchange),
            _ => Err(self.wrong("a list of questions and answers")),
        }
    }

    /// A finite number.
    pub(crate) fn number(&self) -> Result<Option<f64>, Problem> {
        let number = match self.cell {
            cell if cell.is_none() => return Ok(None),
            Cell::Untyped(text) => text.trim().parse().ok(),
            cell => finite(cell),
        };
        match number.filter(|number: &f64| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong("a finite number")),
        }
    }

    /// A whole number from 0.
    pub(crate) fn count<N: TryFrom<i64>>(&self) -> Result<Option<N>, Problem> {
        let number: Option<i64> = match self.cell {
            cell if cell.is_none() => return Ok(None),
            Cell::Integer(number) => Some(*number),
            Cell::Untyped(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|&number| number >= 0);
        match number.and_then(|number| N::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong("a whole number from 0")),
        }
    }

    /// A list of two whole numbers from 0.
    pub(crate) fn pair(&self) -> Result<Option<(usize, usize)>, Problem> {
        if self.cell.is_none() {
            return Ok(None);
        }
        let number = |cell: &Cell<'_>| match cell {
            Cell::Integer(number) => usize::try_from(*number).ok(),
            _ => None,
        };
        let expected = "a list of two whole numbers from 0";
        let list = self.list()?;
        let Cell::List(items) = list.as_ref() else { return Err(self.wrong(expected)) };
        if let [start, end] = items.as_slice()
            && let Some(pair) = number(start).zip(number(end))
        {
            return Ok(Some(pair));
        }
        let whole = |cell: &Cell<'_>| match cell {
            Cell::Integer(number) => Some(number.to_string()),
            _ => None,
        };
        // Numbers say more than that they are a list.
        match items.iter().map(whole).collect::<Option<Vec<String>>>() {
            Some(numbers) if numbers.len() <= 4 => {
                let (name, numbers) = (&self.name, numbers.join(", "));
                Err(Problem::new(format!("field `{name}` is `[{numbers}]`, expected {expected}")))
            }
            _ => Err(self.wrong(expected)),
        }
    }

    /// A closed answer: a text, a whole number or a truth value, as text.
    pub(crate) fn label(&self) -> Result<Option<String>, Problem> {
        match self.cell {
            Cell::Bool(value) => Ok(Some(value.to_string())),
            cell if cell.is_none() => Ok(None),
            cell => id(cell).map(Some).ok_or_else(|| self.wrong("a text")),
        }
    }

    /// A value of any kind but an object. In a list nulls are skipped: an annotator may have said
    /// nothing.
    pub(crate) fn value(&self) -> Result<Option<Value>, Problem> {
        match self.cell {
            cell if cell.is_none() => Ok(None),
            Cell::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for (number, item) in (1..).zip(items).filter(|(_, item)| !item.is_none()) {
                    let name = format!("item {number} of field `{}`", self.name);
                    values.push(self.exact(&name, item)?.ok_or_else(|| {
                        self.unfit(&name, item, "a text, a number, or true or false")
                            .with_hint("name a field whose list has plain values only")
                    })?);
                }
                Ok(Some(Value::List(values)))
            }
            cell => {
                self.exact(&format!("field `{}`", self.name), cell)?.map(Some).ok_or_else(|| {
                    self.wrong("a text, a number, true or false, or a list of them")
                        .with_hint(format!("name a field inside it, as `{}.name`", self.name))
                })
            }
        }
    }

    /// The value, and a whole number that is too large for one as its digits.
    fn exact(&self, name: &str, cell: &Cell<'_>) -> Result<Option<Value>, Problem> {
        let large = match cell {
            Cell::Number(number) if number.abs() >= i64::MAX as f64 => *number,
            _ => return Ok(value(cell)),
        };
        let mut written = self.all_digits(large);
        match (written.next(), written.next()) {
            (Some(digits), None) if is_whole(digits) => Ok(Some(Value::Text(digits.to_owned()))),
            (Some(first), Some(second)) if is_whole(first) || is_whole(second) => {
                // Several numbers of the record round to the same, and which is meant isn't known.
                Err(Problem::new(format!("{name} is a number that is too large"))
                    .with_hint("write it as a text, in quotes"))
            }
            _ => Ok(value(cell)),
        }
    }

    /// The field doesn't hold what was expected.
    pub(crate) fn wrong(&self, expected: &str) -> Problem {
        self.unfit(&format!("field `{}`", self.name), self.cell, expected)
    }

    /// The value, which has this name in the message, isn't what was expected.
    fn unfit(&self, name: &str, cell: &Cell<'_>, expected: &str) -> Problem {
        let found = match cell {
            // The text itself is the best description where everything is text.
            Cell::Untyped(text) => format!("`{}`", shortened(text)),
            Cell::Number(number) => {
                let digits = self.digits(*number);
                if let Some(digits) = digits.filter(|digits| is_whole(digits)) {
                    let message = format!("{name} is the number {digits}, which is too large");
                    return Problem::new(format!("{message}, expected {expected}"))
                        .with_hint(format!("write it as a text: `\"{digits}\"`"));
                }
                digits.map_or_else(
                    || format!("the number {number}"),
                    |digits| format!("the number {digits}"),
                )
            }
            Cell::Integer(number) if *number < 0 => format!("the number {number}"),
            cell => cell.kind().to_owned(),
        };
        Problem::new(format!("{name} is {found}, expected {expected}"))
    }

    /// The number as it stands in the record: its value may be rounded.
    fn digits(&self, number: f64) -> Option<&str> {
        self.all_digits(number).next()
    }

    /// All that is written in the record and has this value, each once.
    fn all_digits(&self, number: f64) -> impl Iterator<Item = &str> {
        let part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let numbers = self.written.unwrap_or_default().split(move |c| !part(c));
        let mut seen = Vec::new();
        numbers.filter(move |&digits| {
            let new = digits.parse() == Ok(number) && !seen.contains(&digits);
            if new {
                seen.push(digits);
            }
            new
        })
    }

    fn items<T>(
        &self,
        items: &[Cell<'_>],
        expected: &str,
        convert: impl Fn(&Cell<'_>) -> Option<T>,
    ) -> Result<Vec<T>, Problem> {
        let mut converted = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            converted.push(convert(item).ok_or_else(|| {
                let name = format!("item {} of field `{}`", index + 1, self.name);
                self.unfit(&name, item, expected)
            })?);
        }
        Ok(converted)
    }

    /// References as parallel lists: `{"text": ["15 days"], "answer_start": [120]}`.
    fn parallel_references(&self) -> Result<Vec<Reference>, Problem> {
        let Some(Cell::List(texts)) = self.cell.member("text") else {
            return match reference(self.cell) {
                Some(reference) => Ok(vec![reference]),
                None => Err(self.wrong("a list of texts")),
            };
        };
        let mut references = self.items(texts, "a text", reference)?;
        if let Some(Cell::List(starts)) = self.cell.member("answer_start") {
            for (reference, start) in references.iter_mut().zip(starts) {
                reference.start = position(start);
            }
        }
        Ok(references)
    }

    /// The cell with its items apart, in a format that has texts only.
    fn list(&self) -> Result<Cow<'_, Cell<'_>>, Problem> {
        let Cell::Untyped(text) = *self.cell else {
            return Ok(Cow::Borrowed(self.cell));
        };
        if let Some(separator) = self.separator {
            let items = text.split(separator).map(str::trim).filter(|item| !item.is_empty());
            let items = items.map(|item| Cell::Text(Cow::Borrowed(item))).collect();
            return Ok(Cow::Owned(Cell::List(items)));
        }
        let trimmed = text.trim();
        if !(trimmed.starts_with('[') && trimmed.ends_with(']')) {
            return Ok(Cow::Owned(Cell::Text(Cow::Borrowed(text))));
        }
        serde_json::from_str(trimmed).map(Cow::Owned).map_err(|_| {
            let message = format!("field `{}` is in brackets and is no JSON list", self.name);
            Problem::new(format!("{message}: `{}`", shortened(trimmed)))
                .with_hint("write `[\"a\", \"b\"]`")
        })
    }
}

/// Makes a text another one in the memory that it has.
fn overwrite(text: &mut String, with: &str) {
    text.clear();
    text.push_str(with);
}

/// Whether a number is written as a whole one.
fn is_whole(digits: &str) -> bool {
    digits.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}

/// The beginning of a text, for a message.
pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
