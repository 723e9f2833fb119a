//! Tests and corrections: our p-values are those of scipy, ranx and statsmodels.
//!
//! `golden/statistics/tests.py` made the files, and lies beside them.

use std::{fs, path::Path};

use qeval_core::stats::{
    PERMUTATIONS, PairedColumn, Tukey, TukeyPair, Unit, compare, holm, mcnemar, needed, sign_flip,
    tukey, tukey_one_way,
};
use serde::Deserialize;

/// Standard errors that two numbers drawn by lot may lie apart. Twelve pairs are compared.
const ERRORS: f64 = 4.0;

fn golden<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/statistics");
    let text = fs::read_to_string(folder.join(format!("tests-{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn units(before: &[f64], after: &[f64]) -> Vec<Unit> {
    let pairs = before.iter().zip(after);
    pairs.map(|(&before, &after)| Unit { n: 1, before, after }).collect()
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

#[derive(Deserialize)]
struct Paired {
    name: String,
    before: Vec<f64>,
    after: Vec<f64>,
    scipy: f64,
    scipy_exact: bool,
    ranx: f64,
    resamples: u32,
    discordant: u64,
}

#[test]
fn the_paired_test_is_scipys_and_ranxs() {
    for case in golden::<Paired>("paired") {
        let name = &case.name;
        let found = sign_flip(&units(&case.before, &case.after), 7, case.resamples).unwrap();
        assert!(!case.scipy_exact || found.exact, "{name} is exact");
        let drawn = f64::from(case.resamples);
        let error = (found.p * (1.0 - found.p) / drawn).sqrt();
        // Half of both tails; where scipy draws, it counts the smaller of them twice.
        let tails = 2.0 * (found.p / 2.0 * (1.0 - found.p / 2.0) / drawn).sqrt();
        let ours = if found.exact { 0.0 } else { error };
        let apart = (found.p - case.scipy).abs();
        if case.scipy_exact {
            assert!(apart < 1e-12, "{name}: {found:?}, scipy {}", case.scipy);
        } else {
            let allowed = ERRORS * ours.hypot(tails) + 2.0 / drawn;
            assert!(apart <= allowed, "{name}: {found:?}, scipy {}", case.scipy);
        }
        let apart = found.p - case.ranx;
        let allowed = ERRORS * ours.hypot(error) + 2.0 / drawn;
        if ["F1", "tenths", "thirds"].iter().any(|fractions| name.starts_with(fractions)) {
            // It compares floats, and so misses some of the sums that only rounding parts.
            assert!(apart >= -allowed, "{name}: {found:?}, ranx {}", case.ranx);
        } else {
            assert!(apart.abs() <= allowed, "{name}: {found:?}, ranx {}", case.ranx);
        }
    }
}

#[test]
fn zeros_and_ones_have_mcnemars_exact_test() {
    #[derive(Deserialize)]
    struct Coins {
        heads: u64,
        tosses: u64,
        scipy: f64,
        statsmodels: f64,
    }
    for case in golden::<Coins>("coins") {
        let found = mcnemar(case.heads, case.tosses - case.heads).p;
        close(found / case.scipy, 1.0, 1e-10);
        close(found / case.statsmodels, 1.0, 1e-10);
    }
    for case in golden::<Paired>("paired").iter().filter(|case| case.name.starts_with("0/1")) {
        let comparison = compare(&PairedColumn {
            before: &case.before,
            after: &case.after,
            groups: None,
            higher_is_better: true,
            seed: 7,
            permutations: PERMUTATIONS,
            most_permutations: PERMUTATIONS,
        })
        .unwrap();
        let test = comparison.mcnemar.unwrap();
        assert_eq!(test.only_first + test.only_second, case.discordant);
        assert!(comparison.permutation.exact);
        close(comparison.permutation.p, test.p, 0.0);
    }
}

#[test]
fn holms_correction_is_that_of_statsmodels() {
    #[derive(Deserialize)]
    struct Holm {
        p: Vec<f64>,
        holm: Vec<f64>,
    }
    for case in golden::<Holm>("holm") {
        for (found, expected) in holm(&case.p).into_iter().zip(&case.holm) {
            close(found, *expected, 1e-14);
        }
    }
}

#[derive(Deserialize)]
struct Systems {
    scores: Vec<Vec<f64>>,
    difference: Vec<f64>,
    p: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    by_example: Option<ByExample>,
}

#[derive(Deserialize)]
struct ByExample {
    stddev: f64,
    degrees: u64,
    p: Vec<f64>,
}

#[test]
fn tukeys_differences_are_those_of_statsmodels() {
    let values = |tukey: &Tukey, of: fn(&TukeyPair) -> f64| -> Vec<f64> {
        tukey.pairs.iter().map(of).collect()
    };
    for case in golden::<Systems>("tukey") {
        let samples: Vec<&[f64]> = case.scores.iter().map(Vec::as_slice).collect();
        let found = tukey_one_way(&samples).unwrap();
        for (ours, theirs, tolerance) in [
            (values(&found, |pair| pair.difference), &case.difference, 1e-12),
            (values(&found, |pair| pair.p), &case.p, 1e-6),
            (values(&found, |pair| pair.low), &case.low, 1e-6),
            (values(&found, |pair| pair.high), &case.high, 1e-6),
        ] {
            assert_eq!(ours.len(), theirs.len());
            ours.iter().zip(theirs).for_each(|(a, b)| close(*a, *b, tolerance));
        }
        let Some(expected) = case.by_example else {
            assert_eq!(tukey(&samples), None);
            continue;
        };
        let found = tukey(&samples).unwrap();
        assert_eq!(found.degrees, expected.degrees);
        close(found.stddev, expected.stddev, 1e-12);
        for (found, expected) in values(&found, |pair| pair.p).iter().zip(&expected.p) {
            close(*found, *expected, 1e-8);
        }
    }
}

#[test]
fn ranges_are_those_of_statsmodels() {
    #[derive(Deserialize)]
    struct Range {
        means: usize,
        degrees: usize,
        p: f64,
        qsturng: f64,
        psturng: f64,
        scipy: f64,
    }
    for case in golden::<Range>("ranges") {
        // Groups that have so many degrees together, an error of 1 and a range of `qsturng`.
        let size = case.degrees / case.means + 1;
        assert_eq!((size - 1) * case.means, case.degrees);
        let half = (case.degrees as f64 / case.means as f64 / 2.0).sqrt();
        let spread = |mean: f64| -> Vec<f64> {
            let mut scores = vec![mean; size];
            (scores[0], scores[1]) = (mean - half, mean + half);
            scores
        };
        let mut samples = vec![spread(0.0); case.means];
        samples[1] = spread(case.qsturng / (size as f64).sqrt());
        let samples: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
        let found = tukey_one_way(&samples).unwrap().pairs[0].p;
        close(found, case.scipy, 1e-8);
        // It interpolates.
        close(found, case.psturng, 0.01 * case.p);
    }
}

#[test]
fn what_is_needed_is_what_statsmodels_needs() {
    #[derive(Deserialize)]
    struct Case {
        effect: f64,
        power: f64,
        n: f64,
    }
    for case in golden::<Case>("power") {
        let found = needed(case.effect, 1.0, 0.05, case.power).unwrap();
        close(found as f64, case.n.ceil(), 1.0);
    }
}
