//! The paired randomisation test, against a loop in numpy, scipy and ranx.
//!
//! Each side reads the scores first and counts the CPU time of the test alone, in a process of its
//! own.

use std::{fs, process::Command};

use anyhow::{Context, Result};
use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use super::{Bench, rounds};
use crate::{python, shell};

/// The packages that are measured.
const PACKAGES: [&str; 3] = ["numpy==2.4.6", "ranx==0.3.21", "scipy==1.17.1"];

/// Pairs of scores.
const PAIRS: usize = 10_000;

/// Ways to give signs that each side draws, as our program does unless it is told.
const PERMUTATIONS: u32 = 10_000;

/// The other sides. They take minutes, so they run once.
const OTHERS: [&str; 3] = ["numpy", "scipy", "ranx"];

pub(super) fn run(bench: &Bench<'_>) -> Result<()> {
    let python = python::environment(bench.workspace, "tests-venv", &PACKAGES)?;
    let peers = bench.peers()?;
    let script = bench.workspace.root.join("peers").join("tests.py");
    shell::print(&format!("tests: {PAIRS} pairs of scores, {PERMUTATIONS} permutations"));
    for (name, scores) in [("continuous", scores(uniform)?), ("F1", scores(f1)?)] {
        let file = bench.folder.join(name);
        fs::write(&file, scores)?;
        let ours = (0..bench.args.repeats)
            .map(|_| seconds(Command::new(&peers).arg("tests").arg(&file)))
            .collect::<Result<Vec<_>>>()?;
        let cpu = rounds::median(ours.iter().map(|&(cpu, _)| cpu));
        let p = ours.first().map_or(1.0, |&(_, p)| p);
        shell::print(&format!("{name:<10} qeval  {cpu:>8.4} CPU s          p = {p:.4}"));
        for other in OTHERS {
            let mut command = Command::new(&python);
            command.arg(&script).arg(other).arg(&file).arg(PERMUTATIONS.to_string());
            let (theirs, p) = seconds(&mut command)?;
            let ratio = theirs / cpu;
            shell::print(&format!(
                "{name:<10} {other:<6} {theirs:>8.4} CPU s {ratio:>6.0} x  p = {p:.4}"
            ));
        }
    }
    shell::print("limits: 0.1 CPU s; 5 times faster than numpy, 35 times than scipy and ranx");
    Ok(())
}

/// Two lists of scores that differ a little.
fn scores(score: fn(&mut Pcg64Mcg) -> f64) -> Result<String> {
    let mut stream = Pcg64Mcg::seed_from_u64(7);
    let mut before = Vec::with_capacity(PAIRS);
    let mut after = Vec::with_capacity(PAIRS);
    for _ in 0..PAIRS {
        let (first, second) = (score(&mut stream), score(&mut stream));
        before.push(first);
        // The second system is a little better.
        after.push(if uniform(&mut stream) < 0.02 { first.max(second) } else { second });
    }
    Ok(format!("{}\n{}\n", serde_json::to_string(&before)?, serde_json::to_string(&after)?))
}

/// As F1 of short answers: tokens that agree, of tokens there are.
fn f1(stream: &mut Pcg64Mcg) -> f64 {
    let mut below = |n: u64| stream.next_u64() % n;
    let (predicted, expected) = (1 + below(6), 1 + below(6));
    let common = below(predicted.min(expected) + 1);
    2.0 * common as f64 / (predicted + expected) as f64
}

pub(super) fn uniform(stream: &mut Pcg64Mcg) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The two numbers that a side prints.
pub(super) fn seconds(command: &mut Command) -> Result<(f64, f64)> {
    let printed = shell::output(command)?;
    let mut numbers = printed.split_whitespace().map(str::parse::<f64>);
    let mut next = || numbers.next().context("a number is missing")?.context("not a number");
    Ok((next()?, next()?))
}
