//! Expected reciprocal rank: a reader who stops at the first passage that satisfies.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject};

/// `max`: the grade that is nearly sure to satisfy.
const MAX: Parameter = Parameter {
    name: "max",
    kind: Kind::Integer { min: 1, default: 4 },
    summary: "the highest grade of the judgments",
};

/// Expected reciprocal of the rank at which a reader stops.
///
/// # Definition
/// A passage of grade g satisfies with the probability (2^g - 1) / 2^max. The score is the sum over
/// the first k ranks of the probability that none before satisfied and this one does, divided by
/// the rank.
///
/// # Edge cases
/// The highest grade is 4, as in the script, unless `max` says otherwise; a grade above it counts
/// as it, and one below `rel` satisfies nobody. There is no ideal to divide by, so the highest possible score is below 1.
///
/// # Equals
/// `ERR@k` of gdeval.pl and of `ir_measures`, which prints five decimals. Chapelle et al. (2009).
pub static ERR: Definition = Definition {
    name: "ERR",
    synonyms: &[],
    summary: "expected reciprocal of the rank at which a reader stops",
    equals: "gdeval.pl and ir_measures: ERR@k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, MAX],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: expected,
};

fn expected(metric: &Metric, case: &Case<'_>) -> Score {
    let (max, level) = (metric.integer("max"), metric.integer("rel"));
    graded::score(metric, case, level, |ranking, _| {
        let (mut unsatisfied, mut sum) = (1.0, 0.0);
        let gains = ranking.gains().map(|grade| if grade >= level { grade } else { 0 });
        for (rank, grade) in (1_u32..).zip(gains).take(metric.depth()) {
            // (2^grade - 1) / 2^max, where neither power may be too high for a number.
            let stops = f64::from(grade.min(max) - max).exp2() - f64::from(-max).exp2();
            sum += unsatisfied * stops / f64::from(rank);
            unsatisfied *= 1.0 - stops;
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn expected_reciprocal_rank() {
        check_ranking("ERR@10", "0 3", &[3], Some(7.0 / 32.0));
        check_ranking("ERR(max=1)", "1 0 1", &[1, 1], Some(0.5 + 0.5 * 0.5 / 3.0));
        check_ranking("ERR@1", "0 3", &[3], Some(0.0));
        check_ranking("ERR(rel=2)@1", "1 2", &[2, 1], Some(0.0));
        check_ranking("ERR(rel=2)", "1 2", &[2, 1], Some(3.0 / 32.0));
    }
}
