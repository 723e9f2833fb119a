//! `qeval score`: metrics on two files without a configuration.

use std::path::Path;

use anyhow::Result;
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
    let config = Config::of_files(&ScoredFiles {
        dataset: args.dataset.clone(),
        dataset_format: args.dataset_format.clone(),
        predictions: args.predictions.clone(),
        qrels: args.qrels.clone(),
        run: args.run.clone(),
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
