//! `qeval rescore`: other metrics over the answers of a stored evaluation.

use std::{num::NonZeroU64, sync::Arc};

use anyhow::{Context, Result};
use qeval_pipeline::{Config, StoredAnswers};

use crate::args::Rescore;

pub(crate) fn run(args: &Rescore) -> Result<()> {
    let config = super::config(&args.file, &args.changes)?;
    let evaluation = qeval_store::find(&args.results, &args.evaluation)?;
    let answers = StoredAnswers::read(&evaluation).with_context(|| {
        format!("cannot read the evaluation in `{}`", evaluation.folder().display())
    })?;
    // Only so many examples have answers.
    let limit = answers.manifest().plan["limit"].as_u64().and_then(NonZeroU64::new);
    let config = Config { limit, answers: Some(Arc::new(answers)), ..config };
    super::run::evaluate(&config, args.no_plugins, false, args.format)
}
