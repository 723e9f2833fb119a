//! `cargo xtask ci`: all that continuous integration runs, in order.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::{codegen, conformance, shell, test, tidy, workspace::Workspace};

/// Run all that CI runs, in order, up to the first failure
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

type Step = (&'static str, fn(&Workspace) -> Result<()>);

const STEPS: [Step; 8] = [
    ("fetch", |workspace| shell::run(&mut workspace.cargo(&["fetch", "--locked"]))),
    ("format", |workspace| shell::run(&mut workspace.cargo(&["fmt", "--all", "--check"]))),
    ("clippy", |workspace| {
        let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
        shell::run(&mut workspace.cargo(&clippy))
    }),
    ("doc", |workspace| {
        let mut doc = workspace.cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
        shell::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    }),
    ("test", |workspace| test::run(workspace, &test::Args::default())),
    ("tidy", |workspace| tidy::run(workspace, &tidy::Args {})),
    ("codegen", |workspace| codegen::run(workspace, &codegen::Args { check: true })),
    ("conformance", |workspace| conformance::run(workspace, &conformance::Args::default())),
];

pub(crate) fn run(workspace: &Workspace, _args: &Args) -> Result<()> {
    let whole = Instant::now();
    for (name, step) in STEPS {
        shell::note(&format!("ci: {name}"));
        let start = Instant::now();
        step(workspace).with_context(|| format!("ci: {name} failed"))?;
        shell::note(&format!("ci: {name} passed in {:.1} s", start.elapsed().as_secs_f64()));
    }
    shell::note(&format!("ci: all passed in {:.1} s", whole.elapsed().as_secs_f64()));
    Ok(())
}
