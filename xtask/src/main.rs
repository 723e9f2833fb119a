//! The project's own tasks: `cargo xtask VERB`, one file for each verb.

mod bench;
mod ci;
mod conformance;
mod plugins;
mod python;
mod quickstart;
mod shell;
mod test;
mod tidy;
mod workspace;

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
    Conformance(conformance::Args),
    Bench(bench::Args),
    Ci(ci::Args),
    #[command(hide = true)]
    Measure(bench::measure::Args),
    #[command(hide = true)]
    Parse(bench::parse::Args),
}

fn main() -> Result<()> {
    let args = Args::parse();
    let workspace = Workspace::open()?;
    match args.verb {
        Verb::Test(args) => test::run(&workspace, &args),
        Verb::Quickstart(args) => quickstart::run(&workspace, &args),
        Verb::Plugins(args) => plugins::run(&workspace, &args),
        Verb::Tidy(args) => tidy::run(&workspace, &args),
        Verb::Conformance(args) => conformance::run(&workspace, &args),
        Verb::Bench(args) => bench::run(&workspace, &args),
        Verb::Ci(args) => ci::run(&workspace, &args),
        Verb::Measure(args) => bench::measure::run(&args),
        Verb::Parse(args) => bench::parse::run(&args),
    }
}
