//! Relative precision and capped recall: what is relevant in the first k, of what could be there.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Share of the relevant passages that could be among the first k and are.
///
/// # Definition
/// relevant in the first k / the smaller of k and the number of all relevant passages. BEIR calls
/// it capped recall.
///
/// # Edge cases
/// BEIR divides by 0 where no passage is relevant; here such an example is as `empty` says.
///
/// # Equals
/// `relative_P_k` of trec_eval; `R_cap@k` of BEIR.
pub static REL_P: Definition = Definition {
    name: "RelP",
    synonyms: &["R_cap", "CappedRecall"],
    summary: "share of the relevant passages that could be among the first k and are",
    equals: "trec_eval: relative_P_k; BEIR: R_cap@k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Required,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: relative_precision,
};

fn relative_precision(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, relevant| {
        graded::ratio(ranking.relevant_retrieved(level, cutoff), relevant.min(cutoff))
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn relative_precision() {
        check_ranking("RelP@2", "1 0 1", &[1, 1, 1], Some(0.5));
        check_ranking("R_cap@5", "1 0 1", &[1, 1], Some(1.0));
    }
}
