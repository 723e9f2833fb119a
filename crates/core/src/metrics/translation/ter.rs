//! TER: how much of an answer one would have to change to make it a reference.

mod statistics;

pub use self::statistics::{Options, Statistics, corpus, statistics, tokens};
use super::{SWITCH, is_nothing, is_on};
use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Parameter, Pooled, Score, Subject, Unscored,
    stats::ExactSum,
};

/// Edits that make a reference of the answer, for 100 words of the references; less is better.
///
/// # Definition
/// An edit inserts, deletes or replaces a word, or moves a block of words. Of several references
/// that one counts which needs fewest edits, but the length is the mean of all. Over all examples
/// TER = 100 · edits / words of the references. The search for moves is tercom's: greedy, of blocks
/// of at most 10 words over at most 50, near the diagonal.
///
/// # Range
/// From 0; above 100 where answers are longer than the references.
///
/// # Parameters
/// All are sacrebleu's. Texts are cut at blanks, and case does not matter unless
/// `case_sensitive=yes`.
///
/// # Edge cases
/// Without a word in any reference it is 0 if no answer has one either, else 100. A missing
/// prediction counts as an answer without a word: 100 where the reference has words. Normalisation
/// is applied to references twice, as sacrebleu does. Null for an example without references, where
/// sacrebleu stops with an error.
///
/// # Equals
/// `TER.corpus_score` and `TER.sentence_score` of sacrebleu 2.6.0. Snover et al., "A Study of
/// Translation Edit Rate with Targeted Human Annotation" (2006).
pub static TER: Definition = Definition {
    name: "TER",
    synonyms: &["ter"],
    summary: "edits that make a reference of the answer, for 100 of its words; less is better",
    equals: "sacrebleu 2.6.0: TER",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[
        Parameter {
            name: "normalized",
            kind: SWITCH,
            summary: "whether punctuation is cut off and escapes are resolved",
        },
        Parameter { name: "no_punct", kind: SWITCH, summary: "whether punctuation is removed" },
        Parameter {
            name: "asian_support",
            kind: SWITCH,
            summary: "whether the two above know ideographs and the punctuation of Asian scripts",
        },
        Parameter { name: "case_sensitive", kind: SWITCH, summary: "whether case matters" },
    ],
    range: (0.0, f64::INFINITY),
    higher_is_better: false,
    estimator: Estimator::Pooled(&POOLED),
    score: sentence,
};

static POOLED: Pooled =
    Pooled { names: &["edits", "reference_length"], of: columns, finish: pooled };

fn options(metric: &Metric) -> Options {
    Options {
        normalized: is_on(metric, "normalized"),
        no_punct: is_on(metric, "no_punct"),
        asian_support: is_on(metric, "asian_support"),
        case_sensitive: is_on(metric, "case_sensitive"),
    }
}

fn of_case(metric: &Metric, case: &Case<'_>) -> Result<Statistics, Unscored> {
    let references = case.example.reference_texts();
    let found = statistics(case.prediction_text(), references, options(metric));
    found.ok_or(Unscored::NoReference)
}

fn sentence(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(of_case(metric, case)?.ter())
}

fn columns(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    let found = of_case(metric, case)?;
    Ok(vec![found.edits, found.reference_length])
}

fn pooled(_: &Metric, columns: &[&[f64]]) -> Option<f64> {
    if is_nothing(columns) {
        return None;
    }
    // Mean lengths are fractions, so that a plain sum would depend on their order.
    let sum = |column: &&[f64]| {
        let mut sum = ExactSum::default();
        column.iter().for_each(|&term| sum.add(term));
        sum.value()
    };
    let sums: Vec<f64> = columns.iter().map(sum).collect();
    let [edits, reference_length] = sums[..] else { return None };
    Some(Statistics { edits, reference_length }.ter())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::testing::{hostile, words},
        *,
    };
    use crate::{Example, metrics::testing::check};

    #[test]
    fn ter() {
        check("TER", "a b c d", &["a b c d"], 0.0);
        check("TER", "d e f", &["a b c"], 100.0);
        check("TER", "", &["a"], 100.0);
        check("TER", "a", &[""], 100.0);
        check("TER", "", &[""], 0.0);
        check("TER", "d e f g h a b c", &["a b c d e f g h"], 12.5);
        check("TER", "a b c d", &["a b", "a b c d e f"], 50.0);
        check("TER", "A", &["a"], 0.0);
        check("TER(case_sensitive=yes)", "A", &["a"], 100.0);
        check("TER(no_punct=yes)", "a , b.", &["a b"], 0.0);
        check("TER(normalized=yes)", "Jim's car.", &["jim 's car ."], 0.0);
        check("TER(normalized=yes)", "..1", &["..1"], 2.0 / 3.0 * 100.0);
    }

    #[test]
    fn a_missing_prediction_is_an_answer_without_a_word() {
        let example = Example { references: vec!["a b".into()], ..Example::default() };
        let metric: Metric = "TER".parse().unwrap();
        assert_eq!(metric.score(&Case::new(&example)), Ok(100.0));
    }

    proptest! {
        #[test]
        fn any_text_has_a_score_and_references_may_come_in_any_order(
            answer in prop_oneof![words(), hostile()],
            references in prop::collection::vec(prop_oneof![words(), hostile()], 1..4),
            normalized in any::<bool>(),
            no_punct in any::<bool>(),
            asian_support in any::<bool>(),
        ) {
            let options = Options { normalized, no_punct, asian_support, case_sensitive: false };
            let found = statistics(&answer, references.iter().map(String::as_str), options);
            let back = statistics(&answer, references.iter().rev().map(String::as_str), options);
            prop_assert_eq!(&found, &back);
            prop_assert!(found.unwrap().ter() >= 0.0);
            let own = statistics(&answer, [answer.as_str()], options).unwrap();
            // References are normalised twice, which can cut them further than the answer.
            prop_assert!(normalized || own.edits.abs() < 0.5);
        }
    }
}
