//! A JSON document that is read piece by piece.
//!
//! SQuAD files are one object of several hundred megabytes. Parsing it in one go would hold the
//! text and everything in it at the same time; instead the items of its list are parsed when
//! their turn comes, and the place of an error is still that in the whole file. Other files are
//! one list, or one object whose members are the items.

use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

use crate::{Error, Place, Problem, fields, input};

/// A document whose items are read one by one.
pub(crate) struct Document {
    path: PathBuf,
    text: String,
    position: usize,
    shape: Shape,
    /// Whether an item has been read.
    begun: bool,
}

/// What the items are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The items of a list that is a member of the whole.
    Within(&'static str),
    /// The items of a list that is the whole.
    List,
    /// The members of the object that is the whole.
    Members,
}

impl Document {
    /// Opens the file up to the first item of the member `list` of its object.
    pub(crate) fn open(path: &Path, list: &'static str) -> Result<Self, Error> {
        Self::of(path, Shape::Within(list), input::read_text(path)?)
    }

    /// Opens a file that is a list, up to its first item.
    pub(crate) fn open_list(path: &Path) -> Result<Self, Error> {
        Self::of(path, Shape::List, input::read_text(path)?)
    }

    /// Opens a file that is an object, up to its first member.
    pub(crate) fn open_members(path: &Path) -> Result<Self, Error> {
        Self::of(path, Shape::Members, input::read_text(path)?)
    }

    fn of(path: &Path, shape: Shape, text: String) -> Result<Self, Error> {
        let path = path.to_owned();
        let mut document = Self { path, text, position: 0, shape, begun: false };
        document.enter()?;
        Ok(document)
    }

    /// The next item of the list; `None` behind the last, once the rest of the file is checked.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Error> {
        if self.peek() == Some(b']') {
            self.position += 1;
            self.leave()?;
            return Ok(None);
        }
        if self.begun {
            self.expect(b',', "`,` or `]`")?;
        }
        self.begun = true;
        self.value().map(Some)
    }

    /// The next member of the object, with its name; `None` behind the last.
    pub(crate) fn next_member<T: DeserializeOwned>(
        &mut self,
    ) -> Result<Option<(String, T)>, Error> {
        let Some(name) = self.next_name()? else { return Ok(None) };
        Ok(Some((name, self.value()?)))
    }

    /// The same where further objects may follow, as in JSON lines with a query each.
    pub(crate) fn next_member_of_all<T: DeserializeOwned>(
        &mut self,
    ) -> Result<Option<(String, T)>, Error> {
        while self.peek() == Some(b'}') {
            self.position += 1;
            if self.peek() != Some(b'{') {
                self.end()?;
                return Ok(None);
            }
            self.position += 1;
            self.begun = false;
        }
        self.next_member()
    }

    /// The name of the next member of the object, whose value must be read then.
    pub(crate) fn next_name(&mut self) -> Result<Option<String>, Error> {
        if self.peek() == Some(b'}') {
            self.position += 1;
            self.end()?;
            return Ok(None);
        }
        let name = self.name(!self.begun)?;
        self.begun = true;
        Ok(Some(name))
    }

    /// The whole document as something small, before or while its items are read.
    pub(crate) fn whole<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(&self.text).map_err(|error| {
            let (problem, line) = problem(&self.text, 0, &error);
            problem.at(&self.path, Place::line(line))
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads up to the first item.
    fn enter(&mut self) -> Result<(), Error> {
        if self.peek().is_none() {
            return Err(empty().of_file(&self.path));
        }
        let list = match self.shape {
            Shape::Within(list) => list,
            Shape::List => return self.expect(b'[', "a list"),
            Shape::Members => return self.expect(b'{', "an object"),
        };
        self.expect(b'{', &format!("an object with `{list}`"))?;
        let mut names = Vec::new();
        while self.peek() != Some(b'}') {
            let name: String = self.name(names.is_empty())?;
            if name == list {
                return self.expect(b'[', "a list");
            }
            self.value::<IgnoredAny>()?;
            names.push(name);
        }
        let message = format!("the object has no `{list}`; it has {}", fields::list(&names));
        let problem = Problem::new(message);
        let problem = if self.further_lines() {
            problem.with_hint(
                "is it another format? name it (`--dataset-format jsonl`, or `format = \"jsonl\"`)",
            )
        } else {
            problem
        };
        Err(problem.of_file(&self.path))
    }

    /// Whether the object whose end comes next stands on one line, and others on further lines:
    /// the file is probably one of JSON lines.
    fn further_lines(&self) -> bool {
        let (object, rest) = self.text.split_at(self.position);
        let after = rest[1..].trim_start_matches([' ', '\t', '\r']);
        !object.trim_start().contains('\n')
            && after.starts_with('\n')
            && after.trim_start().starts_with('{')
    }

    /// Reads what stands behind the list, and the end of the file.
    fn leave(&mut self) -> Result<(), Error> {
        let Shape::Within(list) = self.shape else { return self.end() };
        while self.peek() != Some(b'}') {
            let name = self.name(false)?;
            if name == list {
                return Err(self.error(Problem::new(format!("`{name}` occurs twice"))));
            }
            self.value::<IgnoredAny>()?;
        }
        self.position += 1;
        self.end()
    }

    /// Nothing may follow.
    fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(Problem::new("invalid JSON: something follows its end"))),
        }
    }

    fn name(&mut self, first: bool) -> Result<String, Error> {
        if !first {
            self.expect(b',', "`,` or `}`")?;
        }
        let name = self.value()?;
        self.expect(b':', "`:`")?;
        Ok(name)
    }

    /// The value that comes next.
    pub(crate) fn value<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        let rest = &self.text[self.position..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.position += values.byte_offset();
                Ok(value)
            }
            Some(Err(error)) => {
                let (problem, line) = problem(&self.text, self.position, &error);
                Err(problem.at(&self.path, Place::line(line)))
            }
            None => Err(self.error(ends_early("a value"))),
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.position..];
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.position += rest.iter().take_while(blank).count();
        self.text.as_bytes().get(self.position).copied()
    }

    fn expect(&mut self, wanted: u8, name: &str) -> Result<(), Error> {
        match self.peek() {
            Some(byte) if byte == wanted => {
                self.position += 1;
                Ok(())
            }
            Some(_) => Err(self.error(Problem::new(format!("invalid JSON: expected {name}")))),
            None => Err(self.error(ends_early(name))),
        }
    }

    fn error(&self, problem: Problem) -> Error {
        let (line, column) = line_and_column(&self.text, self.position);
        Problem { column: Some(column), ..problem }.at(&self.path, Place::line(line))
    }
}

/// A file with nothing in it.
pub(crate) fn empty() -> Problem {
    Problem::new("the file is empty: there is nothing to evaluate")
}

fn ends_early(expected: &str) -> Problem {
    Problem::new(format!("the JSON ends early: expected {expected}"))
        .with_hint("the file may be truncated")
}

/// What is wrong with the JSON that begins at `start` of the text, and on which line.
pub(crate) fn problem(text: &str, start: usize, error: &serde_json::Error) -> (Problem, u64) {
    let offset = start + offset_in(&text[start..], error.line(), error.column());
    let offset = text.floor_char_boundary(offset);
    let (line, column) = line_and_column(text, offset);
    let shown = error.to_string();
    let message = shown.rsplit_once(" at line ").map_or(shown.as_str(), |(message, _)| message);
    let problem = match error.classify() {
        Category::Eof => Problem::new(format!("the JSON ends early: {message}"))
            .with_hint("the file may be truncated"),
        Category::Syntax => match not_a_json_number(&text[offset..]) {
            Some(word) => Problem::new(format!("invalid JSON: `{word}` is no JSON number"))
                .with_hint("write null where there is no number"),
            None if SURROGATES.contains(&message) => {
                Problem::new("invalid JSON: half of a surrogate pair in an escape")
                    .with_hint("write both halves, as `\\ud83d\\ude00`, or the character itself")
            }
            None => Problem::new(format!("invalid JSON: {message}")),
        },
        Category::Data | Category::Io => {
            Problem::new(in_plain_words(message).unwrap_or_else(|| message.to_owned()))
        }
    };
    (Problem { column: Some(column), ..problem }, line)
}

/// What the parser says about an escape such as `\ud800` that stands alone.
const SURROGATES: [&str; 2] =
    ["unexpected end of hex escape", "lone leading surrogate in hex escape"];

/// A message about a type, without the names that types have in the program.
fn in_plain_words(message: &str) -> Option<String> {
    if let Some(field) = message.strip_prefix("duplicate field ") {
        return Some(format!("field {field} occurs twice"));
    }
    let (found, expected) = message.strip_prefix("invalid ")?.rsplit_once(", expected ")?;
    let (what, found) = found.split_once([' ', ':'])?;
    let found = found.trim_start();
    let found = match found.split_once(' ').unwrap_or((found, "")) {
        _ if what == "length" => "a list of the wrong length".to_owned(),
        ("map", _) => "an object".to_owned(),
        ("sequence", _) => "a list".to_owned(),
        ("string", _) => "a text".to_owned(),
        ("boolean", value) => value.to_owned(),
        ("integer", value) => format!("the number {}", value.trim_matches('`')),
        // The number is rounded, so it isn't shown.
        ("floating", _) => "a number".to_owned(),
        _ => found.to_owned(),
    };
    let expected = match expected {
        "a string" => "a text",
        "a sequence" => "a list",
        "a map" => "an object",
        "i64" => "a whole number",
        "f64" => "a number",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    };
    Some(format!("found {found}, expected {expected}"))
}

/// Byte at which the parser stopped, from its line and column.
fn offset_in(text: &str, line: usize, column: usize) -> usize {
    let before = line.saturating_sub(1);
    let newline =
        before.checked_sub(1).and_then(|nth| memchr::memchr_iter(b'\n', text.as_bytes()).nth(nth));
    let start = newline.map_or(0, |newline| newline + 1);
    (start + column.saturating_sub(1)).min(text.len())
}

/// Line and column of a byte, both from 1.
fn line_and_column(text: &str, offset: usize) -> (u64, u64) {
    let before = &text[..offset];
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() as u64 + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() as u64 + 1)
}

/// What Python writes for numbers that JSON hasn't.
fn not_a_json_number(rest: &str) -> Option<&'static str> {
    ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| rest.starts_with(word))
}
