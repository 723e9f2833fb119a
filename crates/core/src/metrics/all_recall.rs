//! Whether nothing relevant is missing, for questions that need several passages.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Whether all relevant passages are among the first k.
///
/// # Definition
/// 1 if every relevant passage is among the first k, else 0. A question that needs several
/// passages, such as one of HotpotQA, can only be answered then.
///
/// # Edge cases
/// Always 0 where more than k passages are relevant.
///
/// # Equals
/// The paragraph exact match of multi-hop retrievers: Xiong et al. (2021), Answering Complex
/// Open-Domain Questions with Multi-Hop Dense Retrieval.
pub static ALL_RECALL: Definition = Definition {
    name: "AllRecall",
    synonyms: &[],
    summary: "whether all relevant passages are among the first k",
    equals: "paragraph exact match of multi-hop retrieval",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Required,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: all_recall,
};

fn all_recall(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, relevant| {
        f64::from(ranking.relevant_retrieved(level, cutoff) == relevant)
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn all_recall() {
        check_ranking("AllRecall@2", "1 0 1", &[1, 1], Some(0.0));
        check_ranking("AllRecall@3", "1 0 1", &[1, 1], Some(1.0));
        check_ranking("AllRecall(rel=2)@1", "2 0 1", &[2, 1], Some(1.0));
    }
}
