//! `[sweep]`: keys with lists of values, each combination of which is an evaluation of its own.
//!
//! A key is written as for `--set`, so that a combination is what the file would be with these
//! settings.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Swept, extends, settings};
use crate::{Problem, sources::Sources};

/// The table.
pub(super) const KEY: &str = "sweep";

/// How many combinations one file may have.
const MOST: usize = 100;

/// Longest value that names a combination as it is written.
const LONGEST: usize = 40;

/// A key with its values.
pub(super) struct Axis<'i> {
    path: Vec<Key<'i>>,
    values: Vec<Spanned<DeValue<'i>>>,
}

type Key<'i> = Spanned<std::borrow::Cow<'i, str>>;

impl Axis<'_> {
    fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.path.iter().map(|key| key.get_ref().as_ref())
    }

    fn named(&self) -> String {
        self.keys().collect::<Vec<_>>().join(".")
    }

    /// The last key, with as many of those before it as tell it apart from the other axes.
    fn short_name(&self, all: &[Self]) -> String {
        let ends_alike = |other: &&Self, length: usize| {
            other.keys().rev().take(length).eq(self.keys().rev().take(length))
        };
        let alone = |&length: &usize| all.iter().filter(|o| ends_alike(o, length)).count() == 1;
        let length = (1..self.path.len()).find(alone).unwrap_or(self.path.len());
        self.keys().skip(self.path.len() - length).collect::<Vec<_>>().join(".")
    }
}

/// Takes the table out of the file and reads it: the axes in the order of the file. `set` is what the
/// command line sets.
pub(super) fn axes<'i>(
    table: &mut DeTable<'i>,
    set: &DeTable<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<Axis<'i>> {
    let Some(value) = table.remove(KEY) else { return Vec::new() };
    let before = problems.len();
    let span = value.span();
    let mut axes = Vec::new();
    match value.into_inner() {
        DeValue::Table(table) => collect(&mut Vec::new(), table, &mut axes, problems),
        other => {
            let message = format!("`[{KEY}]` is a {}, expected a table", other.type_str());
            problems.push(Problem::at(span.clone(), message).hint(HINT));
        }
    }
    // A key of the file keeps its place where the command line gives it other values.
    axes.sort_by_key(|axis: &Axis<'_>| axis.path.last().map(|key| key.span().start));
    for (index, axis) in axes.iter().enumerate() {
        let place = axis.path.last().map_or(span.clone(), Spanned::span);
        let first = axis.keys().next().unwrap_or_default();
        let name = axis.named();
        if ["version", extends::KEY, KEY].contains(&first) {
            problems.push(Problem::at(place, format!("`{name}` cannot be swept")));
        } else if axes[..index].iter().any(|other| other.named() == name) {
            problems.push(Problem::at(place, format!("`{name}` is swept twice")));
        } else if sets(set, &axis.path) {
            let hint = format!("to sweep other values, set `{KEY}.{name}=[...]`");
            let message = format!("`{name}` is swept, and the command line sets it");
            problems.push(Problem::at(place, message).hint(hint));
        }
    }
    let sizes = axes.iter().map(|axis| axis.values.len());
    let count = sizes.fold(1_usize, usize::saturating_mul);
    if count > MOST {
        let message = format!("`[{KEY}]` has {count} combinations, and {MOST} are the most");
        let hint = "sweep fewer keys at once, or fewer values of each";
        problems.push(Problem::at(span, message).hint(hint));
    }
    if problems.len() == before { axes } else { Vec::new() }
}

const HINT: &str = "write a key with a list of values: `reader.passages = [1, 5, 10]`";

/// The lists of values below a table.
fn collect<'i>(
    above: &mut Vec<Key<'i>>,
    table: DeTable<'i>,
    axes: &mut Vec<Axis<'i>>,
    problems: &mut Vec<Problem>,
) {
    for (key, value) in table {
        let (span, length) = (value.span(), above.len());
        match split(&key) {
            Some(keys) => above.extend(keys),
            None => above.push(key),
        }
        match value.into_inner() {
            DeValue::Table(table) => collect(above, table, axes, problems),
            DeValue::Array(array) if array.iter().next().is_some() => {
                let axis = Axis { path: above.clone(), values: array.into_iter().collect() };
                axes.push(axis);
            }
            other => {
                let names: Vec<&str> = above.iter().map(|key| key.get_ref().as_ref()).collect();
                let name = names.join(".");
                let message = match other {
                    DeValue::Array(_) => format!("`{name}` in `[{KEY}]` has no value"),
                    other => format!(
                        "`{name}` in `[{KEY}]` is a {}, expected a list of values",
                        other.type_str()
                    ),
                };
                problems.push(Problem::at(span, message).hint(HINT));
            }
        }
        above.truncate(length);
    }
}

/// A key in quotes that was meant as several: `"reader.passages"`.
fn split<'i>(key: &Key<'i>) -> Option<Vec<Key<'i>>> {
    let text = key.get_ref();
    let parts = text.split('.').map(|part| Spanned::new(key.span(), part.to_owned().into()));
    let plain = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c))
    };
    (text.contains('.') && text.split('.').all(plain)).then(|| parts.collect())
}

/// Whether the command line sets a key, something in it, or something that it is in.
fn sets(set: &DeTable<'_>, path: &[Key<'_>]) -> bool {
    let Some((key, rest)) = path.split_first() else { return true };
    match set.get(key.get_ref().as_ref()).map(Spanned::get_ref) {
        None => false,
        Some(DeValue::Table(table)) => sets(table, rest),
        Some(_) => true,
    }
}

/// Every combination: its values are set in a copy of the file. Without an axis it is the file
/// itself.
pub(super) fn combinations<'i>(
    table: &DeTable<'i>,
    axes: &[Axis<'i>],
    sources: &Sources,
    problems: &mut Vec<Problem>,
) -> Vec<(Option<Swept>, DeTable<'i>)> {
    if axes.is_empty() {
        return vec![(None, table.clone())];
    }
    let count: usize = axes.iter().map(|axis| axis.values.len()).product();
    let names: Vec<Vec<String>> = axes.iter().map(|axis| names(axis, sources, problems)).collect();
    let short: Vec<String> = axes.iter().map(|axis| axis.short_name(axes)).collect();
    let combination = |place: usize| {
        let mut table = table.clone();
        let (mut name, mut values) = (Vec::new(), Vec::new());
        // The last key changes first.
        let mut rest = count;
        for (index, axis) in axes.iter().enumerate() {
            rest /= axis.values.len();
            let value = place / rest % axis.values.len();
            name.push(format!("{}={}", short[index], names[index][value]));
            values.push((axis.named(), names[index][value].clone()));
            settings::apply(&mut table, nested(axis, value), problems);
        }
        (Some(Swept { name: name.join(" "), values, place: place as u64 }), table)
    };
    (0..count).map(combination).collect()
}

/// One value of a key, in the tables that the key is in.
fn nested<'i>(axis: &Axis<'i>, value: usize) -> DeTable<'i> {
    let mut value = axis.values[value].clone();
    for (depth, key) in axis.path.iter().enumerate().rev() {
        let table = DeTable::from_iter([(key.clone(), value)]);
        if depth == 0 {
            return table;
        }
        value = Spanned::new(key.span(), DeValue::Table(table));
    }
    DeTable::new()
}

/// What the values of a key are called: as they are written, or by their place where that is long.
fn names(axis: &Axis<'_>, sources: &Sources, problems: &mut Vec<Problem>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (index, value) in axis.values.iter().enumerate() {
        let written = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            _ => sources.text(&value.span()).unwrap_or_default().to_owned(),
        };
        let short = written.chars().count() <= LONGEST && !written.contains(char::is_control);
        let name = match written.trim() {
            trimmed if short && !trimmed.is_empty() => trimmed.to_owned(),
            _ => format!("#{}", index + 1),
        };
        if names.contains(&name) {
            let message = format!("`{}` is swept over `{name}` twice", axis.named());
            problems.push(Problem::at(value.span(), message));
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of all combinations, and what is wrong.
    fn named(file: &str, set: &str) -> (Vec<String>, Vec<String>) {
        let parse = |text| DeTable::parse(text).unwrap().into_inner();
        let sources = Sources::new("f".into(), file.to_owned());
        let (mut table, mut problems) = (parse(file), Vec::new());
        let axes = axes(&mut table, &parse(set), &mut problems);
        let all = combinations(&table, &axes, &sources, &mut problems);
        let names = all.into_iter().filter_map(|(swept, _)| Some(swept?.name)).collect();
        (names, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn combinations_are_named_in_the_order_of_the_file() {
        let file = "[sweep]\nretriever.depth = [10, 20]\nreader.type = [\"a\", \"b c\"]\n\
                    \"metrics.answer\" = [[\"EM\"]]\n";
        let (names, problems) = named(file, "evaluation.seed = 1");
        assert_eq!(problems, [""; 0]);
        assert_eq!(
            names,
            [
                "depth=10 type=a answer=[\"EM\"]",
                "depth=10 type=b c answer=[\"EM\"]",
                "depth=20 type=a answer=[\"EM\"]",
                "depth=20 type=b c answer=[\"EM\"]",
            ]
        );
        let file =
            "[sweep]\nreader.a.passages = [1]\nreader.b.passages = [true]\nreader.b.top = [2.50]\n";
        assert_eq!(named(file, "").0, ["a.passages=1 b.passages=true top=2.50"]);
        let long = format!("[sweep]\nreader.prompt = [\"{}\", \"a\\nb\", \"\"]\n", "x".repeat(50));
        assert_eq!(named(&long, "").0, ["prompt=#1", "prompt=#2", "prompt=#3"]);
        assert_eq!(named("a = 1", ""), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_is_no_sweep_is_refused() {
        for (sweep, set, message) in [
            ("sweep = 1", "", "`[sweep]` is a integer, expected a table"),
            ("sweep.a.b = 1", "", "`a.b` in `[sweep]` is a integer, expected a list of values"),
            ("sweep.a = []", "", "`a` in `[sweep]` has no value"),
            ("sweep.a = [1, 2, 1]", "", "`a` is swept over `1` twice"),
            ("sweep.a.b = [1]\nsweep.\"a.b\" = [2]", "", "`a.b` is swept twice"),
            ("sweep.extends = [\"a\"]", "", "`extends` cannot be swept"),
            ("sweep.a.b = [1]", "a.b = 2", "`a.b` is swept, and the command line sets it"),
            ("sweep.a.b = [1]", "a = 2", "`a.b` is swept, and the command line sets it"),
            ("sweep.a = [1]", "a.b = 2", "`a` is swept, and the command line sets it"),
            (
                "sweep.a = [1,2,3,4,5,6,7,8,9,10,11]\nsweep.b = [0,1,2,3,4,5,6,7,8,9]",
                "",
                "`[sweep]` has 110 combinations, and 100 are the most",
            ),
        ] {
            assert_eq!(named(sweep, set).1, [message], "{sweep}");
        }
    }
}
