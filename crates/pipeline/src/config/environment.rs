//! `${NAME}` and `${NAME:-default}` in the string values of a file.
//!
//! Only values are replaced, after the file is parsed, so that a variable cannot change the
//! structure of the file and every place keeps its span.

use std::collections::BTreeSet;

use toml::{Spanned, de::DeValue};

use crate::Problem;

/// Looks a variable up; the command line reads the environment, tests give a map.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Replaces the variables in all string values below `value`.
pub(super) fn interpolate(
    value: &mut Spanned<DeValue<'_>>,
    lookup: Lookup<'_>,
    problems: &mut Vec<Problem>,
) {
    let span = value.span();
    match value.get_mut() {
        DeValue::String(text) if text.contains('$') => match replace(text, lookup) {
            Ok(replaced) => *text = replaced.into(),
            Err(problem) => {
                problems.push(Problem::at(span, problem.message).maybe_hint(problem.hint));
            }
        },
        DeValue::Array(array) => {
            array.iter_mut().for_each(|value| interpolate(value, lookup, problems));
        }
        DeValue::Table(table) => {
            table.iter_mut().for_each(|(_, value)| interpolate(value, lookup, problems));
        }
        _ => {}
    }
}

/// Notes the names of variables that keys grant or ask for.
pub(super) fn note_named(value: &DeValue<'_>, names: &mut BTreeSet<String>) {
    match value {
        DeValue::Array(array) => array.iter().for_each(|value| note_named(value.get_ref(), names)),
        DeValue::Table(table) => {
            for (key, value) in table {
                match (key.get_ref().as_ref(), value.get_ref()) {
                    ("api_key_env", DeValue::String(name)) => {
                        names.insert(name.to_string());
                    }
                    ("environment", DeValue::Array(granted)) => {
                        let granted = granted.iter().filter_map(|name| name.get_ref().as_str());
                        names.extend(granted.map(str::to_owned));
                    }
                    (_, value) => note_named(value, names),
                }
            }
        }
        _ => {}
    }
}

/// The text with its variables replaced; `$$` is a dollar sign.
fn replace(text: &str, lookup: Lookup<'_>) -> Result<String, Problem> {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        output.push_str(&rest[..dollar]);
        rest = &rest[dollar + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            output.push('$');
            rest = after;
        } else if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after.split_once('}').ok_or_else(|| {
                Problem::of_file(format!("`{text}` lacks the closing brace of its variable"))
            })?;
            output.push_str(&value(inside, lookup)?);
            rest = after;
        } else {
            output.push('$');
        }
    }
    output.push_str(rest);
    Ok(output)
}

fn value(inside: &str, lookup: Lookup<'_>) -> Result<String, Problem> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let set = lookup(name).filter(|value| !value.is_empty());
    set.or_else(|| default.map(str::to_owned)).ok_or_else(|| {
        Problem::of_file(format!("the environment variable `{name}` is not set"))
            .hint(format!("set it: `{name}=... qeval ...`, or write `${{{name}:-default}}`"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_in_values() {
        let lookup = |name: &str| (name == "HOME").then(|| "/users/ada".to_owned());
        for (text, expected) in [
            ("${HOME}/x", Ok("/users/ada/x")),
            ("${NONE:-a}${HOME:-b}", Ok("a/users/ada")),
            ("$5 and $$ and $HOME", Ok("$5 and $ and $HOME")),
            ("${NONE}", Err("the environment variable `NONE` is not set")),
            ("${HOME", Err("`${HOME` lacks the closing brace of its variable")),
        ] {
            let found = replace(text, &lookup).map_err(|problem| problem.message);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
        }
    }
}
