//! Files that a file extends: `extends = "base.toml"`.
//!
//! A file says what differs from the files it extends. Tables are merged key by key, `[[reader]]` and
//! the like by their `name`, and everything else takes the place of what the other file says.

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Lookup, VERSION, document, environment, version_of};
use crate::{Problem, sources::Sources};

/// The key.
pub(super) const KEY: &str = "extends";

/// How many files may extend one another, one after the other.
const DEEPEST: usize = 16;

/// How many files a configuration may be made of.
const MOST: usize = 64;

/// A file with all that it extends, read and not yet merged.
pub(super) struct Files {
    /// Their texts, with blanks in front, so that their places are those of [`Sources`].
    texts: Vec<String>,
    /// For each of them the indexes of those that it extends, the later ones above the earlier.
    bases: Vec<Vec<usize>>,
}

impl Files {
    /// Reads the files that a file extends, and theirs.
    pub(super) fn read(
        sources: &mut Sources,
        path: &Path,
        text: &str,
        lookup: Lookup<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let files = Self { texts: Vec::new(), bases: Vec::new() };
        let mut reading = Reading { files, sources, lookup, above: Vec::new(), problems };
        reading.add(path, text.to_owned());
        reading.files
    }

    /// All of them as one table; [`None`] where one of them is no TOML.
    pub(super) fn merged(&self) -> Option<DeTable<'_>> {
        self.merge(0)
    }

    fn merge(&self, file: usize) -> Option<DeTable<'_>> {
        let mut own = document(&self.texts[file], &mut Vec::new())?;
        own.remove(KEY);
        let mut bases = self.bases[file].iter();
        let Some(&first) = bases.next() else { return Some(own) };
        let mut merged = self.merge(first)?;
        for &base in bases {
            lay_over(&mut merged, self.merge(base)?);
        }
        lay_over(&mut merged, own);
        Some(merged)
    }
}

/// What is read, and by way of which files.
struct Reading<'a> {
    files: Files,
    sources: &'a mut Sources,
    lookup: Lookup<'a>,
    /// The files that lead to the one that is being read, without links.
    above: Vec<PathBuf>,
    problems: &'a mut Vec<Problem>,
}

impl Reading<'_> {
    /// Adds a file and those that it extends; its index.
    fn add(&mut self, path: &Path, text: String) -> usize {
        let index = self.files.texts.len();
        let padded = match index {
            0 => text,
            _ => self.sources.add(Some(path.to_owned()), text),
        };
        let mut named = Vec::new();
        if let Some(mut table) = document(&padded, self.problems) {
            let version = table.get("version").filter(|_| index > 0);
            if let Some(version) = version.filter(|version| version_of(version) != Some(VERSION)) {
                self.problems.push(super::other_version(version.span()));
            }
            named = self.named(table.remove(KEY));
        }
        self.files.texts.push(padded);
        self.files.bases.push(Vec::new());
        self.above.push(real(path));
        for (base, span) in named {
            let base = path.with_file_name("").join(base);
            match self.open(&base) {
                Ok(text) => {
                    let base = self.add(&base, text);
                    self.files.bases[index].push(base);
                }
                Err(problem) => self.problems.push(Problem { span: Some(span), ..problem }),
            }
        }
        self.above.pop();
        index
    }

    /// The files that the key names, with their places.
    fn named(&mut self, value: Option<Spanned<DeValue<'_>>>) -> Vec<(String, Range<usize>)> {
        let Some(mut value) = value else { return Vec::new() };
        environment::interpolate(&mut value, self.lookup, self.problems);
        let span = value.span();
        let values = match value.into_inner() {
            DeValue::Array(array) => array.into_iter().collect(),
            other => vec![Spanned::new(span, other)],
        };
        let mut names = Vec::new();
        for value in values {
            let span = value.span();
            match value.into_inner() {
                DeValue::String(name) => names.push((name.into_owned(), span)),
                other => {
                    let found = other.type_str();
                    let message = format!("`{KEY}` has a {found}, expected the path of a file");
                    let hint = format!("write `{KEY} = \"base.toml\"`, or a list of paths");
                    self.problems.push(Problem::at(span, message).hint(hint));
                }
            }
        }
        names
    }

    fn open(&self, path: &Path) -> Result<String, Problem> {
        let shown = path.display();
        if self.above.contains(&real(path)) {
            let message = format!("`{shown}` extends itself");
            let hint = match self.above.len() {
                1 => "leave the file itself out of what it extends".to_owned(),
                _ => format!("leave it out: `{}` leads from it to here", self.way(path)),
            };
            return Err(Problem::of_file(message).hint(hint));
        }
        if self.above.len() >= DEEPEST || self.files.texts.len() >= MOST {
            let message = format!("`{shown}` is one file too many");
            let hint = format!(
                "at most {DEEPEST} files extend one another in a row, and {MOST} make one evaluation"
            );
            return Err(Problem::of_file(message).hint(hint));
        }
        if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let message = format!("`{shown}` is no regular file");
            // A pipe that nobody writes to would be waited for.
            return Err(Problem::of_file(message).hint("name a file that can be read again"));
        }
        let bytes = fs::read(path).map_err(|error| {
            Problem::of_file(format!("cannot read `{shown}`: {error}"))
                .hint("a relative path starts from the folder of the file that names it")
        })?;
        String::from_utf8(bytes).map_err(|_| {
            Problem::of_file(format!("`{shown}` is no UTF-8")).hint("save the file as UTF-8")
        })
    }

    /// The names of the files from this one to the one that is being read.
    fn way(&self, from: &Path) -> String {
        let from = real(from);
        let way = self.above.iter().skip_while(|path| **path != from);
        let names = way.map(|path| path.file_name().unwrap_or_default().to_string_lossy());
        names.collect::<Vec<_>>().join("` → `")
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Lays a whole file over another one.
fn lay_over<'i>(below: &mut DeTable<'i>, above: DeTable<'i>) {
    for (key, value) in above {
        let name = key.get_ref().clone();
        let value = match below.remove(name.as_ref()) {
            Some(old) => one_of_both(old, value),
            None => value,
        };
        below.insert(key, value);
    }
}

/// What becomes of a table, a list of tables or a value at the top of a file.
fn one_of_both<'i>(
    below: Spanned<DeValue<'i>>,
    above: Spanned<DeValue<'i>>,
) -> Spanned<DeValue<'i>> {
    if !are_tables(&below) && !are_tables(&above) {
        return merged(below, above);
    }
    let span = above.span();
    let (Some(mut all), Some(others)) = (tables(below), tables(above.clone())) else {
        return above;
    };
    for other in others {
        let same = name(&other).and_then(|own| {
            let own = Some(own);
            all.iter().position(|table| name(table) == own)
        });
        match same {
            Some(index) => {
                let old = all.remove(index);
                all.insert(index, merged(old, other));
            }
            None => all.push(other),
        }
    }
    Spanned::new(span, DeValue::Array(all.into_iter().collect()))
}

/// A table above another one; anything else takes the place of what is below it, and so does a table
/// of another `type`, which has other keys.
fn merged<'i>(below: Spanned<DeValue<'i>>, above: Spanned<DeValue<'i>>) -> Spanned<DeValue<'i>> {
    let span = above.span();
    match (below.into_inner(), above.into_inner()) {
        (DeValue::Table(mut below), DeValue::Table(above)) if !other_type(&below, &above) => {
            for (key, value) in above {
                let name = key.get_ref().clone();
                let value = match below.remove(name.as_ref()) {
                    Some(old) => merged(old, value),
                    None => value,
                };
                below.insert(key, value);
            }
            Spanned::new(span, DeValue::Table(below))
        }
        (_, above) => Spanned::new(span, above),
    }
}

fn other_type(below: &DeTable<'_>, above: &DeTable<'_>) -> bool {
    let text = |table: &DeTable<'_>| match table.get("type")?.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    };
    matches!((text(below), text(above)), (Some(below), Some(above)) if below != above)
}

/// Whether the value is `[[...]]`.
fn are_tables(value: &Spanned<DeValue<'_>>) -> bool {
    let DeValue::Array(array) = value.get_ref() else { return false };
    array.iter().next().is_some()
        && array.iter().all(|table| matches!(table.get_ref(), DeValue::Table(_)))
}

/// The tables of `[[...]]`, or the only one of `[...]`.
fn tables(value: Spanned<DeValue<'_>>) -> Option<Vec<Spanned<DeValue<'_>>>> {
    let span = value.span();
    match value.into_inner() {
        DeValue::Array(array) => Some(array.into_iter().collect()),
        DeValue::Table(table) => Some(vec![Spanned::new(span, DeValue::Table(table))]),
        _ => None,
    }
}

fn name(table: &Spanned<DeValue<'_>>) -> Option<String> {
    match table.get_ref() {
        DeValue::Table(table) => super::settings::name(table),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize as _;
    use toml::{Value, de::ValueDeserializer};

    use super::*;

    fn check(below: &str, above: &str, expected: &str) {
        let parse = |text| DeTable::parse(text).unwrap().into_inner();
        let mut table = parse(below);
        lay_over(&mut table, parse(above));
        let table = Spanned::new(0..0, DeValue::Table(table));
        let found = Value::deserialize(ValueDeserializer::from(table)).unwrap();
        assert_eq!(found, toml::from_str(expected).unwrap(), "{below}\n{above}");
    }

    #[test]
    fn tables_are_merged_and_values_replaced() {
        check(
            "version = 1\n[metrics]\nanswer = [\"EM\"]\n[metrics.options.F1]\na = 1\nb = 2\n",
            "[metrics]\nanswer = [\"F1\"]\noptions.F1.b = 3\n[corpus]\npath = \"c\"\n",
            "version = 1\ncorpus = { path = \"c\" }\n\
             metrics = { answer = [\"F1\"], options = { F1 = { a = 1, b = 3 } } }\n",
        );
    }

    #[test]
    fn tables_in_double_brackets_are_matched_by_name() {
        check(
            "[[reader]]\nname = \"a\"\npath = \"1\"\n[[reader]]\nname = \"b\"\npath = \"2\"\n",
            "[[reader]]\nname = \"b\"\ntop = true\n[[reader]]\nname = \"c\"\n[[reader]]\npath = \"3\"\n",
            "reader = [{ name = \"a\", path = \"1\" }, { name = \"b\", path = \"2\", top = true }, \
             { name = \"c\" }, { path = \"3\" }]\n",
        );
        // One table alone is the first of several.
        check(
            "[reader]\nname = \"a\"\npath = \"1\"\n",
            "[[reader]]\nname = \"a\"\ntop = true\n[[reader]]\nname = \"b\"\n",
            "reader = [{ name = \"a\", path = \"1\", top = true }, { name = \"b\" }]\n",
        );
        check(
            "[[reader]]\nname = \"a\"\npath = \"1\"\n",
            "[reader]\nname = \"b\"\n",
            "reader = [{ name = \"a\", path = \"1\" }, { name = \"b\" }]\n",
        );
    }

    #[test]
    fn another_type_has_other_keys() {
        check(
            "[reader]\ntype = \"replay\"\npath = \"1\"\n",
            "[reader]\ntype = \"http\"\nurl = \"u\"\n",
            "reader = { type = \"http\", url = \"u\" }\n",
        );
        check(
            "[reader]\ntype = \"replay\"\npath = \"1\"\n",
            "[reader]\ntype = \"replay\"\npath = \"2\"\n",
            "reader = { type = \"replay\", path = \"2\" }\n",
        );
    }
}
