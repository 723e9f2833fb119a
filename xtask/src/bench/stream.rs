//! EM and F1 on more rows than memory should hold, with ids in no order: answers in the dataset, and
//! answers in a file of their own.

use std::{fs, path::Path, process::Command};

use anyhow::Result;

use super::{
    Bench,
    generator::{self, Part},
    qa,
    rounds::{self, Side},
};
use crate::shell;

/// Rows for which the limits are written.
const ROWS: f64 = 1e7;

/// CPU seconds with answers in the dataset, and with a file of them.
const SECONDS: [f64; 2] = [20.0, 40.0];

/// Peak of the resident memory in MB, however many rows there are.
const PEAK: f64 = 400.0;

/// Wall time of two threads beside one.
const SPEED_UP: f64 = 0.6;

pub(super) fn run(bench: &Bench<'_>) -> Result<()> {
    let rows = bench.args.rows;
    let inline = bench.file("inline.jsonl", |out| generator::scattered(rows, Part::Both, out))?;
    let asked = bench.file("asked.jsonl", |out| generator::scattered(rows, Part::Answers, out))?;
    let given =
        bench.file("given.jsonl", |out| generator::scattered(rows, Part::Predictions, out))?;
    let inline = || evaluation(bench, "inline", qa::config(&inline, "\"EM\", \"F1\""));
    let joined = || evaluation(bench, "joined", joined_config(&asked, &given));
    let mut sides = [
        Side::new("inline", inline()?).with_threads(1),
        Side::new("inline, 2 threads", inline()?).with_threads(2),
        Side::new("joined", joined()?).with_threads(1),
        Side::new("joined, 2 threads", joined()?).with_threads(2),
    ];
    rounds::measure(bench, &mut sides)?;
    let title = format!("stream: EM and F1 on {rows} rows in no order, with Parquet");
    shell::print(&rounds::table(&title, &sides));
    for ([one, two], seconds) in
        [[&sides[0], &sides[1]], [&sides[2], &sides[3]]].iter().zip(SECONDS)
    {
        shell::print(&format!(
            "limits: {:.1} CPU s, it is {:.1}; {PEAK} MB, it is {:.0} and {:.0}; wall time of two \
             threads {SPEED_UP} of one, it is {:.2}",
            seconds * rows as f64 / ROWS,
            rounds::median_of(one, |cost| cost.cpu),
            rounds::median_of(one, |cost| cost.peak as f64) / 1e6,
            rounds::median_of(two, |cost| cost.peak as f64) / 1e6,
            rounds::ratio(two, one, |cost| cost.wall),
        ));
    }
    Ok(())
}

/// The program with its tables. Each time it evaluates anew.
fn evaluation(bench: &Bench<'_>, name: &str, config: String) -> Result<Command> {
    let path = bench.folder.join(name).with_extension("toml");
    fs::write(&path, config)?;
    let mut qeval = Command::new(bench.workspace.qeval("release"));
    qeval.arg("run").arg(path).arg("--fresh");
    Ok(qeval)
}

/// A file that evaluates the answers of another file.
fn joined_config(asked: &Path, given: &Path) -> String {
    format!(
        "version = 1\n\n\
         [evaluation]\nlabel = \"joined\"\nresults = \"results\"\n\n\
         [dataset]\nformat = \"jsonl\"\npath = '{}'\nfields = {{ references = \"answers\" }}\n\n\
         [reader]\ntype = \"replay\"\npath = '{}'\n\n\
         [metrics]\nanswer = [\"EM\", \"F1\"]\n",
        asked.display(),
        given.display()
    )
}
