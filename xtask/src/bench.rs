//! `cargo xtask bench`: how fast the product is, against a baseline in the same run.
//!
//! Seconds of one machine say little on another one, and wall time moves with whatever else runs.
//! So every bench gives CPU seconds (user and system, of the process and its children), and their
//! ratio to a baseline that is measured in turns with it. Each says which ratios are the limits.

mod generator;
mod intervals;
pub(crate) mod measure;
mod overlap;
pub(crate) mod parse;
mod plugin;
mod qa;
mod rounds;
mod run;
mod search;
mod small;
mod squad;
mod stream;
mod tests;

use std::{
    fs::File,
    io::{self, BufWriter},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{shell, workspace::Workspace};

/// Measure CPU time and memory of release builds against a baseline
///
/// Each bench runs the program and its baselines in turns and prints the CPU seconds (user and
/// system), their ratio to the first baseline, the seconds that passed, and the peak of the
/// resident memory.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The benches; without any, `qa`.
    #[arg(value_enum)]
    names: Vec<Name>,
    /// How many rows of questions and answers to generate; a hundredth of them are pairs of long
    /// texts.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u64,
    /// How often each side runs.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
}

/// A bench.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Name {
    /// EM and F1 on JSON lines, against the bare parse of the same file.
    Qa,
    /// EM and F1 on the same answers with letters outside ASCII in most words.
    Accents,
    /// EM and F1 on SQuAD's JSON, against the bare parse of both files.
    Squad,
    /// ROUGE on long texts, against the crate `rougers` and the package `rouge_score`.
    Rouge,
    /// BLEU on long texts, against the package sacrebleu.
    Bleu,
    /// Four measures on a TREC run of ten lines for each row, against the package
    /// `pytrec_eval-terrier`.
    Run,
    /// An index of a passage for every five rows and its search, against a bare loop over tantivy.
    Search,
    /// EM of plugins on JSON lines, against the built-in EM.
    Plugin,
    /// EM and F1 on rows whose ids are in no order, with answers inline and in a file of their own;
    /// the limits are for `--rows 10000000`.
    Stream,
    /// What every user waits for: the start of the program, a thousand questions, a report, and the
    /// writing of rows; against the bare parse of all rows.
    Small,
    /// The paired randomisation test, against a loop in numpy, scipy and ranx.
    Tests,
    /// Bootstrap intervals of few and of many scores, against a loop in numpy and scipy.
    Intervals,
    /// How often intervals hold the truth, on evaluations made by lot: a share, not a speed.
    Coverage,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let build = ["build", "--release", "--locked", "-p", "qeval-cli", "-p", "xtask"];
    shell::run(&mut workspace.cargo(&build))?;
    if cfg!(debug_assertions) {
        // Files of ten million rows take minutes to write without optimisation.
        let release = workspace.target.join("release").join("xtask");
        return shell::run(Command::new(release).args(std::env::args_os().skip(1)));
    }
    let names = if args.names.is_empty() { &[Name::Qa][..] } else { &args.names };
    for name in names {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let bench = Bench { workspace, args, folder: scratch.path() };
        match name {
            Name::Qa => qa::lines(&bench)?,
            Name::Accents => qa::accents(&bench)?,
            Name::Squad => squad::run(&bench)?,
            Name::Rouge => overlap::rouge(&bench)?,
            Name::Bleu => overlap::bleu(&bench)?,
            Name::Run => run::run(&bench)?,
            Name::Search => search::run(&bench)?,
            Name::Plugin => plugin::overhead(&bench)?,
            Name::Stream => stream::run(&bench)?,
            Name::Small => small::run(&bench)?,
            Name::Tests => tests::run(&bench)?,
            Name::Intervals => intervals::run(&bench)?,
            Name::Coverage => intervals::coverage(&bench)?,
        }
    }
    Ok(())
}

/// What every bench has.
struct Bench<'a> {
    workspace: &'a Workspace,
    args: &'a Args,
    /// Gone when the bench ends.
    folder: &'a Path,
}

impl Bench<'_> {
    /// The release build of this program.
    fn xtask(&self) -> PathBuf {
        self.workspace.target.join("release").join("xtask")
    }

    /// The program of the workspace `peers`, built.
    fn peers(&self) -> Result<PathBuf> {
        let manifest = self.workspace.root.join("peers").join("Cargo.toml");
        let target = self.workspace.target.join("peers");
        let mut build = self.workspace.cargo(&["build", "--release", "--manifest-path"]);
        shell::run(build.arg(&manifest).arg("--target-dir").arg(&target))?;
        Ok(target.join("release").join("peers"))
    }

    /// A file in the folder of the bench, filled by `write`.
    fn file(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<PathBuf> {
        shell::note(&format!("bench: writing {name}"));
        let path = self.folder.join(name);
        let file = File::create(&path).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            write(&mut out)
        });
        file.with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(path)
    }
}
