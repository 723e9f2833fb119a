//! Finding evaluations in a results folder.

use std::{fs, io, path::Path};

use crate::{Evaluation, Manifest, ReadError, id::FOLDER_KEY, time};

/// What is in a results folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// The whole evaluations, newest first; those of one time by id.
    pub evaluations: Vec<Evaluation>,
    /// Why other folders could not be read: damaged, or written by a later version.
    pub unreadable: Vec<ReadError>,
}

/// Why a selector names no evaluation.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// Nothing has that name.
    #[error("there is no evaluation `{selector}`{}", hint(.nearest.as_deref(), .known))]
    Unknown {
        /// What was looked for.
        selector: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// The labels that there are, with their systems, newest first.
        known: Vec<String>,
    },
    /// A label whose newest execution has several systems.
    #[error("`{label}` has several systems (hint: write {})", quoted(.choices, " or "))]
    Ambiguous {
        /// The label.
        label: String,
        /// What to write instead.
        choices: Vec<String>,
    },
    /// It is there and cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// All whole evaluations of a results folder, newest first. A folder that does not exist has
/// none, and unfinished evaluations are not listed.
pub fn list(results: &Path) -> Result<Listing, ReadError> {
    let mut listing = Listing::default();
    let entries = match fs::read_dir(results) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listing),
        Err(source) => return Err(ReadError::Io { path: results.to_owned(), source }),
    };
    for entry in entries {
        let entry = entry.map_err(|source| ReadError::Io { path: results.to_owned(), source })?;
        if entry.file_name().to_string_lossy().starts_with(FOLDER_KEY) {
            match Evaluation::open(&entry.path()) {
                Ok(evaluation) => listing.evaluations.push(evaluation),
                Err(error) => listing.unreadable.push(error),
            }
        }
    }
    listing.evaluations.sort_by(|a, b| {
        let (a, b) = (a.manifest(), b.manifest());
        b.created.cmp(&a.created).then_with(|| a.evaluation_id.cmp(&b.evaluation_id))
    });
    listing.unreadable.sort_by_key(ToString::to_string);
    Ok(listing)
}

/// When an evaluation is made: now, or a second after the newest one of its label that is of another
/// execution, where that is not before now: the clock went back, or both took less than a second. Else
/// a label would stand for an older evaluation than the last one.
pub(crate) fn after_others(results: &Path, made: &Manifest) -> String {
    let now = &made.created;
    let Some(seconds) = time::seconds(now) else { return now.clone() };
    let evaluations = list(results).map(|listing| listing.evaluations).unwrap_or_default();
    let same = evaluations.iter().map(Evaluation::manifest);
    // Systems of one execution may share a second.
    let together = |other: &Manifest| other.group == made.group && other.system != made.system;
    let same = same.filter(|other| other.label == made.label && !together(other));
    let newest = same.filter_map(|other| time::seconds(&other.created)).max();
    let before = newest.filter(|&newest| newest >= seconds);
    before.map_or_else(|| now.clone(), |newest| time::rfc3339(newest + 1))
}

/// The evaluation that a selector names: a folder, an evaluation id, `label:system`, or a label.
/// Of several with one label (and system) it is the newest.
pub fn find(results: &Path, selector: &str) -> Result<Evaluation, FindError> {
    let folder = Path::new(selector);
    let inside = results.join(folder);
    let is_path = folder.components().count() > 1 || selector.starts_with(FOLDER_KEY);
    if is_path && let Some(found) = [folder, &inside].into_iter().find(|path| path.is_dir()) {
        return Ok(Evaluation::open(found)?);
    }
    let listing = list(results)?;
    let error = match select(&listing.evaluations, selector) {
        Ok(found) => return Ok(found.clone()),
        Err(error) => error,
    };
    // It may be there and unreadable, or lie beside the results under a plain name.
    let with_id = results.join(format!("{FOLDER_KEY}{selector}"));
    match [with_id.as_path(), folder].into_iter().find(|path| path.is_dir()) {
        Some(found) if matches!(error, FindError::Unknown { .. }) => Ok(Evaluation::open(found)?),
        None if folder.is_absolute() => Ok(Evaluation::open(folder)?),
        _ => Err(error),
    }
}

/// As [`find`], among evaluations that were listed before, newest first.
pub fn select<'a>(
    evaluations: &'a [Evaluation],
    selector: &str,
) -> Result<&'a Evaluation, FindError> {
    let with_id = |evaluation: &&Evaluation| evaluation.manifest().evaluation_id == selector;
    if let Some(found) = evaluations.iter().find(with_id) {
        return Ok(found);
    }
    let with_label = |label: &str, system: Option<&str>| {
        evaluations.iter().find(|evaluation| {
            let manifest = evaluation.manifest();
            manifest.label == label && system.is_none_or(|system| manifest.system == system)
        })
    };
    if let Some(newest) = with_label(selector, None) {
        return only_system(evaluations, newest);
    }
    // Both may have colons of their own.
    let mut by_system = selector.match_indices(':').map(|(at, _)| selector.split_at(at));
    let found = by_system.find_map(|(label, system)| with_label(label, Some(&system[1..])));
    found.ok_or_else(|| unknown(evaluations, selector))
}

/// The evaluation itself, unless others of the same execution have its label.
fn only_system<'a>(
    evaluations: &[Evaluation],
    newest: &'a Evaluation,
) -> Result<&'a Evaluation, FindError> {
    let manifest = newest.manifest();
    let same = |other: &&Evaluation| {
        let other = other.manifest();
        other.label == manifest.label && other.group == manifest.group
    };
    let mut choices: Vec<String> = evaluations.iter().filter(same).map(name).collect();
    choices.sort_unstable();
    choices.dedup();
    if choices.len() < 2 {
        return Ok(newest);
    }
    Err(FindError::Ambiguous { label: manifest.label.clone(), choices })
}

fn unknown(evaluations: &[Evaluation], selector: &str) -> FindError {
    let mut known = Vec::new();
    for name in evaluations.iter().map(name) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let manifests = evaluations.iter().map(Evaluation::manifest);
    let ids = manifests.flat_map(|manifest| [&manifest.evaluation_id, &manifest.label]);
    let nearest = ids
        .chain(&known)
        .map(|name| (strsim::damerau_levenshtein(name, selector), name))
        .min()
        .filter(|&(distance, _)| distance <= selector.chars().count().div_ceil(3))
        .map(|(_, name)| name.clone());
    FindError::Unknown { selector: selector.to_owned(), nearest, known }
}

/// How a user may call an evaluation.
fn name(evaluation: &Evaluation) -> String {
    let manifest = evaluation.manifest();
    match manifest.system.as_str() {
        "" => manifest.label.clone(),
        system => format!("{}:{system}", manifest.label),
    }
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    const SHOWN: usize = 10;
    match (nearest, known) {
        (Some(nearest), _) => format!(" (hint: did you mean `{nearest}`?)"),
        (None, []) => " (hint: the results folder has none yet)".to_owned(),
        (None, known) => {
            let more = known.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let shown = &known[..known.len().min(SHOWN)];
            format!(" (hint: there are {}{more})", quoted(shown, ", "))
        }
    }
}

fn quoted(names: &[String], separator: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(separator)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{EvaluationId, Layout, Manifest, Writer};

    struct Folder(tempfile::TempDir);

    impl Folder {
        /// A results folder with evaluations of (label, system, digest, created, group).
        fn with(evaluations: &[(&str, &str, &str, &str, &str)]) -> Self {
            let results = tempfile::tempdir().unwrap();
            for &(label, system, digest, created, group) in evaluations {
                let id = EvaluationId::new(label, digest);
                let writer = Writer::create(results.path(), &id, Layout::default()).unwrap();
                let text = str::to_owned;
                let manifest = Manifest {
                    label: text(label),
                    system: text(system),
                    created: format!("2026-11-{created}T00:00:00Z"),
                    group: text(group),
                    ..Manifest::default()
                };
                writer.finish(manifest).unwrap();
            }
            Self(results)
        }

        fn path(&self) -> PathBuf {
            self.0.path().to_owned()
        }

        /// The id that a selector finds, or the message.
        fn find(&self, selector: &str) -> String {
            match find(self.0.path(), selector) {
                Ok(evaluation) => evaluation.manifest().evaluation_id.clone(),
                Err(error) => error.to_string(),
            }
        }
    }

    fn some() -> Folder {
        Folder::with(&[
            ("main", "bm25 + a", "1aaaaaaaaaaa", "01", "g1"),
            ("main", "bm25 + a", "2aaaaaaaaaaa", "03", "g2"),
            ("team/x", "", "5aaaaaaaaaaa", "01", "g4"),
            ("pair", "a", "3aaaaaaaaaaa", "02", "g3"),
            ("pair", "b", "4aaaaaaaaaaa", "02", "g3"),
        ])
    }

    #[test]
    fn evaluations_are_listed_newest_first() {
        let folder = some();
        fs::create_dir(folder.path().join("_unfinished-x")).unwrap();
        fs::create_dir(folder.path().join("evaluation_id=half")).unwrap();
        fs::write(folder.path().join("notes.txt"), "").unwrap();
        let listing = list(&folder.path()).unwrap();
        let ids: Vec<&str> = listing
            .evaluations
            .iter()
            .map(|evaluation| evaluation.manifest().evaluation_id.as_str())
            .collect();
        let expected =
            ["main-2aaaaaaaaaaa", "pair-3aaaaaaaaaaa", "pair-4aaaaaaaaaaa", "main-1aaaaaaaaaaa"];
        assert_eq!(ids[..4], expected);
        assert_eq!(listing.unreadable.len(), 1);
        assert!(list(&folder.path().join("nowhere")).unwrap().evaluations.is_empty());
    }

    #[test]
    fn a_clock_that_goes_back_makes_no_older_evaluation() {
        let folder = Folder::with(&[
            ("main", "", "1aaaaaaaaaaa", "09", "g1"),
            ("main", "", "2aaaaaaaaaaa", "03", "g2"),
            ("other", "", "3aaaaaaaaaaa", "01", "g3"),
        ]);
        assert_eq!(folder.find("main"), "main-2aaaaaaaaaaa");
        let evaluation = find(&folder.path(), "main").unwrap();
        assert_eq!(evaluation.manifest().created, "2026-11-09T00:00:01Z");
        let other = find(&folder.path(), "other").unwrap();
        assert_eq!(other.manifest().created, "2026-11-01T00:00:00Z");
    }

    #[test]
    fn of_one_second_the_later_evaluation_is_newer() {
        let folder = Folder::with(&[
            ("main", "a", "2aaaaaaaaaaa", "09", "g1"),
            ("main", "a", "1aaaaaaaaaaa", "09", "g2"),
            ("pair", "a", "2aaaaaaaaaaa", "09", "g3"),
            ("pair", "b", "1aaaaaaaaaaa", "09", "g3"),
        ]);
        let created = |selector| find(&folder.path(), selector).unwrap().manifest().created.clone();
        assert_eq!(folder.find("main"), "main-1aaaaaaaaaaa");
        assert_eq!(created("main"), "2026-11-09T00:00:01Z");
        assert_eq!(
            (created("pair:a"), created("pair:b")),
            (created("pair:b"), created("main-2aaaaaaaaaaa"))
        );
    }

    #[test]
    fn a_selector_is_an_id_a_folder_or_a_label() {
        let folder = some();
        let inside = folder.path().join("evaluation_id=pair-4aaaaaaaaaaa");
        for (selector, id) in [
            ("main-1aaaaaaaaaaa", "main-1aaaaaaaaaaa"),
            ("main", "main-2aaaaaaaaaaa"),
            ("main:bm25 + a", "main-2aaaaaaaaaaa"),
            ("pair:b", "pair-4aaaaaaaaaaa"),
            ("team/x", "team-x-5aaaaaaaaaaa"),
            (inside.to_str().unwrap(), "pair-4aaaaaaaaaaa"),
            ("evaluation_id=pair-3aaaaaaaaaaa", "pair-3aaaaaaaaaaa"),
            ("pair", "`pair` has several systems (hint: write `pair:a` or `pair:b`)"),
            ("mian", "there is no evaluation `mian` (hint: did you mean `main`?)"),
            ("pair:c", "there is no evaluation `pair:c` (hint: did you mean `pair:a`?)"),
            (
                "other-thing",
                "there is no evaluation `other-thing` (hint: there are `main:bm25 + a`, \
                 `pair:a`, `pair:b`, `team/x`)",
            ),
        ] {
            assert_eq!(folder.find(selector), id, "{selector}");
        }
        assert!(folder.find("/nowhere/x").starts_with("`/nowhere/x` is no evaluation"));
        let half = folder.path().join("evaluation_id=half-1");
        fs::create_dir(&half).unwrap();
        fs::write(half.join("manifest.json"), r#"{"schema": "evaluation/9"}"#).unwrap();
        let error = folder.find("half-1");
        assert!(error.contains("has the format `evaluation/9`"), "{error}");
        let empty = Folder::with(&[]);
        let message = "there is no evaluation `main` (hint: the results folder has none yet)";
        assert_eq!(empty.find("main"), message);
    }
}
