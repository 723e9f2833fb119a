//! How much of what was retrieved has been judged.

use super::graded;
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject};

/// Share of the first k hits that somebody judged.
///
/// # Definition
/// judged among the first k / the smaller of k and the number of hits. A low value says that other
/// measures of this ranking are too low, because a passage that nobody judged counts as not
/// relevant.
///
/// # Edge cases
/// A negative grade, which stands for a passage of the pool that nobody judged, is no judgment. 0
/// where nothing is retrieved. Every example is scored, also one without a relevant passage.
///
/// # Equals
/// `Judged@k` of `ir_measures`, where no grade is negative: it takes such a grade for a judgment.
pub static JUDGED: Definition = Definition {
    name: "Judged",
    synonyms: &[],
    summary: "share of the first k hits that somebody judged",
    equals: "ir_measures, without negative grades: Judged@k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Required,
    parameters: &[graded::UNIT],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: judged,
};

/// Share of the first k ranks that hold a passage nobody judged.
///
/// # Definition
/// unjudged among the first k / k.
///
/// # Edge cases
/// The divisor is k also where fewer are retrieved, so that this is not 1 - `Judged@k`.
///
/// # Equals
/// `unj_k` of trec_eval 10. BEIR's `Hole@k` counts only passages that no query has judgments of.
pub static UNJUDGED: Definition = Definition {
    name: "Unjudged",
    synonyms: &["unj"],
    summary: "share of the first k ranks that hold a passage nobody judged",
    equals: "trec_eval 10: unj_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Required,
    parameters: &[graded::UNIT],
    range: (0.0, 1.0),
    higher_is_better: false,
    estimator: Estimator::Mean,
    score: unjudged,
};

fn judged(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(graded::ranking(metric, case)?.judged_share(metric.depth()))
}

fn unjudged(metric: &Metric, case: &Case<'_>) -> Score {
    let (ranking, cutoff) = (graded::ranking(metric, case)?, metric.depth());
    Ok(graded::ratio(ranking.hits(0).take(cutoff).filter(|&judged| !judged).count(), cutoff))
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn judged() {
        check_ranking("Judged@5", "1 0 - -1", &[1], Some(0.5));
        check_ranking("Judged@2", "1 0 - -1", &[], Some(1.0));
        check_ranking("Judged@2", "", &[1], Some(0.0));
        check_ranking("Unjudged@5", "1 0 - -1", &[1], Some(0.4));
    }
}
