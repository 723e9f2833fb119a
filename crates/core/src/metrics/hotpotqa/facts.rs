//! The supporting facts of HotpotQA.

use std::collections::BTreeSet;

use super::{Match, answer::HOTPOTQA_EM};
use crate::{Case, Definition, Metric, Need, Score};

/// Whether the citations are exactly the supporting facts.
///
/// # Definition
/// 1 if the set of citations equals the set of gold passages, else 0. A fact is written
/// `title#sentence`; one that is named twice counts once.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// Without facts on either side 1. A missing prediction scores 0.
///
/// # Equals
/// `sp_em` of `hotpot_evaluate_v1.py`. Yang et al., "HotpotQA" (2018).
pub static HOTPOTQA_SP_EM: Definition = Definition {
    name: "HotpotQA.SP-EM",
    summary: "the citations are exactly the supporting facts",
    equals: "HotpotQA, hotpot_evaluate_v1.py: sp_em",
    needs: &[Need::Judgments],
    score: em,
    ..HOTPOTQA_EM
};

/// F1 of the citations.
///
/// # Definition
/// Harmonic mean of the share of citations that are supporting facts and the share of supporting
/// facts that are cited.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// 0 where a share is of nothing: without facts on either side it is 0, although
/// [`HOTPOTQA_SP_EM`] is 1. A missing prediction scores 0.
///
/// # Equals
/// `sp_f1` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_SP_F1: Definition = Definition {
    name: "HotpotQA.SP-F1",
    summary: "F1 of the citations against the supporting facts",
    equals: "HotpotQA, hotpot_evaluate_v1.py: sp_f1",
    score: f1,
    ..HOTPOTQA_SP_EM
};

/// Precision of the citations.
///
/// # Definition
/// Share of the citations that are supporting facts.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// 0 without citations. A missing prediction scores 0.
///
/// # Equals
/// `sp_prec` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_SP_PRECISION: Definition = Definition {
    name: "HotpotQA.SP-Precision",
    summary: "share of the citations that are supporting facts",
    equals: "HotpotQA, hotpot_evaluate_v1.py: sp_prec",
    score: precision,
    ..HOTPOTQA_SP_EM
};

/// Recall of the supporting facts.
///
/// # Definition
/// Share of the supporting facts that are cited.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// 0 without supporting facts. A missing prediction scores 0.
///
/// # Equals
/// `sp_recall` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_SP_RECALL: Definition = Definition {
    name: "HotpotQA.SP-Recall",
    summary: "share of the supporting facts that are cited",
    equals: "HotpotQA, hotpot_evaluate_v1.py: sp_recall",
    score: recall,
    ..HOTPOTQA_SP_EM
};

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn em(_: &Metric, case: &Case<'_>) -> Score {
    Ok(f64::from(compare(case).exact))
}

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn f1(_: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(case).facts.f1)
}

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn precision(_: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(case).facts.precision)
}

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn recall(_: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(case).facts.recall)
}

/// How the citations compare with the supporting facts.
pub(super) struct Comparison {
    pub(super) exact: bool,
    pub(super) facts: Match,
}

pub(super) fn compare(case: &Case<'_>) -> Comparison {
    let cited = case.prediction.map_or(&[][..], |prediction| &prediction.citations);
    let cited: BTreeSet<&str> = cited.iter().map(String::as_str).collect();
    let gold: BTreeSet<&str> = case.example.gold_passages.iter().map(String::as_str).collect();
    let same = cited.intersection(&gold).count();
    let share = |of: usize| if of == 0 { 0.0 } else { same as f64 / of as f64 };
    Comparison { exact: cited == gold, facts: Match::new(share(cited.len()), share(gold.len())) }
}

#[cfg(test)]
mod tests {
    use crate::{Case, Example, Metric, Prediction};

    fn check(metric: &str, cited: &[&str], gold: &[&str], expected: f64) {
        let texts = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
        let example = Example { gold_passages: texts(gold), ..Example::default() };
        let prediction = Prediction { citations: texts(cited), ..Prediction::default() };
        let metric: Metric = metric.parse().unwrap();
        let score = metric.score(&Case::new(&example).with_prediction(&prediction));
        assert_eq!(score, Ok(expected), "{metric}: {cited:?} of {gold:?}");
    }

    #[test]
    fn facts_are_sets() {
        check("HotpotQA.SP-EM", &["A#0", "A#0"], &["A#0"], 1.0);
        check("HotpotQA.SP-EM", &[], &[], 1.0);
        check("HotpotQA.SP-F1", &[], &[], 0.0);
        check("HotpotQA.SP-F1", &["A#0", "B#1"], &["A#0"], 2.0 / 3.0);
        check("HotpotQA.SP-Precision", &["A#0", "B#1"], &["A#0"], 0.5);
        check("HotpotQA.SP-Recall", &["A#0", "B#1"], &["A#0", "A#1", "A#2"], 1.0 / 3.0);
    }
}
