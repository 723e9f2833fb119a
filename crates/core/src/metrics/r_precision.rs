//! R-precision: precision at as many hits as there are relevant passages.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject};

/// `multiple`: at how many times R the ranking is cut.
const MULTIPLE: Parameter = Parameter {
    name: "multiple",
    kind: Kind::Number { min: 0.0, max: 1e6, default: 1.0 },
    summary: "the ranking is cut at this many times the number of relevant passages",
};

/// Share of relevant passages among the first R, where R is how many are relevant.
///
/// # Definition
/// relevant in the first R / R. With a multiple m, the cutoff is m · R + 0.9 without its fraction,
/// and the divisor too.
///
/// # Edge cases
/// The divisor stays the cutoff where fewer are retrieved. Where a small multiple makes the cutoff
/// 0, the score is 0.
///
/// # Equals
/// `Rprec` of trec_eval, with a multiple `Rprec_mult_m`.
pub static RPREC: Definition = Definition {
    name: "Rprec",
    synonyms: &["RPrec", "R-Precision"],
    summary: "share of relevant passages among the first R, where R is how many are relevant",
    equals: "trec_eval: Rprec, Rprec_mult",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, MULTIPLE],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: r_precision,
};

fn r_precision(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, multiple) = (metric.integer("rel"), metric.number("multiple"));
    graded::score(metric, case, level, |ranking, relevant| {
        let cutoff = graded::whole(multiple * relevant as f64 + 0.9);
        graded::ratio(ranking.relevant_retrieved(level, cutoff), cutoff)
    })
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn r_precision() {
        check_ranking("Rprec", "1 0 1", &[1, 1], Some(0.5));
        check_ranking("Rprec", "1", &[1, 1, 1, 1], Some(0.25));
        check_ranking("Rprec(multiple=1.5)", "1 0 1", &[1, 1], Some(2.0 / 3.0));
        check_ranking("Rprec(multiple=0.01)", "1 0 1", &[1, 1], Some(0.0));
        check_ranking("Rprec(judged_only=true)", "- 1 1", &[1, 1], Some(1.0));
    }
}
