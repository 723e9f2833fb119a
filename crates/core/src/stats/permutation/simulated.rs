//! What the test promises, on evaluations made by lot: p-values where nothing differs, and the
//! power where something does.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

use crate::stats::{Unit, detectable, interval, needed, resample, sign_flip};

const PERMUTATIONS: u32 = 499;

fn uniform(stream: &mut Pcg64Mcg) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn normal(stream: &mut Pcg64Mcg) -> f64 {
    (0..12).map(|_| uniform(stream)).sum::<f64>() - 6.0
}

/// A score of few values, often 0 or 1.
fn tied(stream: &mut Pcg64Mcg) -> f64 {
    [0.0, 0.0, 0.5, 2.0 / 3.0, 1.0, 1.0][interval::below(stream, 6)]
}

/// The p-values of so many evaluations.
fn p_values(evaluations: u32, make: impl Fn(&mut Pcg64Mcg) -> Vec<Unit>) -> Vec<f64> {
    let p = |index| {
        let units = make(&mut resample::stream(20, index));
        sign_flip(&units, u64::from(index), PERMUTATIONS).unwrap().p
    };
    (0..evaluations).map(p).collect()
}

/// Share of the p-values that are at most `a`, and its standard error where `a` is the truth.
fn share(p: &[f64], a: f64) -> (f64, f64) {
    let share = p.iter().filter(|&&p| p <= a).count() as f64 / p.len() as f64;
    (share, (a * (1.0 - a) / p.len() as f64).sqrt())
}

fn units(n: u32, mut pair: impl FnMut() -> (f64, f64)) -> Vec<Unit> {
    (0..n).map(|_| pair()).map(|(before, after)| Unit { n: 1, before, after }).collect()
}

#[test]
fn p_values_are_uniform_where_nothing_differs() {
    let p = p_values(1_500, |stream| units(30, || (normal(stream), normal(stream))));
    for a in [0.01, 0.05, 0.1, 0.25, 0.5, 0.9] {
        let (share, error) = share(&p, a);
        assert!((share - a).abs() < 4.0 * error, "{a}: {share}");
    }
}

#[test]
fn with_ties_they_are_never_too_small() {
    let tied = p_values(1_500, |stream| units(25, || (tied(stream), tied(stream))));
    let binary = p_values(1_500, |stream| {
        let mut right = || f64::from(uniform(stream) < 0.7);
        units(20, || (right(), right()))
    });
    for a in [0.01, 0.05, 0.1, 0.25, 0.5] {
        for p in [&tied, &binary] {
            let (share, error) = share(p, a);
            assert!(share < a + 4.0 * error, "{a}: {share}");
        }
    }
    // So they are with few 0/1 scores, and hardly so with more values.
    assert!(share(&binary, 0.05).0 < 0.04 && share(&tied, 0.05).0 > 0.04);
}

#[test]
fn groups_that_are_ignored_make_them_too_small() {
    let groups = |stream: &mut Pcg64Mcg| -> Vec<Vec<f64>> {
        let group = |_| {
            let (shared, size) = (normal(stream), 2 + interval::below(stream, 6));
            (0..size).map(|_| shared + normal(stream)).collect()
        };
        (0..30).map(group).collect()
    };
    let together = p_values(1_000, |stream| {
        let unit = |group: &Vec<f64>| Unit {
            n: group.len() as u64,
            before: 0.0,
            after: group.iter().sum(),
        };
        groups(stream).iter().map(unit).collect()
    });
    let apart = p_values(1_000, |stream| {
        let all = groups(stream).concat();
        all.into_iter().map(|after| Unit { n: 1, before: 0.0, after }).collect()
    });
    let (right, error) = share(&together, 0.05);
    assert!((right - 0.05).abs() < 4.0 * error, "{right}");
    assert!(share(&apart, 0.05).0 > 0.15);
}

#[test]
fn power_is_what_is_computed() {
    // Differences have a standard deviation of sqrt(2).
    let stddev = 2.0_f64.sqrt();
    let power = |n: u32, effect: f64| {
        let evaluation =
            |stream: &mut Pcg64Mcg| units(n, || (normal(stream), normal(stream) + effect));
        share(&p_values(1_000, evaluation), 0.05).0
    };
    let effect = detectable(stddev, 100, 0.05, 0.8).unwrap();
    let found = power(100, effect);
    // Four standard errors of a share of 0.8 in 1,000, and what the normal approximation leaves.
    assert!((found - 0.8).abs() < 0.051 + 0.01, "{found}");
    let n = needed(0.6, stddev, 0.05, 0.9).unwrap();
    let found = power(u32::try_from(n).unwrap(), 0.6);
    assert!((found - 0.9).abs() < 0.038 + 0.01, "{n}: {found}");
}
