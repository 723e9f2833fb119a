//! Intervals of means: ours are those of scipy, but for the lot.
//!
//! `golden/statistics/intervals.py` made the file, and lies beside it.

use std::{fs, path::Path};

use qeval_core::{
    Estimator,
    stats::{Column, IntervalMethod, Intervals, estimate},
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    /// Examples of each group; empty where the sums are single examples.
    sizes: Vec<f64>,
    sums: Vec<f64>,
    percentile: [f64; 2],
    bca: [f64; 2],
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/statistics");
    let text = fs::read_to_string(folder.join("intervals-means.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn percentiles_and_bca_are_scipys() {
    const RESAMPLES: u32 = 10_000;
    let mut looked_at = 0;
    for case in cases() {
        let groups: Vec<String> = (0..case.sums.len()).map(|group| format!("g{group}")).collect();
        let mut examples: Vec<(Option<f64>, Option<&str>)> = Vec::new();
        for (index, &sum) in case.sums.iter().enumerate() {
            match case.sizes.get(index) {
                None => examples.push((Some(sum), None)),
                Some(&size) => {
                    let score = |example: i32| f64::from(u8::from(f64::from(example) < sum));
                    let scores = (0..).take_while(|&example| f64::from(example) < size).map(score);
                    examples
                        .extend(scores.map(|score| (Some(score), Some(groups[index].as_str()))));
                }
            }
        }
        for (method, expected) in
            [(IntervalMethod::Percentile, case.percentile), (IntervalMethod::Bca, case.bca)]
        {
            let column = Column {
                name: "score",
                estimator: Estimator::Mean,
                range: (0.0, f64::INFINITY),
                higher_is_better: true,
                intervals: Intervals { method, resamples: RESAMPLES, seed: 7 },
            };
            let found = estimate(column, examples.iter().copied());
            let interval = found.interval.unwrap();
            assert_eq!(interval.resamples, Some(RESAMPLES), "{}", case.name);
            // A percentile of so many resamples lies within 0.06 standard errors of its place, in
            // skewed tails within 0.1. Between the few means that tied
            // scores can have there are steps.
            let error = (expected[1] - expected[0]) / (2.0 * 1.96);
            let step = case.sizes.is_empty().then_some(0.1 / case.sums.len() as f64);
            let allowed = 0.12 * error + step.unwrap_or(0.0).min(0.05 * error);
            for (found, expected) in [interval.low, interval.high].into_iter().zip(expected) {
                let name = (&case.name, method);
                assert!(
                    (found - expected).abs() <= allowed,
                    "{name:?}: {found}, scipy {expected}, error {error}"
                );
                looked_at += 1;
            }
        }
    }
    assert_eq!(looked_at, 11 * 2 * 2);
}
