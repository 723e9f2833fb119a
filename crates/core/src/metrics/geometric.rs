//! Geometric means of average precision and bpref: the weakest examples weigh most.

use super::{average_precision::average_precision, bpref::bpref, graded};
use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Pooled, Score, Subject, Unscored,
    stats::ExactSum,
};

/// What a lower score is taken for, so that one 0 does not make all 0.
const LOWEST: f64 = 0.00001;

/// Geometric mean of average precision.
///
/// # Definition
/// e to the mean of the logarithms of `MAP`, where a score below 0.00001 is taken for 0.00001.
///
/// # Equals
/// `gm_map` of trec_eval.
pub static GMAP: Definition = Definition {
    name: "GMAP",
    synonyms: &["gm_map"],
    summary: "geometric mean of average precision",
    equals: "trec_eval: gm_map",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Pooled(&POOLED_MAP),
    score: geometric_map,
};

/// Geometric mean of bpref.
///
/// # Definition
/// e to the mean of the logarithms of `Bpref`, where a score below 0.00001 is taken for 0.00001.
///
/// # Equals
/// `gm_bpref` of trec_eval.
pub static GM_BPREF: Definition = Definition {
    name: "GM-Bpref",
    synonyms: &["gm_bpref"],
    summary: "geometric mean of bpref",
    equals: "trec_eval: gm_bpref",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: graded::ALL,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Pooled(&POOLED_BPREF),
    score: geometric_bpref,
};

static POOLED_MAP: Pooled = Pooled { names: &["ln"], of: map_logarithm, finish: geometric_mean };

static POOLED_BPREF: Pooled =
    Pooled { names: &["ln"], of: bpref_logarithm, finish: geometric_mean };

fn geometric_map(metric: &Metric, case: &Case<'_>) -> Score {
    average_precision(metric, case).map(|score| score.max(LOWEST))
}

fn geometric_bpref(metric: &Metric, case: &Case<'_>) -> Score {
    bpref(metric, case).map(|score| score.max(LOWEST))
}

fn map_logarithm(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    Ok(vec![geometric_map(metric, case)?.ln()])
}

fn bpref_logarithm(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    Ok(vec![geometric_bpref(metric, case)?.ln()])
}

fn geometric_mean(_: &Metric, columns: &[&[f64]]) -> Option<f64> {
    let logarithms = columns.first()?;
    let mut sum = ExactSum::default();
    for &logarithm in *logarithms {
        sum.add(logarithm);
    }
    (!logarithms.is_empty()).then(|| sum.mean(logarithms.len() as u64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::check_ranking;

    #[test]
    fn geometric_means() {
        check_ranking("GMAP", "0 1", &[1], Some(0.5));
        check_ranking("GMAP", "0", &[1], Some(0.00001));
        check_ranking("GM-Bpref", "0 1", &[1], Some(0.00001));
        let metric: Metric = "GMAP".parse().unwrap();
        let mean = geometric_mean(&metric, &[&[0.5_f64.ln(), 0.125_f64.ln()]]);
        assert!((mean.unwrap() - 0.25).abs() < 1e-15);
        assert_eq!(geometric_mean(&metric, &[&[]]), None);
    }
}
