//! TriviaQA's metrics: exact match and F1 after its own normalisation.

use super::{normalize, squad::Answers};
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored};

/// Exact match after TriviaQA's normalisation.
///
/// # Definition
/// 1 if the normalised prediction equals a normalised reference, else 0. The normalisation: lower
/// case; ASCII punctuation and the quotes ‘ ’ ´ become blanks; the articles *a*, *an*, *the* are
/// removed; blanks collapse. So "U.S." is two words, where SQuAD makes "us" of it.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// The references are the normalised aliases and the answers of people; each is normalised again.
/// A missing prediction scores 0. An example without references is unscored, where the script stops
/// with an error.
///
/// # Equals
/// `exact_match` of `triviaqa_evaluation.py`. Joshi et al., "TriviaQA" (2017).
pub static TRIVIAQA_EM: Definition = Definition {
    name: "TriviaQA.EM",
    synonyms: &[],
    summary: "EM of TriviaQA: punctuation separates words",
    equals: "TriviaQA, triviaqa_evaluation.py: exact_match",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: exact_match,
};

/// Token F1 after TriviaQA's normalisation.
///
/// # Definition
/// The best token F1 over the references, on the words of [`TRIVIAQA_EM`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`TRIVIAQA_EM`]. Two sides without a word score 0, although they match exactly.
///
/// # Equals
/// `f1` of `triviaqa_evaluation.py`.
pub static TRIVIAQA_F1: Definition = Definition {
    name: "TriviaQA.F1",
    summary: "token F1 of TriviaQA: punctuation separates words",
    equals: "TriviaQA, triviaqa_evaluation.py: f1",
    score: f1,
    ..TRIVIAQA_EM
};

fn exact_match(_: &Metric, case: &Case<'_>) -> Score {
    let answers = answers(case)?;
    let prediction = answers.prediction();
    Ok(f64::from(answers.references().any(|reference| reference.equals(prediction))))
}

fn f1(_: &Metric, case: &Case<'_>) -> Score {
    let answers = answers(case)?;
    let prediction = answers.prediction();
    let scores = answers.references().map(|reference| prediction.overlap(reference).f1(0.0));
    Ok(scores.fold(0.0, f64::max))
}

fn answers(case: &Case<'_>) -> Result<Answers, Unscored> {
    if case.example.references.is_empty() {
        return Err(Unscored::NoReference);
    }
    let append = normalize::append_triviaqa;
    let references = case.example.reference_texts();
    Ok(Answers::made_by(append, case.prediction_text(), references))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::metrics::{
        normalize::triviaqa,
        testing::{check, check_hostile},
    };

    #[test]
    fn punctuation_separates_words() {
        check("TriviaQA.EM", "the U.S.", &["u s"], 1.0);
        check("TriviaQA.EM", "US", &["U.S."], 0.0);
        check("TriviaQA.EM", "It’s", &["it s"], 1.0);
        check("TriviaQA.EM", "“x”", &["x"], 0.0);
        check("TriviaQA.F1", "blue-green sea", &["green sea"], 0.8);
        check("TriviaQA.EM", "the", &["a"], 1.0);
        check("TriviaQA.F1", "the", &["a"], 0.0);
    }

    proptest! {
        #[test]
        fn normalising_again_changes_nothing(text in "\\PC*|[ -~]*|[aA_.' nThe]*") {
            let once = triviaqa(&text);
            prop_assert_eq!(triviaqa(&once), once);
        }

        #[test]
        fn any_text_is_scored(
            prediction in "\\PC{0,12}|[aA_.' nTHe]{0,12}",
            references in prop::collection::vec("\\PC{0,9}|[aA_.' nTHe]{0,9}", 1..4),
        ) {
            check_hostile("TriviaQA.EM", &prediction, &references);
            check_hostile("TriviaQA.F1", &prediction, &references);
        }
    }
}
