//! Success at k: whether anything relevant was retrieved.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Whether a relevant passage is among the first k.
///
/// # Definition
/// 1 if at least one of the first k passages is relevant, else 0. Many texts call this hit rate.
///
/// # Equals
/// `success_k` of trec_eval.
pub static SUCCESS: Definition = Definition {
    name: "Success",
    synonyms: &["HitRate", "Hit"],
    summary: "whether a relevant passage is among the first k",
    equals: "trec_eval: success_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Required,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: success,
};

fn success(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, _| {
        f64::from(ranking.relevant_retrieved(level, cutoff) > 0)
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn success() {
        check_ranking("Success@1", "0 1", &[1], Some(0.0));
        check_ranking("Success@2", "0 1", &[1], Some(1.0));
        check_ranking("Success@5", "", &[1], Some(0.0));
    }
}
