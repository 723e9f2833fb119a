//! The rules that a metric's parameters say, and texts cut by them.

use std::{borrow::Cow, ops::Range};

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::{
    ARTICLES, CASE, LANGUAGE, PUNCTUATION, UNICODE, WORDS,
    articles::{self, Articles},
    is_punctuation, turkish_lower_case,
};
use crate::{
    Metric,
    metrics::{
        normalize::{self, BLANK},
        token::Token,
    },
};

/// The languages with rules of their own; the first is the default, and `any` fits texts of several.
pub(super) const LANGUAGES: &[&str] = &[
    "en", "any", "ar", "de", "el", "es", "fr", "hi", "hu", "it", "ja", "ko", "nl", "pt", "ru",
    "th", "tr", "vi", "zh",
];

/// How texts are normalised and cut. Each word is a value of the parameter of that name.
#[derive(Debug)]
pub(super) struct Rules {
    unicode: &'static str,
    case: &'static str,
    punctuation: &'static str,
    articles: Articles,
    words: &'static str,
}

/// Unicode form, case, punctuation and words of a language.
fn defaults(language: &str) -> [&'static str; 4] {
    match language {
        "en" => ["none", "lower", "ascii", "blank"],
        "any" => ["nfkc", "lower", "unicode", "unicode"],
        "ar" => ["nfkc", "lower", "unicode", "blank"],
        "de" => ["nfc", "fold", "unicode", "blank"],
        "ja" | "ko" | "zh" => ["nfkc", "lower", "unicode", "character"],
        "th" => ["nfc", "lower", "unicode", "character"],
        "tr" => ["nfc", "turkish", "unicode", "blank"],
        _ => ["nfc", "lower", "unicode", "blank"],
    }
}

impl Rules {
    pub(super) fn of(metric: &Metric) -> Self {
        let language = metric.choice(LANGUAGE.name);
        let [unicode, case, punctuation, words] = defaults(language);
        let chosen = |name: &str, default| match metric.choice(name) {
            "auto" => default,
            value => value,
        };
        Self {
            unicode: chosen(UNICODE.name, unicode),
            case: chosen(CASE.name, case),
            punctuation: chosen(PUNCTUATION.name, punctuation),
            articles: articles::of(chosen(ARTICLES.name, language)),
            words: chosen(WORDS.name, words),
        }
    }

    /// Appends the words of a text, as [`normalize::append`] does by SQuAD's rules.
    pub(super) fn append(&self, text: &str, bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) {
        let text = self.form(Cow::Borrowed(text));
        let text = match self.case {
            "keep" => text,
            "turkish" => Cow::Owned(turkish_lower_case(&text)),
            // Capitals first: that makes SS of ß, and one sigma of both.
            "fold" => Cow::Owned(text.to_uppercase().to_lowercase()),
            _ => Cow::Owned(text.to_lowercase()),
        };
        // A capital may have come out of a sign, and a small letter may be written as two.
        let text = self.form(text);
        let text = self.articles.without_elided(&text).map_or(text, Cow::Owned);
        if self.words == "unicode" {
            self.append_unicode(&text, bytes, tokens);
            return;
        }
        let first = bytes.len();
        let deleted = self.deleted();
        let kept = text.chars().filter(|c| !deleted(*c));
        normalize::by_rules(kept, |word| self.articles.contain(word), bytes);
        let mut start = first;
        for at in first..=bytes.len() {
            if bytes.get(at).is_none_or(|&byte| byte == BLANK) {
                self.end_token(start..at, bytes, tokens);
                start = at + 1;
            }
        }
    }

    fn form<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        if text.is_ascii() {
            return text;
        }
        match self.unicode {
            "nfc" => Cow::Owned(text.nfc().collect()),
            "nfd" => Cow::Owned(text.nfd().collect()),
            "nfkc" => Cow::Owned(text.nfkc().collect()),
            "nfkd" => Cow::Owned(text.nfkd().collect()),
            _ => text,
        }
    }

    fn deleted(&self) -> fn(char) -> bool {
        if self.punctuation == "unicode" { is_punctuation } else { |c| c.is_ascii_punctuation() }
    }

    /// Words as Unicode cuts them (UAX #29); punctuation inside a word is deleted afterwards.
    fn append_unicode(&self, text: &str, bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) {
        let deleted = self.deleted();
        for word in text.split_word_bounds() {
            let start = bytes.len();
            for c in word.chars().filter(|c| !deleted(*c) && !normalize::is_blank(*c)) {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            if self.articles.contain(&bytes[start..]) {
                bytes.truncate(start);
            }
            self.push(start..bytes.len(), bytes, tokens);
        }
    }

    fn end_token(&self, word: Range<usize>, bytes: &[u8], tokens: &mut Vec<Token>) {
        if self.words != "character" {
            self.push(word, bytes, tokens);
            return;
        }
        let text = std::str::from_utf8(&bytes[word.clone()]);
        let text = text.expect("words are cut at whole characters");
        let mut start = 0;
        for (at, sign) in text.grapheme_indices(true) {
            if sign.starts_with(is_unspaced) {
                self.push(word.start + start..word.start + at, bytes, tokens);
                start = at + sign.len();
                self.push(word.start + at..word.start + start, bytes, tokens);
            }
        }
        self.push(word.start + start..word.end, bytes, tokens);
    }

    fn push(&self, word: Range<usize>, bytes: &[u8], tokens: &mut Vec<Token>) {
        if !word.is_empty() {
            let article = self.articles.prefix_of(&bytes[word.clone()]);
            tokens.push(Token::new(word.start + article..word.end, bytes));
        }
    }
}

/// Whether words of the script of this character are not cut by blanks, or, as in Korean, too long
/// to be compared whole.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        // Thai and Lao, Burmese, Khmer.
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        // Hangul.
        | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}'
        // Chinese characters, with 々 and 〇.
        | '\u{3005}' | '\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        // Kana and Bopomofo.
        | '\u{3040}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}'
        | '\u{ff66}'..='\u{ff9f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metrics::language::answers;

    /// The tokens of a text, with `|` between them.
    fn tokens(parameters: &str, text: &str) -> String {
        let metric: Metric = format!("F1({parameters})").parse().unwrap();
        let answers = answers(&metric, text, std::iter::empty());
        answers.prediction().text().replace(' ', "|")
    }

    #[test]
    fn texts_are_cut_by_the_rules_of_their_language() {
        for (parameters, text, expected) in [
            ("", "The U.S., blue-green", "us|bluegreen"),
            ("words=unicode", "The U.S., blue-green don't 1,000.5", "us|blue|green|dont|10005"),
            ("words=unicode,punctuation=unicode", "北京市，5 €", "北|京|市|5|€"),
            ("words=character", "在北京2022年", "在|北|京|2022|年"),
            ("words=character", "ที่กรุงเทพ", "ที่|ก|รุ|ง|เ|ท|พ"),
            ("language=zh", "「北京」（Beijing）！", "北|京|beijing"),
            ("language=zh", "ＡＢＣ１２３", "abc123"),
            ("language=ja", "ｶﾞｯｺｳ", "ガ|ッ|コ|ウ"),
            ("language=ko", "서울에서", "서|울|에|서"),
            ("language=de", "Die STRASSE, „der“ Weg", "strasse|weg"),
            ("language=de", "Straße", "strasse"),
            ("language=de,articles=none", "Die Straße", "die|strasse"),
            ("language=de,case=lower", "Die Straße", "straße"),
            ("language=fr", "L’Amour et l'été, aujourd'hui", "amour|et|été|aujourdhui"),
            ("language=it", "Un’amica dell'artista", "amica|dellartista"),
            ("language=es", "¿El año? ¡La Niña!", "año|niña"),
            ("language=ar", "القاهرة، ال", "قاهرة|ال"),
            ("language=tr", "İSTANBUL I\u{307}zmir ISPARTA", "istanbul|izmir|ısparta"),
            ("", "İSTANBUL", "i\u{307}stanbul"),
            ("language=vi", "Ha\u{300} No\u{323}\u{302}i", "hà|nội"),
            ("language=hi", "दिल्ली।", "दिल्ली"),
            ("case=keep", "The US", "The|US"),
            ("punctuation=unicode", "“quoted” — 5 €", "quoted|5|€"),
            ("unicode=nfkc", "ﬁve ℡", "five|tel"),
            ("language=any", "The U.S. 東京 №", "the|us|東|京|no"),
        ] {
            assert_eq!(tokens(parameters, text), expected, "{parameters}: {text}");
        }
    }

    #[test]
    fn texts_of_a_normalizer_are_compared_as_they_are() {
        assert_eq!(
            tokens("normalize=a.b", " The U.S.\u{a0}§5\n e\u{301} "),
            "The|U.S.|§5|e\u{301}"
        );
        assert_eq!(tokens("normalize=a.b", " \t"), "");
    }

    proptest! {
        #[test]
        fn normalised_texts_are_their_words(text in any::<String>()) {
            let words: Vec<&str> =
                text.split(normalize::is_blank).filter(|word| !word.is_empty()).collect();
            let cut = answers(&"EM(normalize=a.b)".parse().unwrap(), &text, std::iter::empty());
            prop_assert_eq!(cut.prediction().text(), words.join(" "));
        }

        #[test]
        fn english_rules_are_those_of_squad(text in "\\PC*|[ -~]*|(the|a|[. ]|\\PC){0,12}") {
            let rules = tokens(
                "unicode=none,case=lower,punctuation=ascii,articles=en,words=blank", &text,
            );
            prop_assert_eq!(&rules, &tokens("unicode=none", &text));
            prop_assert_eq!(rules, normalize::squad(&text).replace(' ', "|"));
        }

        #[test]
        fn any_text_can_be_cut(
            text in "\\PC*|(l'|ال|[ก-๛一-三İIß.’ ]|\\PC){0,12}",
            language in prop::sample::select(LANGUAGES),
            words in prop::sample::select(vec!["auto", "blank", "character", "unicode"]),
        ) {
            let once = tokens(&format!("language={language},words={words}"), &text);
            prop_assert!(!once.contains("||"));
            prop_assert!(!once.chars().any(|c| c.is_ascii_punctuation() && c != '|'), "{once}");
        }
    }
}
