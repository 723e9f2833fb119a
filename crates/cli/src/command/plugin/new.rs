//! `qeval plugin new`: a plugin that builds, passes its own test and can be evaluated with.
//!
//! The files lie in `templates/plugin`, one folder for each language; what all of them have is in
//! `templates/plugin/all`. `{{name}}` is the name, `{{stem}}` the same as a file of code is called.

use std::{
    fmt::Write as _,
    fs,
    path::{self, Path},
};

use anyhow::{Context, Result};
use qeval_loader::is_name;

use crate::{
    args::{Language, NewPlugin},
    exit_code::BadRequest,
    terminal,
};

/// A file of a new plugin: where it goes, and what it holds.
type File = (&'static str, &'static str);

const ALL: &[File] = &[
    ("evaluation.toml", include_str!("../../../templates/plugin/all/evaluation.toml")),
    ("answers.jsonl", include_str!("../../../templates/plugin/all/answers.jsonl")),
];

const RUST: &[File] = &[
    ("Cargo.toml", include_str!("../../../templates/plugin/rust/Cargo.toml.txt")),
    ("src/lib.rs", include_str!("../../../templates/plugin/rust/src/lib.rs.txt")),
    ("README.md", include_str!("../../../templates/plugin/rust/README.md")),
    (".gitignore", "/target\n/results\n"),
];

const C: &[File] = &[
    ("{{stem}}.c", include_str!("../../../templates/plugin/c/plugin.c")),
    ("Makefile", include_str!("../../../templates/plugin/c/Makefile")),
    ("README.md", include_str!("../../../templates/plugin/c/README.md")),
    ("include/qeval_plugin.h", include_str!("../../../../sdk/include/qeval_plugin.h")),
    ("include/qeval_arrow.h", include_str!("../../../../sdk/include/qeval_arrow.h")),
    (".gitignore", "/build\n/results\n"),
];

const PYTHON: &[File] = &[
    ("{{stem}}.py", include_str!("../../../templates/plugin/python/plugin.py")),
    ("test_{{stem}}.py", include_str!("../../../templates/plugin/python/test_plugin.py")),
    ("README.md", include_str!("../../../templates/plugin/python/README.md")),
    ("requirements.txt", "pyarrow\n"),
    ("qeval_plugin.py", include_str!("../../../../../python/qeval_plugin/qeval_plugin.py")),
    (".gitignore", "__pycache__\n/results\n"),
];

pub(crate) fn run(args: &NewPlugin) -> Result<()> {
    let bad = |message: String, hint: &str| BadRequest { message, hint: Some(hint.to_owned()) };
    let name = args.name.as_str();
    if !is_name(name) {
        let hint = "a letter, then letters, digits, `_` and `-`";
        return Err(bad(format!("`{name}` is no name for a plugin"), hint).into());
    }
    let folder = args.folder.clone().unwrap_or_else(|| name.into());
    if folder.exists() && fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_some())
    {
        let message = format!("`{}` is there already", folder.display());
        return Err(bad(message, "choose another folder with `--folder`").into());
    }
    let (files, next) = match args.lang {
        Language::Rust => (RUST, "cargo test && cargo build --release".to_owned()),
        Language::C => (C, make_test()),
        Language::Python => (
            PYTHON,
            "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && .venv/bin/python -m unittest"
                .to_owned(),
        ),
    };
    let values = Values::of(args)?;
    for (path, text) in ALL.iter().chain(files) {
        write(&folder.join(values.fill(path)), &values.fill(text))?;
    }
    let mut text = format!("a plugin in `{}`:\n", folder.display());
    for (path, _) in ALL.iter().chain(files) {
        let _ = writeln!(text, "  {}", values.fill(path));
    }
    if args.lang == Language::Rust && args.sdk.is_none() {
        let _ = writeln!(text, "note: {UNPUBLISHED}");
    }
    let _ = writeln!(text, "next: cd {} && {next}", folder.display());
    super::super::print(&text)
}

/// What a plugin in Rust is told that has no `--sdk`.
const UNPUBLISHED: &str = "until the crate `qeval-sdk` is published, nothing is found under its \
                           version: give `--sdk PATH`, the folder `crates/sdk` of a checkout";

/// How a plugin in C is tested: with this program, where the shell would not find one.
fn make_test() -> String {
    let name = format!("qeval{}", std::env::consts::EXE_SUFFIX);
    let found = terminal::variable("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(&name).is_file()));
    match std::env::current_exe() {
        Ok(own) if !found => {
            format!("make test QEVAL='{}'", own.display().to_string().replace('\'', "'\\''"))
        }
        _ => "make test".to_owned(),
    }
}

/// What stands between braces in the files.
struct Values(Vec<(&'static str, String)>);

impl Values {
    fn of(args: &NewPlugin) -> Result<Self> {
        let stem = args.name.replace('-', "_").to_ascii_lowercase();
        let sdk = match &args.sdk {
            Some(path) => {
                // The new folder is another place to see it from.
                let path = path::absolute(path).context("cannot find the current folder")?;
                format!("{{ path = {:?} }}", path.display().to_string())
            }
            None => format!("{:?}", env!("CARGO_PKG_VERSION")),
        };
        // Where the plugin is once it is built, seen from its folder.
        let (path, interpreter) = match args.lang {
            Language::Rust => (format!("target/release/{stem}"), ""),
            Language::C => (format!("build/{stem}"), ""),
            Language::Python => {
                (format!("{stem}.py"), "\ninterpreter = [\"${PYTHON:-.venv/bin/python}\"]")
            }
        };
        let overlap = format!("\"F1\", \"{}.overlap\"", args.name);
        let metrics = match args.lang {
            Language::C => overlap,
            Language::Rust | Language::Python => {
                format!("{overlap}, \"{}.overlap(case=keep)\"", args.name)
            }
        };
        Ok(Self(vec![
            ("{{name}}", args.name.clone()),
            ("{{stem}}", stem),
            ("{{sdk}}", sdk),
            ("{{path}}", path),
            ("{{interpreter}}", interpreter.to_owned()),
            ("{{metrics}}", metrics),
        ]))
    }

    fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (mark, value)| text.replace(mark, value))
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let unwritable = || format!("cannot write `{}`", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(unwritable)?;
    }
    fs::write(path, text).with_context(unwritable)
}
