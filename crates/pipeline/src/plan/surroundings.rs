//! What a plan gets from outside the file.

use std::path::PathBuf;

use qeval_process::Stop;

/// What the machine offers to a plan.
#[derive(Clone)]
pub struct Surroundings {
    /// The program that runs plugins in a child of its own.
    pub plugin_host: PathBuf,
    /// Where components wait for children.
    pub runtime: tokio::runtime::Handle,
    /// Ends the wait for components.
    pub stop: Stop,
    /// Whether plugins may be loaded.
    pub plugins: bool,
    /// Bytes of predictions files that are kept in memory; those of a reader that has more are joined
    /// with the dataset on disk.
    pub held_predictions: u64,
    /// Looks up an environment variable: those that the file grants to its programs, and `PATH`.
    pub variable: fn(&str) -> Option<String>,
}
