//! ROUGE and BLEU on pairs of long texts, against the programs that people use for them.
//!
//! These read all texts first and count the CPU time of scoring alone, in a process each: starting
//! Python takes as long as scoring a thousand pairs. The Rust side is the workspace `peers`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use super::{Bench, generator, rounds};
use crate::{python, shell};

/// The packages that are measured, and what they need.
const PACKAGES: [&str; 2] = ["rouge-score==0.1.2", "sacrebleu==2.6.0"];

/// Pairs that the slow packages score: a twentieth of all.
const SHARE: u64 = 20;

pub(super) fn rouge(bench: &Bench<'_>) -> Result<()> {
    let peers = Peers::new(bench)?;
    let rows = peers.pairs;
    shell::print(&format!("rouge: ROUGE-1, ROUGE-2 and ROUGE-L on {rows} pairs of long texts"));
    for (name, stem) in [("plain", false), ("stemmed", true)] {
        let what = if stem { "rouge-stemmed" } else { "rouge" };
        let mut times = Times::default();
        for _ in 0..bench.args.repeats {
            let (ours, rougers) = peers.rust(what)?;
            times.add(ours, &[("rougers", rougers), ("rouge_score", peers.python(what)?)]);
        }
        shell::print(&times.line(name));
    }
    shell::print(
        "limits: plain at most 1.10 of rougers and at least 200 times rouge_score, stemmed at \
         least 1.9 times rougers",
    );
    Ok(())
}

pub(super) fn bleu(bench: &Bench<'_>) -> Result<()> {
    let peers = Peers::new(bench)?;
    shell::print(&format!("bleu: BLEU on {} pairs of long texts", peers.pairs));
    let mut times = Times::default();
    for _ in 0..bench.args.repeats {
        let (ours, _) = peers.rust("bleu")?;
        times.add(ours, &[("sacrebleu", peers.python("bleu")?)]);
    }
    shell::print(&times.line("plain"));
    shell::print("limit: at least 90 times sacrebleu");
    Ok(())
}

/// The other programs, and what they score.
struct Peers {
    pairs: u64,
    file: PathBuf,
    rust: PathBuf,
    python: PathBuf,
    script: PathBuf,
}

impl Peers {
    fn new(bench: &Bench<'_>) -> Result<Self> {
        let pairs = (bench.args.rows / 100).max(SHARE);
        let root = &bench.workspace.root;
        Ok(Self {
            pairs,
            file: bench.file("pairs.jsonl", |out| generator::pairs(pairs, out))?,
            rust: bench.peers()?,
            python: python::environment(bench.workspace, "peers-venv", &PACKAGES)?,
            script: root.join("peers").join("scores.py"),
        })
    }

    /// CPU seconds for a pair: ours, and those of the crate.
    fn rust(&self, what: &str) -> Result<(f64, f64)> {
        let printed = shell::output(Command::new(&self.rust).arg(what).arg(&self.file))?;
        let mut seconds = printed.split_whitespace().map(str::parse::<f64>);
        let mut next = || seconds.next().context("a number is missing")?.context("not a number");
        Ok((next()? / self.pairs as f64, next()? / self.pairs as f64))
    }

    /// CPU seconds for a pair, of the package.
    fn python(&self, what: &str) -> Result<f64> {
        let few = self.few()?;
        let printed =
            shell::output(Command::new(&self.python).arg(&self.script).arg(what).arg(few))?;
        let seconds: f64 = printed.trim().parse().context("not a number")?;
        Ok(seconds / (self.pairs / SHARE) as f64)
    }

    /// A file with the first of the pairs.
    fn few(&self) -> Result<PathBuf> {
        let path = self.file.with_file_name("few.jsonl");
        if !path.is_file() {
            copy_lines(&self.file, &path, self.pairs / SHARE)?;
        }
        Ok(path)
    }
}

fn copy_lines(from: &Path, to: &Path, lines: u64) -> Result<()> {
    let text = fs::read_to_string(from)?;
    let wanted = text.split_inclusive('\n').zip(0..lines).map(|(line, _)| line);
    Ok(fs::write(to, wanted.collect::<String>())?)
}

/// CPU seconds for a pair, by round, and how many times as long others take.
#[derive(Default)]
struct Times {
    ours: Vec<f64>,
    ratios: BTreeMap<&'static str, Vec<f64>>,
}

impl Times {
    fn add(&mut self, ours: f64, others: &[(&'static str, f64)]) {
        self.ours.push(ours);
        for (name, seconds) in others {
            self.ratios.entry(name).or_default().push(seconds / ours);
        }
    }

    fn line(&self, name: &str) -> String {
        let ratios = self.ratios.iter().map(|(other, ratios)| {
            format!("{other} takes {:.2} times as long", rounds::median(ratios.iter().copied()))
        });
        let ratios: Vec<String> = ratios.collect();
        let ours = rounds::median(self.ours.iter().copied()) * 1e6;
        format!("{name:<8} {ours:>6.1} µs a pair; {}", ratios.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_rounds() {
        let mut times = Times::default();
        times.add(1e-6, &[("rougers", 2e-6), ("rouge_score", 100e-6)]);
        times.add(2e-6, &[("rougers", 2e-6), ("rouge_score", 200e-6)]);
        times.add(1e-6, &[("rougers", 1.5e-6), ("rouge_score", 300e-6)]);
        assert_eq!(
            times.line("plain"),
            "plain       1.0 µs a pair; rouge_score takes 100.00 times as long, rougers takes 1.50 \
             times as long"
        );
    }

    #[test]
    fn the_first_lines_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&from, "1\n2\n3\n").unwrap();
        copy_lines(&from, &to, 2).unwrap();
        assert_eq!(fs::read_to_string(to).unwrap(), "1\n2\n");
    }
}
