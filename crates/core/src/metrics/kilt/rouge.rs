//! KILT's ROUGE-L, which is that of the Python package `rouge` and no other.

use super::downstream::KILT_ACCURACY;
use crate::{
    Case, Definition, Metric, Score, Unscored,
    metrics::{
        lcs::Lcs,
        normalize::is_blank,
        numbered::{CutTexts, NumberedText},
    },
};

/// ROUGE-L of KILT: the distinct words in common subsequences of sentences, best over the
/// references.
///
/// # Definition
/// A text is cut into sentences at each full stop and into words at blanks; nothing else is done
/// with it, so that case and punctuation matter. U is the set of words that are in a longest common
/// subsequence of a sentence of the reference and one of the prediction. p = |U| / distinct words
/// of the prediction, r = |U| / distinct words of the reference, F = 2pr / (p + r + 1e-8). Blanks
/// at the ends of references are taken off first, and references that are then empty left out.
///
/// # Range
/// 0 to 1, but never quite 1; more is better.
///
/// # Edge cases
/// A prediction or a reference of full stops alone scores 0, and so does an empty prediction, also
/// where there is no reference. Otherwise an example without a reference that is more than blanks
/// is unscored, where the script stops with an error.
///
/// # Equals
/// `rougel` of KILT's `eval_downstream.py`, with the package `rouge` 1.0.1 (pltrdy). Petroni et al.,
/// "KILT: a Benchmark for Knowledge Intensive Language Tasks" (2021).
pub static KILT_ROUGE_L: Definition = Definition {
    name: "KILT.ROUGE-L",
    summary: "F of the distinct words in common subsequences of sentences, as in KILT",
    equals: "KILT, eval_downstream.py: rougel",
    score: best,
    ..KILT_ACCURACY
};

pub(super) fn best(_: &Metric, case: &Case<'_>) -> Score {
    let prediction = case.prediction_text().trim_matches(is_blank);
    if prediction.is_empty() {
        return Ok(0.0);
    }
    let references = case.example.reference_texts().map(|text| text.trim_matches(is_blank));
    let references = references.filter(|text| !text.is_empty());
    let scores = references.map(|reference| rouge_l(prediction, reference).map_or(0.0, |l| l.f));
    scores.reduce(f64::max).ok_or(Unscored::NoReference)
}

/// Precision, recall and F of the package `rouge`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RougeL {
    /// Share of the prediction's distinct words.
    pub precision: f64,
    /// Share of the reference's distinct words.
    pub recall: f64,
    /// Nearly their harmonic mean.
    pub f: f64,
}

/// ROUGE-L of the package `rouge` 1.0.1, with `exclusive=True`. `None` where a text is empty or has
/// nothing but full stops: there the package raises `ValueError`.
pub fn rouge_l(prediction: &str, reference: &str) -> Option<RougeL> {
    let mut texts = CutTexts::with_capacity(prediction.len() + reference.len());
    for text in [prediction, reference] {
        for sentence in text.split('.').filter(|sentence| !sentence.is_empty()) {
            push_words(sentence, &mut texts);
            texts.end_line();
        }
        texts.end_text();
    }
    let texts = texts.number();
    let (prediction, reference) = (texts.text(0), texts.text(1));
    if prediction.words.is_empty() || reference.words.is_empty() {
        return None;
    }
    let mut lcs = Lcs::new(texts.distinct);
    let mut common = vec![false; texts.distinct];
    for sentence in reference.lines() {
        for other in prediction.lines() {
            lcs.positions(other, sentence, |place| common[other[place] as usize] = true);
        }
    }
    let common = common.into_iter().filter(|&common| common).count() as f64;
    let distinct = |text| count_distinct(text, texts.distinct) as f64;
    let (precision, recall) = (common / distinct(prediction), common / distinct(reference));
    let f = 2.0 * ((precision * recall) / (precision + recall + 1e-8));
    Some(RougeL { precision, recall, f })
}

/// Adds the words of a sentence; one that has only blanks is one word without a letter.
fn push_words(sentence: &str, texts: &mut CutTexts) {
    let mut words = sentence.split(is_blank).filter(|word| !word.is_empty()).peekable();
    if words.peek().is_none() {
        texts.push(b"");
    }
    words.for_each(|word| texts.push(word.as_bytes()));
}

fn count_distinct(text: NumberedText<'_>, distinct: usize) -> usize {
    let mut seen = vec![false; distinct];
    text.words.iter().for_each(|&word| seen[word as usize] = true);
    seen.into_iter().filter(|&seen| seen).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metrics::testing::check;

    #[test]
    fn words_are_sets_and_as_they_are_written() {
        let f = |p: f64, r: f64| 2.0 * (p * r / (p + r + 1e-8));
        check("KILT.ROUGE-L", "a b", &["a b"], f(1.0, 1.0));
        check("KILT.ROUGE-L", "a a a b", &["a c"], f(0.5, 0.5));
        check("KILT.ROUGE-L", "A b", &["a b"], f(0.5, 0.5));
        check("KILT.ROUGE-L", "b. a", &["a b"], f(1.0, 1.0));
        check("KILT.ROUGE-L", "b a", &["a b"], f(0.5, 0.5));
        check("KILT.ROUGE-L", "b a", &["a b", "\u{3000}", " b a "], f(1.0, 1.0));
    }

    #[test]
    fn empty_texts() {
        check("KILT.ROUGE-L", " ", &["a"], 0.0);
        check("KILT.ROUGE-L", " ", &[], 0.0);
        check("KILT.ROUGE-L", "...", &["a"], 0.0);
        check("KILT.ROUGE-L", "a", &["."], 0.0);
        assert_eq!(rouge_l("", "a"), None);
        assert_eq!(rouge_l("a", ".."), None);
        let blank = rouge_l(" ", "\t. ").unwrap();
        assert_eq!((blank.precision, blank.recall), (1.0, 1.0));
    }

    #[test]
    fn blank_references_are_none() {
        let example = crate::Example { references: vec![" ".into()], ..crate::Example::default() };
        let prediction = crate::Prediction::answer("a");
        let case = Case::new(&example).with_prediction(&prediction);
        let metric: Metric = "KILT.ROUGE-L".parse().unwrap();
        assert_eq!(metric.score(&case), Err(Unscored::NoReference));
    }

    proptest! {
        #[test]
        fn scores_are_in_range(a in "\\PC*|[ab .]{0,20}", b in "\\PC*|[ab .]{0,20}") {
            if let Some(RougeL { precision, recall, f }) = rouge_l(&a, &b) {
                for value in [precision, recall, f] {
                    prop_assert!((0.0..=1.0).contains(&value));
                }
            }
        }
    }
}
