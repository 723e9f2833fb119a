//! Our bootstrap interval. What it is measured against is `intervals.py` beside.

use std::fs;

use qeval_core::{
    Estimator,
    stats::{Column, IntervalMethod, Intervals, estimate},
};

use crate::{Error, cpu};

/// The interval of a JSON list of scores from so many resamples; prints the CPU seconds and its width.
pub(crate) fn run(file: &str, resamples: &str) -> Result<(), Error> {
    let scores: Vec<f64> = serde_json::from_str(&fs::read_to_string(file)?)?;
    let column = Column {
        name: "score",
        estimator: Estimator::Mean,
        range: (0.0, 1.0),
        higher_is_better: true,
        intervals: Intervals {
            method: IntervalMethod::Percentile,
            resamples: resamples.parse()?,
            seed: 7,
        },
    };
    let start = cpu()?;
    let found = estimate(column, scores.into_iter().map(|score| (Some(score), None)));
    let seconds = cpu()? - start;
    let interval = found.interval.ok_or("there is no interval")?;
    println!("{seconds} {}", interval.high - interval.low);
    Ok(())
}
