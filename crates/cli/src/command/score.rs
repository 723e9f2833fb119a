//! `qeval score`: metrics on two files without a configuration.

use std::{
    cell::Cell,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use qeval_pipeline::{
    Config, OfficialError, RunOptions, ScriptOptions, Session, config::ScoredFiles,
};

use crate::{args::Score, evaluation, exit_code::BadRequest, progress::Progress};

pub(crate) fn run(args: &Score) -> Result<()> {
    if let (Some(script), Some(predictions)) = (&args.official, &args.predictions) {
        let options = ScriptOptions {
            na_prob_file: args.na_prob_file.clone(),
            na_prob_thresh: args.na_prob_thresh,
            pr_curves: args.pr_curves,
        };
        return official(script, args.dataset.as_deref(), predictions, &options);
    }
    // Results that nobody asked to keep have no texts, and are gone when this folder is dropped.
    let temporary = tempfile::tempdir()?;
    let results = args.results.clone().unwrap_or_else(|| temporary.path().to_owned());
    let given = Stdin { folder: temporary.path(), taken: Cell::new(false) };
    let config = Config::of_files(&ScoredFiles {
        dataset: given.file(args.dataset.as_deref())?,
        dataset_format: args.dataset_format.clone(),
        predictions: given.file(args.predictions.as_deref())?,
        qrels: given.file(args.qrels.as_deref())?,
        run: given.file(args.run.as_deref())?,
        metrics: args.metrics.clone(),
        fields: args.fields.clone(),
        prediction_fields: args.prediction_fields.clone(),
        results: std::path::absolute(results)?,
        kept: args.results.is_some(),
    })?;
    let session = Session::start()?;
    let plan = super::plan(&config, &session)?;
    let progress = Progress::new();
    let options = RunOptions { fresh: false, stop: Some(session.stop()) };
    let result = qeval_pipeline::run(&plan, &options, &|event| progress.show(&event));
    progress.finish();
    let mut report = evaluation::report_of(&result?.evaluations)?;
    report.stored = args.results.is_some();
    super::print(&evaluation::render(&report, args.format))
}

/// Where the files are, of which one may be the standard input: it is written to a folder, because
/// files are read more than once.
struct Stdin<'a> {
    folder: &'a Path,
    taken: Cell<bool>,
}

impl Stdin<'_> {
    /// The file of that name; for `-` what comes from the standard input.
    fn file(&self, path: Option<&Path>) -> Result<Option<PathBuf>> {
        let Some(path) = path else { return Ok(None) };
        if path != Path::new("-") {
            return Ok(Some(path.to_owned()));
        }
        if self.taken.replace(true) {
            let message = "two files are `-`, and there is one standard input".to_owned();
            let hint = Some("write one of them to a file".to_owned());
            return Err(BadRequest { message, hint }.into());
        }
        let file = self.folder.join("stdin");
        let copied =
            File::create(&file).and_then(|mut to| io::copy(&mut io::stdin().lock(), &mut to));
        copied.context("the standard input cannot be read")?;
        Ok(Some(file))
    }
}

/// What the script of that name prints.
#[expect(clippy::print_stderr, reason = "the script says it there")]
fn official(
    script: &str,
    dataset: Option<&Path>,
    predictions: &Path,
    options: &ScriptOptions,
) -> Result<()> {
    let output = match qeval_pipeline::official(script, dataset, predictions, options) {
        Err(OfficialError::Unknown { name, hint }) => {
            let message = OfficialError::Unknown { name, hint: None }.to_string();
            return Err(BadRequest { message, hint }.into());
        }
        Err(error @ OfficialError::Options { .. }) => {
            let hint = Some("only `squad2` has probabilities of no answer".to_owned());
            return Err(BadRequest { message: error.to_string(), hint }.into());
        }
        Err(error @ OfficialError::Dataset { .. }) => {
            return Err(BadRequest { message: error.to_string(), hint: None }.into());
        }
        Err(OfficialError::Unreadable(error)) => {
            return Err(BadRequest { message: error.to_string(), hint: error.hint.clone() }.into());
        }
        output => output?,
    };
    eprint!("{}", output.stderr);
    super::print(&output.stdout)
}
