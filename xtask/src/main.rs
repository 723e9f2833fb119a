//! The project's own tasks: `cargo xtask VERB`, one file for each verb.

mod bench;
mod ci;
mod codegen;
mod conformance;
mod memory;
mod plugins;
mod python;
mod quickstart;
mod shell;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use workspace::Workspace;

/// The project's own tasks.
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Test(test::Args),
    Quickstart(quickstart::Args),
    Plugins(plugins::Args),
    Tidy(tidy::Args),
    Codegen(codegen::Args),
    Conformance(conformance::Args),
    Bench(bench::Args),
    Memory(memory::Args),
    Ci(ci::Args),
    #[command(hide = true)]
    Measure(bench::measure::Args),
    #[command(hide = true)]
    Parse(bench::parse::Args),
}

fn main() -> ExitCode {
    shell::exit(run(Args::parse().verb))
}

fn run(verb: Verb) -> Result<()> {
    match verb {
        // These two are measured, so they start no Cargo to ask for the workspace.
        Verb::Measure(args) => bench::measure::run(&args),
        Verb::Parse(args) => bench::parse::run(&args),
        Verb::Test(args) => test::run(&Workspace::open()?, &args),
        Verb::Quickstart(args) => quickstart::run(&Workspace::open()?, &args),
        Verb::Plugins(args) => plugins::run(&Workspace::open()?, &args),
        Verb::Tidy(args) => tidy::run(&Workspace::open()?, &args),
        Verb::Codegen(args) => codegen::run(&Workspace::open()?, &args),
        Verb::Conformance(args) => conformance::run(&Workspace::open()?, &args),
        Verb::Bench(args) => bench::run(&Workspace::open()?, &args),
        Verb::Memory(args) => memory::run(&Workspace::open()?, &args),
        Verb::Ci(args) => ci::run(&Workspace::open()?, &args),
    }
}
