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

/// Scores a case that has a relevant passage with `score`, given how many there are; the others
/// as `empty` says.
pub(super) fn score(
    metric: &Metric,
    case: &Case<'_>,
    level: i32,
    score: impl FnOnce(&JudgedRanking, usize) -> f64,
) -> Score {
    match case.ranking.map(|ranking| (ranking, ranking.relevant(level))) {
        Some((ranking, relevant)) if relevant > 0 => Ok(score(ranking, relevant)),
        _ => match metric.choice("empty") {
            "zero" => Ok(0.0),
            "one" => Ok(1.0),
            _ => Err(Unscored::NoRelevantPassage),
        },
    }
}
