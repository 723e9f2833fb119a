//! The files that a path, a pattern or a list of them names.

mod pattern;

use std::path::{Path, PathBuf};

use toml::Spanned;

use super::files::{dataset_names, problem, resolve_in};
use crate::{Config, Problem, builtin::per_dataset::PerDataset, config::Paths};

/// What stands for the name of each dataset in a path.
const PLACE: &str = "{dataset}";

/// The files that a path names, in the order of their paths; at least one. Some of them may not be
/// there.
pub(super) fn files(config: &Config, paths: &Spanned<Paths>) -> Result<Vec<PathBuf>, Problem> {
    named(config, paths, str::to_owned)
}

/// The same with names that something is put into.
fn named(
    config: &Config,
    paths: &Spanned<Paths>,
    put: impl Fn(&str) -> String,
) -> Result<Vec<PathBuf>, Problem> {
    let folder = config.sources.folder(&paths.span());
    let mut files: Vec<PathBuf> = Vec::new();
    let mut by_name: Vec<PathBuf> = Vec::new();
    for written in paths.get_ref().written() {
        let written = put(written);
        let path = resolve_in(folder, &written);
        // A file may have such a name.
        if !pattern::is_pattern(&written) || path.exists() {
            if by_name.contains(&path) {
                let message = format!("`{written}` is named twice");
                let hint = "each file is read once: name it once";
                return Err(Problem::at(paths.span(), message).hint(hint));
            }
            by_name.push(path.clone());
            files.push(path);
            continue;
        }
        let found = pattern::matching(&path).map_err(|(folder, error)| {
            let message = format!("`{}`: cannot be read: {error}", folder.display());
            Problem::at(paths.span(), message)
        })?;
        if found.is_empty() {
            let message = format!("no file matches `{}`", path.display());
            return Err(Problem::at(paths.span(), message).hint(nothing(&path)));
        }
        files.extend(found);
    }
    if files.is_empty() {
        let problem = Problem::at(paths.span(), "the list of files is empty");
        return Err(problem.hint("name a file, or a pattern such as `data/part-*.jsonl.gz`"));
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Why a pattern may match nothing: what is in the last folder that is there.
fn nothing(pattern: &Path) -> String {
    let is_there = |folder: &&Path| folder.is_dir();
    let Some(folder) = pattern.ancestors().skip(1).find(is_there) else {
        return "`*` is any characters of a name, `?` one, `**` any folders".to_owned();
    };
    let mut names: Vec<String> = folder
        .read_dir()
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    let more = names.len().saturating_sub(3);
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    let shown = if shown.is_empty() { "nothing".to_owned() } else { shown.join(", ") };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the folder `{}` has {shown}{more}", folder.display())
}

/// The only file that is named, without a pattern; `None` where there are several, which have no name
/// in common.
pub(super) fn only<'p>(config: &Config, paths: &'p Spanned<Paths>) -> Option<&'p str> {
    let written = paths.get_ref().one()?;
    let folder = config.sources.folder(&paths.span());
    (!pattern::is_pattern(written) || resolve_in(folder, written).exists()).then_some(written)
}

/// The first file and those after it.
pub(super) fn split(files: Vec<PathBuf>) -> (PathBuf, Vec<PathBuf>) {
    let mut files = files.into_iter();
    (files.next().unwrap_or_default(), files.collect())
}

fn is_for_each(paths: &Paths) -> bool {
    paths.written().iter().any(|path| path.contains(PLACE))
}

/// All files that a path names, of all datasets where it has `{dataset}` in it.
pub(super) fn of_all_datasets(config: &Config, paths: &Spanned<Paths>) -> Vec<PathBuf> {
    if !is_for_each(paths.get_ref()) {
        return files(config, paths).unwrap_or_default();
    }
    let of = |name: String| named(config, paths, |path| path.replace(PLACE, &name));
    dataset_names(config).flat_map(|name| of(name).unwrap_or_default()).collect()
}

/// Whether all datasets are files or folders, and no pipe, which can be read only once.
pub(super) fn can_be_read_again(config: &Config) -> bool {
    let mut paths = config.datasets.iter().filter_map(|dataset| dataset.get_ref().path.as_ref());
    paths.all(|paths| {
        files(config, paths).unwrap_or_default().iter().all(|path| {
            let about = std::fs::metadata(path);
            about.is_ok_and(|about| about.is_file() || about.is_dir())
        })
    })
}

/// Reads files as one, or those of each dataset where the path has `{dataset}` in it, with the
/// digests.
pub(super) fn per_dataset<T: Send>(
    config: &Config,
    paths: &Spanned<Paths>,
    problems: &mut Vec<Problem>,
    read: impl Fn(PathBuf, Vec<PathBuf>) -> Result<T, qeval_dataset::Error> + Sync,
) -> Option<(PerDataset<T>, serde_json::Value)> {
    let mut read = |files: Result<Vec<PathBuf>, Problem>| {
        let read = files.and_then(|files| {
            let (path, further) = split(files.clone());
            // The digest reads the files once more, on another thread if there is one.
            let (digest, read) = rayon::join(|| digest(config, &files), || read(path, further));
            let read = digest.and_then(|digest| Ok((read?, digest)));
            read.map_err(|error| problem(paths.span(), &error))
        });
        read.map_err(|error| problems.push(error)).ok()
    };
    if !is_for_each(paths.get_ref()) {
        let (file, digest) = read(files(config, paths))?;
        return Some((PerDataset::shared(file, dataset_names(config).collect()), digest.into()));
    }
    let files: Vec<(String, Option<(T, String)>)> = dataset_names(config)
        .map(|name| {
            let file = read(named(config, paths, |path| path.replace(PLACE, &name)));
            (name, file)
        })
        .collect();
    let (mut by_dataset, mut digests) = (Vec::new(), serde_json::Map::new());
    for (name, file) in files {
        let (file, digest) = file?;
        digests.insert(name.clone(), digest.into());
        by_dataset.push((name, file));
    }
    Some((PerDataset::each(by_dataset), digests.into()))
}

/// The digest of files; none where the results are not kept and so have no identity.
pub(super) fn digest(config: &Config, files: &[PathBuf]) -> Result<String, qeval_dataset::Error> {
    if config.kept { qeval_dataset::digest_of_all(files) } else { Ok(String::new()) }
}
