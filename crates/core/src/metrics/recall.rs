//! Recall at k: how much of what is relevant was retrieved.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Share of the relevant passages that are among the first k.
///
/// # Definition
/// relevant in the first k / all relevant. Not to be confused with
/// [`ANSWER_RECALL`](super::answer_recall::ANSWER_RECALL), which asks for the answer's text.
///
/// # Edge cases
/// An example with more than k relevant passages cannot reach 1.
///
/// # Equals
/// `recall_k` of trec_eval.
pub static RECALL: Definition = Definition {
    name: "Recall",
    synonyms: &["R"],
    summary: "share of the relevant passages that are among the first k",
    equals: "trec_eval: recall_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Required,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: recall,
};

fn recall(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, relevant| {
        ranking.relevant_retrieved(level, cutoff) as f64 / relevant as f64
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn recall() {
        check_ranking("Recall@2", "1 0 1", &[1, 1, 1, 1], Some(0.25));
        check_ranking("Recall@5", "1 0 1", &[1, 1, 1, 1], Some(0.5));
        check_ranking("Recall(rel=2)@5", "1 2", &[2, 1], Some(1.0));
        check_ranking("Recall(rel=3)@5", "1 2", &[2, 1], None);
    }
}
