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
    common: usize,
    prediction: usize,
    reference: usize,
}

impl Hits {
    fn precision(self) -> f64 {
        self.common as f64 / self.prediction.max(1) as f64
    }

    fn recall(self) -> f64 {
        self.common as f64 / self.reference.max(1) as f64
    }

    /// The operations are those of the script, in its order.
    fn f1(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if self.common == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Case, Example, Metric, Prediction, Unscored, metrics::testing::check};

    #[test]
    fn words_and_sequences() {
        check("ROUGE-1", "the cat was here", &["The cat sat."], 4.0 / 7.0);
        check("ROUGE-1(value=recall)", "the cat was here", &["The cat sat."], 2.0 / 3.0);
        check("ROUGE-1(value=precision)", "the cat was here", &["The cat sat."], 0.5);
        check("ROUGE-1", "the the the", &["the dog"], 0.4);
        check("ROUGE-2", "the cat was here", &["The cat sat."], 0.4);
        check("ROUGE-2", "cat", &["cat"], 0.0);
        check("ROUGE-3", "a b c d b c d", &["b c d b c d"], 2.0 * 0.8 * 1.0 / 1.8);
        check("ROUGE-9", "1 2 3 4 5 6 7 8 9", &["1 2 3 4 5 6 7 8 9"], 1.0);
        check("ROUGE-1", "", &[""], 0.0);
    }

    #[test]
    fn subsequences_of_texts_and_of_lines() {
        check("ROUGE-L", "a b c d", &["b d a c"], 0.5);
        check("ROUGE-L", "a b\nc d", &["c d\na b"], 0.5);
        check("ROUGE-Lsum", "a b\nc d", &["c d\na b"], 1.0);
        // The paper's example: both lines together have four of five words.
        let lines = "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5";
        check("ROUGE-Lsum(value=recall)", lines, &["w1 w2 w3 w4 w5"], 0.8);
        check("ROUGE-Lsum(value=precision)", lines, &["w1 w2 w3 w4 w5"], 0.4);
        // A word counts no more often than the prediction has it.
        check("ROUGE-Lsum(value=recall)", "x y", &["x\nx\nx"], 1.0 / 3.0);
    }

    #[test]
    fn the_reference_with_the_highest_f_counts() {
        let references = ["a b c d e f g h", "a b x", "a b y z"];
        check("ROUGE-1", "a b c", &references, 2.0 / 3.0);
        check("ROUGE-1(value=precision)", "a b c", &references, 2.0 / 3.0);
        check("ROUGE-1(value=recall)", "a b c", &references, 2.0 / 3.0);
    }

    #[test]
    fn stems_and_words_of_other_languages() {
        check("ROUGE-1", "running dogs", &["run dog"], 0.0);
        check("ROUGE-1(stem=yes)", "running dogs", &["run dog"], 1.0);
        check("ROUGE-1", "Москва", &["москва"], 0.0);
        check("ROUGE-1(words=unicode)", "Москва", &["москва"], 1.0);
        check("ROUGE-L(words=unicode)", "北京市", &["北京"], 0.8);
        check("ROUGE-1(words=unicode)", "cafe\u{301}", &["caf\u{e9}"], 1.0);
        check("ROUGE-1(stem=yes,words=unicode)", "étés running", &["étés run"], 1.0);
    }

    fn score(metric: &str, prediction: &str, references: &[String]) -> crate::Score {
        let references = references.iter().map(|text| text.as_str().into()).collect();
        let example = Example { references, ..Example::default() };
        let prediction = Prediction::answer(prediction);
        let metric: Metric = metric.parse().unwrap();
        metric.score(&Case::new(&example).with_prediction(&prediction))
    }

    #[test]
    fn without_a_reference_there_is_no_score() {
        assert_eq!(score("ROUGE-L", "a", &[]), Err(Unscored::NoReference));
    }

    proptest! {
        #[test]
        fn scores_are_in_range_and_symmetric(
            a in "\\PC*|[a-c \n]{0,40}",
            b in "\\PC*|[a-c \n]{0,40}",
            stem in "yes|no",
            words in "rouge|unicode",
        ) {
            for kind in ["ROUGE-1", "ROUGE-2", "ROUGE-9", "ROUGE-L", "ROUGE-Lsum"] {
                let score = |value: &str, prediction: &str, reference: &str| {
                    let metric = format!("{kind}(stem={stem},value={value},words={words})");
                    score(&metric, prediction, &[reference.to_owned()]).unwrap()
                };
                for value in ["f", "precision", "recall"] {
                    prop_assert!((0.0..=1.0).contains(&score(value, &a, &b)));
                }
                // The union of subsequences is taken on the side of the reference only.
                if kind != "ROUGE-Lsum" {
                    let (forth, back) = (score("f", &a, &b), score("f", &b, &a));
                    prop_assert!((forth - back).abs() < 1e-15);
                    let (precision, recall) = (score("precision", &a, &b), score("recall", &b, &a));
                    prop_assert_eq!(precision.to_bits(), recall.to_bits());
                }
            }
        }

        #[test]
        fn the_order_of_the_references_does_not_matter(
            prediction in "[a-c \n]{0,20}",
            mut references in prop::collection::vec("[a-c \n]{0,20}", 1..5),
        ) {
            for metric in ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum"] {
                let forth = score(metric, &prediction, &references);
                references.reverse();
                prop_assert_eq!(forth, score(metric, &prediction, &references));
            }
        }
    }
}
