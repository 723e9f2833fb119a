//! Articles of some languages.

/// Values of the parameter; `auto` is those of the language.
pub(super) const NAMES: &[&str] =
    &["auto", "en", "none", "ar", "de", "el", "es", "fr", "hu", "it", "nl", "pt"];

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Articles {
    /// Words in lower case.
    pub(super) words: &'static [&'static str],
    /// Words that end with an apostrophe before a vowel, without it.
    pub(super) elided: &'static [&'static str],
    /// The beginning of a word.
    pub(super) prefix: Option<&'static str>,
}

const NONE: Articles = Articles { words: &[], elided: &[], prefix: None };

/// The articles of a language; none where it has none or we have no list.
pub(super) fn of(language: &str) -> Articles {
    match language {
        "en" => Articles { words: &["a", "an", "the"], ..NONE },
        "ar" => Articles { prefix: Some("ال"), ..NONE },
        "de" => Articles {
            words: &[
                "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer",
                "eines",
            ],
            ..NONE
        },
        "el" => Articles {
            words: &[
                "ο", "η", "το", "οι", "τα", "του", "της", "των", "τον", "την", "τους", "τις",
                "ένας", "μία", "μια", "ένα", "ενός", "μιας",
            ],
            ..NONE
        },
        "es" => {
            Articles { words: &["el", "la", "los", "las", "un", "una", "unos", "unas"], ..NONE }
        }
        "fr" => Articles {
            words: &["le", "la", "les", "un", "une", "des", "du"],
            elided: &["l"],
            ..NONE
        },
        "hu" => Articles { words: &["a", "az", "egy"], ..NONE },
        "it" => Articles {
            words: &["il", "lo", "la", "i", "gli", "le", "un", "uno", "una"],
            elided: &["l", "gl", "un"],
            ..NONE
        },
        "nl" => Articles { words: &["de", "het", "een"], ..NONE },
        "pt" => Articles { words: &["o", "a", "os", "as", "um", "uma", "uns", "umas"], ..NONE },
        _ => NONE,
    }
}

impl Articles {
    /// Whether a whole word is one.
    pub(super) fn contain(&self, word: &[u8]) -> bool {
        self.words.iter().any(|article| article.as_bytes() == word)
    }

    /// The text with blanks instead of articles that an apostrophe ties to the next word.
    pub(super) fn without_elided(&self, lower: &str) -> Option<String> {
        let is_apostrophe = |c: char| matches!(c, '\'' | '’');
        if self.elided.is_empty() || !lower.contains(is_apostrophe) {
            return None;
        }
        let mut text = String::with_capacity(lower.len());
        for piece in lower.split_inclusive(is_apostrophe) {
            let word = piece.trim_end_matches(is_apostrophe);
            let start = word
                .rfind(|c: char| !c.is_alphanumeric())
                .map_or(0, |at| at + word[at..].chars().next().map_or(0, char::len_utf8));
            if word.len() < piece.len() && self.elided.contains(&&word[start..]) {
                text.push_str(&word[..start]);
                text.push(' ');
            } else {
                text.push_str(piece);
            }
        }
        Some(text)
    }

    /// How many bytes of a word its article takes. One character alone would be left of nothing.
    pub(super) fn prefix_of(&self, word: &[u8]) -> usize {
        let rest = self.prefix.and_then(|prefix| word.strip_prefix(prefix.as_bytes()));
        let characters = |bytes: &[u8]| bytes.iter().filter(|byte| *byte & 0xc0 != 0x80).count();
        rest.filter(|rest| characters(rest) >= 2).map_or(0, |rest| word.len() - rest.len())
    }
}
