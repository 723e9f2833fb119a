//! EM and F1 on SQuAD's JSON, with predictions by id.

use std::{fs, process::Command};

use anyhow::Result;

use super::{
    Bench, generator,
    rounds::{self, Side},
};
use crate::shell;

pub(super) fn run(bench: &Bench<'_>) -> Result<()> {
    let rows = bench.args.rows;
    let dataset = bench.file("dataset.json", |out| generator::squad(rows, out))?;
    let predictions = bench.file("predictions.json", |out| generator::predictions(rows, out))?;
    let mut parse = Command::new(bench.xtask());
    parse.args(["parse", "--squad"]).arg(&predictions).arg(&dataset);
    let qeval = |args: &[&str]| {
        let mut qeval = Command::new(bench.workspace.qeval("release"));
        qeval.arg("score").args(args).arg("--dataset").arg(&dataset);
        qeval.arg("--predictions").arg(&predictions);
        qeval
    };
    let mut sides = [
        Side::new("parse", parse),
        Side::new("official script", qeval(&["--official", "squad1"])).with_threads(1),
        Side::new("scores", qeval(&["-m", "EM", "-m", "F1"])).with_threads(1),
    ];
    rounds::measure(bench, &mut sides)?;
    let sizes = [&dataset, &predictions].map(fs::metadata);
    let [dataset, predictions] = sizes.map(|file| file.map_or(0.0, |file| file.len() as f64 / 1e6));
    let title = format!(
        "squad: EM and F1 on {rows} rows, {dataset:.1} MB of SQuAD's JSON and {predictions:.1} MB \
         of predictions"
    );
    shell::print(&rounds::table(&title, &sides));
    shell::print("limit: 3.00 for one of the two");
    Ok(())
}
