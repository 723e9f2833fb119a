//! Interpolated precision: the points of the curve of precision over recall.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, JudgedRanking, Kind, Metric, Need, Parameter, Score,
    Subject,
};

/// `recall`: where the curve is read.
const RECALL: Parameter = Parameter {
    name: "recall",
    kind: Kind::Number { min: 0.0, max: 1.0, default: 0.0 },
    summary: "the recall at which the curve is read",
};

/// `version`: how a recall becomes a number of passages.
const VERSION: Parameter = Parameter {
    name: "version",
    kind: Kind::Choice(&["9", "10"]),
    summary: "trec_eval's version: 9 adds 0.9 to recall times R and drops the fraction, 10 rounds",
};

const PARAMETERS: &[Parameter] =
    &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, RECALL, VERSION];

/// Highest precision at any rank where recall has reached a value.
///
/// # Definition
/// The value c · R becomes a number of relevant passages; the score is the highest precision at
/// the rank of that relevant passage or behind it. At recall 0 it is the highest of all.
///
/// # Parameters
/// `IPrec@0.1` is read as `IPrec(recall=0.1)`.
///
/// # Edge cases
/// 0 where the ranking never reaches the recall. trec_eval divides 0 by 0 where nothing is
/// retrieved; here that is 0.
///
/// # Equals
/// `iprec_at_recall_c` of trec_eval; its versions 9 and 10 make different numbers of c · R.
pub static IPREC: Definition = Definition {
    name: "IPrec",
    synonyms: &[],
    summary: "highest precision at any rank where recall has reached a value",
    equals: "trec_eval: iprec_at_recall",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: PARAMETERS,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: at_recall,
};

/// Mean of the interpolated precision at the recalls 0, 0.1, ..., 1.
///
/// # Definition
/// The mean of `IPrec(recall=c)` for eleven values of c.
///
/// # Equals
/// `11pt_avg` of trec_eval.
pub static IPREC_11: Definition = Definition {
    name: "IPrec-11pt",
    synonyms: &["11pt_avg"],
    summary: "mean of the interpolated precision at the recalls 0, 0.1, ..., 1",
    equals: "trec_eval: 11pt_avg",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, VERSION],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: eleven_points,
};

/// The recalls of [`IPREC_11`], as they are written.
const POINTS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

fn at_recall(metric: &Metric, case: &Case<'_>) -> Score {
    let level = metric.integer("rel");
    graded::score(metric, case, level, |ranking, relevant| {
        let needed = passages(metric, metric.number("recall"), relevant);
        interpolated(ranking, level).get(needed).copied().unwrap_or(0.0)
    })
}

fn eleven_points(metric: &Metric, case: &Case<'_>) -> Score {
    let level = metric.integer("rel");
    graded::score(metric, case, level, |ranking, relevant| {
        let curve = interpolated(ranking, level);
        // trec_eval goes through the ranking from its end.
        let points = POINTS.iter().rev().map(|&recall| passages(metric, recall, relevant));
        let precisions = points.map(|needed| curve.get(needed).copied().unwrap_or(0.0));
        graded::sum(precisions) / POINTS.len() as f64
    })
}

/// How many relevant passages this recall asks for.
fn passages(metric: &Metric, recall: f64, relevant: usize) -> usize {
    let exact = recall * relevant as f64;
    graded::whole(if metric.choice("version") == "9" { exact + 0.9 } else { exact.round() })
}

/// For each number of relevant passages that the ranking reaches, from 0, the highest precision
/// there or behind.
fn interpolated(ranking: &JudgedRanking, level: i32) -> Vec<f64> {
    let retrieved = ranking.grades.len();
    let mut found = ranking.relevant_retrieved(level, retrieved);
    let mut best = graded::ratio(found, retrieved);
    let mut curve = vec![best; found + 1];
    for (before, grade) in ranking.grades.iter().enumerate().rev() {
        if found == 0 {
            break;
        }
        best = best.max(graded::ratio(found, before + 1));
        if grade.is_some_and(|grade| grade >= level) {
            curve[found] = best;
            found -= 1;
        }
    }
    curve[0] = best;
    curve
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn interpolated_precision() {
        check_ranking("IPrec(recall=0.5)", "0 1 1", &[1, 1], Some(2.0 / 3.0));
        check_ranking("IPrec@1", "1 0 0 1", &[1, 1], Some(0.5));
        check_ranking("IPrec@0", "1 0 0 1", &[1, 1], Some(1.0));
        check_ranking("IPrec(version=10)@0.2", "0 1 0 0 1 1", &[1, 1], Some(0.5));
        check_ranking("IPrec@1", "1", &[1, 1], Some(0.0));
        check_ranking("IPrec", "", &[1], Some(0.0));
        check_ranking("IPrec-11pt", "1 0 0 1", &[1, 1], Some((6.0 + 5.0 * 0.5) / 11.0));
    }
}
