//! Exact match: the prediction is one of the references, up to normalisation.

use super::{language, squad::Answers};
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored};

/// Whether the normalised prediction equals a normalised reference.
///
/// # Definition
/// 1 if it equals one of the references that do not normalise to nothing, else 0. Where no such
/// reference is left the right answer is no answer: 1 if the prediction normalises to nothing.
///
/// # Parameters
/// By default the rules are SQuAD's, for English. `language` takes those of another language, and
/// each other parameter that is not `auto` replaces one of them: see the page on languages.
/// `normalize=acme.legal` compares what the normalizer `legal` of the plugin `acme` makes of the texts,
/// and takes the place of all of them.
///
/// # Edge cases
/// Case, ASCII punctuation, the articles *a*, *an*, *the* and blanks do not matter; accents,
/// curly quotes and word order do. Without a parameter nothing segments Chinese or Thai.
///
/// # Equals
/// `exact` of `evaluate-v2.0.py`. Rajpurkar et al., "Know What You Don't Know" (2018).
pub static EM: Definition = Definition {
    name: "EM",
    synonyms: &["ExactMatch", "exact_match", "exact"],
    summary: "the normalised prediction equals a normalised reference",
    equals: "SQuAD 2.0, evaluate-v2.0.py: exact",
    subject: Subject::Answer,
    needs: &[],
    cutoff: Cutoff::Never,
    parameters: language::PARAMETERS,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: exact_match,
};

/// Exact match as SQuAD 1.1's script has it: every reference counts, also an empty one.
///
/// # Definition
/// 1 if the normalised prediction equals any normalised reference, else 0.
///
/// # Edge cases
/// An example without references is unscored, where the script stops with an error.
///
/// # Equals
/// `exact_match` of `evaluate-v1.1.py`. Rajpurkar et al., "SQuAD: 100,000+ Questions" (2016).
pub static SQUAD1_EM: Definition = Definition {
    name: "SQuAD1.EM",
    synonyms: &[],
    summary: "EM of SQuAD 1.1: also references that normalise to nothing count",
    equals: "SQuAD 1.1, evaluate-v1.1.py: exact_match",
    needs: &[Need::References],
    parameters: &[],
    score: squad1_exact_match,
    ..EM
};

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn exact_match(metric: &Metric, case: &Case<'_>) -> Score {
    if metric.is_plain() && case.repeats_reference() {
        return Ok(1.0);
    }
    Ok(language::with_answers(metric, case, |answers| f64::from(matches(answers))))
}

/// Exact match of SQuAD 2.0.
pub(crate) fn matches(answers: &Answers) -> bool {
    let prediction = answers.prediction();
    let mut references = answers.non_empty_references().peekable();
    match references.peek() {
        None => prediction.is_empty(),
        Some(_) => references.any(|reference| reference.equals(prediction)),
    }
}

fn squad1_exact_match(_: &Metric, case: &Case<'_>) -> Score {
    let answers = case.squad_answers();
    let prediction = answers.prediction();
    if answers.references().len() == 0 {
        return Err(Unscored::NoReference);
    }
    Ok(f64::from(answers.references().any(|reference| reference.equals(prediction))))
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check;

    #[test]
    fn exact_match() {
        check("EM", "about 6000 hours", &["6000 hours"], 0.0);
        check("EM", "Einstein", &["Albert Einstein"], 0.0);
        check("EM", "July 26, 1953", &["the 26th of July, 1953"], 0.0);
        check("EM", "July 26, 1953", &["the 26th of July, 1953", "July 26, 1953"], 1.0);
        check("EM", "The U.S.!", &["us"], 1.0);
        check("EM", "", &[], 1.0);
        check("EM", "the", &[], 1.0);
        check("EM", "Paris", &[], 0.0);
        check("EM", "", &["the"], 1.0);
        check("EM", "", &["the", "Paris"], 0.0);
        check("SQuAD1.EM", "", &["the", "Paris"], 1.0);
    }
}
