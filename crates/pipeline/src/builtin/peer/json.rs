//! Answers as values.

use std::str;

use serde::de::IgnoredAny;
use serde_json::Value;

/// Reads an answer.
///
/// A number that no `f64` can hold, such as `1e999`, is JSON all the same. So that it is an error
/// of the hit that has it and not of the whole answer, it is read as an object that is good for
/// nothing and shows the number: `{"number out of range": "1e999"}`.
pub(crate) fn read(answer: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(answer).or_else(|error| {
        let replaced = str::from_utf8(answer).ok().and_then(replace_numbers_out_of_range);
        // With other mistakes besides, the first one is told.
        replaced.and_then(|replaced| serde_json::from_str(&replaced).ok()).ok_or(error)
    })
}

/// The text with objects in the place of numbers that are too large; `None` where there is none.
fn replace_numbers_out_of_range(text: &str) -> Option<String> {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(start) =
        rest.find(|sign: char| sign == '"' || sign == '-' || sign.is_ascii_digit())
    {
        let (before, from) = rest.split_at(start);
        let end = if from.starts_with('"') { after_text(from) } else { after_number(from) };
        let (token, after) = from.split_at(end);
        replaced.push_str(before);
        if is_out_of_range(token) {
            replaced.push_str("{\"number out of range\":\"");
            replaced.push_str(token);
            replaced.push_str("\"}");
        } else {
            replaced.push_str(token);
        }
        rest = after;
    }
    replaced.push_str(rest);
    (replaced.len() > text.len()).then_some(replaced)
}

/// Where a text in quotation marks is over.
fn after_text(from: &str) -> usize {
    // The first mark begins it.
    let mut escaped = true;
    let end = from.bytes().position(|byte| {
        let end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        end
    });
    end.map_or(from.len(), |end| end + 1)
}

/// Where what looks like a number is over.
fn after_number(from: &str) -> usize {
    let part = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    from.bytes().position(|byte| !part(byte)).unwrap_or(from.len())
}

fn is_out_of_range(token: &str) -> bool {
    token.parse().is_ok_and(f64::is_infinite) && serde_json::from_str::<IgnoredAny>(token).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_out_of_range_is_no_number() {
        let long = format!("-1{}.5", "0".repeat(400));
        let answer = format!("{{\"a\\\"1e999\": [1e999, -2, \"1e999\", {long}], \"b\": 1e308}}");
        let expected = json!({
            "a\"1e999": [
                {"number out of range": "1e999"}, -2, "1e999", {"number out of range": long},
            ],
            "b": 1e308,
        });
        assert_eq!(read(answer.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn what_is_no_json_is_none() {
        for (wrong, message) in [
            ("[1e999, NaN]", "number out of range at line 1 column 6"),
            ("[1e999", "number out of range at line 1 column 6"),
            ("[01e999]", "invalid number at line 1 column 3"),
            ("[1, \"1e999]", "EOF while parsing a string at line 1 column 11"),
            ("", "EOF while parsing a value at line 1 column 0"),
        ] {
            assert_eq!(read(wrong.as_bytes()).unwrap_err().to_string(), message, "{wrong}");
        }
        assert!(read(b"\xff 1e999").is_err());
    }
}
