//! Inferred average precision: an estimate for judgments that are a sample.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// So that nothing is divided by 0.
const EPSILON: f64 = 0.00001;

/// Average precision, estimated from judgments of a part of the pool.
///
/// # Definition
/// The sum over the retrieved relevant passages of their expected precision, divided by R. At rank
/// k it is 1/k + (k-1)/k · p/(k-1) · (r + e)/(r + n + 2e): before the passage come p of the pool, r
/// of them judged relevant and n judged not, and e is 0.00001. At the first rank it is 1.
///
/// # Edge cases
/// A negative grade says that a passage was in the pool and nobody judged it; one without a grade
/// was not in the pool.
///
/// # Equals
/// `infAP` of trec_eval. Yilmaz and Aslam (2006).
pub static INF_AP: Definition = Definition {
    name: "infAP",
    synonyms: &["InfAP"],
    summary: "average precision, estimated from judgments of a part of the pool",
    equals: "trec_eval: infAP",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: inferred,
};

fn inferred(metric: &Metric, case: &Case<'_>) -> Score {
    let level = metric.integer("rel");
    graded::score(metric, case, level, |ranking, found| {
        let (mut relevant, mut nonrelevant, mut unjudged) = (0.0, 0.0, 0.0);
        let mut sum = 0.0;
        for (rank, grade) in ranking.grades.iter().enumerate() {
            match *grade {
                None => {}
                Some(grade) if grade < 0 => unjudged += 1.0,
                Some(grade) if grade < level => nonrelevant += 1.0,
                Some(_) if rank == 0 => {
                    sum += 1.0;
                    relevant += 1.0;
                }
                Some(_) => {
                    let before = rank as f64;
                    sum += 1.0 / (before + 1.0)
                        + (before / (before + 1.0))
                            * ((relevant + nonrelevant + unjudged) / before)
                            * ((relevant + EPSILON) / (relevant + nonrelevant + 2.0 * EPSILON));
                    relevant += 1.0;
                }
            }
        }
        sum / found as f64
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn inferred_average_precision() {
        check_ranking("infAP", "1", &[1], Some(1.0));
        check_ranking("infAP", "- 1", &[1], Some(0.5));
        check_ranking("infAP", "-1 1", &[1], Some(0.5 + 0.5 * 0.00001 / 0.00002));
    }
}
