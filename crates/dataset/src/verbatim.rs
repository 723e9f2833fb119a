//! Files as the scripts of the field see them.
//!
//! A script tells apart what a [`Record`](crate::Record) does not need: whether a member is missing
//! or empty, which answers are blank, what a file says of itself. Who follows a script to the letter
//! reads these.

pub mod drop;
pub mod haystack;
pub mod hotpotqa;
pub mod kilt;
pub mod natural_questions;
pub mod triviaqa;

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::{
    Error, Place, document,
    input::{self, Lines},
    jsonl,
};

/// A file that is one JSON value.
pub fn json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = input::read_text(path)?;
    if text.trim_ascii().is_empty() {
        return Err(document::empty().of_file(path));
    }
    serde_json::from_str(&text).map_err(|error| {
        let (problem, line) = document::problem(&text, 0, &error);
        problem.at(path, Place::line(line))
    })
}

/// The whole text of a file, unpacked where it is packed.
pub fn text(path: &Path) -> Result<String, Error> {
    input::read_text(path)
}

/// A file of JSON objects, one on each line.
pub fn json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let mut lines = Lines::open(path)?;
    let mut values = Vec::new();
    while let Some(line) = lines.next()? {
        let value = serde_json::from_str(line).map_err(|error| jsonl::invalid(line, &error));
        values.push(value.map_err(|problem| lines.error(problem))?);
    }
    if values.is_empty() { Err(document::empty().of_file(path)) } else { Ok(values) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::testing::read;

    #[test]
    fn errors_say_where_and_what() {
        let check = |content: &str, expected: &str| {
            let found = read(content.as_bytes(), json::<Vec<u64>>);
            assert_eq!(found.unwrap_err(), expected);
        };
        check(" \n", "`file`: the file is empty: there is nothing to evaluate");
        check("[1,\n\"x\"]", "`file`, line 2, column 3: found a text, expected u64");
        let lines = |content: &str| read(content.as_bytes(), json_lines::<BTreeMap<String, bool>>);
        assert_eq!(lines("{\"a\": true}\n{}\n").map(|lines| lines.len()), Ok(2));
        let empty = "`file`: the file is empty: there is nothing to evaluate";
        assert_eq!(lines("").unwrap_err(), empty);
        let expected = "`file`, line 2: the line is a text, expected an object";
        assert_eq!(lines("{}\n\"x\"").unwrap_err(), expected);
    }
}
