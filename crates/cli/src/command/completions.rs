//! `qeval completions`: the completions of a shell.

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Args, Completions};

pub(crate) fn run(args: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "qeval", &mut script);
    super::print(&String::from_utf8_lossy(&script))
}
