//! Bootstrap intervals of means: their speed, against a loop in numpy and scipy, and how often they
//! hold the truth.
//!
//! Each side reads the scores first and counts the CPU time of the interval alone, in a process of its
//! own.

use std::{fs, process::Command};

use anyhow::Result;
use rand_core::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

use super::{
    Bench, rounds,
    tests::{seconds, uniform},
};
use crate::{python, shell};

/// The packages that are measured.
const PACKAGES: [&str; 3] = ["numpy==2.4.6", "ranx==0.3.21", "scipy==1.17.1"];

/// Scores and resamples.
const SIZES: [(usize, u32); 2] = [(10_000, 10_000), (1_000_000, 200)];

/// The other sides.
const OTHERS: [&str; 2] = ["numpy", "scipy"];

pub(super) fn run(bench: &Bench<'_>) -> Result<()> {
    let python = python::environment(bench.workspace, "tests-venv", &PACKAGES)?;
    let peers = bench.peers()?;
    let script = bench.workspace.root.join("peers").join("intervals.py");
    for (size, resamples) in SIZES {
        let mut stream = Pcg64Mcg::seed_from_u64(7);
        let scores: Vec<f64> = (0..size).map(|_| uniform(&mut stream)).collect();
        let file = bench.folder.join(format!("{size}.json"));
        fs::write(&file, serde_json::to_string(&scores)?)?;
        shell::print(&format!("intervals: {size} scores, {resamples} resamples"));
        let mut command = Command::new(&peers);
        command.arg("intervals").arg(&file).arg(resamples.to_string());
        let ours =
            (0..bench.args.repeats).map(|_| seconds(&mut command)).collect::<Result<Vec<_>>>()?;
        let cpu = rounds::median(ours.iter().map(|&(cpu, _)| cpu));
        let width = ours.first().map_or(0.0, |&(_, width)| width);
        let draw = cpu / (size as f64 * f64::from(resamples)) * 1e9;
        shell::print(&format!("qeval  {cpu:>8.4} CPU s, {draw:.2} ns a draw    width {width:.5}"));
        for other in OTHERS {
            let mut command = Command::new(&python);
            command.arg(&script).arg(other).arg(&file).arg(resamples.to_string());
            let (theirs, width) = seconds(&mut command)?;
            let ratio = theirs / cpu;
            shell::print(&format!(
                "{other:<6} {theirs:>8.4} CPU s {ratio:>6.1} x  width {width:.5}"
            ));
        }
    }
    shell::print("limits: 0.12 and 0.4 CPU s; 5 times faster than numpy");
    Ok(())
}

/// Takes minutes.
pub(super) fn coverage(bench: &Bench<'_>) -> Result<()> {
    shell::run(Command::new(bench.peers()?).arg("coverage"))
}
