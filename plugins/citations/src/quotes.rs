//! Quotes: what stands in quotation marks and is long enough to be somebody's words.

/// The texts in quotation marks that have so many words, in their order: `"..."`, `“...”`, `„...“`,
/// `«...»`, `»...«`. A quote does not go over the end of a paragraph, so a mark that is none, such
/// as that of inches, does not swallow the rest of the answer. Quotes in a quote are a part of it.
pub fn quotes(text: &str, min_words: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((start, open)) = rest.char_indices().find(|&(_, c)| !closing(c).is_empty()) {
        let inside = &rest[start + open.len_utf8()..];
        match end(inside, open) {
            Some((end, close)) => {
                let quote = inside[..end].trim();
                if words(quote) >= min_words.max(1) {
                    found.push(quote);
                }
                rest = &inside[end + close.len_utf8()..];
            }
            None => rest = inside,
        }
    }
    found
}

/// The marks that end what this one begins; none for another character.
fn closing(open: char) -> &'static [char] {
    match open {
        '"' => &['"'],
        '\u{ff02}' => &['\u{ff02}'],
        // Whoever writes the lower mark may end with either of the upper ones.
        '\u{201e}' => &['\u{201c}', '\u{201d}', '"'],
        '\u{201c}' => &['\u{201d}', '"'],
        '\u{ab}' => &['\u{bb}'],
        '\u{bb}' => &['\u{ab}'],
        _ => &[],
    }
}

/// Where the quote ends, with the mark that ends it.
fn end(inside: &str, open: char) -> Option<(usize, char)> {
    let closing = closing(open);
    let paragraph = ["\n\n", "\n\r\n"].into_iter().filter_map(|end| inside.find(end)).min();
    let paragraph = &inside[..paragraph.unwrap_or(inside.len())];
    let mut depth = 0_usize;
    for (at, c) in paragraph.char_indices() {
        if c == open && !closing.contains(&c) {
            depth += 1;
        } else if closing.contains(&c) {
            if depth == 0 {
                return Some((at, c));
            }
            depth -= 1;
        }
    }
    None
}

/// Words are what blanks are around and a letter or digit is in.
fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_kinds_of_marks_are_known() {
        for text in [
            "It says \"one two three\".",
            "It says \u{201c}one two three\u{201d}.",
            "Dort steht \u{201e}one two three\u{201c}.",
            "Il dit \u{ab}\u{a0}one two three\u{a0}\u{bb}.",
            "Dort steht \u{bb}one two three\u{ab}.",
        ] {
            assert_eq!(quotes(text, 3), ["one two three"], "{text}");
        }
    }

    #[test]
    fn short_and_open_ones_are_none() {
        assert_eq!(quotes("a \"so called\" rule, and \"this is one\"", 3), ["this is one"]);
        assert_eq!(quotes("a \"so called\" rule", 2), ["so called"]);
        assert_eq!(quotes("it never \u{201c}ends at all, does it", 3), [""; 0]);
        assert_eq!(quotes("5\" wide\n\nand \"this is quoted\"", 3), ["this is quoted"]);
        assert_eq!(quotes("\"- - -\"", 1), [""; 0]);
    }

    #[test]
    fn a_quote_in_a_quote_is_a_part_of_it() {
        assert_eq!(
            quotes("\u{ab} he said \u{ab} stop it now \u{bb} and left \u{bb}", 3),
            ["he said \u{ab} stop it now \u{bb} and left"]
        );
        assert_eq!(quotes("\"a b c\" \"d e f\"", 3), ["a b c", "d e f"]);
    }

    proptest! {
        #[test]
        fn quotes_are_in_the_text(text in "[\"\u{201c}\u{201d}\u{201e}\u{ab}\u{bb}a \n\u{e9}]{0,40}") {
            for quote in quotes(&text, 1) {
                prop_assert!(text.contains(quote));
            }
        }

        #[test]
        fn any_text_has_some_or_none(text in any::<String>(), words in 0..5_usize) {
            let _ = quotes(&text, words);
        }
    }
}
