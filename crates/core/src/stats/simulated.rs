//! How often intervals hold the truth, on evaluations made by lot: a small version of the bench
//! `coverage`, whose numbers are in docs/statistics.md.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

use super::{Column, Intervals, estimate, resample::stream};
use crate::Estimator;

const EVALUATIONS: u32 = 400;

fn uniform(stream: &mut Pcg64Mcg) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The share of the intervals that hold the truth.
fn coverage(truth: f64, draw: impl Fn(&mut Pcg64Mcg) -> Vec<(f64, Option<usize>)>) -> f64 {
    let names: Vec<String> = (0..100).map(|group| format!("g{group}")).collect();
    let holds = |index: u32| {
        let examples = draw(&mut stream(41, index));
        let column = Column {
            name: "score",
            estimator: Estimator::Mean,
            range: (0.0, 1.0),
            higher_is_better: true,
            intervals: Intervals { resamples: 500, ..Intervals::auto(u64::from(index)) },
        };
        let named = |(score, group): (f64, Option<usize>)| {
            (Some(score), group.map(|group| names[group].as_str()))
        };
        let interval = estimate(column, examples.into_iter().map(named)).interval.unwrap();
        interval.low <= truth && truth <= interval.high
    };
    f64::from((0..EVALUATIONS).map(|index| u32::from(holds(index))).sum::<u32>())
        / f64::from(EVALUATIONS)
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let alone = |n: usize, score: fn(&mut Pcg64Mcg) -> f64| {
        move |stream: &mut Pcg64Mcg| (0..n).map(|_| (score(stream), None)).collect::<Vec<_>>()
    };
    let shares = coverage(0.3, alone(100, |s| f64::from(u8::from(uniform(s) < 0.3))));
    let f1 = coverage(
        0.55,
        alone(100, |s| match uniform(s) {
            u if u < 0.3 => 0.0,
            u if u < 0.7 => 1.0,
            _ => uniform(s),
        }),
    );
    let tied =
        coverage(0.3, alone(100, |s| [0.0, 0.0, 0.0, 0.5, 1.0][(s.next_u64() % 5) as usize]));
    let few = coverage(0.25, alone(20, |s| uniform(s).powi(3)));
    let groups = coverage(0.6, |s| {
        let mut examples = Vec::new();
        for group in 0..30 {
            let quality = 0.2 + 0.8 * uniform(s);
            let right = |s: &mut Pcg64Mcg| f64::from(u8::from(uniform(s) < quality));
            examples.extend((0..5).map(|_| (right(s), Some(group))));
        }
        examples
    });
    // 95 % with three standard errors of so few evaluations, or a little less.
    for (name, share) in
        [("0/1", shares), ("F1", f1), ("tied", tied), ("few", few), ("groups", groups)]
    {
        assert!((0.92..=0.985).contains(&share), "{name}: {share}");
    }
    // Examples of a group that are taken as independent make intervals too narrow.
    let ignored = coverage(0.6, |s| {
        let mut examples = Vec::new();
        for _ in 0..30 {
            let quality = if uniform(s) < 0.6 { 1.0 } else { 0.0 };
            examples.extend((0..5).map(|_| (quality, None)));
        }
        examples
    });
    assert!(ignored < 0.8, "{ignored}");
}
