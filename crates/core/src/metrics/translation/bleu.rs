//! BLEU: how many of an answer's n-grams a reference has.

mod statistics;

use self::statistics::bleu;
pub use self::statistics::{Bleu, Options, Smoothing, Statistics, corpus, statistics};
use super::{SWITCH, is_nothing, is_on, sums, tokenize::Tokenizer};
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Pooled, Score, Subject,
    Unscored,
};

/// Geometric mean of the n-gram precisions, lowered where the answers are shorter than the
/// references.
///
/// # Definition
/// With the n-grams of all examples counted together, p(n) is the share of the answers' n-grams
/// that a reference of the same example has; one n-gram counts as often as it stands in that
/// reference which has it most often. The reference length is that of the reference closest to
/// the answer's length, the shorter of two. BLEU = 100 · BP · exp(mean of ln p(n), n = 1 to 4),
/// with BP = exp(1 − reference length / answer length) where the answers are shorter, else 1.
///
/// # Range
/// 0 to 100.
///
/// # Parameters
/// `tokenize`, `lowercase`, `smooth`, `floor`, `k`, `effective_order` and `order` are sacrebleu's;
/// `floor` and `k` are its `smooth_value` for the method that uses it.
///
/// # Edge cases
/// 0 where no n-gram of any order is common, whatever the smoothing. The score of a single example
/// leaves out the orders that the answer lacks, as `sentence_bleu` does; that of all examples does
/// so with `effective_order=yes` only: without it BLEU is 0 where no answer has four tokens, which
/// the report notes. A missing prediction counts as an answer without a token.
/// Null for an example without references, where sacrebleu stops with an error.
///
/// # Equals
/// `corpus_bleu`, and for a single example `sentence_bleu`, of sacrebleu 2.6.0, but for a perfect
/// score, which is 100 here and 100.00000000000004 there. Papineni et al., "BLEU: a Method for
/// Automatic Evaluation of Machine Translation" (2002); Post, "A Call for Clarity in Reporting BLEU
/// Scores" (2018).
pub static BLEU: Definition = Definition {
    name: "BLEU",
    synonyms: &["bleu", "sacreBLEU"],
    summary: "geometric mean of n-gram precisions, with a penalty for short answers",
    equals: "sacrebleu 2.6.0: corpus_bleu",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[
        Parameter {
            name: "tokenize",
            kind: Kind::Choice(Tokenizer::NAMES),
            summary: "how texts are cut into tokens",
        },
        Parameter { name: "lowercase", kind: SWITCH, summary: "whether case does not matter" },
        Parameter {
            name: "smooth",
            kind: Kind::Choice(&["exp", "floor", "add-k", "none"]),
            summary: "what an order without a match counts for",
        },
        Parameter {
            name: "floor",
            kind: Kind::Number { min: 0.0, max: 1e6, default: 0.1 },
            summary: "what stands for zero matches with `smooth=floor`",
        },
        Parameter {
            name: "k",
            kind: Kind::Number { min: 0.0, max: 1e6, default: 1.0 },
            summary: "what is added to matches and totals with `smooth=add-k`",
        },
        Parameter {
            name: "effective_order",
            kind: SWITCH,
            summary: "whether orders that all answers lack are left out",
        },
        Parameter {
            name: "order",
            kind: Kind::Choice(&["4", "1", "2", "3"]),
            summary: "the longest n-grams",
        },
    ],
    range: (0.0, 100.0),
    higher_is_better: true,
    estimator: Estimator::Pooled(&POOLED),
    score: sentence,
};

static POOLED: Pooled = Pooled {
    names: &[
        "answer_length",
        "reference_length",
        "matches_1",
        "matches_2",
        "matches_3",
        "matches_4",
        "ngrams_1",
        "ngrams_2",
        "ngrams_3",
        "ngrams_4",
    ],
    of: columns,
    finish: pooled,
};

/// Orders that have columns.
const ORDERS: usize = 4;

fn options(metric: &Metric) -> Options {
    let words = "a choice is one of its words";
    Options {
        tokenizer: Tokenizer::from_name(metric.choice("tokenize")).expect(words),
        lowercase: is_on(metric, "lowercase"),
        smoothing: match metric.choice("smooth") {
            "exp" => Smoothing::Exponential,
            "floor" => Smoothing::Floor(metric.number("floor")),
            "add-k" => Smoothing::AddK(metric.number("k")),
            _ => Smoothing::None,
        },
        effective_order: is_on(metric, "effective_order"),
        order: metric.choice("order").parse().expect(words),
    }
}

fn of_case(case: &Case<'_>, options: &Options) -> Result<Statistics, Unscored> {
    let references = case.example.reference_texts();
    statistics(case.prediction_text(), references, options).ok_or(Unscored::NoReference)
}

fn sentence(metric: &Metric, case: &Case<'_>) -> Score {
    let options = Options { effective_order: true, ..options(metric) };
    Ok(of_case(case, &options)?.bleu(&options).score.min(100.0))
}

fn columns(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    let found = of_case(case, &options(metric))?;
    let mut columns = vec![found.answer_length as f64, found.reference_length as f64];
    for counts in [found.matches, found.ngrams] {
        let counts = counts.into_iter().map(|count| count as f64);
        columns.extend(counts.chain(std::iter::repeat(0.0)).take(ORDERS));
    }
    Ok(columns)
}

fn pooled(metric: &Metric, columns: &[&[f64]]) -> Option<f64> {
    if is_nothing(columns) {
        return None;
    }
    Some(of_sums(&sums(columns), &options(metric))?.score.min(100.0))
}

fn of_sums(sums: &[f64], options: &Options) -> Option<Bleu> {
    let [answer, reference, counts @ ..] = sums else { return None };
    let (matches, ngrams) = counts.split_at(ORDERS.min(counts.len()));
    let used = |counts: &[f64]| counts.iter().copied().take(options.order).collect();
    Some(bleu(*answer, *reference, used(matches), used(ngrams), options))
}

/// What must be said of a BLEU that is made of these sums, in the order of the statistics: it may
/// be 0 although answers and references have words in common, because no answer is as long as the
/// longest n-gram.
pub fn remark(metric: &Metric, sums: &[f64]) -> Option<String> {
    let options = options(metric);
    let score = |options: &Options| of_sums(sums, options).map(|found| found.score);
    let shorter = Options { effective_order: true, ..options };
    if score(&options)? > 0.0 || score(&shorter)? <= 0.0 {
        return None;
    }
    let order = options.order;
    Some(format!(
        "{metric} is 0 because no answer has {order} tokens; `effective_order=yes` leaves out the \
         orders that all answers lack"
    ))
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
    fn answers_that_are_too_short_are_remarked() {
        let of = |name: &str, answers: &[&str]| {
            let metric: Metric = name.parse().unwrap();
            let mut sums = vec![0.0; POOLED.names.len()];
            for answer in answers {
                let references = vec!["two working days".into()];
                let example = crate::Example { references, ..Default::default() };
                let prediction = crate::Prediction::answer(*answer);
                let case = Case::new(&example).with_prediction(&prediction);
                let statistics = columns(&metric, &case).unwrap();
                sums.iter_mut().zip(statistics).for_each(|(sum, statistic)| *sum += statistic);
            }
            remark(&metric, &sums)
        };
        let expected = "BLEU is 0 because no answer has 4 tokens; `effective_order=yes` leaves out \
                        the orders that all answers lack";
        assert_eq!(of("BLEU", &["two days", "working days"]).as_deref(), Some(expected));
        assert_eq!(of("BLEU", &["two days", "two whole working days"]), None);
        assert_eq!(of("BLEU(effective_order=yes)", &["two days"]), None);
        assert_eq!(of("BLEU(order=2)", &["two days"]), None);
        // Nothing in common is 0 for another reason.
        assert_eq!(of("BLEU", &["a week"]), None);
        assert_eq!(remark(&"BLEU".parse().unwrap(), &[]), None);
    }

    #[test]
    fn bleu() {
        check("BLEU", "", &["a"], 0.0);
        check("BLEU", "a b c d e", &["a b c d e"], 100.0);
        check("BLEU", "x y z", &["a b c"], 0.0);
        check("BLEU", "a b c", &["a b c"], 100.0);
        check("BLEU(order=1)", "a a b c", &["a b c d", "a a"], 100.0);
        check("BLEU(order=1)", "a a a b", &["a b c d", "a a"], 75.0_f64.ln().exp());
        check("BLEU(order=1)", "A b", &["a b"], 50.0_f64.ln().exp());
        check("BLEU(lowercase=yes,order=1)", "A b", &["a b"], 100.0);
        check("BLEU(tokenize=none,order=1)", "a, b", &["a b"], 50.0_f64.ln().exp());
        check("BLEU(order=1)", "a", &["a b", "b b b"], (-1.0_f64).exp() * 100.0_f64.ln().exp());
        check("BLEU(smooth=none)", "a b c x", &["a b c d"], 0.0);
    }

    #[test]
    fn smoothing_stands_for_orders_without_a_match() {
        // One of two words and none of one pair.
        let score = |options: &Options| corpus([("a x", ["a b"])], options).unwrap().precisions;
        let two = Options { order: 2, ..Options::default() };
        assert_eq!(score(&two), [50.0, 50.0]);
        assert_eq!(score(&Options { smoothing: Smoothing::Floor(0.2), ..two }), [50.0, 20.0]);
        assert_eq!(score(&Options { smoothing: Smoothing::AddK(1.0), ..two }), [50.0, 50.0]);
        assert_eq!(score(&Options { smoothing: Smoothing::None, ..two }), [50.0, 0.0]);
        assert_eq!(score(&Options { order: 4, ..two }), [50.0, 50.0, 0.0, 0.0]);
    }

    #[test]
    fn all_answers_are_counted_together() {
        let options = Options::default();
        let answers = [("a b c d", ["a b c d"]), ("x y", ["z"])];
        let found = corpus(answers, &options).unwrap();
        assert_eq!(
            (found.matches, found.ngrams),
            (vec![4.0, 3.0, 2.0, 1.0], vec![6.0, 4.0, 2.0, 1.0])
        );
        assert_eq!(corpus([("a", [])], &options), None);
        assert_eq!(corpus::<[&str; 0]>([], &options), None);
    }

    proptest! {
        #[test]
        fn any_text_has_a_score_and_references_may_come_in_any_order(
            answer in prop_oneof![words(), hostile()],
            references in prop::collection::vec(prop_oneof![words(), hostile()], 1..4),
            tokenizer in prop::sample::select(Tokenizer::NAMES),
            lowercase in any::<bool>(),
        ) {
            let tokenizer = Tokenizer::from_name(tokenizer).unwrap();
            let options = Options { tokenizer, lowercase, ..Options::default() };
            let found = statistics(&answer, references.iter().map(String::as_str), &options);
            let back = statistics(&answer, references.iter().rev().map(String::as_str), &options);
            prop_assert_eq!(&found, &back);
            let score = found.unwrap().bleu(&options).score;
            prop_assert!((0.0..=100.0 + 1e-9).contains(&score), "{}", score);
            let own = statistics(&answer, [answer.as_str()], &options).unwrap();
            prop_assert_eq!(own.matches, own.ngrams);
        }
    }
}
