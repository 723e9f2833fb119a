//! The two things that every end-to-end test goes through: a folder with files, and the program.

use std::{
    ffi::OsStr,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder with files.
pub(crate) struct Folder {
    path: PathBuf,
    /// Removed at the end.
    _temporary: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        // Messages show the path without symbolic links.
        let path = temporary.path().canonicalize().unwrap();
        Self { path, _temporary: temporary }
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    /// A file of `configs/`, written to this folder: its paths become absolute, and the results
    /// stay here.
    pub(crate) fn config(&self, name: &str) -> PathBuf {
        let text = fs::read_to_string(root().join("configs").join(name)).unwrap();
        let text = text
            .replace("../results", "results")
            .replace("\"../", &format!("\"{}/", root().display()));
        assert!(!text.contains("\"../"), "{text}");
        self.write(name, text)
    }

    /// The program, about to be started in this folder.
    pub(crate) fn qeval<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Qeval {
        let mut command = Command::new(program());
        command.current_dir(&self.path).args(args).stdin(Stdio::null());
        // What a developer has set must not reach a test.
        for name in
            ["QEVAL_LOG", "QEVAL_HELD_PREDICTIONS", "RAYON_NUM_THREADS", "COLUMNS", "NO_COLOR"]
        {
            command.env_remove(name);
        }
        // Where the config of the quickstart finds its plugin.
        command.env("QEVAL_PLUGINS", plugin_library().parent().unwrap());
        Qeval { command, folder: self.path.clone() }
    }

    /// The whole evaluations in a results folder, sorted by name.
    pub(crate) fn evaluations(&self, results: &str) -> Vec<PathBuf> {
        let listed = match fs::read_dir(self.path(results)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            listed => listed.unwrap(),
        };
        let folders = listed.map(|entry| entry.unwrap().path());
        let whole = |folder: &PathBuf| name(folder).starts_with("evaluation_id=");
        let mut folders: Vec<PathBuf> = folders.filter(whole).collect();
        folders.sort();
        folders
    }

    /// Fails unless nothing in a results folder looks like an evaluation, finished or not.
    #[track_caller]
    pub(crate) fn assert_no_evaluation(&self, results: &str) {
        let listed = fs::read_dir(self.path(results)).into_iter().flatten();
        let left = listed.map(|entry| entry.unwrap().path());
        // What is no evaluation: locks, and the answers of readers.
        let beside = ["_locks", "_answers"];
        let left: Vec<PathBuf> = left.filter(|path| !beside.contains(&&*name(path))).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

/// The program with its arguments.
pub(crate) struct Qeval {
    pub(crate) command: Command,
    folder: PathBuf,
}

impl Qeval {
    /// The same with an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// The same, started by a shell that does this before.
    pub(crate) fn after(self, script: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("{script}; exec \"$0\" \"$@\""));
        shell.arg(self.command.get_program()).args(self.command.get_args());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell.current_dir(&self.folder);
        Self { command: shell, ..self }
    }

    /// Starts the program and waits for its end.
    pub(crate) fn run(mut self) -> Output {
        let output = self.command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Output {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            folder: self.folder,
        }
    }

    /// Runs the program, which must succeed.
    #[track_caller]
    pub(crate) fn succeed(self) -> Output {
        self.ends_with(0)
    }

    /// Runs the program, which must end with this exit code.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Output {
        let output = self.run();
        assert_eq!(output.code, Some(code), "{}\n{}", output.stdout, output.stderr);
        output
    }
}

/// What the program wrote, and how it ended.
pub(crate) struct Output {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    folder: PathBuf,
}

impl Output {
    /// Stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}:\n{}", self.stdout))
    }

    /// Everything a user sees, for a snapshot, without what differs between machines and times.
    pub(crate) fn transcript(&self) -> String {
        let code = self.code.map_or_else(|| "by a signal".to_owned(), |code| code.to_string());
        let mut text = format!("exit code: {code}\n");
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                let _ = write!(text, "--- {name}\n{stream}");
            }
        }
        let version = format!("qeval {}", env!("CARGO_PKG_VERSION"));
        text.replace(&*self.folder.to_string_lossy(), "[FOLDER]")
            .replace(&*plugin_library().to_string_lossy(), "[PLUGIN]")
            .replace(&*library("sample_plugin").to_string_lossy(), "[SAMPLE]")
            .replace(&*root().to_string_lossy(), "[ROOT]")
            .replace(&version, "qeval [VERSION]")
    }
}

/// Compares what a user sees with a stored snapshot. Ids of evaluations, digests and times, which
/// follow from versions, builds and clocks, are blanked out.
macro_rules! assert_transcript {
    ($name:expr, $output:expr) => {
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            filters => vec![
                (r"\b[0-9a-f]{64}\b", "[SHA256]"),
                (r"-[0-9a-f]{12}\b", "-[ID]"),
                (r"(src/lib\.rs):\d+:\d+", "$1:[LINE]"),
                (r"(a library of this system: ).*", "$1[IN THE SYSTEM'S WORDS]"),
                (r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", "[TIME]"),
            ],
        }, {
            insta::assert_snapshot!($name, $output.transcript());
        });
    };
}
pub(crate) use assert_transcript;

/// The folder of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The library of the example plugin.
pub(crate) fn plugin_library() -> PathBuf {
    library("key_figures")
}

/// The library of a plugin.
pub(crate) fn library(stem: &str) -> PathBuf {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    built(&format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}"))
}

/// The plugin that misbehaves on demand, as a program.
pub(crate) fn faulty_program() -> PathBuf {
    built(&format!("faulty-program{}", std::env::consts::EXE_SUFFIX))
}

/// The same as a library.
pub(crate) fn faulty_library() -> PathBuf {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    built(&format!("{DLL_PREFIX}faulty_plugin{DLL_SUFFIX}"))
}

/// The built-in EM as a plugin: the library and the program.
pub(crate) fn exact_match_plugins() -> [PathBuf; 2] {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
    [
        built(&format!("{DLL_PREFIX}exact_match_plugin{DLL_SUFFIX}")),
        built(&format!("exact-match-program{EXE_SUFFIX}")),
    ]
}

/// The program under test.
pub(crate) fn program() -> PathBuf {
    built(&format!("qeval{}", std::env::consts::EXE_SUFFIX))
}

/// The target folder of this test.
pub(crate) fn target() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // `target/debug/deps/TEST`
    test.ancestors().nth(3).unwrap().to_owned()
}

/// A file that Cargo has built beside this test: `target/debug/NAME` for a test in
/// `target/debug/deps`.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join(name);
    assert!(
        path.is_file(),
        "`{}` is not built: run the tests with `cargo xtask test`, or run `cargo build --workspace` \
         first",
        path.display()
    );
    path
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
