//! EM by plugins on a million rows, against the built-in EM.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, ensure};

use super::{
    Bench, generator, qa,
    rounds::{self, Side},
};
use crate::{python, shell};

/// A plugin that gives the metric `em`, and the same metric of Python.
pub(super) fn overhead(bench: &Bench<'_>) -> Result<()> {
    // With the packages that are built already, so that what all of them use is the same.
    let build = ["build", "--release", "--locked"];
    let packages = ["-p", "qeval-cli", "-p", "xtask", "-p", "exact-match-plugin"];
    shell::run(bench.workspace.cargo(&build).args(packages))?;
    let release = bench.workspace.target.join("release");
    let (library, program) =
        (release.join("exact_match_plugin"), release.join("exact-match-program"));
    ensure!(program.is_file(), "`{}` was not built", program.display());
    let rows = bench.args.rows;
    let input = bench.file("qa.jsonl", |out| generator::lines(rows, false, out))?;
    let side = |name: &str, metric: &str, plugin: Option<(&Path, &str)>| {
        Ok(Side::new(name, run(bench, &input, name, metric, plugin)?).with_threads(1))
    };
    let script = bench.workspace.root.join("xtask").join("src").join("bench").join("trivial.py");
    let python = format!(
        "interpreter = ['{}']\nenvironment = [\"PYTHONPATH\"]",
        python::interpreter(bench.workspace)?.display()
    );
    let mut sides: Vec<Side> = [
        side("built in", "EM", None),
        side("library, in-process", "p.em", Some((&library, "isolation = \"in-process\""))),
        side("library, isolated", "p.em", Some((&library, ""))),
        side("program in Rust", "p.em", Some((&program, ""))),
        side("program in Python", "p.length", Some((&script, &python))),
    ]
    .into_iter()
    .collect::<Result<_>>()?;
    rounds::measure(bench, &mut sides)?;
    let size = fs::metadata(&input)?.len() as f64 / 1e6;
    let title = format!("plugin: EM of plugins on {rows} rows, {size:.1} MB of JSON lines");
    shell::print(&rounds::table(&title, &sides));
    let wall = |side: usize| rounds::median_of(&sides[side], |cost| cost.wall);
    let python = rows as f64 / (wall(4) - wall(0));
    shell::print(&format!(
        "limits: in-process 1.20, isolated 1.60, a program in Rust 2.00; the trivial metric in \
         Python takes {python:.0} rows a second beside the evaluation (limit 100000)"
    ));
    Ok(())
}

/// The program with one metric and all tables.
fn run(
    bench: &Bench<'_>,
    input: &Path,
    name: &str,
    metric: &str,
    plugin: Option<(&Path, &str)>,
) -> Result<Command> {
    let plugin = plugin.map_or_else(String::new, |(path, keys)| {
        format!("\n[[plugin]]\nname = \"p\"\npath = '{}'\n{keys}\n", path.display())
    });
    let text = qa::config(input, &format!("\"{metric}\"")) + &plugin;
    let path: PathBuf = bench.folder.join(format!("{}.toml", name.replace([' ', ','], "-")));
    fs::write(&path, text)?;
    let mut qeval = Command::new(bench.workspace.qeval("release"));
    qeval.arg("run").arg(path).arg("--fresh");
    qeval.env("PYTHONPATH", bench.workspace.root.join("python").join("qeval_plugin"));
    Ok(qeval)
}
