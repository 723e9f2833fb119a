//! The rewriting of Python's patterns.
//!
//! What differs and is rewritten: word characters and blanks (Python's `re` has no marks in `\w`,
//! so that its `\b` is another too), escapes of characters that need none, `\Z`, `{` that begins no
//! repetition, `[` and `&&` in a class, the dotted and the dotless i where case does not matter.
//! What Python refuses is refused, as far as it shows in the syntax.

use std::{iter::Peekable, str::Chars};

use super::{
    Dialect,
    Refused::{self, Invalid, Unsupported},
    class,
};

/// A word character of Python's `re`, as the inside of a class.
pub(super) const WORD: &str = r"\p{L}\p{N}_";

/// What precedes: whether a repetition may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Atom,
    Repetition,
}

/// The characters of a pattern, read once from left to right.
pub(super) type Input<'a> = Peekable<Chars<'a>>;

struct Translator<'a> {
    input: Input<'a>,
    output: String,
    dialect: Dialect,
    last: Last,
    /// Groups that are open.
    depth: usize,
    /// Groups with a number so far.
    groups: u32,
}

pub(super) fn translate(pattern: &str, dialect: Dialect) -> Result<String, Refused> {
    let mut translator = Translator {
        input: pattern.chars().peekable(),
        output: String::with_capacity(pattern.len() + 16),
        dialect,
        last: Last::Nothing,
        depth: 0,
        groups: 0,
    };
    let mut at_start = true;
    while let Some(c) = translator.input.next() {
        translator.one(c, at_start)?;
        at_start = false;
    }
    if translator.depth > 0 { Err(Invalid) } else { Ok(translator.output) }
}

impl Translator<'_> {
    fn one(&mut self, c: char, at_start: bool) -> Result<(), Refused> {
        match c {
            '\\' => return self.escape(),
            '[' => {
                class::translate(&mut self.input, &mut self.output, self.dialect)?;
                self.last = Last::Atom;
            }
            '(' => return self.open(at_start),
            ')' => {
                self.depth = self.depth.checked_sub(1).ok_or(Invalid)?;
                self.output.push(')');
                self.last = Last::Atom;
            }
            '|' => {
                self.output.push('|');
                self.last = Last::Nothing;
            }
            '^' | '$' => self.place(if c == '^' { "^" } else { "$" }),
            '.' => self.atom("."),
            '*' => return self.repeat("*"),
            '+' => return self.repeat("+"),
            '?' => return self.repeat("?"),
            '{' => match self.bounds()? {
                Some(bounds) => return self.repeat(&bounds),
                None => self.literal('{'),
            },
            _ => self.literal(c),
        }
        Ok(())
    }

    fn atom(&mut self, pattern: &str) {
        self.output.push_str(pattern);
        self.last = Last::Atom;
    }

    /// A place between characters; `re` does not let it be repeated.
    fn place(&mut self, pattern: &str) {
        self.output.push_str(pattern);
        self.last = if self.dialect == Dialect::Re { Last::Nothing } else { Last::Atom };
    }

    fn literal(&mut self, c: char) {
        let also = class::same_but_for_case(c, self.dialect);
        if also.is_empty() {
            push_escaped(c, &mut self.output);
        } else {
            self.output.extend(['[', c]);
            self.output.extend(also);
            self.output.push(']');
        }
        self.last = Last::Atom;
    }

    fn repeat(&mut self, repetition: &str) -> Result<(), Refused> {
        if self.last != Last::Atom {
            return Err(Invalid);
        }
        self.output.push_str(repetition);
        if let Some(mode) = self.input.next_if(|&c| c == '?' || c == '+') {
            self.output.push(mode);
        }
        self.last = Last::Repetition;
        Ok(())
    }

    /// The rest of `{m,n}`; nothing is read where it is none.
    fn bounds(&mut self) -> Result<Option<String>, Refused> {
        let mut ahead = self.input.clone();
        let low = digits(&mut ahead);
        let high = ahead.next_if_eq(&',').map(|_| digits(&mut ahead));
        if ahead.next() != Some('}') || (low.is_empty() && high.is_none()) {
            return Ok(None);
        }
        self.input = ahead;
        let number = |text: &str| text.parse::<u32>().map_err(|_| Unsupported);
        let from = if low.is_empty() { 0 } else { number(&low)? };
        match high.as_deref() {
            None => Ok(Some(format!("{{{from}}}"))),
            Some("") => Ok(Some(format!("{{{from},}}"))),
            Some(high) => {
                let to = number(high)?;
                if from > to { Err(Invalid) } else { Ok(Some(format!("{{{from},{to}}}"))) }
            }
        }
    }

    fn open(&mut self, at_start: bool) -> Result<(), Refused> {
        self.last = Last::Nothing;
        if self.input.next_if_eq(&'?').is_none() {
            self.output.push('(');
            self.groups += 1;
            self.depth += 1;
            return Ok(());
        }
        let head = match self.input.next().ok_or(Invalid)? {
            kind @ (':' | '=' | '!' | '>') => format!("(?{kind}"),
            '<' => match self.input.peek() {
                Some('=' | '!') => format!("(?<{}", self.input.next().ok_or(Invalid)?),
                _ if self.dialect == Dialect::Regex => self.named("(?P<")?,
                _ => return Err(Invalid),
            },
            'P' => match self.input.next() {
                Some('<') => self.named("(?P<")?,
                _ => return Err(Unsupported),
            },
            '#' => {
                let closed = self.input.by_ref().any(|c| c == ')');
                return if closed { Ok(()) } else { Err(Invalid) };
            }
            c if c.is_ascii_alphabetic() => return self.flags(c, at_start),
            '(' | '-' => return Err(Unsupported),
            _ => return Err(Invalid),
        };
        self.output.push_str(&head);
        self.depth += 1;
        Ok(())
    }

    fn named(&mut self, head: &str) -> Result<String, Refused> {
        let name = until(&mut self.input, '>')?;
        self.groups += 1;
        Ok(format!("{head}{name}>"))
    }

    /// Flags for the whole pattern or for a group; case does not matter anyway.
    fn flags(&mut self, first: char, at_start: bool) -> Result<(), Refused> {
        let mut flags = String::from(first);
        let end = loop {
            match self.input.next().ok_or(Invalid)? {
                c if c.is_ascii_alphabetic() => flags.push(c),
                c => break c,
            }
        };
        if flags.chars().any(|flag| !matches!(flag, 'i' | 'm' | 's' | 'u')) || end == '-' {
            return Err(Unsupported);
        }
        flags.retain(|flag| flag != 'u');
        match end {
            ':' => {
                self.depth += 1;
                self.output.extend(["(?", &flags, ":"]);
            }
            ')' if !at_start && self.dialect == Dialect::Re => return Err(Invalid),
            ')' if flags.is_empty() => {}
            ')' => self.output.extend(["(?", &flags, ")"]),
            _ => return Err(Invalid),
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Refused> {
        let c = self.input.next().ok_or(Invalid)?;
        let python = self.dialect == Dialect::Re;
        match c {
            'A' => self.place(r"\A"),
            'Z' => self.place(r"\z"),
            'z' if !python => self.place(r"\z"),
            'b' if python => {
                self.place(&format!("(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"));
            }
            'B' if python => {
                self.place(&format!("(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"));
            }
            'b' => self.place(r"\b"),
            'B' => self.place(r"\B"),
            '1'..='9' => return self.reference(c),
            _ => match class::escape(c, &mut self.input, self.dialect)? {
                class::Member::Char(c) => self.literal(c),
                class::Member::Set(set) => self.atom(&format!("[{set}]")),
            },
        }
        Ok(())
    }

    /// The text of a group, or a character by its octal number.
    fn reference(&mut self, first: char) -> Result<(), Refused> {
        let is_octal = |c: Option<char>| c.filter(|c| c.is_digit(8));
        let mut ahead = self.input.clone();
        if let (Some(second), Some(third)) = (is_octal(ahead.next()), is_octal(ahead.next()))
            && first.is_digit(8)
        {
            let digits = String::from_iter([first, second, third]);
            let code = u32::from_str_radix(&digits, 8).map_err(|_| Invalid)?;
            self.input = ahead;
            self.literal(char::from_u32(code).filter(|_| code < 256).ok_or(Invalid)?);
            return Ok(());
        }
        let second = self.input.next_if(char::is_ascii_digit);
        let number = [first].into_iter().chain(second).collect::<String>();
        if number.parse::<u32>().is_ok_and(|number| number > self.groups) {
            return Err(Invalid);
        }
        self.atom(&format!(r"(?:\{number})"));
        Ok(())
    }
}

/// Reads up to this character and over it.
pub(super) fn until(input: &mut Input<'_>, end: char) -> Result<String, Refused> {
    let mut text = String::new();
    loop {
        match input.next().ok_or(Invalid)? {
            c if c == end => return Ok(text),
            c => text.push(c),
        }
    }
}

fn digits(input: &mut Input<'_>) -> String {
    let mut digits = String::new();
    while let Some(digit) = input.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    digits
}

/// Appends a character that means itself, inside of a class and outside.
pub(super) fn push_escaped(c: char, output: &mut String) {
    if r"\.+*?()|[]{}^$&-~".contains(c) {
        output.push('\\');
    }
    output.push(c);
}
