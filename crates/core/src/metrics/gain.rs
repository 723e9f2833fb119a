//! Gain by trec_eval's author: relevant passages discounted by what should not come before them.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Gain of the grades, discounted by the gain that was missed before each passage.
///
/// # Definition
/// The sum over the ranks of grade / log2(2 + c - s), divided by the sum of all positive grades: s
/// is the sum of the grades up to this rank, c that of the best possible ranking, in which a rank
/// counts at least 1.
///
/// # Edge cases
/// Every positive grade has gain; there is no `rel`.
///
/// # Equals
/// `G` of trec_eval.
pub static G: Definition = Definition {
    name: "G",
    synonyms: &[],
    summary: "gain of the grades, discounted by the gain that was missed before each passage",
    equals: "trec_eval: G",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: gain,
};

/// Relevant passages, discounted by the number of others before each.
///
/// # Definition
/// The sum over the retrieved relevant passages of 1 / log2(2 + others before it), divided by the
/// number of all relevant passages.
///
/// # Equals
/// `binG` of trec_eval.
pub static BIN_G: Definition = Definition {
    name: "binG",
    synonyms: &["BinG"],
    summary: "relevant passages, discounted by the number of others before each",
    equals: "trec_eval: binG",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: binary_gain,
};

fn gain(metric: &Metric, case: &Case<'_>) -> Score {
    graded::score(metric, case, 1, |ranking, _| {
        let (mut cost, mut gained, mut sum) = (0.0, 0.0, 0.0);
        let best = ranking.ideal.iter().copied().chain(std::iter::repeat(0));
        for (gain, best) in ranking.gains().zip(best) {
            gained += f64::from(gain);
            cost += f64::from(best.max(1));
            if gain > 0 {
                sum += f64::from(gain) / (2.0 + cost - gained).log2();
            }
        }
        sum / graded::sum(ranking.ideal.iter().map(|&grade| f64::from(grade)))
    })
}

fn binary_gain(metric: &Metric, case: &Case<'_>) -> Score {
    let level = metric.integer("rel");
    graded::score(metric, case, level, |ranking, relevant| {
        let (mut others, mut sum) = (0_usize, 0.0);
        for hit in ranking.hits(level) {
            if hit {
                sum += 1.0 / ((2 + others) as f64).log2();
            } else {
                others += 1;
            }
        }
        sum / relevant as f64
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn gains() {
        check_ranking("G", "2 1", &[2, 1], Some(1.0));
        check_ranking("G", "0 2", &[2, 1], Some(2.0 / 3_f64.log2() / 3.0));
        check_ranking("binG", "1 0 1", &[1, 1], Some(0.5 + 0.5 / 3_f64.log2()));
    }
}
