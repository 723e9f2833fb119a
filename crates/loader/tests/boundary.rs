//! Real libraries on both carriers: what works, and that everything that goes wrong is a failure
//! in words.
//!
//! The libraries are dev-dependencies with the crate types `cdylib` and `rlib`: Cargo builds both
//! kinds at once, and writes the library of a workspace member without a hash into the folder of
//! the test executable. This executable is also the child process of isolated plugins, as `qeval`
//! is in the product, and the plugin that is a program, and has a `main` of its own for that.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use qeval_loader::host::{HostError, serve};

#[path = "boundary/cases.rs"]
mod cases;
#[path = "boundary/faults.rs"]
mod faults;
#[path = "boundary/support.rs"]
mod support;

fn main() -> Result<ExitCode, HostError> {
    let args: Vec<String> = std::env::args().collect();
    if let [_, verb, variant] = &args[..]
        && verb == "faulty-program"
    {
        faulty_plugin::program::run(variant)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let [_, verb, flag, library] = &args[..]
        && (verb.as_str(), flag.as_str()) == ("plugin-host", "--library")
    {
        serve(library.as_ref())?;
        return Ok(ExitCode::SUCCESS);
    }
    let trials = cases::ALL.iter().chain(faults::ALL).map(|&(name, case)| {
        Trial::test(name, move || {
            case();
            Ok(())
        })
    });
    Ok(libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code())
}
