//! JSON lines: one object a line.
//!
//! A line is read once and without a tree of values: names of members are compared where they
//! stand, members that nobody wants are skipped, and texts are borrowed from the line.

#[cfg(test)]
mod tests;

use std::{fmt, mem::take, path::Path};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor},
};

use crate::{
    Error, Problem,
    cell::Cell,
    document,
    fields::{Need, Wanted},
    input::Lines,
    rows::Row,
};

/// The records of a file of JSON lines. Blank lines are skipped.
pub(crate) struct JsonRows {
    lines: Lines,
    wanted: Wanted,
    nodes: Vec<Node>,
    /// Empty: the memory for the cells of a line.
    cells: Cells<'static>,
    /// Fields that must be found somewhere and have not been yet.
    unseen: Vec<usize>,
    /// Whether they may be found in a file that is read after this one.
    others_follow: bool,
    /// Names of the fields of the first record, for messages.
    first: Option<Vec<String>>,
}

impl JsonRows {
    pub(crate) fn open(path: &Path, wanted: Wanted) -> Result<Self, Error> {
        let lines = Lines::open(path)?;
        let mut nodes = Vec::new();
        for (slot, field) in wanted.fields.iter().enumerate() {
            insert(&mut nodes, &field.name, slot);
        }
        let somewhere = |&slot: &usize| wanted.fields[slot].need == Need::Somewhere;
        let unseen = (0..wanted.fields.len()).filter(somewhere).collect();
        let cells = Vec::with_capacity(wanted.fields.len());
        Ok(Self { lines, wanted, nodes, cells, unseen, others_follow: false, first: None })
    }

    /// Whether what this file lacks may be in one that is read after it.
    pub(crate) fn others_follow(&mut self, follow: bool) {
        self.others_follow = follow;
    }

    /// What was found in a file before need not be found in this one.
    pub(crate) fn go_on_from(&mut self, before: &Self) {
        self.unseen.retain(|slot| before.unseen.contains(slot));
        self.first.clone_from(&before.first);
    }

    pub(crate) fn next<T>(
        &mut self,
        build: impl FnOnce(&Row<'_, '_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Error> {
        loop {
            let Some(line) = self.lines.next()? else {
                return self.end();
            };
            if line.bytes().all(|byte| byte.is_ascii_whitespace()) {
                continue;
            }
            self.first.get_or_insert_with(|| names(line));
            let mut cells: Cells<'_> = take(&mut self.cells);
            let built = parse(line, &self.nodes, &self.wanted, &mut cells).and_then(|()| {
                self.unseen.retain(|&slot| !filled(&cells, slot));
                let written = Some(line);
                build(&Row { cells: &cells, wanted: &self.wanted, separator: None, written })
            });
            self.cells = emptied(cells);
            return built.map(Some).map_err(|problem| self.lines.error(problem));
        }
    }

    pub(crate) fn line(&self) -> u64 {
        self.lines.number()
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        self.lines.error(problem)
    }

    fn end<T>(&self) -> Result<Option<T>, Error> {
        match (self.unseen.first(), &self.first) {
            (Some(&slot), Some(names)) if !self.others_follow => {
                Err(self.wanted.fields[slot].nowhere(names).of_file(self.lines.path()))
            }
            _ => Ok(None),
        }
    }
}

/// Members of an object that are wanted, or that hold one that is.
struct Node {
    key: String,
    slot: Option<usize>,
    inside: Vec<Node>,
}

/// Adds the field both under its whole name and along its dots: names may have dots themselves.
fn insert(nodes: &mut Vec<Node>, name: &str, slot: usize) {
    child(nodes, name).slot = Some(slot);
    for (dot, _) in name.match_indices('.') {
        insert(&mut child(nodes, &name[..dot]).inside, &name[dot + 1..], slot);
    }
}

fn child<'n>(nodes: &'n mut Vec<Node>, key: &str) -> &'n mut Node {
    let found = nodes.iter().position(|node| node.key == key);
    let index = found.unwrap_or_else(|| {
        nodes.push(Node { key: key.to_owned(), slot: None, inside: Vec::new() });
        nodes.len() - 1
    });
    &mut nodes[index]
}

/// Wanted fields by their slots.
type Cells<'a> = Vec<(usize, Cell<'a>)>;

fn filled(cells: &[(usize, Cell<'_>)], slot: usize) -> bool {
    cells.iter().any(|(filled, _)| *filled == slot)
}

/// The memory of cells, for those of another line. A list made of no element of another one takes
/// its memory over.
fn emptied<'b>(mut cells: Cells<'_>) -> Cells<'b> {
    cells.clear();
    cells.into_iter().map_while(|_| None).collect()
}

/// Fills the cells with what a line has of the wanted fields.
fn parse<'a>(
    line: &'a str,
    nodes: &[Node],
    wanted: &Wanted,
    cells: &mut Cells<'a>,
) -> Result<(), Problem> {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    ObjectSeed { nodes, cells }
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end())
        .map_err(|error| invalid(line, &error))?;
    let absent = wanted
        .fields
        .iter()
        .enumerate()
        .filter(|(slot, field)| field.need == Need::Always && !filled(cells, *slot))
        .find(|(_, field)| !field.stand_ins.iter().any(|&slot| filled(cells, slot)));
    match absent {
        Some((_, field)) => Err(field.missing("the record", &names(line))),
        None => Ok(()),
    }
}

/// What is wrong with a line that didn't parse.
pub(crate) fn invalid(line: &str, error: &serde_json::Error) -> Problem {
    match serde_json::from_str::<Cell<'_>>(line) {
        Ok(Cell::Object(_)) | Err(_) => document::problem(line, 0, error).0,
        Ok(cell) => Problem::new(format!("the line is {}, expected an object", cell.kind())),
    }
}

/// Names of the fields of a line, nested ones with their dots.
pub(crate) fn names(line: &str) -> Vec<String> {
    let mut names = Vec::new();
    if let Ok(Cell::Object(members)) = serde_json::from_str::<Cell<'_>>(line) {
        for (key, cell) in members {
            match cell {
                Cell::Object(inside) => {
                    names.extend(inside.iter().map(|(inner, _)| format!("{key}.{inner}")));
                    names.push(key.into_owned());
                }
                _ => names.push(key.into_owned()),
            }
        }
    }
    names
}

/// Puts the wanted members of an object into their cells.
struct ObjectSeed<'n, 'c, 'a> {
    nodes: &'n [Node],
    cells: &'c mut Cells<'a>,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for ObjectSeed<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for ObjectSeed<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(found) = object.next_key_seed(NameSeed { nodes: self.nodes })? {
            let Some(node) = found else {
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: Cell<'a> = object.next_value()?;
            if !place(node, value, self.cells) {
                return Err(A::Error::custom(format!("field `{}` occurs twice", node.key)));
            }
        }
        Ok(())
    }
}

/// Puts a value, and what is wanted of its members, into the cells; false if it is there already.
fn place<'a>(node: &Node, value: Cell<'a>, cells: &mut Cells<'a>) -> bool {
    if let (false, Cell::Object(members)) = (node.inside.is_empty(), &value) {
        for (key, member) in members {
            let inside = node.inside.iter().find(|inside| inside.key == *key);
            if inside.is_some_and(|inside| !place(inside, member.clone(), cells)) {
                return false;
            }
        }
    }
    match node.slot {
        Some(slot) if filled(cells, slot) => return false,
        Some(slot) => cells.push((slot, value)),
        None => {}
    }
    true
}

/// Finds the node of a member's name without keeping the name.
struct NameSeed<'n> {
    nodes: &'n [Node],
}

impl<'de, 'n> DeserializeSeed<'de> for NameSeed<'n> {
    type Value = Option<&'n Node>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for NameSeed<'n> {
    type Value = Option<&'n Node>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.nodes.iter().find(|node| node.key == name))
    }
}
