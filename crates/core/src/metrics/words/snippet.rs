//! The part of a text around an answer, for people.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::{Class, Words, class};

/// The text around the first place at which all words of `answer` stand one after the other, with the
/// place in brackets and at most `around` characters on each side; `None` where there is no such place.
pub fn snippet(text: &str, answer: &str, around: usize) -> Option<String> {
    let place = place(text, &Words::new(answer))?;
    let before = &text[..place.start];
    let start = match around.checked_sub(1) {
        None => before.len(),
        Some(others) => before.char_indices().rev().nth(others).map_or(0, |(at, _)| at),
    };
    let after = &text[place.end..];
    let end = after.char_indices().nth(around).map_or(after.len(), |(at, _)| at);
    let dots = |cut: bool| if cut { "..." } else { "" };
    Some(format!(
        "{}{}[{}]{}{}",
        dots(start > 0),
        &before[start..],
        &text[place.clone()],
        &after[..end],
        dots(end < after.len()),
    ))
}

/// Where all words of `answer` first stand in a text, in bytes; `None` also for an answer without words.
fn place(text: &str, answer: &Words) -> Option<Range<usize>> {
    let words = with_places(text);
    if answer.is_empty() {
        return None;
    }
    let last = words.len().checked_sub(answer.len())?;
    let stands = |start: &usize| {
        answer.iter().zip(&words[*start..]).all(|(word, (_, own))| word == own.as_str())
    };
    let start = (0..=last).find(stands)?;
    Some(words[start].0.start..words[start + answer.len() - 1].0.end)
}

/// The words of a text as [`Words`] cuts them, each with its place.
fn with_places(text: &str) -> Vec<(Range<usize>, String)> {
    let mut words = Vec::new();
    let mut word: Option<usize> = None;
    let mut end = |from: &mut Option<usize>, to: usize| {
        if let Some(start) = from.take() {
            words.push((start..to, text[start..to].nfd().collect::<String>().to_lowercase()));
        }
    };
    for (at, c) in text.char_indices() {
        match class(c) {
            Class::Word => {
                word.get_or_insert(at);
            }
            Class::Single => {
                end(&mut word, at);
                end(&mut Some(at), at + c.len_utf8());
            }
            Class::Gap => end(&mut word, at),
        }
    }
    end(&mut word, text.len());
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_answer_is_in_brackets() {
        let text = "You get 30 days of leave, 12 of them in a row.";
        assert_eq!(
            snippet(text, "30 DAYS", 100).unwrap(),
            "You get [30 days] of leave, 12 of them in a row."
        );
        assert_eq!(snippet(text, "leave, 12", 4).unwrap(), "... of [leave, 12] of ...");
        assert_eq!(snippet(text, "40 days", 4), None);
        assert_eq!(snippet(text, "", 4), None);
        assert_eq!(snippet("Un Caf\u{e9}.", "cafe\u{301}", 9).unwrap(), "Un [Caf\u{e9}].");
        assert_eq!(snippet(text, "row.", 0).unwrap(), "...[row.]");
    }

    proptest! {
        #[test]
        fn a_place_is_found_where_the_words_stand(text in "\\PC{0,40}", answer in "\\PC{1,3}") {
            let found = snippet(&text, &answer, 5).is_some();
            let (whole, words) = (Words::new(&text), Words::new(&answer));
            // Composed letters are cut before they are taken apart; signs among them may differ.
            if text.is_ascii() && answer.is_ascii() {
                prop_assert_eq!(found, !words.is_empty() && whole.contain(&words));
            }
        }
    }
}
