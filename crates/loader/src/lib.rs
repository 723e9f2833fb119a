//! Plugins: found, checked, opened, and shown as ordinary components.
//!
//! A plugin is a program that speaks frames ([`Carriage::Program`]), or a native library behind the
//! boundary of [`qeval_sdk::abi`]. By default a library is opened in a child of our own program
//! ([`Carriage::Isolated`]), which speaks as such a program does. A panic, an abort, a bad memory
//! access, an endless loop or a memory hog then costs the example or the batch that it happened to;
//! the child is started again for the next. [`Carriage::InProcess`] is faster by a copy of the batch,
//! and survives panics and wrong answers only: everything else takes the evaluation with it, and
//! limits of time and memory cannot be kept.
//!
//! Before a plugin is opened it is found (nothing is searched on the system's paths) and the SHA-256
//! of its file is taken, which may be pinned. Before it is used there is a handshake; whether the two
//! sides fit is decided by [`InterfaceVersion::accepts`](qeval_sdk::InterfaceVersion::accepts).
//! What comes back is checked by [`qeval_sdk::answer`]: whatever a plugin gives, a wrong answer is
//! a failure of that batch that names the plugin, and nothing worse.
//!
//! Libraries are never unloaded: threads and exit handlers of theirs may outlive any use of ours.

mod carrier;
pub mod check;
mod find;
pub mod host;
mod library;
mod normalizer;
mod pieces;
mod reader;
mod retriever;
mod scorer;
mod workers;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use qeval_core::Ties;
use qeval_process::{Command, ProcessError};
use qeval_sdk::{
    Asked, Descriptor, Failure, InterfaceVersion, Normalizer, PluginDescriptor, Reader, Retriever,
    Role, Scorer, Setup,
};
use serde_json::{Map, Value};
use tokio::runtime::Handle;

pub use find::{FindError, is_program};
pub use library::OpenError;
pub use qeval_sdk::is_name;

use carrier::{Carrier, CarrierKind};
use library::Library;
use normalizer::PluginNormalizer;
use reader::PluginReader;
use retriever::PluginRetriever;
use scorer::PluginScorer;
use workers::{Program, Waiting, Workers};

/// The least time that a plugin should have for beginning, whatever it has for a batch: models are
/// read.
pub const BEGINNING: Duration = Duration::from_secs(30);

/// A plugin as the pipeline file names it.
#[derive(Clone, Debug)]
pub struct PluginSpec {
    /// The user's name for it: the `acme` of `acme.key_figures`.
    pub name: String,
    /// Absolute. Of a program the file itself. Of a library the file, or the file without what the
    /// system puts around it (`target/release/acme` for `target/release/libacme.so`), or the folder
    /// that it is in.
    pub path: PathBuf,
    /// The SHA-256 that the file must have, in hexadecimal digits.
    pub sha256: Option<String>,
    /// How it is carried.
    pub carriage: Carriage,
    /// The time that it has for one batch. Kept in a child process only.
    pub deadline: Duration,
    /// The time that it has for beginning: for its greeting, and again for a setup. Kept in a child
    /// process only.
    pub beginning: Duration,
    /// The most child processes that work side by side, at least 1. Not used in-process.
    pub workers: usize,
    /// The user's options for it.
    pub options: Map<String, Value>,
}

/// How a plugin is carried. A child is limited in its memory by its command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// A library that is opened in this process.
    InProcess,
    /// A library that is opened by this command, which calls [`host::serve`] in a child process;
    /// `--library` and the path are added to its arguments.
    Isolated(Command),
    /// A program that is started with this command, which runs the file at the path.
    Program(Command),
}

impl Carriage {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::InProcess => "in-process",
            Self::Isolated(_) => "process",
            Self::Program(_) => "program",
        }
    }
}

/// A plugin that is understood: its components can be made.
pub struct LoadedPlugin {
    /// The user's name for it.
    pub name: String,
    /// The library, or the program.
    pub file: PathBuf,
    /// SHA-256 of the file, in lower-case hexadecimal digits.
    pub sha256: String,
    /// How it is carried.
    pub carriage: Carriage,
    /// The version of the interface that it speaks.
    pub interface: InterfaceVersion,
    /// What it says of itself, its metrics without the user's name.
    pub descriptor: PluginDescriptor,
    /// The user's options for it.
    pub options: Map<String, Value>,
    source: Source,
}

/// What instances are made from.
enum Source {
    Library(Library),
    Program(Arc<Program>, Waiting),
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
    /// It is no plugin that fits, or one that cannot do what it is asked.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its child process failed.
    #[error("`{}` was not opened: {source}", path.display())]
    Process {
        /// The library, or the program.
        path: PathBuf,
        /// What happened to the child.
        source: ProcessError,
    },
}

/// Finds, checks and opens a plugin.
///
/// The child of an isolated plugin is watched by `runtime`, which must have worker threads and live
/// longer than the plugin; this and its components must not be called from inside one of its tasks.
pub fn load(spec: &PluginSpec, runtime: &Handle) -> Result<LoadedPlugin, LoadError> {
    if !is_name(&spec.name) {
        return Err(LoadError::Name(spec.name.clone()));
    }
    let file = match spec.carriage {
        Carriage::InProcess | Carriage::Isolated(_) => find::library(&spec.path, &spec.name)?,
        Carriage::Program(_) => spec.path.clone(),
    };
    let sha256 = find::digest(&file)?;
    find::check_pin(&file, &sha256, spec.sha256.as_deref())?;
    let command = match &spec.carriage {
        Carriage::InProcess => None,
        Carriage::Isolated(host) => Some(host.clone().arg("--library").arg(&file)),
        Carriage::Program(command) => Some(command.clone()),
    };
    let (source, interface, descriptor) = if let Some(command) = command {
        start(spec, command, &file, &sha256, runtime)?
    } else {
        let library = Library::open(&file)?;
        let (interface, descriptor) = (library.interface, library.descriptor.clone());
        (Source::Library(library), interface, descriptor)
    };
    Ok(LoadedPlugin {
        name: spec.name.clone(),
        file,
        sha256,
        carriage: spec.carriage.clone(),
        interface,
        descriptor,
        options: spec.options.clone(),
        source,
    })
}

/// Starts the first child of a plugin and hears what it is.
fn start(
    spec: &PluginSpec,
    command: Command,
    file: &Path,
    sha256: &str,
    runtime: &Handle,
) -> Result<(Source, InterfaceVersion, PluginDescriptor), LoadError> {
    let program = Program {
        plugin: spec.name.clone(),
        command: Command { name: format!("plugin `{}`", spec.name), ..command },
        file: file.to_owned(),
        sha256: sha256.to_owned(),
        deadline: spec.deadline,
        beginning: spec.beginning,
        most: spec.workers,
        runtime: runtime.clone(),
    };
    let process = |source| LoadError::Process { path: file.to_owned(), source };
    let (child, hello) = program.greet().map_err(process)?;
    let waiting = Waiting::new(child);
    let descriptor = program.describe(&hello)?;
    Ok((Source::Program(Arc::new(program), waiting), hello.interface, descriptor))
}

impl LoadedPlugin {
    /// Its scorer with these metrics, which its descriptor has.
    pub fn scorer(&self, metrics: &[Asked]) -> Result<Arc<dyn Scorer>, LoadError> {
        Ok(Arc::new(self.plugin_scorer(metrics)?))
    }

    fn plugin_scorer(&self, metrics: &[Asked]) -> Result<PluginScorer, LoadError> {
        let carrier = self.instance(Role::Scorer { metrics: metrics.to_vec() })?;
        Ok(PluginScorer::new(&self.descriptor, metrics, carrier))
    }

    /// Its retriever, which its descriptor has: with at most `depth` hits for a question, and asked
    /// at most `batch` questions at a time.
    pub fn retriever(
        &self,
        depth: usize,
        batch: usize,
        ties: Ties,
    ) -> Result<Arc<dyn Retriever>, LoadError> {
        let carrier = self.instance(Role::Retriever { depth })?;
        let descriptor = self.described(self.descriptor.retriever.as_ref().map(|it| &it.summary));
        Ok(Arc::new(PluginRetriever { descriptor, carrier, depth, batch, ties }))
    }

    /// Its reader, which its descriptor has: asked at most `batch` questions at a time.
    pub fn reader(&self, batch: usize) -> Result<Arc<dyn Reader>, LoadError> {
        let carrier = self.instance(Role::Reader)?;
        let descriptor = self.described(self.descriptor.reader.as_ref().map(|it| &it.summary));
        Ok(Arc::new(PluginReader { descriptor, carrier, batch }))
    }

    /// The normalizer of that name, which its descriptor has. Its version is its own.
    pub fn normalizer(&self, name: &str) -> Result<Arc<dyn Normalizer>, LoadError> {
        let carrier = self.instance(Role::Normalizer { name: name.to_owned() })?;
        let offered = self.descriptor.normalizers.iter().find(|offered| offered.name == name);
        let mut descriptor = self.described(offered.map(|offered| &offered.summary));
        descriptor.name = format!("{}.{name}", self.name);
        if let Some(offered) = offered {
            descriptor.version.clone_from(&offered.version);
        }
        Ok(Arc::new(PluginNormalizer { descriptor, carrier }))
    }

    /// What it is called, with the summary of one of its components.
    fn described(&self, summary: Option<&String>) -> Descriptor {
        let summary = summary.unwrap_or(&self.descriptor.summary);
        Descriptor::new(&self.name, &self.descriptor.version, summary)
    }

    /// Makes an instance.
    fn instance(&self, role: Role) -> Result<Carrier, LoadError> {
        let setup = Setup { role, options: self.options.clone() };
        // The first version knew neither metrics to choose nor options.
        let setup = if self.interface.minor == 0 {
            setup.no_options().map_err(|failure| self.unusable(&failure))?;
            b"{}".to_vec()
        } else {
            serde_json::to_vec(&setup).expect("a setup has only text keys")
        };
        let kind = match &self.source {
            Source::Library(library) => {
                let instance = library.instance(&setup);
                CarrierKind::InProcess(instance.map_err(|failure| library.unusable(&failure))?)
            }
            Source::Program(program, waiting) => {
                CarrierKind::Processes(Workers::new(program, setup, waiting.take())?)
            }
        };
        Ok(Carrier { plugin: self.name.clone(), kind })
    }

    fn unusable(&self, failure: &Failure) -> OpenError {
        let (path, message) = (self.file.display().to_string(), failure.message.clone());
        OpenError::Unusable { path, message }
    }
}

/// The same failure, with the plugin that it is about.
fn named(plugin: &str, failure: &Failure) -> Failure {
    Failure::new(failure.kind, format!("plugin `{plugin}`: {}", failure.message))
}

impl fmt::Debug for LoadedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedPlugin")
            .field("name", &self.name)
            .field("file", &self.file)
            .field("sha256", &self.sha256)
            .field("carriage", &self.carriage.name())
            .field("interface", &self.interface)
            .field("descriptor", &self.descriptor)
            .finish_non_exhaustive()
    }
}
