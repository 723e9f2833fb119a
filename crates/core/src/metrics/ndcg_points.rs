//! nDCG averaged over points of the ranking, as trec_eval tries it out.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, JudgedRanking, Metric, Need, Score, Subject};

/// Mean of nDCG at each relevant passage.
///
/// # Definition
/// At the rank of each retrieved relevant passage, DCG so far / ideal DCG so far; a relevant
/// passage that was not retrieved counts with the DCG of the whole ranking / the whole ideal DCG.
/// The score is the mean over all relevant passages.
///
/// # Edge cases
/// A passage of any positive grade is relevant; there is no `rel`.
///
/// # Equals
/// `ndcg_rel` of trec_eval, which calls it experimental.
pub static NDCG_REL: Definition = Definition {
    name: "nDCG-rel",
    synonyms: &["ndcg_rel"],
    summary: "mean of nDCG at each relevant passage",
    equals: "trec_eval: ndcg_rel",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: at_relevant,
};

/// Mean of nDCG at the ranks where the best possible ranking goes down to its next grade.
///
/// # Definition
/// With n passages of the highest grade and m of the next, nDCG at n, at n + m, and so on, and once
/// more at the end of a ranking that is longer than all relevant passages and one. The score is
/// their mean.
///
/// # Edge cases
/// `rel` only says which examples have a relevant passage.
///
/// # Equals
/// `Rndcg` of trec_eval, which calls it experimental.
pub static R_NDCG: Definition = Definition {
    name: "RnDCG",
    synonyms: &["Rndcg"],
    summary: "mean of nDCG at the ranks where the best possible ranking goes down to its next grade",
    equals: "trec_eval: Rndcg",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: at_grades,
};

fn at_relevant(metric: &Metric, case: &Case<'_>) -> Score {
    graded::score(metric, case, 1, |ranking, _| {
        let (mut found, mut sum) = (0_usize, 0.0);
        let mut dcg = Dcg::default();
        for (gain, best) in ranking.gains().zip(best(ranking)) {
            dcg.add(gain, best);
            if gain > 0 {
                sum += dcg.results / dcg.ideal;
                found += 1;
            }
        }
        for &best in ranking.ideal.iter().skip(ranking.grades.len()) {
            dcg.add(0, best);
        }
        let relevant = ranking.ideal.len();
        let missed = relevant.saturating_sub(found);
        sum += missed as f64 * dcg.results / dcg.ideal;
        sum / relevant as f64
    })
}

fn at_grades(metric: &Metric, case: &Case<'_>) -> Score {
    graded::score(metric, case, metric.integer("rel"), |ranking, _| {
        let (retrieved, relevant) = (ranking.grades.len(), ranking.ideal.len());
        let (mut points, mut sum) = (0_usize, 0.0);
        let mut dcg = Dcg::default();
        let mut last = ranking.ideal.first().copied();
        let gains = ranking.gains().chain(std::iter::repeat(0)).zip(best(ranking));
        for (rank, (gain, best)) in gains.take(retrieved.max(relevant + 1)).enumerate() {
            // One rank behind the relevant passages the ideal goes down to nothing.
            if rank <= relevant && last.replace(best) != Some(best) {
                sum += dcg.results / dcg.ideal;
                points += 1;
            }
            dcg.add(gain, best);
        }
        if retrieved > relevant + 1 {
            sum += dcg.results / dcg.ideal;
            points += 1;
        }
        sum / points as f64
    })
}

/// The grades of the best possible ranking, and nothing behind them.
fn best(ranking: &JudgedRanking) -> impl Iterator<Item = i32> {
    ranking.ideal.iter().copied().chain(std::iter::repeat(0))
}

/// The gain so far, and that of the best possible ranking.
#[derive(Default)]
struct Dcg {
    rank: u32,
    results: f64,
    ideal: f64,
}

impl Dcg {
    fn add(&mut self, gain: i32, best: i32) {
        self.rank += 1;
        let discount = (f64::from(self.rank) + 1.0).log2();
        self.results += f64::from(gain) / discount;
        self.ideal += f64::from(best) / discount;
    }
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn points() {
        let log3 = 3_f64.log2();
        check_ranking("nDCG-rel", "1 0", &[1, 1], Some(0.5 + 0.5 / (1.0 + 1.0 / log3)));
        check_ranking("RnDCG", "2 1", &[2, 1], Some(1.0));
        let second = (2.0 / log3) / (2.0 + 1.0 / log3);
        check_ranking("RnDCG", "0 2 0", &[2, 1], Some(second / 2.0));
        check_ranking("RnDCG", "0 2 0 0", &[2, 1], Some((second + second) / 3.0));
    }
}
