//! `qeval export`: stored evaluations as one file for other tools.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs::File,
    io::{BufWriter, ErrorKind, Write},
    path::Path,
};

use anyhow::{Context, Result};
use qeval_core::Stage;
use qeval_pipeline::{ConvertError, RunError};
use qeval_store::{Evaluation, ExportError, ExportFormat, Exported, Selection};

use crate::{
    args::{Corpus, Export},
    exit_code::BadRequest,
};

/// Passages by id.
pub(super) type Texts = BTreeMap<String, String>;

pub(crate) fn run(args: &Export) -> Result<()> {
    let format = ExportFormat::ALL.into_iter().find(|format| format.name() == args.format);
    let format = format.expect("the command line accepts the names of the formats only");
    check(args, format)?;
    let selection = Selection {
        metrics: args.metrics.clone(),
        stage: args.stage.as_deref().and_then(Stage::from_name),
        slices: args.slices.clone(),
        dataset: args.dataset.clone(),
    };
    let evaluations = evaluations(args)?;
    qeval_store::check_export(&evaluations, format, &selection).map_err(request)?;
    let texts = args.corpus.as_deref().map(|corpus| texts(corpus, &args.corpus_format));
    let texts = texts.transpose()?;
    let export = |output: &mut (dyn Write + Send)| {
        qeval_store::export(&evaluations, format, &selection, texts.as_ref(), output)
    };
    let exported = match &args.out {
        Some(path) => to_file(path, args.force, export)?,
        None => match to_stdout(export)? {
            Some(exported) => exported,
            None => return Ok(()),
        },
    };
    // What cannot be said is lost: the export itself is written.
    let _ = std::io::stderr().lock().write_all(described(args, exported).as_bytes());
    Ok(())
}

/// What is wrong with the command line alone.
fn check(args: &Export, format: ExportFormat) -> Result<(), BadRequest> {
    let request = |message: String, hint: &str| BadRequest { message, hint: Some(hint.to_owned()) };
    let name = format.name();
    match &args.out {
        None if !format.is_text() => {
            let message = format!("the format `{name}` is no text");
            return Err(request(message, "name the file with `--out PATH`"));
        }
        Some(path) if !args.force && path.symlink_metadata().is_ok() => {
            let message = format!("`{}` is there already", path.display());
            return Err(request(message, "give another name, or replace it with `--force`"));
        }
        _ => {}
    }
    if args.corpus.is_some() && !format.has_passages() {
        let message = format!("the format `{name}` has no texts of passages");
        return Err(request(message, "leave `--corpus` out"));
    }
    Ok(())
}

fn evaluations(args: &Export) -> Result<Vec<Evaluation>> {
    let mut ids = BTreeSet::new();
    let mut evaluations = Vec::with_capacity(args.evaluations.len());
    for selector in &args.evaluations {
        let evaluation = qeval_store::find(&args.results, selector)?;
        let id = &evaluation.manifest().evaluation_id;
        if !ids.insert(id.clone()) {
            let message = format!("`{selector}` is the evaluation `{id}`, which is named twice");
            let hint = Some("name each evaluation once".to_owned());
            return Err(BadRequest { message, hint }.into());
        }
        evaluations.push(evaluation);
    }
    Ok(evaluations)
}

/// The texts of the passages, where they are given.
pub(super) fn texts_of(args: &Corpus) -> Result<Option<Texts>> {
    args.corpus.as_deref().map(|corpus| texts(corpus, &args.corpus_format)).transpose()
}

/// The texts of a corpus by the ids of its passages.
fn texts(corpus: &Path, format: &str) -> Result<Texts> {
    qeval_pipeline::passage_texts(corpus, format).map_err(|error| match error {
        ConvertError::Problems(problems) => problems.into(),
        ConvertError::Dataset(error) => RunError::Dataset(error).into(),
    })
}

/// Writes a file that is there whole or not at all: it has another name until it is finished.
fn to_file(
    path: &Path,
    force: bool,
    export: impl FnOnce(&mut (dyn Write + Send)) -> Result<Exported, ExportError>,
) -> Result<Exported> {
    let cannot = || format!("cannot write `{}`", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Made as any file is, so that others may read it where the user lets them.
    let mut partial = tempfile::Builder::new()
        .prefix(".qeval-export-")
        .suffix(".partial")
        .make_in(folder, |path| File::create_new(path))
        .with_context(cannot)?;
    let mut output = BufWriter::new(partial.as_file_mut());
    let exported = export(&mut output).map_err(request)?;
    output.flush().with_context(cannot)?;
    drop(output);
    partial.as_file().sync_all().with_context(cannot)?;
    let kept = if force { partial.persist(path) } else { partial.persist_noclobber(path) };
    kept.map_err(|error| error.error).with_context(cannot)?;
    Ok(exported)
}

/// Writes to stdout; `None` where the reader wants no more (`| head`).
fn to_stdout(
    export: impl FnOnce(&mut (dyn Write + Send)) -> Result<Exported, ExportError>,
) -> Result<Option<Exported>> {
    let mut output = BufWriter::new(std::io::stdout());
    match export(&mut output) {
        Err(ExportError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(None),
        result => Ok(Some(result.map_err(request)?)),
    }
}

/// What cannot be is the fault of the command line.
fn request(error: ExportError) -> anyhow::Error {
    match error {
        ExportError::Unfit { message, hint } => BadRequest { message, hint: Some(hint) }.into(),
        error => error.into(),
    }
}

/// What was written, and what one should know of it.
fn described(args: &Export, exported: Exported) -> String {
    let Exported { rows, ids_for_texts } = exported;
    let mut text = String::new();
    if let Some(path) = &args.out {
        let what = if rows == 1 { "row" } else { "rows" };
        text = format!("{}: {rows} {what}\n", path.display());
    } else if rows == 0 {
        text.push_str("nothing was selected: no row was written\n");
    }
    if ids_for_texts > 0 {
        let what = match &args.corpus {
            None => "no evaluation stores the texts of passages: give them with `--corpus FILE`",
            Some(_) => "the corpus does not have these passages",
        };
        let _ = writeln!(text, "{ids_for_texts} passages have their id for a text: {what}");
    }
    text
}
