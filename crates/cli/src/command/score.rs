//! `qeval score`: metrics on two files without a configuration.

use anyhow::Result;
use qeval_pipeline::{Config, RunOptions, Session, config::ScoredFiles};

use crate::{args::Score, evaluation, progress::Progress};

pub(crate) fn run(args: &Score) -> Result<()> {
    // Results that nobody asked to keep are gone when this folder is dropped.
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
