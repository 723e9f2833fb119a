//! What the retrieval metrics share: the grade that counts as relevant, and what an example
//! without a relevant passage is worth.

use crate::{Case, JudgedRanking, Kind, Metric, Parameter, Score, Unscored};

/// `rel`: the lowest grade that counts as relevant.
pub(super) const REL: Parameter = Parameter {
    name: "rel",
    kind: Kind::Integer { min: 1, default: 1 },
    summary: "lowest grade that counts as relevant",
};

/// `empty`: the score of an example that has no relevant passage.
///
/// `zero` is trec_eval's rule, `one` Haystack's; by default such an example is unscored.
pub(super) const EMPTY: Parameter = Parameter {
    name: "empty",
    kind: Kind::Choice(&["null", "zero", "one"]),
    summary: "score of an example without a relevant passage: null, zero as in trec_eval, one as in Haystack",
};

/// `judged_only`: whether hits that nobody judged are left out, so that those behind them move up.
pub(super) const JUDGED_ONLY: Parameter = Parameter {
    name: "judged_only",
    kind: Kind::Choice(&["false", "true"]),
    summary: "whether hits that nobody judged are left out of the ranking first",
};

/// What every measure of relevant passages takes.
pub(super) const ALL: &[Parameter] = &[REL, EMPTY, JUDGED_ONLY];

/// Scores a case that has a relevant passage with `score`, given how many there are; the others
/// as `empty` says.
pub(super) fn score(
    metric: &Metric,
    case: &Case<'_>,
    level: i32,
    score: impl FnOnce(&JudgedRanking, usize) -> f64,
) -> Score {
    try_score(metric, case, level, |ranking, relevant| Ok(score(ranking, relevant)))
}

/// As [`score`], where there may be none all the same.
pub(super) fn try_score(
    metric: &Metric,
    case: &Case<'_>,
    level: i32,
    score: impl FnOnce(&JudgedRanking, usize) -> Score,
) -> Score {
    match case.ranking.map(|ranking| (ranking, ranking.relevant(level))) {
        Some((ranking, relevant)) if relevant > 0 => {
            if metric.choice("judged_only") == "true" {
                score(&ranking.judged_only(), relevant)
            } else {
                score(ranking, relevant)
            }
        }
        _ => match metric.choice("empty") {
            "zero" => Ok(0.0),
            "one" => Ok(1.0),
            _ => Err(Unscored::NoRelevantPassage),
        },
    }
}

/// The ranking of a measure that also says something of examples without a relevant passage.
pub(super) fn ranking<'a>(case: &Case<'a>) -> Result<&'a JudgedRanking, Unscored> {
    case.ranking.ok_or(Unscored::NoRelevantPassage)
}

/// As a fraction; nothing of nothing is 0.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A number of passages, without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is meant to be cut"
)]
pub(super) fn whole(number: f64) -> usize {
    number as usize
}

/// The sum from left to right. Not `sum`, which is -0.0 for nothing.
pub(super) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |sum, term| sum + term)
}
