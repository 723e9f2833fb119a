//! Prediction and references of one case as ROUGE compares them.

use std::cell::OnceCell;

use super::{STEM, WORDS, words};
use crate::{
    Metric,
    metrics::numbered::{CutTexts, NumberedTexts},
};

/// The words that `rouge_score` compares, in order.
///
/// ```
/// use qeval_core::metrics::rouge::tokens;
///
/// assert_eq!(tokens("Running-café's", true), ["run", "caf", "s"]);
/// ```
pub fn tokens(text: &str, stem: bool) -> Vec<String> {
    let mut texts = CutTexts::default();
    words::ascii(text, &mut texts);
    let token = |word: &[u8]| {
        let mut word = word.to_vec();
        if stem {
            words::stem(&mut word);
        }
        String::from_utf8(word).expect("words are made of ASCII letters and digits")
    };
    texts.words().map(token).collect()
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

/// Prediction and references of one case for each way to cut them, made when they are first asked
/// for: the prediction is the first text.
#[derive(Debug, Default)]
pub(crate) struct Cache([OnceCell<Box<NumberedTexts>>; 4]);

impl Cache {
    pub(crate) fn get<'a, T: Iterator<Item = &'a str> + Clone>(
        &self,
        cut: Cut,
        texts: impl FnOnce() -> T,
    ) -> &NumberedTexts {
        let place = 2 * usize::from(cut.stem) + usize::from(cut.unicode);
        self.0[place].get_or_init(|| Box::new(number(cut, texts())))
    }
}

fn number<'a>(cut: Cut, texts: impl Iterator<Item = &'a str> + Clone) -> NumberedTexts {
    let words = if cut.unicode { words::unicode } else { words::ascii };
    let mut cut_texts = CutTexts::with_capacity(texts.clone().map(str::len).sum());
    for text in texts {
        words(text, &mut cut_texts);
        cut_texts.end_text();
    }
    if cut.stem { cut_texts.number_changed(words::stem) } else { cut_texts.number() }
}
