//! Our paired randomisation test. What it is measured against is `tests.py` beside.

use std::fs;

use qeval_core::stats::{PERMUTATIONS, Unit, sign_flip};

use crate::{Error, cpu};

/// Tests two lists of scores, a JSON list a line; prints the CPU seconds and the p-value.
pub(crate) fn run(file: &str) -> Result<(), Error> {
    let text = fs::read_to_string(file)?;
    let mut lists = text.lines().map(serde_json::from_str::<Vec<f64>>);
    let mut next = || lists.next().ok_or("a list is missing");
    let pairs = next()??.into_iter().zip(next()??);
    let units: Vec<Unit> = pairs.map(|(before, after)| Unit { n: 1, before, after }).collect();
    let start = cpu()?;
    let test = sign_flip(&units, 7, PERMUTATIONS).ok_or("there are no scores")?;
    println!("{} {}", cpu()? - start, test.p);
    Ok(())
}
