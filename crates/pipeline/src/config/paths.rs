//! How the file names the files of a dataset and its like: by a path, or by a list of them.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};

/// A path or several. In the name of a file or folder `*` stands for any characters and `?` for one;
/// `**` is any folders, or none.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Paths {
    /// A path or a pattern.
    One(String),
    /// Paths or patterns.
    Several(Vec<String>),
}

impl Paths {
    /// The paths as they are written.
    pub fn written(&self) -> &[String] {
        match self {
            Self::One(path) => std::slice::from_ref(path),
            Self::Several(paths) => paths,
        }
    }

    /// The same, to be changed.
    pub(super) fn written_mut(&mut self) -> &mut [String] {
        match self {
            Self::One(path) => std::slice::from_mut(path),
            Self::Several(paths) => paths,
        }
    }

    /// The path, where there is no list.
    pub fn one(&self) -> Option<&str> {
        match self {
            Self::One(path) => Some(path),
            Self::Several(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PathsVisitor)
    }
}

struct PathsVisitor;

impl<'de> Visitor<'de> for PathsVisitor {
    type Value = Paths;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text in quotes or a list of them")
    }

    fn visit_str<E>(self, path: &str) -> Result<Paths, E> {
        Ok(Paths::One(path.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Paths, A::Error> {
        let mut paths = Vec::new();
        while let Some(path) = list.next_element()? {
            paths.push(path);
        }
        Ok(Paths::Several(paths))
    }
}
