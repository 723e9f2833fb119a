//! nDCG: graded relevance, discounted by rank, relative to the best possible ranking.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Normalised discounted cumulative gain with linear gain.
///
/// # Definition
/// DCG = the sum of grade / log2(rank + 1) over the first k; nDCG = DCG / the DCG of all judged
/// passages in the best order, cut at k as well.
///
/// # Edge cases
/// Unjudged passages and negative grades gain nothing. The ideal comes from all judged passages,
/// retrieved or not. Exponential gain (2^grade - 1) is another metric.
///
/// # Equals
/// `ndcg` and `ndcg_cut_k` of trec_eval. Järvelin and Kekäläinen (2002).
pub static NDCG: Definition = Definition {
    name: "nDCG",
    synonyms: &["NDCG"],
    summary: "gain of the grades discounted by rank, relative to the best possible ranking",
    equals: "trec_eval: ndcg, ndcg_cut_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: &[graded::EMPTY],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: ndcg,
};

fn ndcg(metric: &Metric, case: &Case<'_>) -> Score {
    let cutoff = metric.depth();
    graded::score(metric, case, 1, |ranking, _| {
        let gains = ranking.grades.iter().map(|grade| grade.unwrap_or(0).max(0));
        dcg(gains.take(cutoff)) / dcg(ranking.ideal.iter().copied().take(cutoff))
    })
}

fn dcg(grades: impl Iterator<Item = i32>) -> f64 {
    let gains = grades.zip(2_u32..).map(|(grade, rank)| f64::from(grade) / f64::from(rank).log2());
    // Not `sum`, which is -0.0 for nothing.
    gains.fold(0.0, |sum, gain| sum + gain)
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn ndcg() {
        check_ranking("nDCG@10", "2 1", &[2, 1], Some(1.0));
        let (log3, log4) = (3_f64.log2(), 2.0);
        check_ranking("nDCG@3", "0 - 2", &[2, 1], Some((2.0 / log4) / (2.0 + 1.0 / log3)));
        check_ranking("nDCG@1", "1", &[2, 1], Some(0.5));
        check_ranking("nDCG", "-1 1", &[1], Some(1.0 / log3));
        check_ranking("nDCG(empty=zero)", "0", &[], Some(0.0));
    }
}
