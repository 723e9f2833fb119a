//! bpref: how often a relevant passage comes before those judged not relevant.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, JudgedRanking, Metric, Need, Score, Subject, Unscored,
};

/// Share of the pairs of a relevant and a non-relevant passage that are in the right order.
///
/// # Definition
/// The sum over the retrieved relevant passages of 1 - min(n, R) / min(N, R), divided by R: n of
/// the N passages that were judged and are not relevant come before the passage, and R are
/// relevant. Passages that nobody judged are passed over.
///
/// # Edge cases
/// A relevant passage with nothing wrong before it counts 1, also where N is 0.
///
/// # Equals
/// `bpref` of trec_eval since version 8. Buckley and Voorhees (2004).
pub static BPREF: Definition = Definition {
    name: "Bpref",
    synonyms: &["bpref"],
    summary: "share of the pairs of a relevant and a non-relevant passage that are in the right order",
    equals: "trec_eval: bpref",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: bpref,
};

pub(super) fn bpref(metric: &Metric, case: &Case<'_>) -> Score {
    let level = metric.integer("rel");
    graded::try_score(metric, case, level, |ranking, relevant| {
        let nonrelevant = ranking.nonrelevant(level).ok_or_else(|| {
            let reason = "nobody knows how many passages were judged not relevant";
            Unscored::NotApplicable(reason.to_owned())
        })?;
        Ok(preferences(ranking, level, relevant, nonrelevant) / relevant as f64)
    })
}

fn preferences(ranking: &JudgedRanking, level: i32, relevant: usize, nonrelevant: usize) -> f64 {
    let (mut before, mut sum) = (0, 0.0);
    for grade in ranking.grades.iter().flatten().filter(|&&grade| grade >= 0) {
        if *grade < level {
            before += 1;
        } else if before > 0 {
            sum += 1.0 - before.min(relevant) as f64 / nonrelevant.min(relevant) as f64;
        } else {
            sum += 1.0;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn bpref() {
        check_ranking("Bpref", "1 - 1", &[1, 1], Some(1.0));
        check_ranking("Bpref", "1 0 0 1", &[1, 1], Some(0.5));
        check_ranking("Bpref", "1 0 -1 1", &[1, 1], Some(0.5));
        check_ranking("Bpref(rel=2)", "1 2", &[2, 1], Some(0.0));
    }
}
