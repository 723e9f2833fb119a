//! Analyzers: text to terms, the same way for passages and for queries.

mod folding;
mod language;
mod words;

use std::{fmt, str::FromStr};

use tantivy::tokenizer::{
    LowerCaser, Stemmer, StopWordFilter, TextAnalyzer, Tokenizer, WhitespaceTokenizer,
};

use self::{folding::Folding, words::Words};

pub use language::Language;

/// How text becomes terms: by the words of Unicode or by white space, and what is done to a word.
///
/// The names are those of Lucene and Elasticsearch, and what they do is near to it.
///
/// A word is what stands between two word boundaries of Unicode (UAX #29) and has a letter or a
/// digit in it. `can't`, `3.5` and `a:b` are one word, `x-ray` is two, each Chinese character is
/// one, an emoji is none. Text that is composed in two ways gives two terms, unless it is folded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice that stands for itself")]
pub struct Analyzer {
    base: Base,
    /// Whether stop words are removed.
    stop_words: bool,
    /// Whether words are stemmed.
    stemming: bool,
    /// Whether `é` and `e`, `ß` and `ss`, a wide and a narrow letter are the same.
    folding: bool,
    /// Whether Chinese, Japanese and Korean text becomes pairs of characters.
    cjk: bool,
}

/// What an analyzer begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Base {
    /// The words in lower case.
    #[default]
    Words,
    /// What stands between spaces, tabs and line ends, as it is.
    Whitespace,
    /// The words in lower case, prepared for a language.
    Language(Language),
}

/// Departures from what an analyzer of that name does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departures {
    /// Whether stop words are removed.
    pub stop_words: Option<bool>,
    /// Whether words are stemmed.
    pub stemming: Option<bool>,
    /// Whether letters are folded.
    pub folding: Option<bool>,
    /// Whether Chinese, Japanese and Korean text becomes pairs of characters.
    pub cjk: Option<bool>,
}

/// An analyzer that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAnalyzer {
    /// A name that no analyzer has.
    #[error("`{0}` is not an analyzer, expected {names}", names = Analyzer::names().join(", "))]
    Name(String),
    /// Stemming where there is no language.
    #[error("the analyzer `{0}` cannot stem: it has no language; hint: name that of the language")]
    Stemming(String),
    /// Stop words where there is no list of them.
    #[error("the analyzer `{0}` has no list of stop words; hint: leave `stop_words` out")]
    StopWords(String),
    /// Something else than splitting where white space alone splits.
    #[error("the analyzer `whitespace` leaves words as they are; hint: name `standard`")]
    Whitespace,
}

impl Analyzer {
    /// The words in lower case: no stop words are removed, nothing is stemmed.
    pub const STANDARD: Self = Self::of(Base::Words);
    /// What stands between spaces, tabs and line ends, as it is: for text that has been split
    /// already. White space outside ASCII does not split.
    pub const WHITESPACE: Self = Self::of(Base::Whitespace);
    /// The words in lower case, without a possessive `'s` and Lucene's 33 stop words, stemmed with
    /// Snowball's English stemmer (Porter2; Lucene has the older Porter).
    pub const ENGLISH: Self = Self::language(Language::English);
    /// The words in lower case; of Chinese, Japanese and Korean text each pair of neighbours, and
    /// a character that stands alone.
    pub const CJK: Self = Self { cjk: true, folding: true, ..Self::STANDARD };

    const fn of(base: Base) -> Self {
        Self { base, stop_words: false, stemming: false, folding: false, cjk: false }
    }

    /// The words in lower case, without the stop words of the language where there is a list of
    /// them, and stemmed.
    pub const fn language(language: Language) -> Self {
        Self {
            stop_words: language.has_stop_words(),
            stemming: true,
            ..Self::of(Base::Language(language))
        }
    }

    /// The names that analyzers have.
    pub fn names() -> Vec<&'static str> {
        let mut names = vec!["standard", "whitespace", "cjk"];
        names.extend(Language::ALL.map(Language::name));
        names
    }

    /// The same with other choices.
    pub fn with(self, departures: Departures) -> Result<Self, UnknownAnalyzer> {
        let Departures { stop_words, stemming, folding, cjk } = departures;
        let changed = Self {
            base: self.base,
            stop_words: stop_words.unwrap_or(self.stop_words),
            stemming: stemming.unwrap_or(self.stemming),
            folding: folding.unwrap_or(self.folding),
            cjk: cjk.unwrap_or(self.cjk),
        };
        let name = || self.base_name().to_owned();
        match self.base {
            Base::Whitespace if changed != Self::WHITESPACE => Err(UnknownAnalyzer::Whitespace),
            Base::Words if changed.stemming => Err(UnknownAnalyzer::Stemming(name())),
            Base::Words if changed.stop_words => Err(UnknownAnalyzer::StopWords(name())),
            Base::Language(language) if changed.stop_words && !language.has_stop_words() => {
                Err(UnknownAnalyzer::StopWords(name()))
            }
            _ => Ok(changed),
        }
    }

    /// The terms of a text, in its order and as often as they occur.
    pub fn terms(self, text: &str) -> Vec<String> {
        terms(&mut self.tokenizer(), text)
    }

    pub(crate) fn tokenizer(self) -> TextAnalyzer {
        let language = match self.base {
            Base::Whitespace => {
                return TextAnalyzer::builder(WhitespaceTokenizer::default()).build();
            }
            Base::Words => None,
            Base::Language(language) => Some(language),
        };
        let stop_words = language
            .filter(|_| self.stop_words)
            .and_then(|language| StopWordFilter::new(language.engine()));
        let stemmer =
            language.filter(|_| self.stemming).map(|language| Stemmer::new(language.engine()));
        chain(Words::new(language, self.cjk), stop_words, stemmer, self.folding)
    }

    fn base_name(self) -> &'static str {
        match self.base {
            Base::Words if self.cjk && self.folding => "cjk",
            Base::Words => "standard",
            Base::Whitespace => "whitespace",
            Base::Language(language) => language.name(),
        }
    }
}

/// Each combination is a type of its own, so that no step of a word goes through a pointer.
fn chain(
    words: impl Tokenizer,
    stop_words: Option<StopWordFilter>,
    stemmer: Option<Stemmer>,
    folding: bool,
) -> TextAnalyzer {
    let stop_words = stop_words.unwrap_or_else(|| StopWordFilter::remove([]));
    let builder = TextAnalyzer::builder(words).filter(LowerCaser).filter(stop_words);
    match (stemmer, folding) {
        (None, false) => builder.build(),
        (None, true) => builder.filter(Folding).build(),
        (Some(stemmer), false) => builder.filter(stemmer).build(),
        (Some(stemmer), true) => builder.filter(stemmer).filter(Folding).build(),
    }
}

/// Its name, with the departures from what the name alone does: `german(folding=true)`.
impl fmt::Display for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.base_name();
        let usual = name.parse::<Self>().map_err(|_| fmt::Error)?;
        let choices = [
            ("stop_words", self.stop_words, usual.stop_words),
            ("stemming", self.stemming, usual.stemming),
            ("folding", self.folding, usual.folding),
            ("cjk", self.cjk, usual.cjk),
        ];
        let changed = choices.into_iter().filter(|(_, chosen, usual)| chosen != usual);
        let changed: Vec<_> =
            changed.map(|(choice, chosen, _)| format!("{choice}={chosen}")).collect();
        f.write_str(name)?;
        if changed.is_empty() { Ok(()) } else { write!(f, "({})", changed.join(",")) }
    }
}

/// The analyzer of a name alone.
impl FromStr for Analyzer {
    type Err = UnknownAnalyzer;

    fn from_str(name: &str) -> Result<Self, UnknownAnalyzer> {
        match name {
            "standard" => Ok(Self::STANDARD),
            "whitespace" => Ok(Self::WHITESPACE),
            "cjk" => Ok(Self::CJK),
            _ => Language::ALL
                .into_iter()
                .find(|language| language.name() == name)
                .map(Self::language)
                .ok_or_else(|| UnknownAnalyzer::Name(name.to_owned())),
        }
    }
}

pub(crate) fn terms(tokenizer: &mut TextAnalyzer, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    tokenizer.token_stream(text).process(&mut |token| terms.push(token.text.clone()));
    terms
}

/// The terms with the numbers of their words: a stop word that was removed leaves a gap.
pub(crate) fn terms_in_place(tokenizer: &mut TextAnalyzer, text: &str) -> Vec<(u32, String)> {
    let mut terms = Vec::new();
    tokenizer.token_stream(text).process(&mut |token| {
        let place = u32::try_from(token.position).unwrap_or(u32::MAX);
        terms.push((place, token.text.clone()));
    });
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(analyzer: Analyzer, text: &str, terms: &[&str]) {
        assert_eq!(analyzer.terms(text), terms, "{analyzer} on `{text}`");
    }

    fn named(name: &str, text: &str, terms: &[&str]) {
        check(name.parse().unwrap(), text, terms);
    }

    #[test]
    fn standard_keeps_every_word_in_lower_case() {
        check(
            Analyzer::STANDARD,
            "The Dogs can't run, e.g. 3.5 km!",
            &["the", "dogs", "can't", "run", "e.g", "3.5", "km"],
        );
        check(
            Analyzer::STANDARD,
            "X-ray snake_case a/b ÉCOLE",
            &["x", "ray", "snake_case", "a", "b", "école"],
        );
        check(
            Analyzer::STANDARD,
            "東京 हिन्दी 👍 \"AND\" (title:x y)",
            &["東", "京", "हिन्दी", "and", "title:x", "y"],
        );
    }

    #[test]
    fn english_cuts_possessives_stop_words_and_endings() {
        check(
            Analyzer::ENGLISH,
            "The pilot's flying machines are in the pilots’ hangars",
            &["pilot", "fli", "machin", "pilot", "hangar"],
        );
        check(Analyzer::ENGLISH, "NASA’S AND it's", &["nasa"]);
        check(Analyzer::ENGLISH, "to be or not to be", &[]);
    }

    #[test]
    fn whitespace_changes_nothing() {
        check(
            Analyzer::WHITESPACE,
            " The\tpilot's\u{3000}(42)\n👍 ",
            &["The", "pilot's\u{3000}(42)", "👍"],
        );
    }

    #[test]
    fn each_language_brings_forms_of_a_word_together() {
        let together = [
            ("arabic", "كتاب الكتاب"),
            ("danish", "hus husene"),
            ("dutch", "lichamelijk lichamelijke"),
            ("english", "connection connected"),
            ("finnish", "talossa talo"),
            ("french", "continuellement continuelle"),
            ("german", "Häuser Häusern"),
            ("greek", "θάλασσα θάλασσας"),
            ("hungarian", "házak házakat"),
            ("italian", "abbandonata abbandonato"),
            ("norwegian", "huset husene"),
            ("portuguese", "livros livro"),
            ("romanian", "abandonat abandonată"),
            ("russian", "важная важных"),
            ("spanish", "chicas chica"),
            ("swedish", "klostret klostrets"),
            ("tamil", "புத்தகங்கள் புத்தகங்களை"),
            ("turkish", "KITAPLAR kıtaplar"),
        ];
        assert_eq!(together.map(|(name, _)| name), Language::ALL.map(Language::name));
        let apart: Vec<_> = together
            .into_iter()
            .map(|(name, text)| (name, name.parse::<Analyzer>().unwrap().terms(text)))
            .filter(|(_, terms)| terms.len() != 2 || terms[0] != terms[1])
            .collect();
        assert_eq!(apart, []);
    }

    #[test]
    fn stop_words_of_a_language_are_removed() {
        named("german", "Die Katze und der Hund", &["katz", "hund"]);
        named("french", "Le chat et la maison", &["chat", "maison"]);
        named("spanish", "el perro y la casa", &["perr", "cas"]);
        named("italian", "il cane e la casa", &["can", "cas"]);
        named("dutch", "de hond en het huis", &["hond", "huis"]);
        named("russian", "собака и кошка", &["собак", "кошк"]);
        for (name, text) in [
            ("danish", "og det"),
            ("finnish", "ja se"),
            ("hungarian", "az és"),
            ("norwegian", "og det"),
            ("portuguese", "o que"),
            ("swedish", "och det"),
        ] {
            named(name, text, &[]);
        }
    }

    #[test]
    fn elided_articles_are_cut_off() {
        named("french", "L'école d’été", &["écol", "été"]);
        named("italian", "l'amico dell'amica", &["amic", "amic"]);
        named("french", "aujourd'hui", &["aujourd'hui"]);
    }

    #[test]
    fn cjk_gives_pairs_of_neighbours() {
        named("cjk", "東京都に Rust 1.95", &["東京", "京都", "都に", "rust", "1.95"]);
        named("cjk", "日,本 中", &["日", "本", "中"]);
        named("cjk", "한국어 ﾄﾏﾄ", &["한국", "국어", "トマ", "マト"]);
        named("cjk", "学校café", &["学校", "cafe"]);
    }

    #[test]
    fn choices_depart_from_the_name() {
        let with = |name: &str, departures| name.parse::<Analyzer>().unwrap().with(departures);
        let folding = Departures { folding: Some(true), ..Departures::default() };
        let folded = with("german", folding).unwrap();
        check(folded, "Füße fusse Fu\u{308}ße", &["fuss", "fuss", "fuss"]);
        assert_eq!(folded.to_string(), "german(folding=true)");
        let kept = Departures { stop_words: Some(false), stemming: Some(false), ..folding };
        check(with("french", kept).unwrap(), "Les élèves", &["les", "eleves"]);
        let mixed = Departures { cjk: Some(true), ..Departures::default() };
        check(with("english", mixed).unwrap(), "the trains of 東京都", &["train", "東京", "京都"]);

        let stop_words = Departures { stop_words: Some(true), ..Departures::default() };
        let stemming = Departures { stemming: Some(true), ..Departures::default() };
        for (name, departures, message) in [
            ("greek", stop_words, "the analyzer `greek` has no list of stop words"),
            ("standard", stop_words, "the analyzer `standard` has no list of stop words"),
            ("cjk", stemming, "the analyzer `cjk` cannot stem: it has no language"),
            ("whitespace", folding, "the analyzer `whitespace` leaves words as they are"),
        ] {
            let error = with(name, departures).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn text_without_words_has_no_terms() {
        for name in Analyzer::names().into_iter().filter(|&name| name != "whitespace") {
            named(name, "", &[]);
            named(name, " \n\t?!… — 👍🏽 \u{0}", &[]);
        }
    }

    #[test]
    fn words_that_are_left_out_leave_a_gap() {
        let found = terms_in_place(&mut Analyzer::ENGLISH.tokenizer(), "point of no return");
        assert_eq!(found, [(0, "point".to_owned()), (3, "return".to_owned())]);
    }

    #[test]
    fn parsing_undoes_display() {
        for name in Analyzer::names() {
            let analyzer: Analyzer = name.parse().unwrap();
            assert_eq!(analyzer.to_string(), name);
        }
        let error = "English".parse::<Analyzer>().unwrap_err().to_string();
        assert!(error.starts_with("`English` is not an analyzer, expected standard, "), "{error}");
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_analyzed(text in "\\PC{0,40}", number in 0_usize..21) {
            let analyzer: Analyzer = Analyzer::names()[number].parse().unwrap();
            proptest::prop_assert!(analyzer.terms(&text).iter().all(|term| !term.is_empty()));
        }
    }
}
