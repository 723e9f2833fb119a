//! Precision at k: how much of what was retrieved is relevant.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Share of relevant passages among the first k.
///
/// # Definition
/// relevant in the first k / k.
///
/// # Edge cases
/// The divisor is k also where fewer are retrieved. An unjudged passage counts as not relevant.
///
/// # Equals
/// `P_k` of trec_eval.
pub static PRECISION: Definition = Definition {
    name: "P",
    synonyms: &["Precision"],
    summary: "share of relevant passages among the first k",
    equals: "trec_eval: P_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Required,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: precision,
};

fn precision(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, _| {
        ranking.relevant_retrieved(level, cutoff) as f64 / cutoff as f64
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn precision() {
        check_ranking("P@5", "1 0 2 - 1", &[2, 1, 1], Some(0.6));
        check_ranking("P(rel=2)@5", "1 0 2 - 1", &[2, 1, 1], Some(0.2));
        check_ranking("P@10", "1", &[1], Some(0.1));
        check_ranking("P@10", "", &[1], Some(0.0));
        check_ranking("P@10", "0 0", &[], None);
        check_ranking("P(empty=zero)@10", "0 0", &[], Some(0.0));
        check_ranking("P(empty=one)@10", "0 0", &[], Some(1.0));
    }
}
