//! chrF: how many of an answer's character n-grams a reference has, and of a reference's the answer.

mod statistics;

use self::statistics::chrf;
pub use self::statistics::{Options, Order, Statistics, corpus, statistics};
use super::{SWITCH, is_nothing, is_on, sums};
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Pooled, Score, Subject,
    Unscored,
};

/// F-score of character n-grams, and with `word_order` of word n-grams too.
///
/// # Definition
/// For each order (characters 1 to 6, words 1 to `word_order`) with the n-grams of all examples
/// counted together: precision and recall of the common n-grams, counted with multiplicity. With
/// their means P and R over the orders that both sides have, chrF = 100 · (1 + β²)PR / (β²P + R).
/// Of several references that one counts for an example which gives it the best score, the first
/// of those that are equally good. Blanks are no characters unless `whitespace=yes`.
///
/// # Range
/// 0 to 100.
///
/// # Parameters
/// All are sacrebleu's. `word_order=2` is chrF++ and can be written so; `chrF+` is `word_order=1`.
///
/// # Edge cases
/// 0 where no order is on both sides or nothing is common. With `eps_smoothing=yes` the mean is
/// that of the orders' F-scores, and an order that one side lacks counts for (almost) 0. Null for
/// an example without references, where sacrebleu stops with an error.
///
/// # Equals
/// `corpus_chrf` and `CHRF.sentence_score` of sacrebleu 2.6.0. Popović, "chrF: character n-gram
/// F-score for automatic MT evaluation" (2015), and "chrF++: words helping character n-grams"
/// (2017).
pub static CHRF: Definition = Definition {
    name: "chrF",
    synonyms: &["chrf", "CHRF"],
    summary: "F-score of character n-grams, with `word_order=2` of words too (chrF++)",
    equals: "sacrebleu 2.6.0: corpus_chrf",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[
        Parameter {
            name: "word_order",
            kind: Kind::Choice(&["0", "1", "2"]),
            summary: "the longest n-grams of words",
        },
        Parameter {
            name: "char_order",
            kind: Kind::Choice(&["6", "1", "2", "3", "4", "5"]),
            summary: "the longest n-grams of characters",
        },
        Parameter {
            name: "beta",
            kind: Kind::Number { min: 0.0, max: 1e6, default: 2.0 },
            summary: "how many times as important recall is as precision",
        },
        Parameter { name: "lowercase", kind: SWITCH, summary: "whether case does not matter" },
        Parameter {
            name: "whitespace",
            kind: SWITCH,
            summary: "whether blanks are characters too",
        },
        Parameter {
            name: "eps_smoothing",
            kind: SWITCH,
            summary: "whether orders that one side lacks count, as in chrF++.py, NLTK and Moses",
        },
    ],
    range: (0.0, 100.0),
    higher_is_better: true,
    estimator: Estimator::Pooled(&POOLED),
    score: sentence,
};

static POOLED: Pooled = Pooled {
    names: &[
        "answer_chars_1",
        "reference_chars_1",
        "matches_chars_1",
        "answer_chars_2",
        "reference_chars_2",
        "matches_chars_2",
        "answer_chars_3",
        "reference_chars_3",
        "matches_chars_3",
        "answer_chars_4",
        "reference_chars_4",
        "matches_chars_4",
        "answer_chars_5",
        "reference_chars_5",
        "matches_chars_5",
        "answer_chars_6",
        "reference_chars_6",
        "matches_chars_6",
        "answer_words_1",
        "reference_words_1",
        "matches_words_1",
        "answer_words_2",
        "reference_words_2",
        "matches_words_2",
    ],
    of: columns,
    finish: pooled,
};

/// Orders of characters and of words that have columns.
const CHAR_ORDERS: usize = 6;
const WORD_ORDERS: usize = 2;

fn options(metric: &Metric) -> Options {
    let order = |name| metric.choice(name).parse().expect("each word of the choice is a number");
    Options {
        char_order: order("char_order"),
        word_order: order("word_order"),
        beta: metric.number("beta"),
        lowercase: is_on(metric, "lowercase"),
        whitespace: is_on(metric, "whitespace"),
        eps_smoothing: is_on(metric, "eps_smoothing"),
    }
}

fn of_case(case: &Case<'_>, options: &Options) -> Result<Statistics, Unscored> {
    let references = case.example.reference_texts();
    statistics(case.prediction_text(), references, options).ok_or(Unscored::NoReference)
}

fn sentence(metric: &Metric, case: &Case<'_>) -> Score {
    let options = options(metric);
    Ok(of_case(case, &options)?.chrf(&options))
}

fn columns(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    let options = options(metric);
    let mut orders = of_case(case, &options)?.orders;
    let words = orders.split_off(options.char_order);
    orders.resize(CHAR_ORDERS, Order::default());
    orders.extend(words);
    orders.resize(CHAR_ORDERS + WORD_ORDERS, Order::default());
    let counts = orders.iter().flat_map(|order| [order.answer, order.reference, order.matches]);
    Ok(counts.map(|count| count as f64).collect())
}

fn pooled(metric: &Metric, columns: &[&[f64]]) -> Option<f64> {
    if is_nothing(columns) {
        return None;
    }
    let options = options(metric);
    let sums = sums(columns);
    let (orders, _) = sums.as_chunks::<3>();
    let (characters, words) = orders.split_at(CHAR_ORDERS);
    let used = [&characters[..options.char_order], &words[..options.word_order]].concat();
    Some(chrf(used.into_iter(), &options))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::testing::{hostile, words},
        *,
    };
    use crate::metrics::testing::check;

    #[test]
    fn chrf() {
        check("chrF", "", &["b"], 0.0);
        check("chrF", "aa", &["ab"], 25.0);
        check("chrF", "a b c", &["abc"], 100.0);
        check("chrF(char_order=1)", "abcd", &["ab"], 100.0 * (5.0 * 0.5 / 3.0));
        check("chrF(char_order=1,beta=1)", "abcd", &["ab"], 100.0 * (2.0 * 0.5 / 1.5));
        check("chrF(char_order=1)", "AB", &["ab"], 0.0);
        check("chrF(char_order=1,lowercase=yes)", "AB", &["ab"], 100.0);
        check("chrF(eps_smoothing=yes)", "a b c", &["abc"], 50.0);
        check("chrF(char_order=2,whitespace=yes,beta=1)", "a b", &["ab"], 40.0);
        check("chrF++", "ab", &["ab"], 100.0);
        check("chrF(word_order=1,char_order=1,beta=1)", "(a", &["( a"], 100.0);
    }

    proptest! {
        #[test]
        fn any_text_has_a_score_and_its_own_is_the_best(
            answer in prop_oneof![words(), hostile()],
            references in prop::collection::vec(prop_oneof![words(), hostile()], 1..4),
            eps_smoothing in any::<bool>(),
            whitespace in any::<bool>(),
        ) {
            let options = Options { word_order: 2, eps_smoothing, whitespace, ..Options::default() };
            let score = |answer: &str, references: &[String]| {
                corpus([(answer, references.iter().map(String::as_str))], &options).unwrap()
            };
            let found = score(&answer, &references);
            prop_assert!((0.0..=100.0 + 1e-9).contains(&found), "{}", found);
            let reversed: Vec<String> = references.iter().rev().cloned().collect();
            prop_assert!((score(&answer, &reversed) - found).abs() < 1e-9);
            if !eps_smoothing && answer.contains(char::is_alphanumeric) {
                prop_assert!((score(&answer, std::slice::from_ref(&answer)) - 100.0).abs() < 1e-9);
            }
        }
    }
}
