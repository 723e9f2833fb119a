//! `qeval` evaluates question answering, retrieval and RAG systems from one TOML file.

mod abstention;
mod args;
mod command;
mod comparison;
mod confidence;
mod diagnosis;
mod diagnostic;
mod domains;
mod evaluation;
mod exit_code;
mod explanation;
mod gates;
mod log;
mod progress;
mod remote;
mod retrieval;
mod slices;
mod stdin;
mod stop;
mod sweep;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

/// An evaluation makes millions of small texts; with this allocator a million rows take about 8 %
/// less CPU time than with the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    log::start(&args);
    let result = match args.command {
        Command::Run(args) => command::run::run(&args),
        Command::Check(args) => command::check::run(&args),
        Command::Rescore(args) => command::rescore::run(&args),
        Command::Score(args) => command::score::run(&args),
        Command::Index(args) => command::index::run(&args),
        Command::Convert(args) => command::convert::run(&args),
        Command::Report(args) => command::report::run(&args),
        Command::Compare(args) => command::compare::run(&args),
        Command::Diagnose(args) => command::diagnose::run(&args),
        Command::Explain(args) => command::explain::run(&args),
        Command::Gate(args) => command::gate::run(&args),
        Command::Baseline(args) => command::baseline::run(&args),
        Command::Export(args) => command::export::run(&args),
        Command::Sql(args) => command::sql::run(&args),
        Command::Verify(args) => command::verify::run(&args),
        Command::List(args) => command::list::run(&args),
        Command::Plugin(args) => command::plugin::run(&args),
        Command::Schema => command::schema::run(),
        Command::Completions(args) => command::completions::run(&args),
        Command::PluginHost(args) => command::plugin_host::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            diagnostic::print(&error);
            exit_code::of(&error)
        }
    }
}
