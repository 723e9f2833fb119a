//! Tests and corrections: our p-values are those of scipy, ranx and statsmodels.
//!
//! `golden/statistics/tests.py` made the files, and lies beside them.

use std::{fs, path::Path};

use qeval_core::stats::{
    PERMUTATIONS, PairedColumn, Tukey, TukeyPair, Unit, compare, holm, letters, mcnemar, needed,
    sign_flip, sign_flip_up_to, tukey, tukey_one_way,
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

#[derive(Deserialize)]
struct Repeats {
    metric: String,
    systems: Vec<String>,
    scores: Vec<Vec<f64>>,
    scipy: Vec<f64>,
}

/// P-values of all pairs from `first` on, in the order of the pairs.
fn all_pairs(scores: &[Vec<f64>]) -> Vec<f64> {
    let pairs = (0..scores.len()).flat_map(|a| (a + 1..scores.len()).map(move |b| (a, b)));
    let test = |(a, b): (usize, usize)| {
        sign_flip_up_to(&units(&scores[a], &scores[b]), 7, 100_000, 1_000_000).unwrap().p
    };
    pairs.map(test).collect()
}

/// Five repeats of one LLM reranker on TREC Deep Learning 2019 differ by nothing but chance. Two of
/// the ten pairs have p-values below 0.02 all the same, and the correction takes them away.
#[test]
fn repeats_of_one_reranker_do_not_differ_after_correction() {
    let found = golden::<Repeats>("repeats");
    let [by_ndcg, by_map] = &found[..] else { panic!("two metrics") };
    assert_eq!((by_ndcg.metric.as_str(), by_ndcg.systems[0].as_str()), ("nDCG@10", "BM25"));
    // Systems are BM25 and the five repeats.
    let p = all_pairs(&by_ndcg.scores);
    for (p, scipy) in p.iter().zip(&by_ndcg.scipy) {
        let error = (p * (1.0 - p) / 1e5).sqrt();
        assert!((p - scipy).abs() < ERRORS * 2.0 * error + 2e-5, "{p} {scipy}");
    }
    let raw = all_pairs(&by_ndcg.scores[1..]);
    assert_eq!(raw.len(), 10);
    assert_eq!(raw.iter().filter(|&&p| p < 0.02).count(), 2, "{raw:?}");
    let corrected = holm(&raw);
    assert!(corrected.iter().all(|&p| p > 0.1), "{corrected:?}");
    // BM25 against each of them, corrected over all fifteen pairs.
    let corrected = holm(&p);
    assert!(corrected[..5].iter().all(|&p| p < 0.001), "{corrected:?}");
    assert!(corrected[5..].iter().all(|&p| p > 0.1), "{corrected:?}");
    // As letters: all repeats share one, and BM25 has the other.
    let means = |scores: &[Vec<f64>]| -> Vec<f64> {
        scores.iter().map(|scores| scores.iter().sum::<f64>() / scores.len() as f64).collect()
    };
    let differ = |a: usize, b: usize| (a == 0) != (b == 0);
    let apart = |a: usize, b: usize| {
        let place = |a: usize, b: usize| a * (11 - a) / 2 + b - a - 1;
        corrected[place(a.min(b), a.max(b))] < 0.05
    };
    assert!((0..6).all(|a| (a + 1..6).all(|b| apart(a, b) == differ(a, b))));
    assert_eq!(letters(&means(&by_ndcg.scores), &apart), ["b", "a", "a", "a", "a", "a"]);
    // Tukey's test by topic says the same.
    let scores: Vec<&[f64]> = by_ndcg.scores.iter().map(Vec::as_slice).collect();
    let found = tukey(&scores).unwrap();
    assert!(found.pairs.iter().all(|pair| pair.differs() == differ(pair.first, pair.second)));
    // By MAP one pair stays below 0.05, alone and with the ten of nDCG@10: a correction makes this
    // rare where nothing differs, and not impossible.
    let by_map = all_pairs(&by_map.scores[1..]);
    let both = holm(&[&raw[..], &by_map].concat());
    let by_map = holm(&by_map);
    for corrected in [by_map, both] {
        let below: Vec<&f64> = corrected.iter().filter(|&&p| p < 0.05).collect();
        assert_eq!(below.len(), 1, "{corrected:?}");
    }
}
