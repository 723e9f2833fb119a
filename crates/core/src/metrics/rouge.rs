//! ROUGE: how many of a reference's words, word sequences or common subsequences a text has.
//!
//! The numbers are those of Google's `rouge_score`. Its words are made of ASCII letters and digits
//! alone, so a text in Chinese or Russian has none and scores 0; `words=unicode` scores every
//! language, and is no longer that script's number.

mod bootstrap;
mod n_grams;
pub mod porter;
mod subsequence;
mod texts;
mod words;

pub(crate) use self::texts::{Cache, Cut};
pub use self::{
    bootstrap::{Bootstrap, bootstrap},
    n_grams::{ROUGE_1, ROUGE_2, ROUGE_3, ROUGE_4, ROUGE_5, ROUGE_6, ROUGE_7, ROUGE_8, ROUGE_9},
    subsequence::{ROUGE_L, ROUGE_LSUM},
    texts::tokens,
};
use super::numbered::NumberedTexts;
use crate::{Case, Kind, Metric, Parameter, Score, Unscored};

const STEM: Parameter = Parameter {
    name: "stem",
    kind: Kind::Choice(&["no", "yes"]),
    summary: "compare the stems of words longer than three characters",
};

const VALUE: Parameter = Parameter {
    name: "value",
    kind: Kind::Choice(&["f", "precision", "recall"]),
    summary: "which number is the score",
};

const WORDS: Parameter = Parameter {
    name: "words",
    kind: Kind::Choice(&["rouge", "unicode"]),
    summary: "what a word is: ASCII letters and digits as in the script, or what Unicode says",
};

/// The score with the reference of highest F, the first of equal ones.
fn best(metric: &Metric, case: &Case<'_>, hits: impl Fn(&NumberedTexts) -> Vec<Hits>) -> Score {
    let texts = case.rouge_texts(Cut::of(metric));
    let mut best: Option<Hits> = None;
    for hits in hits(texts) {
        if best.is_none_or(|best| hits.f1() > best.f1()) {
            best = Some(hits);
        }
    }
    let best = best.ok_or(Unscored::NoReference)?;
    Ok(match metric.choice(VALUE.name) {
        "precision" => best.precision(),
        "recall" => best.recall(),
        _ => best.f1(),
    })
}

/// What a reference and the prediction have in common, and how much there is of each.
#[derive(Clone, Copy, Debug)]
struct Hits {
    hits: usize,
    prediction: usize,
    reference: usize,
}

impl Hits {
    fn precision(self) -> f64 {
        self.hits as f64 / self.prediction.max(1) as f64
    }

    fn recall(self) -> f64 {
        self.hits as f64 / self.reference.max(1) as f64
    }

    /// The operations are those of the script, in its order.
    fn f1(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if self.hits == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
    }
}
