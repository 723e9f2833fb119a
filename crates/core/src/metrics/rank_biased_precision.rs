//! Rank-biased precision: a reader who goes on to the next passage with a fixed probability.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, JudgedRanking, Kind, Metric, Need, Parameter, Score,
    Subject,
};

/// `p`: how patient the reader is.
const PERSISTENCE: Parameter = Parameter {
    name: "p",
    kind: Kind::Number { min: 0.0, max: 1.0, default: 0.8 },
    summary: "probability that the reader goes on to the next passage",
};

/// `gain`: what a relevant passage is worth.
const GAIN: Parameter = Parameter {
    name: "gain",
    kind: Kind::Choice(&["binary", "graded"]),
    summary: "from the grade `rel` on: binary, 1; graded, the grade / the highest judged one",
};

/// Expected gain a rank, for a reader who goes on with a fixed probability.
///
/// # Definition
/// (1 - p) times the sum over the first k ranks i of gain · p^(i - 1). A relevant passage has the
/// gain 1, or its grade / the highest grade that was judged for the question.
///
/// # Edge cases
/// Nothing is normalised: a ranking of finite length stays below 1 even if all of it is relevant.
///
/// # Equals
/// `RBP(p=...,rel=...)` of `ir_measures`. `rbp` of trec_eval 10 is `RBP(p=0.9,gain=graded)`, but for
/// its reading of memory that nobody has written. Moffat and Zobel (2008).
pub static RBP: Definition = Definition {
    name: "RBP",
    synonyms: &[],
    summary: "expected gain a rank, for a reader who goes on with a fixed probability",
    equals: "ir_measures: RBP; trec_eval 10: rbp",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, PERSISTENCE, GAIN],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: rank_biased,
};

/// What the passages that nobody judged could add to rank-biased precision.
///
/// # Definition
/// (1 - p) times the sum over the ranks i of unjudged passages of p^(i - 1), plus p^n for all that
/// come behind the n retrieved ones; 0 where every retrieved passage is judged.
///
/// # Equals
/// `rbp_resid` of trec_eval 10 with p = 0.9.
pub static RBP_RESIDUAL: Definition = Definition {
    name: "RBP-Residual",
    synonyms: &[],
    summary: "what the passages that nobody judged could add to rank-biased precision",
    equals: "trec_eval 10: rbp_resid",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[PERSISTENCE, graded::UNIT],
    range: (0.0, 1.0),
    higher_is_better: false,
    estimator: Estimator::Mean,
    score: residual,
};

fn rank_biased(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, persistence) = (metric.integer("rel"), metric.number("p"));
    let graded = metric.choice("gain") == "graded";
    graded::score(metric, case, level, |ranking, _| {
        let highest = f64::from(ranking.ideal.first().copied().unwrap_or(1));
        let gains = ranking.gains().take(metric.depth()).map(|grade| match grade {
            _ if grade < level => 0.0,
            _ if graded => f64::from(grade) / highest,
            _ => 1.0,
        });
        discounted(gains, persistence)
    })
}

fn residual(metric: &Metric, case: &Case<'_>) -> Score {
    let (persistence, ranking) = (metric.number("p"), graded::ranking(metric, case)?);
    if ranking.hits(0).all(|judged| judged) {
        return Ok(0.0);
    }
    let unjudged = discounted(ranking.hits(0).map(|judged| f64::from(!judged)), persistence);
    Ok(behind(ranking, persistence) + unjudged)
}

/// The probability that the reader goes through the whole ranking.
fn behind(ranking: &JudgedRanking, persistence: f64) -> f64 {
    ranking.grades.iter().fold(1.0, |reached, _| reached * persistence)
}

fn discounted(gains: impl Iterator<Item = f64>, persistence: f64) -> f64 {
    let mut reached = 1.0;
    let terms = gains.map(|gain| {
        let term = gain * reached;
        reached *= persistence;
        term
    });
    (1.0 - persistence) * graded::sum(terms)
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn rank_biased_precision() {
        check_ranking("RBP(p=0.5)", "1 0 1", &[1, 1], Some(0.625));
        check_ranking("RBP(p=0.5)@2", "1 0 1", &[1, 1], Some(0.5));
        check_ranking("RBP(p=0.5,rel=2)", "1 2", &[2, 1], Some(0.25));
        check_ranking("RBP(p=0.5,gain=graded)", "1 2", &[2, 1], Some(0.5));
        check_ranking("RBP(p=0.5,gain=graded,rel=2)", "1 2", &[2, 1], Some(0.25));
        check_ranking("RBP-Residual(p=0.5)", "1 - 0", &[1], Some(0.125 + 0.25));
        check_ranking("RBP-Residual(p=0.5)", "1 0", &[1], Some(0.0));
    }
}
