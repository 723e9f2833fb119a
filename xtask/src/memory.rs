//! `cargo xtask memory`: the tests of the plugin boundary, watched for leaks and bad accesses.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{plugins, shell, workspace::Workspace};

/// The tests in which plugins are opened in the process that is watched. The others provoke what no
/// watcher survives, in children.
const TESTS: [&str; 6] = [
    "a_plugin_is_a_scorer",
    "wrong_answers_are_failures",
    "broken_answers_are_failures_of_the_batch",
    "a_missing_prediction_has_the_worst_score",
    "many_threads_get_the_same_scores",
    "libraries_that_do_not_fit_are_refused",
];

/// Run the tests of the plugin boundary under valgrind, those of the plugins in C too
///
/// With `--sanitize` the address sanitizer watches instead, of the nightly toolchain where there is
/// one. Without valgrind nothing is watched, which is said.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Use the address sanitizer; builds the plugin boundary once more.
    #[arg(long)]
    sanitize: bool,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if args.sanitize {
        return sanitize(workspace);
    }
    if !answers(Command::new("valgrind").arg("--version")) {
        shell::note("memory: nothing is watched, there is no `valgrind`");
        return Ok(());
    }
    let boundary = boundary(workspace)?;
    for test in TESTS {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--leak-check=full", "--error-exitcode=9"]);
        // What a library keeps in its statics is never released, and found by valgrind as possibly lost.
        valgrind.args(["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
        valgrind.arg(&boundary).args(["--test-threads", "1", "--exact", test]);
        shell::run(&mut valgrind)?;
    }
    plugins::make(workspace, "valgrind")
}

fn sanitize(workspace: &Workspace) -> Result<()> {
    let nightly = answers(Command::new("cargo").args(["+nightly", "--version"]));
    for test in TESTS {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&workspace.root);
        if nightly {
            cargo.arg("+nightly");
        } else {
            // The sanitizer comes with every toolchain; only its option is not stable.
            cargo.env("RUSTC_BOOTSTRAP", "1");
        }
        cargo.args(["test", "--locked", "-p", "qeval-loader", "--test", "boundary"]);
        // The host must be named, or the flags reach build scripts, too.
        cargo.args(["--target", &host()?, "--", "--test-threads", "1", "--exact", test]);
        cargo.env("CARGO_TARGET_DIR", workspace.target.join("sanitize"));
        // The libraries find the sanitizer in the program that opens them, and nothing else there: a
        // name that both have would be that of the program.
        let exported = "-Clink-arg=-Wl,--export-dynamic-symbol=__asan_*";
        cargo.env("RUSTFLAGS", format!("-Zsanitizer=address {exported}"));
        cargo.env("ASAN_OPTIONS", "detect_leaks=0");
        shell::run(&mut cargo)?;
    }
    plugins::make(workspace, "sanitize")
}

/// The test executable, built.
fn boundary(workspace: &Workspace) -> Result<PathBuf> {
    let build = ["test", "--locked", "-p", "qeval-loader", "--test", "boundary", "--no-run"];
    let mut build = workspace.cargo(&build);
    let told = shell::output(build.arg("--message-format=json"))?;
    let mut executables = told.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let named = message["target"]["name"] == "boundary";
        named.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
    });
    executables.next_back().context("Cargo built no test `boundary`")
}

/// The triple of this machine.
fn host() -> Result<String> {
    let told = shell::output(Command::new("rustc").arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not say what machine this is")?;
    ensure!(!host.is_empty(), "rustc does not say what machine this is");
    Ok(host.to_owned())
}

fn answers(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
