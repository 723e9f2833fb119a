//! A text as the parts that dates are made of.

use super::names;
use crate::metrics::digits::digit;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Up to four digits, with how many there are.
    Number { value: u16, digits: u8 },
    /// The name of a month.
    Month(u8),
    /// `-`, `/`, `.`, `,` or `:`.
    Sign(char),
    /// The same between two digits: it ties both numbers.
    Tie(char),
    /// 年, 月, 日 and the Korean 년, 월, 일.
    Unit(Unit),
    /// That the year before is one before Christ.
    BeforeChrist,
    /// Anything else: no date goes across it.
    Other,
}

/// What an East Asian number of a date counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Year,
    Month,
    Day,
}

/// Cuts a text. Blanks and words such as *of* are left out.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let kind: fn(char) -> bool = if digit(c).is_some() {
            |c| digit(c).is_some()
        } else if unit(c).is_some() {
            tokens.extend(unit(c).map(Token::Unit));
            at += 1;
            continue;
        } else if c.is_alphabetic() {
            |c| c.is_alphabetic() && unit(c).is_none()
        } else {
            let between = at > 0
                && [at - 1, at + 1]
                    .iter()
                    .all(|&at| chars.get(at).is_some_and(|c| digit(*c).is_some()));
            tokens.extend(sign(c, between));
            at += 1;
            continue;
        };
        let end = at + chars[at..].iter().take_while(|c| kind(**c)).count();
        if digit(c).is_some() {
            tokens.push(number(&chars[at..end]));
        } else {
            let attached = at > 0 && digit(chars[at - 1]).is_some();
            let word: String = chars[at..end].iter().collect::<String>().to_lowercase();
            let digit_follows = chars.get(end).is_some_and(|c| digit(*c).is_some());
            push_word(&word, attached, digit_follows, &mut tokens);
        }
        at = end;
    }
    tokens
}

fn number(digits: &[char]) -> Token {
    if digits.len() > 4 {
        return Token::Other;
    }
    let value =
        digits.iter().filter_map(|&c| digit(c)).fold(0, |value, d| value * 10 + u16::from(d));
    Token::Number { value, digits: u8::try_from(digits.len()).expect("at most four digits") }
}

fn push_word(word: &str, attached: bool, digit_follows: bool, tokens: &mut Vec<Token>) {
    let token = match word {
        // `26th`, `1er`; `26T10:30` begins a time.
        "st" | "nd" | "rd" | "th" | "er" | "ème" | "º" | "ª" | "e" | "го" if attached => {
            return;
        }
        "t" if attached && digit_follows => Token::Other,
        _ if attached => {
            // `5km`: what looked like a day is none.
            tokens.pop();
            Token::Other
        }
        "of" | "the" | "de" | "del" | "do" | "den" | "der" | "le" | "el" | "di" | "in" | "on"
        | "im" | "am" | "en" => return,
        "bc" | "bce" => Token::BeforeChrist,
        _ => names::month(word).map_or(Token::Other, Token::Month),
    };
    tokens.push(token);
}

fn sign(c: char, between_digits: bool) -> Option<Token> {
    match c {
        '-' | '/' | '.' | ',' | ':' if between_digits => Some(Token::Tie(c)),
        '-' | '/' | '.' | ',' | ':' => Some(Token::Sign(c)),
        _ if c.is_whitespace() => None,
        // The sign of an ordinal number.
        '°' => None,
        _ => Some(Token::Other),
    }
}

fn unit(c: char) -> Option<Unit> {
    match c {
        '年' | '년' => Some(Unit::Year),
        '月' | '월' => Some(Unit::Month),
        '日' | '일' => Some(Unit::Day),
        _ => None,
    }
}
