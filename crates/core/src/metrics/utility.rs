//! Utility: what a set of passages is worth when each has its price.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject};

const fn weight(name: &'static str, default: f64, summary: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Number { min: -1e9, max: 1e9, default }, summary }
}

/// The four weights, the size of the collection, and what counts as relevant.
const PARAMETERS: &[Parameter] = &[
    graded::REL,
    graded::UNIT,
    weight("hit", 1.0, "worth of a retrieved relevant passage"),
    weight("noise", -1.0, "worth of any other retrieved passage"),
    weight("miss", 0.0, "worth of a relevant passage that was not retrieved"),
    weight("rest", 0.0, "worth of any other passage that was not retrieved"),
    Parameter {
        name: "collection",
        kind: Kind::Integer { min: 0, default: 0 },
        summary: "number of passages in the corpus, for `rest`",
    },
];

/// Worth of what was retrieved and of what was not.
///
/// # Definition
/// hit · a + noise · b + miss · c + rest · d, where a are the retrieved relevant passages, b the
/// other retrieved ones, c the relevant ones that were not retrieved, and d all others of the
/// collection.
///
/// # Edge cases
/// An example without a relevant passage is scored: whatever it retrieves is noise.
///
/// # Equals
/// `utility` of trec_eval; `collection` is its option `-N`.
pub static UTILITY: Definition = Definition {
    name: "Utility",
    synonyms: &["utility"],
    summary: "worth of what was retrieved and of what was not",
    equals: "trec_eval: utility",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: PARAMETERS,
    range: (f64::NEG_INFINITY, f64::INFINITY),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: utility,
};

fn utility(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, ranking) = (metric.integer("rel"), graded::ranking(metric, case)?);
    let retrieved = ranking.grades.len() as f64;
    let relevant = ranking.relevant(level) as f64;
    let found = ranking.relevant_retrieved(level, usize::MAX) as f64;
    let rest = f64::from(metric.integer("collection")) + found - retrieved - relevant;
    Ok(metric.number("hit") * found
        + metric.number("noise") * (retrieved - found)
        + metric.number("miss") * (relevant - found)
        + metric.number("rest") * rest)
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn utility() {
        check_ranking("Utility", "1 0 - 1", &[1, 1, 1], Some(0.0));
        check_ranking("Utility(hit=2,miss=-1)", "1 0 - 1", &[1, 1, 1], Some(1.0));
        check_ranking("Utility(rest=0.5,collection=10)", "1 0", &[1, 1], Some(3.5));
        check_ranking("Utility", "0 -", &[], Some(-2.0));
    }
}
