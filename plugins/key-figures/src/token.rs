//! Cuts a text into numbers, words and symbols.
//!
//! The text is made uniform first: digits of other scripts become `0` to `9`, full-width letters
//! and signs become ASCII, the many kinds of dash and apostrophe become a few, and invisible
//! characters are left out. Web addresses are skipped: their digits are never figures.

use crate::{date, number};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Digits with the separators between them, such as `6,000.50`.
    Number,
    /// A run of letters.
    Word,
    /// One character that is neither.
    Symbol,
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What the token is.
    pub(crate) kind: Kind,
    /// The token as it is written, after the text was made uniform.
    pub(crate) text: String,
    /// The same in lower case.
    pub(crate) lower: String,
    /// Whether no white space stands between this token and the one before.
    pub(crate) glued: bool,
}

/// The lower-case word at `at`, if a word is there.
pub(crate) fn word_at(tokens: &[Token], at: usize) -> Option<&str> {
    tokens.get(at).filter(|token| token.kind == Kind::Word).map(|token| token.lower.as_str())
}

/// The digits and separators at `at`, if a number is there.
pub(crate) fn digits_at(tokens: &[Token], at: usize) -> Option<&str> {
    tokens.get(at).filter(|token| token.kind == Kind::Number).map(|token| token.text.as_str())
}

/// The symbol at `at`, if one is there.
pub(crate) fn symbol_at(tokens: &[Token], at: usize) -> Option<char> {
    tokens.get(at).filter(|token| token.kind == Kind::Symbol)?.text.chars().next()
}

/// Whether the token at `at` touches the one before it.
pub(crate) fn glued_at(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.glued)
}

/// Whether a hyphen stands at `at` and touches what is before and after it, as in `15-day`.
pub(crate) fn hyphen_at(tokens: &[Token], at: usize) -> bool {
    symbol_at(tokens, at) == Some('-') && glued_at(tokens, at) && glued_at(tokens, at + 1)
}

/// Whether `at` holds a word of Latin letters.
pub(crate) fn latin_at(tokens: &[Token], at: usize) -> bool {
    word_at(tokens, at).is_some_and(|word| word.starts_with(|c: char| c < '\u{250}'))
}

/// Cuts `text` into tokens.
pub(crate) fn split(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().filter_map(uniform).collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(&first) = chars.get(at) {
        let glued = at > 0 && !chars[at - 1].is_whitespace();
        if first.is_whitespace() {
            at += 1;
        } else if first.is_ascii_digit() || starts_decimal(&chars, at) {
            let after_month =
                tokens.last().is_some_and(|token| date::month(&token.lower).is_some());
            let (raw, end) = number_run(&chars, at, after_month);
            push_number(&mut tokens, &raw, glued);
            at = end;
        } else if first.is_alphabetic() {
            let (word, end) = word_run(&chars, at);
            if is_address(&word, &chars[end..]) {
                at = end + chars[end..].iter().take_while(|c| !ends_address(**c)).count();
                push(&mut tokens, Kind::Symbol, "\u{fffc}", glued);
            } else {
                at = end;
                push(&mut tokens, Kind::Word, &word, glued);
            }
        } else {
            push(&mut tokens, Kind::Symbol, first.encode_utf8(&mut [0; 4]), glued);
            at += 1;
        }
    }
    tokens
}

/// Adds a token.
fn push(tokens: &mut Vec<Token>, kind: Kind, text: &str, glued: bool) {
    tokens.push(Token { kind, text: text.to_owned(), lower: text.to_lowercase(), glued });
}

/// Adds a number. Digits with commas that are no number, such as `1,2,3`, are a list of numbers.
fn push_number(tokens: &mut Vec<Token>, raw: &str, glued: bool) {
    if number::literal(raw).is_some() || raw.contains(['.', ' ', '\'']) {
        return push(tokens, Kind::Number, raw, glued);
    }
    for (index, part) in raw.split(',').enumerate() {
        if index > 0 {
            push(tokens, Kind::Symbol, ",", true);
        }
        push(tokens, Kind::Number, part, glued || index > 0);
    }
}

/// One character of the uniform text, or nothing where it is invisible.
fn uniform(c: char) -> Option<char> {
    /// The zero of each script whose digits are read, besides ASCII and full width.
    const ZEROS: [u32; 7] = [0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xe50, 0x1d7ce];
    let code = u32::from(c);
    if let Some(digit) = ZEROS.iter().filter_map(|zero| code.checked_sub(*zero)).find(|d| *d < 10) {
        return char::from_digit(digit, 10);
    }
    match c {
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}' => {
            None
        }
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(code - 0xfee0),
        '\u{2212}' | '\u{2010}' | '\u{2011}' => Some('-'),
        '\u{2012}' | '\u{2013}' | '\u{2014}' | '\u{2015}' => Some('–'),
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => Some('\''),
        '\u{2044}' | '\u{2215}' => Some('/'),
        '\u{66a}' => Some('%'),
        '\u{66b}' => Some('.'),
        '\u{66c}' => Some(','),
        'º' | '˚' => Some('°'),
        'μ' => Some('µ'),
        '\u{a0}' | '\u{2007}'..='\u{200a}' | '\u{202f}' => Some('\u{a0}'),
        _ => Some(c),
    }
}

/// Whether a number such as `.5` starts here.
fn starts_decimal(chars: &[char], at: usize) -> bool {
    let fresh = at == 0 || !(chars[at - 1].is_alphanumeric() || ".)]".contains(chars[at - 1]));
    chars[at] == '.' && fresh && chars.get(at + 1).is_some_and(char::is_ascii_digit)
}

/// Reads digits with their separators, and says where they end.
///
/// A space joins groups of three digits (`6 000`), but not after the name of a month, and neither
/// does a comma before a year there (`July 26,1953`).
fn number_run(chars: &[char], start: usize, after_month: bool) -> (String, usize) {
    let run = |from: usize| chars[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut raw = String::new();
    let mut end = start + run(start);
    raw.extend(&chars[start..end]);
    if raw.is_empty() {
        raw.push('0');
    }
    let groups = raw.len() <= 3 && !raw.starts_with('0');
    while let Some(&separator) = chars.get(end) {
        let count = run(end + 1);
        let spaced = groups && count == 3 && !raw.contains(['.', ',', '\'']);
        let joins = match separator {
            '.' => count > 0,
            ',' => count > 0 && !(after_month && count == 4),
            '\'' => groups && count == 3 && !raw.contains(['.', ',', ' ']),
            '\u{a0}' => spaced,
            ' ' => spaced && !after_month,
            _ => false,
        };
        if !joins {
            break;
        }
        raw.push(if separator == '\u{a0}' { ' ' } else { separator });
        raw.extend(&chars[end + 1..end + 1 + count]);
        end += 1 + count;
    }
    (raw, end)
}

/// Reads a word, and says where it ends. Letters with full stops, such as `p.m.`, are one word.
fn word_run(chars: &[char], start: usize) -> (String, usize) {
    let letter = |at: usize| chars.get(at).is_some_and(|c| c.is_alphabetic());
    let mut word = String::from(chars[start]);
    let mut end = start + 1;
    while chars.get(end) == Some(&'.') && letter(end + 1) && !letter(end + 2) {
        word.push(chars[end + 1]);
        end += 2;
    }
    if end > start + 1 {
        return (word, end + usize::from(chars.get(end) == Some(&'.')));
    }
    while letter(end) {
        word.push(chars[end]);
        end += 1;
    }
    (word, end)
}

/// Whether `word` and the characters after it begin a web address.
fn is_address(word: &str, rest: &[char]) -> bool {
    rest.starts_with(&[':', '/', '/']) || (word == "www" && rest.starts_with(&['.']))
}

/// Whether a web address stops before this character.
fn ends_address(c: char) -> bool {
    c.is_whitespace() || ")]>\"".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text, with `~` before each one that touches the token before it.
    fn shown(text: &str) -> String {
        let show = |token: Token| format!("{}{}", if token.glued { "~" } else { "" }, token.text);
        split(text).into_iter().map(show).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_text_is_cut_into_tokens() {
        #[rustfmt::skip]
        let cases = [
            ("", ""), ("15 days.", "15|days|~."), ("15kg", "15|~kg"),
            ("6,000.50 and 6 000", "6,000.50|and|6 000"),
            ("6\u{a0}000 or 6\u{202f}000", "6 000|or|6 000"),
            ("July 26,1953", "July|26|~,|~1953"), ("July 26 300 people", "July|26|300|people"),
            ("1,2,3", "1|~,|~2|~,|~3"), ("2.1.3", "2.1.3"),
            ("5'000 or 5'10", "5'000|or|5|~'|~10"), (".5 and x.5", "0.5|and|x|~.|~5"),
            ("5 p.m. in the U.S.", "5|pm|in|the|US"), ("１５％", "15|~%"),
            ("٢٦ ۲۶ २६", "26|26|26"),
            ("see https://a.b/2024/05 (15)", "see|\u{fffc}|(|~15|~)"),
            ("[x](www.a5.org)", "[|~x|~]|~(|~\u{fffc}|~)"), ("1\u{2009}000\u{200b}", "1 000"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
