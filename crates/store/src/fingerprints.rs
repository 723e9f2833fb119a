//! What an evaluation was made of, as digests, and what surrounded it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Digests (SHA-256 in hexadecimal) of all that an evaluation was made of, by the names of the file. Two
/// evaluations with the same ones differ by what services and programs answered alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fingerprints {
    /// The resolved plan.
    pub plan: String,
    /// The datasets.
    pub datasets: BTreeMap<String, String>,
    /// Their files of judgments, where there are some.
    pub judgments: BTreeMap<String, String>,
    /// The corpus.
    pub corpus: Option<String>,
    /// The indexes that retrievers keep in folders.
    pub indexes: BTreeMap<String, String>,
    /// The libraries and programs of plugins.
    pub plugins: BTreeMap<String, String>,
    /// The files in the command lines of retrievers, rerankers and readers: by component, then as they
    /// are written there.
    pub programs: BTreeMap<String, BTreeMap<String, String>>,
    /// The names of the models that readers ask.
    pub models: BTreeMap<String, String>,
    /// The prompts of readers with all their parts.
    pub prompts: BTreeMap<String, String>,
    /// What surrounded it.
    pub environment: Environment,
}

/// What surrounded an evaluation and may matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// `release` or `debug`: how the program was built. Its version stands in
    /// [`Versions`](crate::Versions).
    pub build: String,
    /// How many threads evaluated.
    pub threads: u64,
    /// Names of the environment variables that the file names, never their values.
    pub variables: Vec<String>,
}
