//! `peers WHAT FILE...`: does the same work with our code and with other people's in turns, and
//! prints the CPU seconds of both.

mod coverage;
mod intervals;
mod overlap;
mod search;
mod tests;

use std::env;

use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeVal,
};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["search", corpus, queries] => search::run(corpus, queries),
        ["tests", file] => tests::run(file),
        ["intervals", file, resamples] => intervals::run(file, resamples),
        ["coverage"] => coverage::run(),
        [what, file] => overlap::run(what, file),
        _ => Err("usage: peers WHAT FILE, peers search CORPUS QUERIES, peers intervals FILE N, or peers coverage".into()),
    }
}

/// CPU seconds of this process so far.
fn cpu() -> Result<f64, Error> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
