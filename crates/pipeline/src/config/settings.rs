//! Keys that the command line sets in place of what the file says: `reader.passages=10`.
//!
//! A setting is TOML, so that it has a place which a problem can point at. All of them stand behind
//! the text of the file, as far as places are concerned.

use std::fmt::Write as _;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::Problem;

/// Settings as a text of TOML, each on a line of its own. A value that is no TOML is a string.
///
/// # Errors
///
/// What is wrong with the form of one of them.
pub(super) fn written(settings: &[String]) -> Result<String, Problem> {
    settings.iter().map(|setting| line(setting)).collect()
}

fn line(setting: &str) -> Result<String, Problem> {
    let malformed = || {
        let message = format!("`{setting}` sets nothing");
        Problem::of_file(message).hint("write KEY=VALUE, for example `reader.passages=10`")
    };
    let (key, value) = setting.split_once('=').ok_or_else(malformed)?;
    let (key, value) = (key.trim(), value.trim());
    // With a line break it could be more than one.
    if key.contains(['\n', '\r']) || DeTable::parse(&format!("{key} = 0")).is_err() {
        return Err(malformed());
    }
    let line = format!("{key} = {value}\n");
    if value.contains(['\n', '\r']) || DeTable::parse(&line).is_err() {
        return Ok(format!("{key} = {}\n", quoted(value)));
    }
    Ok(line)
}

/// A basic string of TOML, on one line.
fn quoted(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 2);
    line.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => line.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(line, "\\u{:04x}", u32::from(letter));
            }
            letter => line.push(letter),
        }
    }
    line.push('"');
    line
}

/// Puts the settings in place of what the file says.
pub(super) fn apply<'i>(
    table: &mut DeTable<'i>,
    settings: DeTable<'i>,
    problems: &mut Vec<Problem>,
) {
    for (key, value) in settings {
        let existing = table.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut);
        let value = match (existing, value.get_ref()) {
            (Some(DeValue::Table(existing)), DeValue::Table(settings)) => {
                apply(existing, settings.clone(), problems);
                continue;
            }
            (Some(DeValue::Array(tables)), DeValue::Table(settings)) => {
                let mut tables: Vec<&mut DeTable<'i>> = tables
                    .iter_mut()
                    .filter_map(|table| match table.get_mut() {
                        DeValue::Table(table) => Some(table),
                        _ => None,
                    })
                    .collect();
                apply_to_one(key.get_ref(), &mut tables, settings.clone(), problems);
                continue;
            }
            _ => value,
        };
        table.insert(key, value);
    }
}

/// Settings of one of several tables, which is named by its `name`, or is the only one.
fn apply_to_one<'i>(
    title: &str,
    tables: &mut [&mut DeTable<'i>],
    settings: DeTable<'i>,
    problems: &mut Vec<Problem>,
) {
    let names: Vec<String> = tables.iter().filter_map(|table| name(table)).collect();
    for (key, value) in settings {
        let named = tables.iter().position(|table| name(table).as_deref() == Some(key.get_ref()));
        match (named, value.get_ref()) {
            (Some(named), DeValue::Table(settings)) => {
                apply(tables[named], settings.clone(), problems);
            }
            _ if tables.len() == 1 => {
                apply(tables[0], DeTable::from_iter([(key, value)]), problems);
            }
            _ => {
                let message = format!("there are {} `[[{title}]]`", tables.len());
                let known = names.first().map_or("NAME", String::as_str);
                let key = key.get_ref();
                let hint = format!("say which one by its name, as in `{title}.{known}.{key}=...`");
                problems.push(Problem::at(value.span(), message).hint(hint));
            }
        }
    }
}

/// The name of a table.
pub(super) fn name(table: &DeTable<'_>) -> Option<String> {
    match table.get("name")?.get_ref() {
        DeValue::String(name) => Some(name.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::*;

    fn set(file: &str, settings: &[&str]) -> Result<Value, Vec<String>> {
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let written = written(&settings).map_err(|problem| vec![problem.message])?;
        let parse = |text| DeTable::parse(text).unwrap().into_inner();
        let (mut table, mut problems) = (parse(file), Vec::new());
        apply(&mut table, parse(&written), &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_iter().map(|problem| problem.message).collect());
        }
        let table = Spanned::new(0..0, DeValue::Table(table));
        Ok(serde::Deserialize::deserialize(toml::de::ValueDeserializer::from(table)).unwrap())
    }

    #[test]
    fn a_setting_takes_the_place_of_a_key() {
        let file = "[reader]\ntype = \"replay\"\npath = \"a\"\n[metrics]\nanswer = [\"EM\"]\n";
        let set =
            set(file, &["reader.path=b c.jsonl", "metrics.answer=[\"F1\"]", "evaluation.seed = 7"]);
        let expected = "reader = { type = \"replay\", path = \"b c.jsonl\" }\n\
                        metrics = { answer = [\"F1\"] }\nevaluation = { seed = 7 }\n";
        assert_eq!(set.unwrap(), toml::from_str(expected).unwrap());
    }

    #[test]
    fn one_of_several_tables_is_named() {
        let file = "[[reader]]\nname = \"a\"\n[[reader]]\nname = \"b\"\n";
        let both = set(file, &["reader.b.passages=3"]).unwrap();
        assert_eq!(both["reader"][1]["passages"], Value::Integer(3));
        assert!(both["reader"][0].get("passages").is_none());
        assert_eq!(set(file, &["reader.passages=3"]), Err(vec!["there are 2 `[[reader]]`".into()]));
        let one = set("[[reader]]\nname = \"a\"\n", &["reader.passages=3", "reader.a.top=true"]);
        let one = one.unwrap();
        assert_eq!(one["reader"][0]["passages"], Value::Integer(3));
        assert_eq!(one["reader"][0]["top"], Value::Boolean(true));
    }

    #[test]
    fn what_is_no_toml_is_a_string() {
        for (setting, expected) in [
            ("a=x", "x"),
            ("a=\"x\"", "x"),
            ("a=C:\\data", "C:\\data"),
            ("a=x\nb = 1", "x\nb = 1"),
            ("a=say \"x\"", "say \"x\""),
            ("a=", ""),
        ] {
            assert_eq!(set("", &[setting]).unwrap()["a"].as_str(), Some(expected), "{setting}");
        }
        for setting in ["a", "=1", "a b=1", "a.=1", "a\nb=1"] {
            let message = format!("`{setting}` sets nothing");
            assert_eq!(set("", &[setting]), Err(vec![message]));
        }
    }
}
