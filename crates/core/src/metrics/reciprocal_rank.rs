//! Reciprocal rank: how early the first relevant passage comes.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// One over the rank of the first relevant passage.
///
/// # Definition
/// 1 / rank of the first relevant passage, 0 if there is none among the first k. The name keeps
/// the M of the mean, because that is what people search for; a score is one example's.
///
/// # Equals
/// `recip_rank` of trec_eval, with a cutoff that of a run cut at k.
pub static MRR: Definition = Definition {
    name: "MRR",
    synonyms: &["RR"],
    summary: "one over the rank of the first relevant passage",
    equals: "trec_eval: recip_rank",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: reciprocal_rank,
};

fn reciprocal_rank(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, _| {
        let first = ranking.hits(level).take(cutoff).position(|hit| hit);
        first.map_or(0.0, |index| 1.0 / (index + 1) as f64)
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn reciprocal_rank() {
        check_ranking("MRR", "0 - 1 1", &[1, 1], Some(1.0 / 3.0));
        check_ranking("MRR@2", "0 - 1 1", &[1, 1], Some(0.0));
        check_ranking("MRR(rel=2)", "1 2", &[2, 1], Some(0.5));
    }
}
