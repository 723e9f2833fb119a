//! Measures of what was retrieved as a set: the ranks do not matter.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, JudgedRanking, Kind, Metric, Need, Parameter, Score,
    Subject,
};

/// `beta`: the weight of recall, which multiplies precision as it stands, not squared.
const BETA: Parameter = Parameter {
    name: "beta",
    kind: Kind::Number { min: 0.0, max: 1e6, default: 1.0 },
    summary: "weight of recall; it multiplies the precision as it stands and is not squared",
};

/// Share of relevant passages among all that were retrieved.
///
/// # Definition
/// relevant retrieved / retrieved; 0 where nothing is retrieved.
///
/// # Equals
/// `set_P` of trec_eval.
pub static SET_P: Definition = Definition {
    name: "SetP",
    synonyms: &["set_P"],
    summary: "share of relevant passages among all that were retrieved",
    equals: "trec_eval: set_P",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: set_precision,
};

/// Share of the relevant passages that were retrieved, at any rank.
///
/// # Definition
/// relevant retrieved / all relevant.
///
/// # Equals
/// `set_recall` of trec_eval.
pub static SET_R: Definition = Definition {
    name: "SetR",
    synonyms: &["set_recall"],
    summary: "share of the relevant passages that were retrieved, at any rank",
    equals: "trec_eval: set_recall",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: set_recall,
};

/// Weighted harmonic mean of the precision and recall of what was retrieved.
///
/// # Definition
/// (b + 1) · P · R / (R + b · P), with `SetP`, `SetR` and the weight b; 0 where both are 0.
///
/// # Edge cases
/// The weight is the square of what other texts call beta.
///
/// # Equals
/// `set_F` of trec_eval.
pub static SET_F: Definition = Definition {
    name: "SetF",
    synonyms: &["set_F"],
    summary: "weighted harmonic mean of the precision and recall of what was retrieved",
    equals: "trec_eval: set_F",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, BETA],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: set_f,
};

/// Precision times recall of what was retrieved.
///
/// # Definition
/// relevant retrieved² / (retrieved · all relevant): the average precision of a ranking that has
/// its relevant passages spread evenly.
///
/// # Equals
/// `set_map` of trec_eval.
pub static SET_AP: Definition = Definition {
    name: "SetAP",
    synonyms: &["set_map"],
    summary: "precision times recall of what was retrieved",
    equals: "trec_eval: set_map",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: set_average_precision,
};

/// Precision of what was retrieved, relative to the best that is possible.
///
/// # Definition
/// relevant retrieved / the smaller of retrieved and all relevant; 0 where nothing is retrieved.
///
/// # Equals
/// `set_relative_P` of trec_eval.
pub static SET_REL_P: Definition = Definition {
    name: "SetRelP",
    synonyms: &["set_relative_P"],
    summary: "precision of what was retrieved, relative to the best that is possible",
    equals: "trec_eval: set_relative_P",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: set_relative_precision,
};

fn set_precision(metric: &Metric, case: &Case<'_>) -> Score {
    of_set(metric, case, |set| graded::ratio(set.found, set.retrieved))
}

fn set_recall(metric: &Metric, case: &Case<'_>) -> Score {
    of_set(metric, case, |set| graded::ratio(set.found, set.relevant))
}

fn set_f(metric: &Metric, case: &Case<'_>) -> Score {
    let beta = metric.number("beta");
    of_set(metric, case, |set| {
        let precision = graded::ratio(set.found, set.retrieved);
        let recall = graded::ratio(set.found, set.relevant);
        if set.found == 0 {
            return 0.0;
        }
        (beta + 1.0) * precision * recall / (beta * precision + recall)
    })
}

fn set_average_precision(metric: &Metric, case: &Case<'_>) -> Score {
    of_set(metric, case, |set| {
        let found = set.found as f64;
        if set.retrieved == 0 {
            return 0.0;
        }
        found * found / (set.retrieved as f64 * set.relevant as f64)
    })
}

fn set_relative_precision(metric: &Metric, case: &Case<'_>) -> Score {
    of_set(metric, case, |set| graded::ratio(set.found, set.retrieved.min(set.relevant)))
}

/// The counts that all of these are made of.
struct Set {
    retrieved: usize,
    relevant: usize,
    found: usize,
}

fn of_set(metric: &Metric, case: &Case<'_>, score: impl FnOnce(&Set) -> f64) -> Score {
    let level = metric.integer("rel");
    graded::score(metric, case, level, |ranking: &JudgedRanking, relevant| {
        let retrieved = ranking.grades.len();
        let found = ranking.relevant_retrieved(level, retrieved);
        score(&Set { retrieved, relevant, found })
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn sets() {
        check_ranking("SetP", "1 0 1 0", &[1, 1, 1], Some(0.5));
        check_ranking("SetR", "1 0 1 0", &[1, 1, 1], Some(2.0 / 3.0));
        check_ranking("SetF", "1 0", &[1], Some(2.0 / 3.0));
        check_ranking("SetF(beta=2)", "1 0", &[1], Some(0.75));
        check_ranking("SetF", "0", &[1], Some(0.0));
        check_ranking("SetAP", "1 0 1 0", &[1, 1, 1], Some(1.0 / 3.0));
        check_ranking("SetRelP", "1 0 1 0", &[1, 1, 1], Some(2.0 / 3.0));
        for metric in ["SetP", "SetR", "SetF", "SetAP", "SetRelP"] {
            check_ranking(metric, "", &[1], Some(0.0));
        }
    }
}
