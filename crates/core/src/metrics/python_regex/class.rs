//! Classes of characters, in brackets or by a letter.

use super::{
    Dialect,
    Refused::{self, Invalid, Unsupported},
    translate::{Input, WORD, push_escaped, until},
};

/// What an escape or a place in a class stands for.
pub(super) enum Member {
    Char(char),
    /// The inside of a class.
    Set(String),
}

/// Rewrites a class; its `[` is read already.
pub(super) fn translate(
    input: &mut Input<'_>,
    output: &mut String,
    dialect: Dialect,
) -> Result<(), Refused> {
    output.push('[');
    if input.next_if_eq(&'^').is_some() {
        output.push('^');
    }
    let mut first = true;
    loop {
        let c = input.next().ok_or(Invalid)?;
        if c == ']' && !first {
            output.push(']');
            return Ok(());
        }
        first = false;
        if c == '[' && input.peek() == Some(&':') && dialect == Dialect::Regex {
            return Err(Unsupported);
        }
        let low = member(c, input, dialect)?;
        match high(input, dialect)? {
            None => push(&low, output, dialect),
            Some(high) => match (low, high) {
                (Member::Char(low), Member::Char(high)) => {
                    push_range(low, high, output, dialect)?;
                }
                _ if dialect == Dialect::Re => return Err(Invalid),
                (low, high) => {
                    push(&low, output, dialect);
                    push_escaped('-', output);
                    push(&high, output, dialect);
                }
            },
        }
    }
}

/// The end of a range, if one begins here.
fn high(input: &mut Input<'_>, dialect: Dialect) -> Result<Option<Member>, Refused> {
    let mut ahead = input.clone();
    if ahead.next() != Some('-') {
        return Ok(None);
    }
    match ahead.next() {
        None => Err(Invalid),
        // The hyphen stands last and means itself.
        Some(']') => Ok(None),
        Some(c) => {
            *input = ahead;
            member(c, input, dialect).map(Some)
        }
    }
}

fn member(c: char, input: &mut Input<'_>, dialect: Dialect) -> Result<Member, Refused> {
    if c != '\\' {
        return Ok(Member::Char(c));
    }
    match input.next().ok_or(Invalid)? {
        'b' => Ok(Member::Char('\u{8}')),
        c => escape(c, input, dialect),
    }
}

fn push(member: &Member, output: &mut String, dialect: Dialect) {
    match member {
        Member::Set(set) => output.push_str(set),
        Member::Char(c) => {
            push_escaped(*c, output);
            output.extend(same_but_for_case(*c, dialect));
        }
    }
}

fn push_range(low: char, high: char, output: &mut String, dialect: Dialect) -> Result<(), Refused> {
    if low > high {
        return Err(Invalid);
    }
    push_escaped(low, output);
    output.push('-');
    push_escaped(high, output);
    if (low..=high).contains(&'I') {
        output.push('\u{131}');
    }
    if (low..=high).contains(&'i') || ((low..=high).contains(&'I') && dialect == Dialect::Re) {
        output.push('\u{130}');
    }
    Ok(())
}

/// The dotted and dotless i that Python takes for the same letter where case does not matter. All
/// else that is the same there is the same here.
pub(super) fn same_but_for_case(c: char, dialect: Dialect) -> &'static [char] {
    match (c, dialect) {
        ('i' | 'I' | '\u{130}' | '\u{131}', Dialect::Re) => &['i', 'I', '\u{130}', '\u{131}'],
        ('i', Dialect::Regex) => &['I', '\u{130}'],
        ('I', Dialect::Regex) => &['i', '\u{131}'],
        ('\u{130}', Dialect::Regex) => &['i'],
        ('\u{131}', Dialect::Regex) => &['I'],
        _ => &[],
    }
}

/// What a backslash and this character stand for, in a class and outside.
pub(super) fn escape(c: char, input: &mut Input<'_>, dialect: Dialect) -> Result<Member, Refused> {
    let python = dialect == Dialect::Re;
    let set = |set: &str| Ok(Member::Set(set.to_owned()));
    match c {
        'd' => set(r"\d"),
        'D' => set(r"\D"),
        's' if python => set(r"\s\x1c-\x1f"),
        'S' if python => set(r"[^\s\x1c-\x1f]"),
        'w' if python => set(WORD),
        'W' if python => Ok(Member::Set(format!("[^{WORD}]"))),
        's' => set(r"\s"),
        'S' => set(r"\S"),
        'w' => set(r"\w"),
        'W' => set(r"\W"),
        'a' => Ok(Member::Char('\u{7}')),
        'f' => Ok(Member::Char('\u{c}')),
        'n' => Ok(Member::Char('\n')),
        'r' => Ok(Member::Char('\r')),
        't' => Ok(Member::Char('\t')),
        'v' => Ok(Member::Char('\u{b}')),
        'x' => code(input, 2),
        'u' => code(input, 4),
        'U' => code(input, 8),
        '0'..='7' => {
            let mut code = c.to_digit(8).ok_or(Invalid)?;
            for _ in 0..2 {
                let digit = input.next_if(|c| c.is_digit(8)).and_then(|c| c.to_digit(8));
                code = digit.map_or(code, |digit| code * 8 + digit);
            }
            char::from_u32(code).filter(|_| code < 256).map(Member::Char).ok_or(Invalid)
        }
        'p' | 'P' if !python => match input.next_if_eq(&'{') {
            Some(_) => Ok(Member::Set(format!("\\{c}{{{}}}", until(input, '}')?))),
            None => Ok(Member::Char(c)),
        },
        'N' => Err(Unsupported),
        'm' | 'M' | 'X' | 'R' | 'K' | 'G' | 'h' | 'H' | 'L' | 'g' if !python => Err(Unsupported),
        _ if c.is_ascii_alphanumeric() => Err(Invalid),
        _ => Ok(Member::Char(c)),
    }
}

/// A character by as many hexadecimal digits.
fn code(input: &mut Input<'_>, digits: usize) -> Result<Member, Refused> {
    let mut code = 0;
    for _ in 0..digits {
        let digit = input.next().and_then(|c| c.to_digit(16)).ok_or(Invalid)?;
        code = code * 16 + digit;
    }
    // A lone surrogate stands in no text of ours.
    char::from_u32(code).map(Member::Char).ok_or(Unsupported)
}
