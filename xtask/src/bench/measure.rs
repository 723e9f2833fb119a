//! What one command costs: `xtask measure REPORT -- COMMAND`, a hidden verb.
//!
//! The system counts CPU time and memory for all finished children of a process together. This
//! process has one child, so the counts are that child's (and its children's), exactly. It must be a small process of its own, because the peak of a child's memory
//! begins with that of its parent.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeVal,
};
use serde::{Deserialize, Serialize};

use crate::shell;

/// Run one command and write down what it cost.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the cost is written, as JSON.
    report: PathBuf,
    /// The command.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// What a command cost.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Cost {
    /// User and system time of all its threads and children, in seconds.
    pub(crate) cpu: f64,
    /// Seconds that passed.
    pub(crate) wall: f64,
    /// Peak of the resident memory, in bytes.
    pub(crate) peak: u64,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (program, rest) = args.command.split_first().context("there is no command")?;
    let start = Instant::now();
    let status = Command::new(program)
        .args(rest)
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{}`", program.display()))?;
    let wall = start.elapsed().as_secs_f64();
    ensure!(status.success(), "`{}` failed ({status})", program.display());
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("the system gives no usage")?;
    // Linux counts in units of 1024 bytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = u64::try_from(usage.max_rss()).unwrap_or_default() * unit;
    let cpu = seconds(usage.user_time()) + seconds(usage.system_time());
    let cost = Cost { cpu, wall, peak };
    fs::write(&args.report, serde_json::to_string(&cost)?)
        .with_context(|| format!("cannot write `{}`", args.report.display()))
}

/// The cost of a command, measured by the release build of this program.
pub(super) fn cost(xtask: &Path, report: &Path, command: &Command) -> Result<Cost> {
    let mut measured = Command::new(xtask);
    measured.arg("measure").arg(report).arg("--");
    measured.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        measured.env(name, value.unwrap_or_default());
    }
    shell::run(&mut measured)?;
    let text = fs::read_to_string(report)
        .with_context(|| format!("cannot read `{}`", report.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_works_costs_something() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("cost.json");
        let loop_ = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        let command = ["sh", "-c", loop_].map(OsString::from).to_vec();
        run(&Args { report: report.clone(), command }).unwrap();
        let cost: Cost = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
        assert!(cost.cpu > 0.0 && cost.peak > 100_000, "{cost:?}");
    }

    #[test]
    fn a_command_that_fails_has_no_cost() {
        let command = vec![OsString::from("false")];
        let error = run(&Args { report: "unused".into(), command }).unwrap_err();
        assert!(error.to_string().starts_with("`false` failed"), "{error}");
    }
}
