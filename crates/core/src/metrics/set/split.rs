//! The items of a list that stands in a text.

/// Where a text is split; the first is the default.
pub(super) const SEPARATORS: &[&str] = &["comma", "semicolon", "newline", "bar", "list"];

/// The items of an answer: its own if it has some, else the parts of its text.
pub(super) fn items<'a>(text: &'a str, items: &'a [String], separator: &str) -> Vec<&'a str> {
    if !items.is_empty() {
        return items.iter().map(String::as_str).collect();
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if at >= start && splits(text, at, c, separator) {
            parts.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    parts.push(&text[start..]);
    if separator == "list" {
        parts = parts.into_iter().flat_map(split_at_and).collect();
    }
    if matches!(separator, "newline" | "list") {
        for part in &mut parts {
            *part = without_bullet(part);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn splits(text: &str, at: usize, c: char, separator: &str) -> bool {
    let (comma, semicolon) = (matches!(c, ',' | '，' | '、' | '،'), matches!(c, ';' | '；' | '؛'));
    match separator {
        "comma" => comma && !in_number(text, at, c),
        "semicolon" => semicolon,
        "newline" => is_newline(c),
        "bar" => c == '|',
        _ => (comma && !in_number(text, at, c)) || semicolon || is_newline(c) || c == '|',
    }
}

fn is_newline(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a comma stands between two digits.
fn in_number(text: &str, at: usize, c: char) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| super::super::digits::digit(c).is_some());
    is_digit(text[..at].chars().next_back()) && is_digit(text[at + c.len_utf8()..].chars().next())
}

/// Parts at the words `and` and `&`, which begin and end with a blank or the part itself.
fn split_at_and(part: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    for word in part.split_inclusive(char::is_whitespace) {
        let end = at + word.len();
        let bare = word.trim_end();
        if bare == "&" || bare.eq_ignore_ascii_case("and") {
            parts.push(&part[start..at]);
            start = end;
        }
        at = end;
    }
    parts.push(&part[start..]);
    parts
}

/// A line without `-`, `*`, `•`, `1.` or `1)` at its start.
fn without_bullet(line: &str) -> &str {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match line[digits..].strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 => rest,
        _ => match line.strip_prefix(['-', '*', '•', '–']) {
            Some(rest) => rest,
            None => return line,
        },
    };
    // `-5` and `1.5` are numbers.
    if rest.starts_with(char::is_whitespace) { rest.trim_start() } else { line }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_are_split() {
        for (separator, text, expected) in [
            ("comma", "", vec![]),
            ("comma", "red, , green", vec!["red", " green"]),
            ("comma", "1,000, 2,5", vec!["1,000", " 2,5"]),
            ("comma", "北京、上海，广州", vec!["北京", "上海", "广州"]),
            ("semicolon", "a, b; c", vec!["a, b", " c"]),
            ("bar", "a|b", vec!["a", "b"]),
            ("newline", "- a\n* b\n1. c\n2) d\n-5\n1.5", vec!["a", "b", "c", "d", "-5", "1.5"]),
            ("list", "a, b and c; sand & land", vec!["a", "b", "c", "sand", "land"]),
            ("list", "and", vec![]),
        ] {
            assert_eq!(items(text, &[], separator), expected, "{separator}: {text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_split(
            text in "\\PC*|(and|[-,;|&\\n0-9. 、]|\\PC){0,12}",
            separator in prop::sample::select(SEPARATORS),
        ) {
            for part in items(&text, &[], separator) {
                prop_assert!(text.contains(part) && !part.trim().is_empty());
            }
        }
    }
}
