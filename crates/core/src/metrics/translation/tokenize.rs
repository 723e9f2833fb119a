//! The tokens that BLEU counts, as sacrebleu's tokenizers cut them.

use std::{borrow::Cow, ops::Range};

use unicode_general_category::{GeneralCategory, get_general_category};

use super::{
    cut::{Class, Rules, classes},
    is_blank,
};

/// How a text is cut into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokenizer {
    /// At blanks and at ASCII punctuation, as `mteval-v13a.pl` does.
    Mteval13a,
    /// At blanks only.
    Blanks,
    /// At blanks, punctuation and symbols of all scripts, as `mteval-v14.pl --international` does.
    International,
    /// Each Chinese character alone, the rest as [`Mteval13a`](Self::Mteval13a).
    Chinese,
    /// Each character alone.
    Characters,
}

impl Tokenizer {
    /// sacrebleu's names of the tokenizers, in the order of the variants.
    pub const NAMES: &[&str] = &["13a", "none", "intl", "zh", "char"];

    /// The tokenizer of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "13a" => Self::Mteval13a,
            "none" => Self::Blanks,
            "intl" => Self::International,
            "zh" => Self::Chinese,
            "char" => Self::Characters,
            _ => return None,
        })
    }

    /// The tokens of a text.
    ///
    /// ```
    /// use qeval_core::metrics::translation::tokenize::Tokenizer;
    ///
    /// assert_eq!(Tokenizer::Mteval13a.tokens("$1,000, at last."), ["$", "1,000", ",", "at", "last", "."]);
    /// ```
    pub fn tokens(self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        let text = self.cleaned(text.into());
        self.cut(&text, |token| tokens.push(text[token].to_owned()));
        tokens
    }

    /// The text as it is before it is cut.
    pub(super) fn cleaned(self, text: Cow<'_, str>) -> Cow<'_, str> {
        match self {
            Self::Mteval13a => {
                let special = |byte: u8| byte == b'\n' || byte == b'&' || byte == b'<';
                // Not `any`: a loop without an exit is done sixteen bytes at a time.
                if text.bytes().fold(false, |found, byte| found | special(byte)) {
                    // Looking for one byte is much faster than looking for a word.
                    let skipped = text.as_bytes().contains(&b'<');
                    let text = if skipped { text.replace("<skipped>", "").into() } else { text };
                    unescaped(joined(&text)).into()
                } else {
                    text
                }
            }
            Self::Chinese => match text {
                Cow::Borrowed(text) => text.trim_matches(is_blank).into(),
                Cow::Owned(text) => text.trim_matches(is_blank).to_owned().into(),
            },
            Self::Blanks | Self::International | Self::Characters => text,
        }
    }

    /// Calls `token` with the place of each token of a cleaned text.
    pub(super) fn cut(self, cleaned: &str, token: impl FnMut(Range<usize>)) {
        let rules = match self {
            Self::Mteval13a => &MTEVAL_13A,
            Self::Blanks => &BLANKS,
            Self::International => &INTERNATIONAL,
            Self::Chinese => &CHINESE,
            Self::Characters => &CHARACTERS,
        };
        rules.cut(cleaned, token);
    }
}

/// The text in one line: a dash at the end of a line goes with its end, and each other end of a
/// line is a blank.
fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut lines = text.split('\n');
    let last = lines.next_back().unwrap_or_default();
    for line in lines {
        if let Some(line) = line.strip_suffix('-') {
            joined.push_str(line);
        } else {
            joined.push_str(line);
            joined.push(' ');
        }
    }
    joined.push_str(last);
    joined
}

/// The text with its XML escapes resolved, in the order of the scripts: `&amp;lt;` becomes `<`,
/// and `&amp;quot;` does not become a quotation mark.
pub(super) fn unescaped(text: String) -> String {
    if !text.as_bytes().contains(&b'&') {
        return text;
    }
    text.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
}

/// What mteval takes for a sign: all ASCII punctuation but `'`, `,`, `-` and `.`.
const SIGNS: (&[u8], Class) = (b"!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", Class::Alone);
const STOPS: (&[u8], Class) = (b".,", Class::Stop);
const DASH: (&[u8], Class) = (b"-", Class::Dash);
const DIGITS: (&[u8], Class) = (b"0123456789", Class::Digit);

static MTEVAL_13A: Rules =
    Rules { bytes: classes([SIGNS, STOPS, DASH, DIGITS]), wide: |_| Class::Plain, padded: true };

static CHINESE: Rules = Rules {
    wide: |c| if is_chinese(c) { Class::Alone } else { Class::Plain },
    padded: false,
    ..MTEVAL_13A
};

/// The rules of tercom's normalisation; it cuts possessives too.
pub(super) static TERCOM: Rules =
    Rules { bytes: classes([SIGNS, STOPS, DASH, DIGITS, (b"'", Class::Apostrophe)]), ..MTEVAL_13A };

/// The same where Asian scripts are cut into characters.
pub(super) static TERCOM_ASIAN: Rules =
    Rules { wide: |c| if is_asian(c) { Class::Alone } else { Class::Plain }, ..TERCOM };

static INTERNATIONAL: Rules = Rules {
    bytes: classes([
        (b"$+<=>^`|~", Class::Alone),
        (b"!\"#%&'()*,-./:;?@[\\]_{}", Class::Stop),
        DIGITS,
    ]),
    wide: |c| match get_general_category(c) {
        GeneralCategory::DecimalNumber
        | GeneralCategory::LetterNumber
        | GeneralCategory::OtherNumber => Class::Digit,
        GeneralCategory::ConnectorPunctuation
        | GeneralCategory::DashPunctuation
        | GeneralCategory::OpenPunctuation
        | GeneralCategory::ClosePunctuation
        | GeneralCategory::InitialPunctuation
        | GeneralCategory::FinalPunctuation
        | GeneralCategory::OtherPunctuation => Class::Stop,
        GeneralCategory::MathSymbol
        | GeneralCategory::CurrencySymbol
        | GeneralCategory::ModifierSymbol
        | GeneralCategory::OtherSymbol => Class::Alone,
        _ => Class::Plain,
    },
    padded: false,
};

/// A text cut at its blanks.
pub(super) static BLANKS: Rules =
    Rules { bytes: classes([]), wide: |_| Class::Plain, padded: false };

static CHARACTERS: Rules = Rules { bytes: characters(), wide: |_| Class::Alone, padded: false };

const fn characters() -> [Class; 256] {
    let mut classes = classes([]);
    let mut byte = 0;
    while byte < 128 {
        if matches!(classes[byte], Class::Plain) {
            classes[byte] = Class::Alone;
        }
        byte += 1;
    }
    classes
}

/// What sacrebleu's `zh` cuts into characters. Its table writes the two ranges beyond U+FFFF with
/// four digits, so that they mean U+2001 to U+2A6D and U+2F81 to U+2FA1: general punctuation,
/// arrows and mathematical signs are cut off too, and rare ideographs are not.
fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{2001}'..='\u{2a6d}' | '\u{2e80}'..='\u{2eff}' | '\u{2f00}'..='\u{2fdf}'
        | '\u{2ff0}'..='\u{303f}' | '\u{3100}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}'
        | '\u{31c0}'..='\u{31ef}' | '\u{3200}'..='\u{4db5}' | '\u{4e00}'..='\u{9fbb}'
        | '\u{f900}'..='\u{fa2d}' | '\u{fa30}'..='\u{fa6a}' | '\u{fa70}'..='\u{fad9}'
        | '\u{fe10}'..='\u{fe1f}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}')
}

/// What tercom cuts into characters: ideographs, and the punctuation of Asian scripts.
fn is_asian(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2eff}' | '\u{31c0}'..='\u{31ef}' | '\u{3200}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}')
        || is_asian_punctuation(c)
}

/// Asian punctuation, and ASCII's punctuation in full width, as tercom removes them.
pub(super) fn is_asian_punctuation(c: char) -> bool {
    matches!(c,
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}'
        | '\u{ff01}' | '\u{ff02}' | '\u{ff08}' | '\u{ff09}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}'
        | '\u{ff1b}' | '\u{ff1f}' | '\u{ff61}'..='\u{ff65}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::testing::hostile, *};

    #[test]
    fn signs_are_cut_off_and_numbers_stay_whole() {
        for (tokenizer, text, tokens) in [
            ("13a", "Hello, (world)!", "Hello , ( world ) !"),
            ("13a", "1,000.5 and 3.", "1,000.5 and 3 ."),
            ("13a", "a....5 a...5 1..2", "a . . . .5 a . . . 5 1 . . 2"),
            ("13a", ".5 -1 2-3 x-y", ". 5 -1 2 - 3 x-y"),
            ("13a", "don't &amp;lt; &amp;quot; co-\nop", "don't < & quot ; coop"),
            ("13a", "\u{201c}caf\u{e9}.\u{201d}", "\u{201c}caf\u{e9} . \u{201d}"),
            (
                "intl",
                "\u{201c}caf\u{e9}.\u{201d} 5\u{20ac} 3.",
                "\u{201c} caf\u{e9} . \u{201d} 5 \u{20ac} 3.",
            ),
            ("intl", ".5 x.5 \u{bd},\u{bd}", ".5 x . 5 \u{bd},\u{bd}"),
            ("zh", "\u{5317}\u{4eac}Beijing\u{ff0c}1. ", "\u{5317} \u{4eac} Beijing \u{ff0c} 1."),
            ("zh", " .5 \u{20000}\u{20001}", ".5 \u{20000}\u{20001}"),
            ("char", "a b\u{3000}\u{e9}", "a b \u{e9}"),
            ("none", " a,b\u{1c}c ", "a,b c"),
        ] {
            let found = Tokenizer::from_name(tokenizer).unwrap().tokens(text).join(" ");
            assert_eq!(found, tokens, "{tokenizer} of {text:?}");
        }
    }

    #[test]
    fn every_name_is_a_tokenizer() {
        assert!(Tokenizer::NAMES.iter().all(|name| Tokenizer::from_name(name).is_some()));
        assert_eq!(Tokenizer::from_name("13b"), None);
    }

    proptest! {
        #[test]
        fn lines_are_joined_as_by_two_replacements(text in "[-\n a]{0,12}") {
            let expected = text.replace("-\n", "").replace('\n', " ");
            prop_assert_eq!(joined(&text), expected);
        }

        #[test]
        fn tokens_are_pieces_of_the_text_in_order(text in hostile()) {
            let visible = |text: &str| text.replace(is_blank, "");
            for name in ["none", "intl", "zh", "char"] {
                let tokens = Tokenizer::from_name(name).unwrap().tokens(&text);
                prop_assert_eq!(tokens.concat(), visible(&text), "{}", name);
            }
        }
    }
}
