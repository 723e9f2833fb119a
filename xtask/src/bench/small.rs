//! What every user waits for: the start of the program, a thousand questions, a report, and the writing of
//! rows.

use std::process::Command;

use anyhow::Result;

use super::{
    Bench, generator, qa,
    rounds::{self, Side},
};
use crate::shell;

/// Questions that the small dataset has.
const FEW: u64 = 1000;

/// CPU seconds, and the milliseconds that pass, for a report and for the writing of a million rows.
const LIMITS: &str = "limits: 0.010 s for the version and 0.030 s for a thousand questions, in seconds that \
                      pass; for a million rows 0.1 s for a report, 0.25 CPU s for writing";

pub(super) fn run(bench: &Bench<'_>) -> Result<()> {
    let rows = bench.args.rows;
    // With the packages that are built already, so that what all of them use is the same.
    let build = ["build", "--release", "--locked", "--bins", "--example", "write_rows"];
    let packages = ["-p", "qeval-cli", "-p", "xtask", "-p", "qeval-store"];
    shell::run(bench.workspace.cargo(&build).args(packages))?;
    let release = bench.workspace.target.join("release");
    let qeval = || Command::new(bench.workspace.qeval("release"));
    let many = bench.file("many.jsonl", |out| generator::lines(rows, false, out))?;
    let few = bench.file("few.jsonl", |out| generator::lines(FEW, false, out))?;

    let config = bench.folder.join("many.toml");
    std::fs::write(&config, qa::config(&many, "\"EM\", \"F1\""))?;
    shell::run(qeval().arg("run").arg(&config).args(["--format", "json"]).arg("--fresh"))?;

    let mut parse = Command::new(bench.xtask());
    parse.arg("parse").arg(&many);
    let mut version = qeval();
    version.arg("--version");
    let mut thousand = qeval();
    thousand.args(["score", "--dataset-format", "jsonl", "--dataset"]).arg(&few);
    thousand.args(["--field", "references=answers", "--field", "prediction=prediction"]);
    thousand.args(["-m", "EM", "-m", "F1"]);
    let mut report = qeval();
    report.args(["report", "bench", "--results"]).arg(bench.folder.join("results"));
    let mut write = Command::new(release.join("examples").join("write_rows"));
    write.arg(rows.to_string()).arg(bench.folder.join("written"));
    let sides = [
        ("parse", parse),
        ("--version", version),
        ("a thousand questions", thousand),
        ("report", report),
        ("write", write),
    ];
    let mut sides = sides.map(|(name, command)| Side::new(name, command).with_threads(1));
    rounds::measure(bench, &mut sides)?;
    shell::print(&rounds::table(&format!("small: of {rows} rows"), &sides));
    shell::print(LIMITS);
    Ok(())
}
