//! Lists as Python writes them: what a table holds whose cells are `repr` of lists.

use std::{iter::Peekable, str::Chars};

/// An item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    None,
    Bool(bool),
    Number(f64),
    Text(String),
}

/// Reads a list of texts, numbers, truth values and `None`; `None` for anything else.
pub(crate) fn list(text: &str) -> Option<Vec<Literal>> {
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut rest = inside.chars().peekable();
    let mut items = Vec::new();
    skip_blanks(&mut rest);
    while rest.peek().is_some() {
        items.push(item(&mut rest)?);
        skip_blanks(&mut rest);
        match rest.next() {
            None => break,
            Some(',') => skip_blanks(&mut rest),
            Some(_) => return None,
        }
    }
    Some(items)
}

fn skip_blanks(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(char::is_ascii_whitespace).is_some() {}
}

fn item(rest: &mut Peekable<Chars<'_>>) -> Option<Literal> {
    if let Some(quote) = rest.next_if(|&c| c == '\'' || c == '"') {
        return quoted(quote, rest).map(Literal::Text);
    }
    let mut word = String::new();
    while let Some(c) = rest.next_if(|&c| c != ',' && !c.is_ascii_whitespace()) {
        word.push(c);
    }
    match word.as_str() {
        "None" => Some(Literal::None),
        "True" => Some(Literal::Bool(true)),
        "False" => Some(Literal::Bool(false)),
        number => number.parse().ok().filter(|n: &f64| n.is_finite()).map(Literal::Number),
    }
}

/// A text behind its first quote.
fn quoted(quote: char, rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            c if c == quote => return Some(text),
            '\\' => text.push(escaped(rest)?),
            c => text.push(c),
        }
    }
}

/// A character behind its backslash, as `repr` writes it.
fn escaped(rest: &mut Peekable<Chars<'_>>) -> Option<char> {
    let digits = match rest.next()? {
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        c @ ('\\' | '\'' | '"') => return Some(c),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let digit = |code: u32, c: char| Some(code.checked_mul(16)? + c.to_digit(16)?);
    let code = (0..digits).try_fold(0, |code, _| digit(code, rest.next()?))?;
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_are_read() {
        let texts = |texts: &[&str]| {
            Some(texts.iter().map(|&text| Literal::Text(text.to_owned())).collect::<Vec<_>>())
        };
        for (text, expected) in [
            ("[]", texts(&[])),
            ("['it\\'s \"a\"']", texts(&["it's \"a\""])),
            ("[\"it's\", 'b, ]']", texts(&["it's", "b, ]"])),
            (r"['\\n\n\x1b\u200b\U0001f600']", texts(&["\\n\n\u{1b}\u{200b}\u{1f600}"])),
            (
                "[0.5, 1, None, True]",
                Some(vec![
                    Literal::Number(0.5),
                    Literal::Number(1.0),
                    Literal::None,
                    Literal::Bool(true),
                ]),
            ),
            ("['a' 'b']", None),
            ("['a", None),
            ("['\\ud800']", None),
            ("['\\q']", None),
            ("[[1]]", None),
            ("[nan]", None),
            ("[,]", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(list(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\[[\\[\\]'\", \\\\xuU0-9a-fN]{0,20}\\]|\\PC{0,20}") {
            list(&text);
        }
    }
}
