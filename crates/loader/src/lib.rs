//! Plugins: found, checked, opened, and shown as ordinary components.
//!
//! A plugin is a native library behind the boundary of [`qeval_sdk::abi`]. By default it is opened
//! in a child of our own program ([`Isolation::Process`]), so that a panic, an abort, a bad memory
//! access, an endless loop or a memory hog costs one batch of scores; the child is started again
//! for the next. [`Isolation::InProcess`] is faster by a copy of the batch, and survives panics
//! and wrong answers only: everything else takes the evaluation with it, and deadlines cannot be
//! kept.
//!
//! Before a library is opened it is found (nothing is searched on the system's paths) and its
//! SHA-256 is taken, which may be pinned. Before it is used there is a handshake; whether the two
//! sides fit is decided by [`InterfaceVersion::accepts`](qeval_sdk::InterfaceVersion::accepts).
//! What comes back is checked by [`qeval_sdk::answer`]: whatever a plugin gives, a wrong answer is
//! a failure of that batch that names the plugin, and nothing worse.
//!
//! Libraries are never unloaded: threads and exit handlers of theirs may outlive any use of ours.

mod adapter;
mod find;
pub mod host;
mod isolated;
mod library;
mod protocol;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use qeval_process::{Command, ProcessError};
use qeval_sdk::{Failure, PluginDescriptor, Scorer, is_name};
use tokio::runtime::Handle;

pub use find::FindError;
pub use library::OpenError;

use adapter::{Adapter, Carrier};
use isolated::Isolated;
use library::Library;

/// A plugin as the pipeline file names it.
#[derive(Clone, Debug)]
pub struct PluginSpec {
    /// The user's name for it: the `acme` of `acme.key_figures`.
    pub name: String,
    /// The library, absolute: the file, or the file without what the system puts around it
    /// (`target/release/acme` for `target/release/libacme.so`), or the folder that it is in.
    pub path: PathBuf,
    /// The SHA-256 that the library must have, in hexadecimal digits.
    pub sha256: Option<String>,
    /// Where it is opened.
    pub isolation: Isolation,
    /// The time that it has for one batch. Kept in a child process only.
    pub deadline: Duration,
    /// The program that opens it in a child process and calls [`host::serve`]; `--library` and the
    /// path are added to its arguments. Not used in-process.
    pub host: Command,
}

/// Where a plugin is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// In a child process.
    #[default]
    Process,
    /// In this process.
    InProcess,
}

/// A plugin that is ready to work.
#[derive(Clone)]
pub struct LoadedPlugin {
    /// The user's name for it.
    pub name: String,
    /// The library.
    pub library: PathBuf,
    /// SHA-256 of the library, in lower-case hexadecimal digits.
    pub sha256: String,
    /// Where it runs.
    pub isolation: Isolation,
    /// What it says of itself, its metrics without the user's name.
    pub descriptor: PluginDescriptor,
    /// The plugin as a component, its metrics named `acme.key_figures`.
    pub scorer: Arc<dyn Scorer>,
}

/// Why a plugin cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Its name cannot stand before the point of a metric name.
    #[error(
        "the plugin name `{0}` must begin with a letter and hold only letters, digits, `_` and `-`"
    )]
    Name(String),
    /// There is no library, or not the one that was pinned.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The library is no plugin that fits.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The child process that should open it failed.
    #[error("`{}` was not opened: {source}", path.display())]
    Process {
        /// The library.
        path: PathBuf,
        /// What happened to the child.
        source: ProcessError,
    },
}

/// Finds, checks and opens a plugin.
///
/// The child of an isolated plugin is watched by `runtime`, which must have worker threads and live
/// longer than the plugin; this and the scorer must not be called from inside one of its tasks.
pub fn load(spec: &PluginSpec, runtime: &Handle) -> Result<LoadedPlugin, LoadError> {
    if !is_name(&spec.name) {
        return Err(LoadError::Name(spec.name.clone()));
    }
    let library = find::library(&spec.path, &spec.name)?;
    let sha256 = find::digest(&library)?;
    find::check_pin(&library, &sha256, spec.sha256.as_deref())?;
    let (carrier, descriptor) = match spec.isolation {
        Isolation::Process => {
            let (isolated, descriptor) = Isolated::start(spec, &library, &sha256, runtime)?;
            (Carrier::Process(Box::new(isolated)), descriptor)
        }
        Isolation::InProcess => {
            let (instance, descriptor) = open_here(&library)?;
            (Carrier::InProcess(instance), descriptor)
        }
    };
    let scorer = Arc::new(Adapter::new(&spec.name, &descriptor, carrier));
    let (name, isolation) = (spec.name.clone(), spec.isolation);
    Ok(LoadedPlugin { name, library, sha256, isolation, descriptor, scorer })
}

fn open_here(path: &Path) -> Result<(library::Instance, PluginDescriptor), OpenError> {
    let library = Library::open(path)?;
    Ok((library.instance()?, library.descriptor))
}

/// The same failure, with the plugin that it is about.
fn named(plugin: &str, failure: &Failure) -> Failure {
    Failure::new(failure.kind, format!("plugin `{plugin}`: {}", failure.message))
}

impl fmt::Debug for LoadedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedPlugin")
            .field("name", &self.name)
            .field("library", &self.library)
            .field("sha256", &self.sha256)
            .field("isolation", &self.isolation)
            .field("descriptor", &self.descriptor)
            .finish_non_exhaustive()
    }
}
