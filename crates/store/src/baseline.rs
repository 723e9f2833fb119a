//! An evaluation as one file, to be carried to where another one is held against it.
//!
//! The file is a tar archive of the folder: a manifest, the scores, the summaries and the details.
//! Questions, answers and hits are most of an evaluation and are nobody's business in a check, so they
//! stay behind unless they are asked for.

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Write as _},
    path::{Component, Path, PathBuf},
};

use tar::{Archive, Builder, EntryType, Header};

use crate::{
    Defect, Evaluation, EvaluationId, Manifest, ReadError, id::FOLDER_KEY, manifest::FILE_NAME,
    reader, verify::verify,
};

/// The largest file of an archive that is taken.
const LARGEST: u64 = 1 << 34;

/// Why a baseline could not be written or taken.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The evaluation cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be read or written.
    #[error("cannot read or write `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no baseline.
    #[error(
        "`{}` is no baseline: {reason} (hint: `qeval baseline export` writes one)",
        path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Something else is stored under the same id.
    #[error(
        "`{id}` is there already, with another content (hint: delete one of them, or import into \
         another folder)"
    )]
    Conflict {
        /// Id of the evaluation.
        id: String,
    },
}

/// What became of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// The evaluation is new here; its folder.
    New(PathBuf),
    /// It was there already; its folder.
    Known(PathBuf),
}

/// Writes an evaluation into a file, with its texts or without. A file that is there is replaced when
/// the new one is whole.
///
/// # Errors
///
/// When the evaluation is not what was written, or the file cannot be written.
pub fn export_baseline(
    evaluation: &Evaluation,
    path: &Path,
    texts: bool,
) -> Result<(), BaselineError> {
    let mut manifest = evaluation.manifest().clone();
    manifest.without_texts |= !texts;
    manifest.parts.retain(|part| texts || !part.path.starts_with("cases/"));
    for part in &manifest.parts {
        evaluation.verify(&part.path)?;
    }
    let temporary = beside(path);
    let written =
        write(evaluation, &manifest, &temporary).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        let _ = fs::remove_file(&temporary);
        BaselineError::Io { path: path.to_owned(), source }
    })
}

/// A name for a file that is not whole yet.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

fn write(evaluation: &Evaluation, manifest: &Manifest, path: &Path) -> io::Result<()> {
    let mut archive = Builder::new(BufWriter::new(File::create(path)?));
    let folder = format!("{FOLDER_KEY}{}", manifest.evaluation_id);
    let mut text = serde_json::to_vec_pretty(manifest)?;
    text.push(b'\n');
    append(&mut archive, &format!("{folder}/{FILE_NAME}"), text.len() as u64, text.as_slice())?;
    for part in &manifest.parts {
        let file = File::open(evaluation.folder().join(&part.path))?;
        let size = file.metadata()?.len();
        append(&mut archive, &format!("{folder}/{}", part.path), size, BufReader::new(file))?;
    }
    let mut file = archive.into_inner()?;
    file.flush()?;
    file.get_ref().sync_all()
}

/// Appends a file without times and owners, so that the same evaluation makes the same archive.
fn append(
    archive: &mut Builder<impl io::Write>,
    name: &str,
    size: u64,
    content: impl io::Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_entry_type(EntryType::Regular);
    archive.append_data(&mut header, name, content)
}

/// Puts the evaluation of a file into a results folder.
///
/// # Errors
///
/// When the file holds anything but one whole evaluation, and when there is another one with its id.
pub fn import_baseline(path: &Path, results: &Path) -> Result<Imported, BaselineError> {
    let io = |source| BaselineError::Io { path: path.to_owned(), source };
    let file = BufReader::new(File::open(path).map_err(io)?);
    fs::create_dir_all(results).map_err(io)?;
    let taken = Taken(results.join(format!("_import-{}", std::process::id())));
    fs::create_dir_all(&taken.0).map_err(io)?;
    let name = unpack(path, file, &taken.0)?;
    let folder = taken.0.join(&name);
    let evaluation = checked(path, &folder)?;
    let target = results.join(&name);
    if target.exists() {
        let known = Evaluation::open(&target)?;
        let id = evaluation.manifest().evaluation_id.clone();
        let same = is_part_of(evaluation.manifest(), known.manifest());
        return if same {
            Ok(Imported::Known(target))
        } else {
            Err(BaselineError::Conflict { id })
        };
    }
    fs::rename(&folder, &target).map_err(io)?;
    Ok(Imported::New(target))
}

/// A folder that is removed at the end.
struct Taken(PathBuf);

impl Drop for Taken {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Unpacks the archive, and says what its only folder is called.
fn unpack(path: &Path, file: impl io::Read, folder: &Path) -> Result<String, BaselineError> {
    let invalid = |reason: String| BaselineError::Invalid { path: path.to_owned(), reason };
    let damaged = |error: io::Error| invalid(format!("it is damaged or no tar archive: {error}"));
    let mut name: Option<String> = None;
    let mut archive = Archive::new(file);
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let own = entry.path().map_err(damaged)?.into_owned();
        let Some((first, rest)) = parts(&own).filter(|_| entry.header().entry_type().is_file())
        else {
            return Err(invalid(format!("it has an entry `{}`", own.display())));
        };
        if name.get_or_insert_with(|| first.clone()) != &first {
            return Err(invalid("it has several evaluations".to_owned()));
        }
        if entry.size() > LARGEST {
            return Err(invalid(format!("`{}` is too large", own.display())));
        }
        let target = folder.join(&first).join(rest);
        let parent = target.parent().map_or(Ok(()), fs::create_dir_all);
        let copied = parent
            .and_then(|()| File::create_new(&target))
            .and_then(|mut file| io::copy(&mut entry, &mut file));
        copied.map_err(damaged)?;
    }
    name.ok_or_else(|| invalid("it is empty".to_owned()))
}

/// The folder and the rest of a path that an evaluation may have; `None` for any other.
fn parts(path: &Path) -> Option<(String, PathBuf)> {
    let mut names = Vec::new();
    for component in path.components() {
        let Component::Normal(name) = component else { return None };
        names.push(name.to_str()?);
    }
    let (folder, rest) = names.split_first()?;
    folder.strip_prefix(FOLDER_KEY)?.parse::<EvaluationId>().ok()?;
    let parquet = |name: &str| Path::new(name).extension().is_some_and(|end| end == "parquet");
    let known = match rest {
        [file] => *file == FILE_NAME || *file == "summaries.parquet",
        [table, part] => ["scores", "cases", "details"].contains(table) && parquet(part),
        _ => false,
    };
    known.then(|| ((*folder).to_owned(), rest.iter().collect()))
}

/// The evaluation in a folder, whose files are what its manifest says.
fn checked(path: &Path, folder: &Path) -> Result<Evaluation, BaselineError> {
    let invalid = |reason: String| BaselineError::Invalid { path: path.to_owned(), reason };
    let evaluation = Evaluation::open(folder)?;
    let manifest = evaluation.manifest();
    if folder.file_name() != Some(format!("{FOLDER_KEY}{}", manifest.evaluation_id).as_ref()) {
        return Err(invalid(format!("its manifest is of `{}`", manifest.evaluation_id)));
    }
    for part in &manifest.parts {
        if parts(&Path::new(&format!("{FOLDER_KEY}a-1")).join(&part.path)).is_none() {
            return Err(invalid(format!("its manifest names `{}`", part.path)));
        }
        if reader::digest(&folder.join(&part.path))? != part.digest {
            return Err(invalid(format!("`{}` is not what its manifest says", part.path)));
        }
    }
    let found = verify(folder)?;
    if let Some(Defect { file, message, .. }) = found.defects.first() {
        let file = if file.is_empty() { "the folder" } else { file };
        return Err(invalid(format!("{file}: {message}")));
    }
    Ok(evaluation)
}

/// Whether all that a manifest names is in another one with the same content.
fn is_part_of(manifest: &Manifest, whole: &Manifest) -> bool {
    manifest.plan_digest == whole.plan_digest
        && manifest.parts.iter().all(|part| whole.parts.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Row, Writer};

    fn evaluation(results: &Path, question: &str) -> Evaluation {
        let id = EvaluationId::new("main", "0123456789ab");
        let mut writer = Writer::create(results, &id, Layout::default()).unwrap();
        let row = Row { example_id: "q1", question: Some(question), ..Row::default() };
        writer.append(&[row]).unwrap();
        let manifest = Manifest { label: "main".to_owned(), ..Manifest::default() };
        Evaluation::open(&writer.finish(manifest).unwrap()).unwrap()
    }

    #[test]
    fn what_is_carried_is_what_was_there_but_for_the_texts() {
        let here = tempfile::tempdir().unwrap();
        let there = tempfile::tempdir().unwrap();
        let own = evaluation(here.path(), "who?");
        let (bare, whole) = (here.path().join("bare.tar"), here.path().join("whole.tar"));
        export_baseline(&own, &bare, false).unwrap();
        export_baseline(&own, &whole, true).unwrap();
        let again = here.path().join("again.tar");
        export_baseline(&own, &again, false).unwrap();
        assert_eq!(fs::read(&bare).unwrap(), fs::read(&again).unwrap());

        let Imported::New(folder) = import_baseline(&bare, there.path()).unwrap() else { panic!() };
        let carried = Evaluation::open(&folder).unwrap();
        assert_eq!(carried.scores(&[]).unwrap(), own.scores(&[]).unwrap());
        assert!(!carried.has_texts() && own.has_texts());
        assert_eq!(carried.manifest().plan_digest, own.manifest().plan_digest);
        assert_eq!(import_baseline(&bare, there.path()).unwrap(), Imported::Known(folder));
        // Where all of it is there already, a part of it is nothing new.
        assert!(matches!(import_baseline(&bare, here.path()), Ok(Imported::Known(_))));
        let third = tempfile::tempdir().unwrap();
        let Imported::New(folder) = import_baseline(&whole, third.path()).unwrap() else {
            panic!()
        };
        let case = &Evaluation::open(&folder).unwrap().cases(&[0]).unwrap()[0];
        assert_eq!(case.question.as_deref(), Some("who?"));
        assert_eq!(fs::read_dir(third.path()).unwrap().count(), 1);
    }

    #[test]
    fn another_content_under_the_same_id_is_refused() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = here.path().join("main.tar");
        export_baseline(&evaluation(here.path(), "who?"), &file, true).unwrap();
        evaluation(there.path(), "when?");
        let error = import_baseline(&file, there.path()).unwrap_err();
        assert!(
            matches!(&error, BaselineError::Conflict { id } if id == "main-0123456789ab"),
            "{error}"
        );
    }

    #[test]
    fn an_archive_that_reaches_elsewhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results");
        let refused = |names: &[(&str, &[u8])]| {
            let path = folder.path().join("bad.tar");
            let mut archive = Builder::new(File::create(&path).unwrap());
            for (name, content) in names {
                let mut header = Header::new_gnu();
                // What `set_path` would refuse to write.
                header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
                header.set_size(content.len() as u64);
                header.set_entry_type(EntryType::Regular);
                header.set_cksum();
                archive.append(&header, *content).unwrap();
            }
            archive.into_inner().unwrap();
            import_baseline(&path, &results).unwrap_err().to_string()
        };
        let elsewhere = refused(&[("evaluation_id=a-1/../../x.parquet", b"x")]);
        assert!(elsewhere.contains("it has an entry"), "{elsewhere}");
        assert!(refused(&[("/etc/x", b"x")]).contains("it has an entry"));
        assert!(refused(&[("evaluation_id=a-1/run.sh", b"x")]).contains("it has an entry"));
        let two: [(&str, &[u8]); 2] = [
            ("evaluation_id=a-1/manifest.json", b"{\"schema\": \"evaluation/1\"}"),
            ("evaluation_id=b-1/manifest.json", b"{}"),
        ];
        assert!(refused(&two).contains("several evaluations"));
        assert!(refused(&two[..1]).contains("its manifest is of ``"));
        let parts: &[u8] = b"{\"schema\": \"evaluation/1\", \"evaluation_id\": \"a-1\", \
            \"parts\": [{\"path\": \"../../secret\", \"rows\": 0, \"digest\": \"x\"}]}";
        let named = refused(&[("evaluation_id=a-1/manifest.json", parts)]);
        assert!(named.contains("its manifest names `../../secret`"), "{named}");
        assert!(refused(&[]).contains("it is empty"));
        assert_eq!(fs::read_dir(&results).unwrap().count(), 0);
        fs::write(folder.path().join("no.tar"), "no archive at all, but a text").unwrap();
        let error = import_baseline(&folder.path().join("no.tar"), &results).unwrap_err();
        assert!(error.to_string().contains("no baseline"), "{error}");
    }
}
