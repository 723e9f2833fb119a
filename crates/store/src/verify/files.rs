//! The files of an evaluation against its manifest.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use super::Verification;
use crate::{
    Manifest, MetricColumn, Part, ReadError, manifest::FILE_NAME, reader, reader::footer, schema,
};

/// Looks at the files and returns the paths of those whose rows cannot be trusted.
pub(super) fn look(
    folder: &Path,
    manifest: &Manifest,
    found: &mut Verification,
) -> BTreeSet<String> {
    let mut damaged = BTreeSet::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for part in &manifest.parts {
        if !known.insert(&part.path) {
            found.file(&part.path, "the manifest names it twice");
        }
        let before = found.defects.len() as u64 + found.more;
        found.guarded(&part.path, |found| one(folder, part, manifest, found));
        if found.defects.len() as u64 + found.more > before {
            damaged.insert(part.path.clone());
        }
    }
    for table in ["scores/", "cases/", crate::summaries::FILE] {
        if table == "cases/" && manifest.without_texts {
            continue;
        }
        if !known.iter().any(|path| path.starts_with(table)) {
            found.file(FILE_NAME, format!("it names no file of `{table}`"));
            damaged.insert(table.to_owned());
        }
    }
    if let Err(error) = unknown(folder, "", &known, found, &mut damaged) {
        found.file("", format!("the folder cannot be read: {error}"));
    }
    damaged
}

fn one(
    folder: &Path,
    part: &Part,
    manifest: &Manifest,
    found: &mut Verification,
) -> Result<(), ReadError> {
    let path = folder.join(&part.path);
    if part.digest != Part::TEMPORARY {
        let digest = reader::digest(&path)?;
        if digest != part.digest {
            let message = "it was changed after it was written: its digest is another one";
            found.file(&part.path, message);
            return Ok(());
        }
    }
    let (rows, facts) = footer::read(&path)?;
    if rows != part.rows {
        let expected = part.rows;
        found.file(&part.path, format!("it has {rows} rows, and the manifest says {expected}"));
    }
    compare(&part.path, &facts, manifest, found);
    Ok(())
}

/// Compares what the footer says with the manifest.
fn compare(
    path: &str,
    facts: &BTreeMap<String, String>,
    manifest: &Manifest,
    found: &mut Verification,
) {
    let table = path.split(['/', '.']).next().unwrap_or_default();
    let of_table = |version: &&String| version.split('/').next() == Some(table);
    let version = manifest.versions.schema.iter().find(of_table).map(String::as_str);
    for (key, expected) in
        [("qeval.schema", version), ("qeval.plan_digest", Some(manifest.plan_digest.as_str()))]
    {
        let fact = facts.get(key).map(String::as_str);
        if fact != expected {
            let (fact, expected) = (fact.unwrap_or("nothing"), expected.unwrap_or("nothing"));
            let message = format!("its `{key}` is `{fact}`, and the manifest says `{expected}`");
            found.file(path, message);
        }
    }
    let metrics = facts.get("qeval.metrics").map(|text| serde_json::from_str(text));
    let same = |metrics: Vec<MetricColumn>| metrics == manifest.metrics;
    if !metrics.and_then(Result::ok).is_some_and(same) {
        found.file(path, "its `qeval.metrics` are not the metrics of the manifest");
    }
    if manifest.schema != schema::MANIFEST_VERSION {
        found.file(FILE_NAME, format!("its version is `{}`", manifest.schema));
    }
}

/// Names what lies in the folder and does not belong to the evaluation. Readers would take a
/// Parquet file in the folder of a table for a part of it.
fn unknown(
    folder: &Path,
    inside: &str,
    known: &BTreeSet<&str>,
    found: &mut Verification,
    damaged: &mut BTreeSet<String>,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder.join(inside))?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{inside}{}", entry.file_name().to_string_lossy());
        let below = format!("{path}/");
        if entry.file_type()?.is_dir() && known.iter().any(|known| known.starts_with(&below)) {
            unknown(folder, &below, known, found, damaged)?;
        } else if !known.contains(path.as_str()) && path != FILE_NAME {
            found.file(&path, "it is no file of the evaluation");
            damaged.insert(path);
        }
    }
    Ok(())
}
