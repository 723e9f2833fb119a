//! The bench `qa`: EM and F1 on a million rows, against the bare parse of the same file.

use std::{
    fs::{self, File},
    io::BufWriter,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use super::{
    Args, generator,
    measure::{self, Cost},
};
use crate::{shell, workspace::Workspace};

pub(super) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let input = match &args.input {
        Some(input) => {
            fs::canonicalize(input).with_context(|| format!("cannot read `{}`", input.display()))?
        }
        None => generate(scratch.path(), args.rows)?,
    };
    let config = config(scratch.path(), &input)?;
    let xtask = workspace.target.join("release").join("xtask");
    let report = scratch.path().join("cost.json");
    let mut qeval = Command::new(workspace.qeval("release"));
    // Every repetition evaluates anew.
    qeval.arg("run").arg(&config).arg("--fresh");
    let mut parse = Command::new(&xtask);
    parse.arg("parse").arg(&input);
    let (mut product, mut baseline) = (Vec::new(), Vec::new());
    for _ in 0..args.repeats {
        baseline.push(measure::cost(&xtask, &report, &parse)?);
        product.push(measure::cost(&xtask, &report, &qeval)?);
        fs::remove_dir_all(scratch.path().join("results"))?;
    }
    let bytes = fs::metadata(&input)?.len();
    shell::print(&table(bytes, &product, &baseline));
    Ok(())
}

fn generate(folder: &Path, rows: u64) -> Result<PathBuf> {
    shell::note(&format!("bench: writing {rows} rows"));
    let path = folder.join("qa.jsonl");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    generator::write(rows, &mut out)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(path)
}

fn config(folder: &Path, input: &Path) -> Result<PathBuf> {
    // A literal text of TOML takes any path without a quote in it.
    let text = format!(
        "version = 1\n\n\
         [evaluation]\nlabel = \"bench\"\nresults = \"results\"\n\n\
         [dataset]\nformat = \"jsonl\"\npath = '{}'\n\
         fields = {{ references = \"answers\", prediction = \"prediction\" }}\n\n\
         [reader]\ntype = \"replay\"\n\n\
         [metrics]\nanswer = [\"EM\", \"F1\"]\n",
        input.display()
    );
    let path = folder.join("qa.toml");
    fs::write(&path, text)?;
    Ok(path)
}

/// One line for each repetition, and the medians.
fn table(bytes: u64, product: &[Cost], baseline: &[Cost]) -> String {
    let mut lines = vec![
        format!("qa: EM and F1 on {:.1} MB of JSONL", bytes as f64 / 1e6),
        "        qeval CPU s   parse CPU s   ratio   qeval peak MB   parse peak MB".to_owned(),
    ];
    let mut line = |name: &str, product: &Cost, baseline: &Cost, ratio: f64| {
        lines.push(format!(
            "{name:<7} {:>11.3} {:>13.3} {ratio:>7.2} {:>15.1} {:>15.1}",
            product.cpu,
            baseline.cpu,
            product.peak as f64 / 1e6,
            baseline.peak as f64 / 1e6,
        ));
    };
    let pairs = || product.iter().zip(baseline);
    for (index, (product, baseline)) in pairs().enumerate() {
        line(&(index + 1).to_string(), product, baseline, product.cpu / baseline.cpu);
    }
    let ratio = median(pairs().map(|(product, baseline)| product.cpu / baseline.cpu));
    line("median", &middle(product), &middle(baseline), ratio);
    lines.join("\n")
}

fn middle(costs: &[Cost]) -> Cost {
    let mut peaks: Vec<u64> = costs.iter().map(|cost| cost.peak).collect();
    peaks.sort_unstable();
    Cost { cpu: median(costs.iter().map(|cost| cost.cpu)), peak: peaks[peaks.len() / 2] }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_every_pair_and_the_medians() {
        let cost = |cpu, peak| Cost { cpu, peak };
        let product = [cost(2.0, 30_000_000), cost(1.0, 10_000_000), cost(3.0, 20_000_000)];
        let baseline = [cost(0.5, 5_000_000); 3];
        let table = table(150_000_000, &product, &baseline);
        assert_eq!(
            table.lines().last().unwrap(),
            "median        2.000         0.500    4.00            20.0             5.0"
        );
        assert_eq!(table.lines().count(), 6);
    }
}
