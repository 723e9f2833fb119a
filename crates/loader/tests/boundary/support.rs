//! One door to the boundary: a library under a name, loaded, and asked for scores.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, OnceLock},
    time::Duration,
};

use qeval_loader::{Carriage, LoadError, LoadedPlugin, PluginSpec, load};
use qeval_process::Command;
use qeval_sdk::{
    Asked, Failure, PluginMetric, Scorer, WorkedExample,
    core::{Score, Unscored},
};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// How a plugin is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// A library in a child of this executable.
    Process,
    /// A library in this process.
    InProcess,
    /// A program, which is this executable as well.
    Program,
}

/// Both carriers of libraries.
pub(crate) const BOTH: [On; 2] = [On::Process, On::InProcess];

/// Both that have children.
pub(crate) const CHILDREN: [On; 2] = [On::Process, On::Program];

/// All carriers.
pub(crate) const ALL: [On; 3] = [On::Process, On::InProcess, On::Program];

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime starts")
});

/// This executable, which is the child of isolated plugins as well.
pub(crate) fn executable() -> PathBuf {
    std::env::current_exe().expect("a process knows its executable")
}

/// A library that Cargo built for this test.
pub(crate) fn library(stem: &str) -> PathBuf {
    let executable = executable();
    let folder = executable.parent().expect("an executable is in a folder");
    let path = folder.join(format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}"));
    assert!(path.is_file(), "Cargo did not build `{}`", path.display());
    path
}

/// The faulty plugin under the name that makes it faulty in this way. The copies stay until the
/// process ends, because a library is never unloaded.
pub(crate) fn faulty(variant: &str) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder can be made"));
    let path = folder.path().join(format!("{DLL_PREFIX}{variant}{DLL_SUFFIX}"));
    if !path.exists() {
        // Written aside first: another test may want the same.
        let aside = tempfile::NamedTempFile::new_in(folder).expect("a file can be made");
        fs::copy(library("faulty_plugin"), aside.path()).expect("the library can be copied");
        aside.persist(&path).expect("a file can be renamed");
    }
    path
}

/// The plugin `p` from the library at this path.
pub(crate) fn spec(path: &Path, on: On) -> PluginSpec {
    let host = Command::new("host", executable()).arg("plugin-host");
    PluginSpec {
        name: "p".to_owned(),
        path: path.to_owned(),
        sha256: None,
        carriage: match on {
            On::Process => Carriage::Isolated(host),
            On::InProcess => Carriage::InProcess,
            On::Program => panic!("a library is no program"),
        },
        deadline: Duration::from_mins(1),
        beginning: Duration::from_mins(1),
        workers: 1,
        options: serde_json::Map::new(),
    }
}

/// The plugin `p` from the faulty program with this fault.
pub(crate) fn program(variant: &str) -> PluginSpec {
    let command = Command::new("program", executable()).arg("faulty-program").arg(variant);
    let carriage = Carriage::Program(command);
    PluginSpec { path: executable(), carriage, ..spec(&executable(), On::InProcess) }
}

/// The faulty plugin without a fault, until it is asked for one.
pub(crate) fn good(on: On) -> PluginSpec {
    match on {
        On::Program => program("good"),
        on => spec(&faulty("good"), on),
    }
}

/// The command of a plugin that has children.
pub(crate) fn command(spec: &mut PluginSpec) -> &mut Command {
    match &mut spec.carriage {
        Carriage::Isolated(command) | Carriage::Program(command) => command,
        Carriage::InProcess => panic!("it has no children"),
    }
}

/// A plugin that is loaded, with the scorer of all its metrics.
pub(crate) struct Loaded {
    pub(crate) plugin: LoadedPlugin,
    pub(crate) scorer: Arc<dyn Scorer>,
}

/// All metrics of a plugin with their defaults.
pub(crate) fn asked(plugin: &LoadedPlugin) -> Vec<Asked> {
    let metrics = plugin.descriptor.metrics.iter();
    let asked = |metric: &PluginMetric| Asked {
        column: metric.name.clone(),
        name: metric.name.clone(),
        parameters: metric.parameters.iter().map(|p| (p.name.clone(), p.default())).collect(),
    };
    metrics.map(asked).collect()
}

pub(crate) fn load_spec(spec: &PluginSpec) -> Result<Loaded, LoadError> {
    let plugin = load(spec, RUNTIME.handle())?;
    let scorer = plugin.scorer(&asked(&plugin))?;
    Ok(Loaded { plugin, scorer })
}

/// The message of a library that cannot be used, with `LIB` for its path.
pub(crate) fn refusal(path: &Path, on: On) -> String {
    refusal_of(&spec(path, on))
}

/// The message of a plugin that cannot be used, with `LIB` for its path.
pub(crate) fn refusal_of(spec: &PluginSpec) -> String {
    let path = &spec.path;
    match load_spec(spec) {
        Ok(loaded) => panic!("{:?} was loaded", loaded.plugin),
        Err(error) => error.to_string().replace(&path.display().to_string(), "LIB"),
    }
}

/// The scores of the only metric for these predictions. The reference of all is `15 days`.
pub(crate) fn scores(plugin: &Loaded, predictions: &[Option<&str>]) -> Result<Vec<Score>, Failure> {
    let examples: Vec<WorkedExample> = predictions
        .iter()
        .map(|prediction| WorkedExample {
            prediction: prediction.map(str::to_owned),
            references: vec!["15 days".to_owned()],
            ..WorkedExample::default()
        })
        .collect();
    let scores = WorkedExample::cases(&examples).with_cases(|cases| plugin.scorer.score(cases))?;
    let [column] = <[Vec<Score>; 1]>::try_from(scores.columns).expect("one metric has one column");
    Ok(column)
}

/// The failure of the example with this prediction, in a batch with one that is fine and has its
/// score.
pub(crate) fn lost(plugin: &Loaded, prediction: &str) -> String {
    match scores(plugin, &[Some(prediction), Some("1")]).as_deref() {
        Ok([Err(Unscored::Failed(_, failure)), Ok(1.0)]) => failure.clone(),
        other => panic!("one example should fail: {other:?}"),
    }
}

/// The failure of a batch with this prediction and one that is fine.
pub(crate) fn failure(plugin: &Loaded, prediction: &str) -> String {
    let result = scores(plugin, &[Some(prediction), Some("1")]);
    result.expect_err("the batch should fail").to_string()
}
