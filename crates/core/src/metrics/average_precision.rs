//! Average precision: precision at each relevant passage, averaged.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Mean of the precision at the rank of each relevant passage.
///
/// # Definition
/// The sum over the retrieved relevant passages of (relevant so far / rank), divided by the number
/// of all relevant passages, retrieved or not; with a cutoff, over the first k. The name keeps the
/// M of the mean.
///
/// # Edge cases
/// With a cutoff the divisor stays the number of all relevant passages. Some libraries divide by
/// the smaller of k and that number: their values are higher.
///
/// # Equals
/// `map` and `map_cut_k` of trec_eval.
pub static MAP: Definition = Definition {
    name: "MAP",
    synonyms: &["AP"],
    summary: "mean of the precision at the rank of each relevant passage",
    equals: "trec_eval: map, map_cut_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: average_precision,
};

pub(super) fn average_precision(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, relevant| {
        let ranks = (1_u32..).zip(ranking.hits(level).take(cutoff)).filter(|&(_, hit)| hit);
        let precisions =
            ranks.zip(1_u32..).map(|((rank, _), found)| f64::from(found) / f64::from(rank));
        // Not `sum`, which is -0.0 for nothing.
        precisions.fold(0.0, |sum, precision| sum + precision) / relevant as f64
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn average_precision() {
        check_ranking("MAP", "1 0 1", &[1, 1, 1], Some((1.0 + 2.0 / 3.0) / 3.0));
        check_ranking("MAP@2", "1 0 1", &[1, 1, 1], Some(1.0 / 3.0));
        check_ranking("MAP", "", &[1], Some(0.0));
    }
}
