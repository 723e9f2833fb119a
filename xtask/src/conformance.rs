//! `cargo xtask conformance`: our numbers on public data against those of the field's own scripts.

mod check;
mod cranfield;
mod datasets;
mod deep_learning;
mod formats;
mod kilt;
mod open_qa;
mod qeval;
mod squad;
mod subjqa;
mod trec_eval;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::{python, shell, workspace::Workspace};
use check::Check;

/// Compare our numbers on public data with those of the field's own scripts
///
/// The data is too large for the repository, or its licence keeps it out. It is looked for in the
/// folder `QEVAL_SHARED`; without that folder nothing is checked, which is said aloud.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Folder with `data` and `reference`. [default: `QEVAL_SHARED`, else ../shared]
    #[arg(long)]
    shared: Option<PathBuf>,
    /// Run these checks alone.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(CHECKS.map(|(name, _)| name)))]
    checks: Vec<String>,
}

type Run = fn(&Setting, &mut Check) -> Result<()>;

const CHECKS: [(&str, Run); 10] = [
    ("squad-v1.1", squad::version_1),
    ("squad-v2.0", squad::version_2),
    ("trec_eval", trec_eval::run),
    ("formats", formats::run),
    ("trec-dl-2019", deep_learning::run),
    ("cranfield", cranfield::run),
    ("open-qa", open_qa::run),
    ("subjqa", subjqa::run),
    ("datasets", datasets::run),
    ("kilt", kilt::run),
];

/// What the checks have at hand.
struct Setting {
    /// Folder of the public data.
    shared: PathBuf,
    /// Our program.
    qeval: PathBuf,
    /// A Python with pyarrow and bm25s.
    python: PathBuf,
    /// The root of the workspace.
    root: PathBuf,
    /// A folder that goes away.
    scratch: TempDir,
}

impl Setting {
    /// A new folder for one evaluation.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.scratch.path().join(name);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(folder)
    }
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let shared = shared(args, &workspace.root);
    if !shared.is_dir() {
        let folder = shared.display();
        shell::print(&format!("conformance: SKIPPED, there is no folder `{folder}`"));
        return Ok(());
    }
    shell::run(&mut workspace.cargo(&["build", "--workspace", "--locked"]))?;
    let setting = Setting {
        shared,
        qeval: workspace.qeval("debug"),
        python: python::interpreter(workspace)?,
        root: workspace.root.clone(),
        scratch: tempfile::tempdir().context("cannot make a temporary folder")?,
    };
    let mut differences = 0;
    for (name, run) in CHECKS {
        if !args.checks.is_empty() && !args.checks.iter().any(|check| check == name) {
            continue;
        }
        let mut check = Check::new();
        run(&setting, &mut check).with_context(|| format!("conformance: {name}"))?;
        shell::print(&check.report(name));
        differences += check.differences.len();
    }
    match differences {
        0 => Ok(()),
        count => bail!("conformance: {count} differences"),
    }
}

/// The folder that is named, else the one beside the workspace.
fn shared(args: &Args, root: &Path) -> PathBuf {
    let named = args.shared.clone().or_else(|| std::env::var_os("QEVAL_SHARED").map(PathBuf::from));
    root.join(named.unwrap_or_else(|| "../shared".into()))
}
