//! EM and F1 on a million rows of JSON lines.

use std::{fs, path::Path, process::Command};

use anyhow::Result;

use super::{
    Bench, generator,
    rounds::{self, Side},
};
use crate::shell;

/// The whole program, scores only and with Parquet, against the bare parse of the same file.
pub(super) fn lines(bench: &Bench<'_>) -> Result<()> {
    let rows = bench.args.rows;
    let input = bench.file("qa.jsonl", |out| generator::lines(rows, false, out))?;
    let mut parse = Command::new(bench.xtask());
    parse.arg("parse").arg(&input);
    let mut sides = [
        Side::new("parse", parse),
        Side::new("scores", score(bench, &input)).with_threads(1),
        Side::new("scores, 2 threads", score(bench, &input)).with_threads(2),
        Side::new("with Parquet", run(bench, &input)?).with_threads(1),
        Side::new("with Parquet, 2 threads", run(bench, &input)?).with_threads(2),
    ];
    rounds::measure(bench, &mut sides)?;
    let size = fs::metadata(&input)?.len() as f64 / 1e6;
    let title = format!("qa: EM and F1 on {rows} rows, {size:.1} MB of JSON lines");
    shell::print(&rounds::table(&title, &sides));
    let [_, scores, scores_2, parquet, parquet_2] = &sides;
    shell::print(&format!(
        "limits: scores 4.00, with Parquet 5.00; wall time of two threads 0.60 of one: it is {:.2}, \
         with Parquet {:.2}",
        rounds::ratio(scores_2, scores, |cost| cost.wall),
        rounds::ratio(parquet_2, parquet, |cost| cost.wall),
    ));
    Ok(())
}

/// The same answers in ASCII and with accents.
pub(super) fn accents(bench: &Bench<'_>) -> Result<()> {
    let rows = bench.args.rows;
    let plain = bench.file("plain.jsonl", |out| generator::lines(rows, false, out))?;
    let accents = bench.file("accents.jsonl", |out| generator::lines(rows, true, out))?;
    let mut sides = [
        Side::new("ASCII", score(bench, &plain)).with_threads(1),
        Side::new("accents", score(bench, &accents)).with_threads(1),
    ];
    rounds::measure(bench, &mut sides)?;
    let title = format!("accents: EM and F1 on {rows} rows, scores only");
    shell::print(&rounds::table(&title, &sides));
    shell::print("limit: 2.00");
    Ok(())
}

/// The program without results.
fn score(bench: &Bench<'_>, input: &Path) -> Command {
    let mut qeval = Command::new(bench.workspace.qeval("release"));
    qeval.args(["score", "--dataset-format", "jsonl", "--dataset"]).arg(input);
    qeval.args(["--field", "references=answers", "--field", "prediction=prediction"]);
    qeval.args(["-m", "EM", "-m", "F1"]);
    qeval
}

/// The program with its tables. Each time it evaluates anew.
fn run(bench: &Bench<'_>, input: &Path) -> Result<Command> {
    let text = config(input, "\"EM\", \"F1\"");
    let path = bench.folder.join("qa.toml");
    fs::write(&path, text)?;
    let mut qeval = Command::new(bench.workspace.qeval("release"));
    qeval.arg("run").arg(path).arg("--fresh");
    Ok(qeval)
}

/// A file that evaluates the answers in a dataset with these metrics and keeps the results.
pub(super) fn config(input: &Path, metrics: &str) -> String {
    // A literal text of TOML takes any path without a quote in it.
    format!(
        "version = 1\n\n\
         [evaluation]\nlabel = \"bench\"\nresults = \"results\"\n\n\
         [dataset]\nformat = \"jsonl\"\npath = '{}'\n\
         fields = {{ references = \"answers\", prediction = \"prediction\" }}\n\n\
         [reader]\ntype = \"replay\"\n\n\
         [metrics]\nanswer = [{metrics}]\n",
        input.display()
    )
}
