//! Reads numbers that are written in English words.

use crate::{
    number::Number,
    read::Read,
    token::{Token, glued_at, hyphen_at, symbol_at, word_at},
    unit,
};

/// The words for 0 to 19, in order.
#[rustfmt::skip]
pub(crate) const SMALL: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
];

/// The ordinal words for 0 (which has none) to 19, in order.
#[rustfmt::skip]
const SMALL_ORDINALS: &[&str] = &[
    "", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth",
];

/// The words for 20, 30 and so on.
const TENS: &[&str] =
    &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// The ordinal words for 20, 30 and so on.
#[rustfmt::skip]
const TENS_ORDINALS: &[&str] = &[
    "twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth",
    "ninetieth",
];

/// The place of `word` in a list, as a number.
pub(crate) fn index_of(list: &[&str], word: &str) -> Option<i128> {
    let place = list.iter().position(|entry| !word.is_empty() && *entry == word)?;
    i128::try_from(place).ok()
}

/// The number that a scale word such as `thousand` multiplies by.
pub(crate) fn scale(word: &str) -> Option<i128> {
    Some(match word {
        "thousand" => 1000,
        "lakh" => 100_000,
        "million" => 1_000_000,
        "crore" => 10_000_000,
        "billion" => 1_000_000_000,
        "trillion" => 1_000_000_000_000,
        _ => return None,
    })
}

/// Reads the name of a part (`half`, `quarter`, `thirds`), and says how many make one.
pub(crate) fn part_word(tokens: &[Token], at: usize, plural: bool) -> Option<(i128, usize)> {
    let place = at + usize::from(hyphen_at(tokens, at));
    let word = word_at(tokens, place)?;
    let word = if plural {
        word.strip_suffix('s').or((word == "halves").then_some("half"))?
    } else {
        word
    };
    let count = match word {
        "half" => 2,
        "quarter" => 4,
        _ => index_of(SMALL_ORDINALS, word).filter(|count| *count > 2)?,
    };
    Some((count, place + 1))
}

/// Reads a number that begins with a word.
pub(crate) fn from_words(tokens: &[Token], at: usize) -> Option<Read> {
    let first = word_at(tokens, at)?;
    let article = matches!(first, "a" | "an");
    let start = at + usize::from(article);
    if let Some((count, next)) = part_word(tokens, start, false) {
        let allowed = match count {
            2 => is_half(tokens, at, next),
            4 => article && word_at(tokens, next) != Some("past"),
            _ => {
                article && (word_at(tokens, next) == Some("of") || word_at(tokens, next).is_none())
            }
        };
        if allowed {
            return Some(Read { part: true, ..Read::new(Number::ratio(1, count)?, next) });
        }
    }
    let word = word_at(tokens, start)?;
    match word {
        "dozen" if article => {
            return Some(Read { scale: 12, ..Read::new(Number::whole(12), start + 1) });
        }
        "twice" | "thrice" if !article => {
            let count = if word == "twice" { 2 } else { 3 };
            return Some(Read::new(Number::whole(count), at + 1));
        }
        "once" if matches!(word_at(tokens, at + 1), Some("a" | "per" | "every" | "each")) => {
            return Some(Read::new(Number::whole(1), at + 1));
        }
        _ => {}
    }
    let (count, mut read) = cardinal(tokens, start, article)?;
    if read.ordinal {
        return (!is_filler(tokens, at, read.next)).then_some(read);
    }
    if word_at(tokens, read.next) == Some("point")
        && let Some((value, next)) = spoken_decimals(tokens, count, read.next + 1)
    {
        return Some(Read::new(value, next));
    }
    if let Some((bottom, next)) = part_word(tokens, read.next, count > 1).filter(|_| count > 0) {
        return Some(Read { part: true, ..Read::new(Number::ratio(count, bottom)?, next) });
    }
    if (13..=20).contains(&count)
        && let Some((rest, year)) = cardinal(tokens, read.next, false)
        && (10..=99).contains(&rest)
        && !year.ordinal
    {
        read = Read::new(Number::whole(count * 100 + rest), year.next);
    }
    let pronoun = word == "one" && read.next == at + 1 && is_pronoun(tokens, at);
    (!pronoun).then_some(read)
}

/// Reads a whole number in words, ordinal or not; `article` says that `a` stands before it.
fn cardinal(tokens: &[Token], at: usize, article: bool) -> Option<(i128, Read)> {
    let (mut total, mut current, mut limit, mut next) = (0, i128::from(article), i128::MAX, at);
    let mut ordinal = false;
    while !ordinal {
        let rounded = if current == 0 { total > 0 } else { current % 100 == 0 };
        let hyphen = next > at && hyphen_at(tokens, next);
        let joiner = hyphen || (next > at && rounded && word_at(tokens, next) == Some("and"));
        let place = next + usize::from(joiner);
        let Some(word) = word_at(tokens, place) else { break };
        let (room, fresh) = (current % 100 == 0, next == at && !article);
        let fits = |value: i128| match value {
            0 => fresh,
            1..=9 => room || (current % 100 >= 20 && current % 10 == 0),
            _ => room,
        };
        let tens = |list: &[&str]| index_of(list, word).map(|place| (place + 2) * 10);
        let plain = index_of(SMALL, word).or_else(|| tens(TENS));
        let place_word = index_of(SMALL_ORDINALS, word).or_else(|| tens(TENS_ORDINALS));
        let big =
            if plain.is_some() { None } else { scale(word.strip_suffix("th").unwrap_or(word)) };
        if let Some(value) = plain.filter(|value| fits(*value)) {
            current += value;
        } else if let Some(value) =
            place_word.filter(|value| fits(*value) && (*value != 2 || fresh || hyphen))
        {
            current += value;
            ordinal = true;
        } else if matches!(word, "hundred" | "hundredth") && (1..=99).contains(&current) {
            current *= 100;
            ordinal = word == "hundredth";
        } else if let Some(size) = big.filter(|size| *size < limit && current > 0) {
            total += current * size;
            (current, limit) = (0, size);
            ordinal = word.ends_with("th");
        } else {
            break;
        }
        next = place + 1;
    }
    let scale = if current == 0 && total > 0 { limit } else { 1 };
    let value = total + current;
    let read = Read { scale, ordinal, ..Read::new(Number::whole(value), next) };
    (next > at).then_some((value, read))
}

/// Reads the digits after `point`, as in `two point five`.
fn spoken_decimals(tokens: &[Token], whole: i128, at: usize) -> Option<(Number, usize)> {
    let mut digits = String::new();
    let mut next = at;
    while let Some(digit) = word_at(tokens, next).and_then(|word| index_of(&SMALL[..10], word)) {
        digits.push_str(&digit.to_string());
        next += 1;
    }
    (next > at).then(|| (Number::decimal(false, &whole.to_string(), &digits), next))
}

/// Whether `half` is the number: not in `half past nine`, `the second half` or `half-hearted`.
fn is_half(tokens: &[Token], at: usize, next: usize) -> bool {
    let before = at.checked_sub(1).and_then(|place| word_at(tokens, place)).unwrap_or_default();
    let other = ["other", "better", "each", "either", "last", "latter", "in", "half"];
    let part = other.contains(&before) || index_of(SMALL_ORDINALS, before).is_some();
    let compound = hyphen_at(tokens, next)
        && unit::after(tokens, next).is_none()
        && word_at(tokens, next + 1).and_then(scale).is_none();
    !part && !compound && word_at(tokens, next) != Some("past")
}

/// Whether an ordinal such as `first` only orders the text: `First, ...`, `at first`.
fn is_filler(tokens: &[Token], at: usize, next: usize) -> bool {
    let before = at.checked_sub(1).and_then(|place| word_at(tokens, place));
    let last = next.checked_sub(1).and_then(|place| word_at(tokens, place));
    let after = word_at(tokens, next).unwrap_or_default();
    let listed = matches!(symbol_at(tokens, next), Some(',' | ':')) && before.is_none();
    let set = ["name", "names", "aid", "time", "hand", "party", "parties"].contains(&after);
    let of_all = after == "of" && word_at(tokens, next + 1) == Some("all");
    matches!(last, Some("first" | "second" | "third"))
        && (listed || set || of_all || before == Some("at"))
}

/// Whether `one` stands for a person or a thing, and counts nothing: `no one`, `one of them`.
fn is_pronoun(tokens: &[Token], at: usize) -> bool {
    const BEFORE: &[&str] =
        &["no", "the", "this", "that", "which", "every", "each", "any", "some", "another"];
    const AFTER: &[&str] = &[
        "of", "another", "who", "that", "which", "can", "must", "should", "may", "might", "has",
        "is", "would", "could", "will", "needs",
    ];
    let before = at.checked_sub(1).and_then(|place| word_at(tokens, place)).unwrap_or_default();
    let after = word_at(tokens, at + 1).unwrap_or_default();
    let joined = matches!(symbol_at(tokens, at + 1), Some('\'' | '-')) && glued_at(tokens, at + 1);
    let compound = joined && word_at(tokens, at + 2).is_some_and(|word| word != "to");
    unit::after(tokens, at + 1).is_none()
        && (BEFORE.contains(&before) || AFTER.contains(&after) || compound)
}

#[cfg(test)]
mod tests {
    use crate::{read::read, token::split};

    #[test]
    fn other_words_are_no_numbers() {
        #[rustfmt::skip]
        let cases = [
            "half past nine", "half-hearted", "hundred", "a day", "once done", "one of them", "and",
            "first, go", "first name", "a second", "a third party", "quarter", "1.2.3", "dozen",
        ];
        for text in cases {
            assert_eq!(read(&split(text), 0, false), None, "{text}");
        }
        assert_eq!(read(&split("no one"), 1, false), None);
        assert_eq!(read(&split("second half"), 1, false), None);
    }
}
