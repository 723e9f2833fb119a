//! Word and character error rates: how many edits turn the answer into the reference.

use hashbrown::HashMap;

use super::{edit_distance::distance, normalize::is_blank, numbered::CutTexts};
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Pooled, Subject, Unscored};

/// Word error rate: edits of words, relative to the words of the reference.
///
/// # Definition
/// The least number of insertions, deletions and substitutions of words that turn the prediction
/// into the reference, divided by the words of the reference. Of several references the one with
/// the lowest rate counts, the first of equal ones. Nothing is put in lower case and no punctuation
/// is taken off. The metric is no mean: it is all edits divided by all words of the references.
///
/// # Range
/// 0 and up, without a limit; less is better.
///
/// # Edge cases
/// Words are cut at spaces (U+0020) and at two or more blanks of any kind; a single tab or no-break
/// space is part of a word. Against a reference without a word the rate is the number of words of
/// the prediction. A missing prediction is an empty one. An example without references is unscored.
///
/// # Equals
/// `jiwer.wer` of jiwer 4.0, for one pair and for lists of pairs; it has one reference for each.
pub static WER: Definition = Definition {
    name: "WER",
    synonyms: &["wer"],
    summary: "edits of words, relative to the words of the reference",
    equals: "jiwer 4.0: wer",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, f64::INFINITY),
    higher_is_better: false,
    estimator: Estimator::Pooled(&Pooled {
        names: &["edits", "words"],
        of: |_, case| best(case, words).map(Errors::statistics),
        finish,
    }),
    score: |_, case| best(case, words).map(Errors::rate),
};

/// Character error rate: edits of characters, relative to the characters of the reference.
///
/// # Definition
/// As [`WER`], with the code points of the texts in place of words. Blanks at the ends are taken
/// off; those between words count.
///
/// # Range
/// 0 and up, without a limit; less is better.
///
/// # Edge cases
/// As [`WER`]. A letter and its combining accent are two characters.
///
/// # Equals
/// `jiwer.cer` of jiwer 4.0.
pub static CER: Definition = Definition {
    name: "CER",
    synonyms: &["cer"],
    summary: "edits of characters, relative to the characters of the reference",
    equals: "jiwer 4.0: cer",
    estimator: Estimator::Pooled(&Pooled {
        names: &["edits", "characters"],
        of: |_, case| best(case, characters).map(Errors::statistics),
        finish,
    }),
    score: |_, case| best(case, characters).map(Errors::rate),
    ..WER
};

fn finish(_: &Metric, statistics: &[&[f64]]) -> Option<f64> {
    let [edits, length] = statistics else { return None };
    // Counts are whole numbers, so their sums do not depend on the order.
    (!edits.is_empty()).then(|| rate(edits.iter().sum(), length.iter().sum()))
}

fn rate(edits: f64, length: f64) -> f64 {
    if length > 0.0 { edits / length } else { edits }
}

/// How far an answer is from a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Errors {
    edits: usize,
    /// Words or characters of the reference.
    length: usize,
}

impl Errors {
    fn rate(self) -> f64 {
        rate(self.edits as f64, self.length as f64)
    }

    fn statistics(self) -> Vec<f64> {
        vec![self.edits as f64, self.length as f64]
    }
}

/// The errors against the reference with the lowest rate, the first of equal ones.
fn best(case: &Case<'_>, errors: fn(&str, &str) -> Errors) -> Result<Errors, Unscored> {
    let prediction = case.prediction_text();
    let all = case.example.reference_texts().map(|reference| errors(prediction, reference));
    all.reduce(|best, errors| if errors.rate() < best.rate() { errors } else { best })
        .ok_or(Unscored::NoReference)
}

fn words(prediction: &str, reference: &str) -> Errors {
    let mut texts = CutTexts::with_capacity(prediction.len() + reference.len());
    for text in [prediction, reference] {
        push_words(text, &mut texts);
        texts.end_text();
    }
    let texts = texts.number();
    let (prediction, reference) = (texts.text(0).words, texts.text(1).words);
    Errors { edits: distance(prediction, reference, texts.distinct), length: reference.len() }
}

/// Adds the words of a text. A blank that is no space and stands alone is part of a word.
fn push_words(text: &str, texts: &mut CutTexts) {
    let text = text.trim_matches(is_blank);
    let (mut start, mut blanks) = (0, 0..0);
    for (at, c) in text.char_indices().filter(|&(_, c)| is_blank(c)) {
        // Where a run of blanks begins is known only when it is over, or long enough.
        let run = if blanks.end == at { blanks.start } else { at };
        let several = run < at;
        if several || c == ' ' {
            if start < run {
                texts.push(&text.as_bytes()[start..run]);
            }
            start = at + c.len_utf8();
        }
        blanks = run..at + c.len_utf8();
    }
    if start < text.len() {
        texts.push(&text.as_bytes()[start..]);
    }
}

fn characters(prediction: &str, reference: &str) -> Errors {
    const ASCII: usize = 128;
    let mut others: HashMap<char, usize> = HashMap::new();
    let mut number = |c: char| {
        let next = ASCII + others.len();
        let number = if c.is_ascii() { c as usize } else { *others.entry(c).or_insert(next) };
        u32::try_from(number).expect("fewer than there are code points")
    };
    let mut numbers =
        |text: &str| -> Vec<u32> { text.trim_matches(is_blank).chars().map(&mut number).collect() };
    let (prediction, reference) = (numbers(prediction), numbers(reference));
    Errors {
        edits: distance(&prediction, &reference, ASCII + others.len()),
        length: reference.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, metrics::testing::check};

    #[test]
    fn rates() {
        check("WER", "the cat sat", &["the cat sat"], 0.0);
        check("WER", "the cat", &["the cat sat on"], 0.5);
        check("WER", "a b c d", &["a"], 3.0);
        check("WER", "The cat", &["the cat."], 1.0);
        check("WER", "a b c d", &[""], 4.0);
        check("WER", "", &[""], 0.0);
        check("WER", "a b", &["x", "a c", "a b c d"], 0.5);
        check("CER", "kitten", &["sitting"], 3.0 / 7.0);
        check("CER", " a b ", &["ab"], 0.5);
        check("CER", "北京市", &["北京"], 0.5);
        check("CER", "cafe\u{301}", &["caf\u{e9}"], 0.5);
    }

    #[test]
    fn a_single_blank_that_is_no_space_is_part_of_a_word() {
        let cut = |text: &str| -> Vec<String> {
            let mut texts = CutTexts::default();
            push_words(text, &mut texts);
            texts.words().map(|word| String::from_utf8(word.to_vec()).unwrap()).collect()
        };
        for (text, words) in [
            ("", vec![]),
            (" \t\n", vec![]),
            ("a\tb", vec!["a\tb"]),
            ("\ta\u{a0}b \u{a0}c\n", vec!["a\u{a0}b", "c"]),
            ("a\t\tb\u{3000} c", vec!["a", "b", "c"]),
            ("a \tb\t c  d", vec!["a", "b", "c", "d"]),
            ("a\u{200b}b", vec!["a\u{200b}b"]),
        ] {
            assert_eq!(cut(text), words, "{text:?}");
        }
    }

    #[test]
    fn a_missing_prediction_is_an_empty_one() {
        let example = Example { references: vec!["a b".into()], ..Example::default() };
        for metric in ["WER", "CER"] {
            let metric: Metric = metric.parse().unwrap();
            assert_eq!(metric.score(&Case::new(&example)), Ok(1.0));
            let empty = Example::default();
            assert_eq!(metric.score(&Case::new(&empty)), Err(Unscored::NoReference));
        }
    }

    #[test]
    fn edits_are_pooled() {
        let metric: Metric = "WER".parse().unwrap();
        let Estimator::Pooled(pooled) = metric.definition().estimator else { unreachable!() };
        let finish = |edits: &[f64], words: &[f64]| (pooled.finish)(&metric, &[edits, words]);
        assert_eq!(finish(&[1.0, 2.0], &[10.0, 2.0]), Some(0.25));
        assert_eq!(finish(&[3.0], &[0.0]), Some(3.0));
        assert_eq!(finish(&[], &[]), None);
    }

    proptest! {
        #[test]
        fn rates_of_hostile_texts(a in "\\PC*|[ab \t\u{a0}]{0,20}", b in "\\PC*") {
            for errors in [words, characters] {
                prop_assert_eq!(errors(&a, &a).edits, 0);
                let (forth, back) = (errors(&a, &b), errors(&b, &a));
                prop_assert_eq!(forth.edits, back.edits);
                prop_assert!(forth.edits <= forth.length.max(back.length));
                prop_assert!(forth.edits >= forth.length.abs_diff(back.length));
            }
        }

        #[test]
        fn the_order_of_the_references_does_not_matter(
            prediction in "[ab ]{0,12}",
            mut references in prop::collection::vec("[ab ]{0,12}", 1..5),
        ) {
            let score = |references: &[String]| {
                let references = references.iter().map(|text| text.as_str().into()).collect();
                let example = Example { references, ..Example::default() };
                let prediction = Prediction::answer(prediction.as_str());
                let case = Case::new(&example).with_prediction(&prediction);
                best(&case, words).map(Errors::rate)
            };
            let forth = score(&references);
            references.reverse();
            prop_assert_eq!(forth, score(&references));
        }
    }
}
