//! The files that are evaluated, and whether somebody writes to them meanwhile.
//!
//! The digest of a file is taken before its examples are read. A file that is another one by then
//! would be stored under the name of the first.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use toml::Spanned;

use super::{files::resolve, paths};
use crate::{
    Config,
    config::{Paths, ReaderType, RetrieverType},
};

/// How the files looked before any of them was read.
#[derive(Debug, Default)]
pub(crate) struct Inputs(Vec<(PathBuf, Look)>);

/// What changes when somebody writes to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Inputs {
    /// The files that a configuration names. What is no file, and so can be read only once, is left
    /// out.
    pub(super) fn of(config: &Config) -> Self {
        let mut named: Vec<PathBuf> = Vec::new();
        let mut add = |paths: Option<&Spanned<Paths>>| {
            named.extend(paths.into_iter().flat_map(|path| paths::of_all_datasets(config, path)));
        };
        for dataset in &config.datasets {
            add(dataset.get_ref().path.as_ref());
        }
        add(config.corpus.as_ref().map(|corpus| &corpus.get_ref().path));
        for retriever in &config.retrievers {
            if let RetrieverType::Replay(replay) = &retriever.get_ref().what {
                add(Some(&replay.path));
            }
        }
        for reader in &config.readers {
            if let ReaderType::Replay(replay) = &reader.get_ref().what {
                add(replay.path.as_ref());
                add(replay.isolated_path.as_ref());
            }
        }
        let qrels = config.datasets.iter().filter_map(|dataset| dataset.get_ref().qrels.as_ref());
        named.extend(qrels.map(|path| resolve(config, path)));
        let look = |path: PathBuf| Some((Look::at(&path)?, path));
        Self(named.into_iter().filter_map(look).map(|(look, path)| (path, look)).collect())
    }

    /// The first file that looks otherwise now.
    pub(crate) fn changed(&self) -> Option<&Path> {
        let changed = |(path, look): &&(PathBuf, Look)| Look::at(path) != Some(*look);
        self.0.iter().find(changed).map(|(path, _)| path.as_path())
    }
}

impl Look {
    fn at(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self { bytes: about.len(), modified: about.modified().ok() })
    }
}
