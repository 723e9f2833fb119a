//! Prediction and references of one case as ROUGE compares them.

use std::cell::OnceCell;

use super::{STEM, WORDS, porter, words};
use crate::{
    Metric,
    metrics::numbered::{NumberedText, Numbers},
};

/// The words that `rouge_score` compares, in order.
///
/// ```
/// use qeval_core::metrics::rouge::tokens;
///
/// assert_eq!(tokens("Running-café's", true), ["run", "caf", "s"]);
/// ```
pub fn tokens(text: &str, stem: bool) -> Vec<String> {
    let mut tokens = Vec::new();
    words::ascii(text, &mut Vec::new(), |word| {
        let word = String::from_utf8_lossy(word);
        let stemmed = stem && words::is_stemmed(word.as_bytes());
        tokens.push(if stemmed { porter::stem(&word) } else { word.into_owned() });
    });
    tokens
}

/// How texts are cut into words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    stem: bool,
    unicode: bool,
}

impl Cut {
    pub(super) fn of(metric: &Metric) -> Self {
        Self {
            stem: metric.choice(STEM.name) == "yes",
            unicode: metric.choice(WORDS.name) == "unicode",
        }
    }
}

/// The texts of one case for each way to cut them, made when they are first asked for.
#[derive(Debug, Default)]
pub(crate) struct Cache([OnceCell<Box<Texts>>; 4]);

impl Cache {
    pub(crate) fn get(&self, cut: Cut, make: impl FnOnce() -> Texts) -> &Texts {
        let place = 2 * usize::from(cut.stem) + usize::from(cut.unicode);
        self.0[place].get_or_init(|| Box::new(make()))
    }
}

/// The words of one case as numbers.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The prediction, then the references.
    texts: Vec<NumberedText>,
    /// How many distinct words there are.
    distinct: usize,
}

impl Texts {
    pub(crate) fn new<'a>(
        cut: Cut,
        prediction: &'a str,
        references: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut numbers = Numbers::default();
        let mut stems = cut.stem.then(Stems::default);
        let mut buffer = Vec::new();
        let mut number = |text: &str| {
            let mut numbered = NumberedText::default();
            for line in text.split('\n') {
                let word = |word: &[u8]| {
                    numbered.push(match &mut stems {
                        Some(stems) => stems.number(word, &mut numbers),
                        None => numbers.number(word),
                    });
                };
                if cut.unicode {
                    words::unicode(line, word);
                } else {
                    words::ascii(line, &mut buffer, word);
                }
                numbered.end_line();
            }
            numbered
        };
        let texts = std::iter::once(prediction).chain(references).map(&mut number).collect();
        Self { texts, distinct: numbers.len() }
    }

    /// The prediction, then the references.
    pub(super) fn all(&self) -> impl Iterator<Item = &NumberedText> {
        self.texts.iter()
    }

    pub(super) fn prediction(&self) -> &NumberedText {
        &self.texts[0]
    }

    pub(super) fn references(&self) -> impl Iterator<Item = &NumberedText> {
        self.texts[1..].iter()
    }

    pub(super) fn distinct(&self) -> usize {
        self.distinct
    }
}

/// Stems that were looked for before: most words of a text occur several times.
#[derive(Default)]
struct Stems {
    words: Numbers,
    /// For each word the number of its stem.
    stems: Vec<u32>,
    stem: Vec<u8>,
}

impl Stems {
    /// The number of a word's stem.
    fn number(&mut self, word: &[u8], numbers: &mut Numbers) -> u32 {
        let known = self.words.number(word) as usize;
        if known == self.stems.len() {
            self.stem.clear();
            self.stem.extend_from_slice(word);
            if words::is_stemmed(word) {
                porter::reduce(&mut self.stem);
            }
            self.stems.push(numbers.number(&self.stem));
        }
        self.stems[known]
    }
}
