//! What to start.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf};

use crate::Stop;

/// A program with its arguments and all that it may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What messages call it, for example ``plugin `acme` ``.
    pub name: String,
    /// The program: a path, or a name that is looked up in the `PATH` granted below.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The variables granted to it. It sees no others, not even `PATH`.
    pub environment: BTreeMap<OsString, OsString>,
    /// The folder it begins in; this process's own when `None`.
    pub folder: Option<PathBuf>,
    /// The bytes of memory, swap included, that it may take while its answer is waited for; no limit
    /// when `None`. Kept where the system has `/proc`, which is Linux. What it starts itself is not
    /// counted.
    pub memory: Option<u64>,
    /// When this is set, nobody waits for an answer any more and the child is ended.
    pub stop: Stop,
}

impl Command {
    /// A program without arguments and without variables.
    pub fn new(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            args: Vec::new(),
            environment: BTreeMap::new(),
            folder: None,
            memory: None,
            stop: Stop::default(),
        }
    }

    /// The same with one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// The same with one more variable.
    #[must_use]
    pub fn grant(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }
}
