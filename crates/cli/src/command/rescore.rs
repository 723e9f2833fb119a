//! `qeval rescore`: other metrics over the answers of a stored evaluation.

use std::{num::NonZeroU64, sync::Arc};

use anyhow::{Context, Result};
use qeval_pipeline::{Config, Part, RunOptions, StoredAnswers};

use crate::{
    args::Rescore, evaluation, exit_code::BadRequest, progress, remote::Copies, stdin::Stdin,
};

pub(crate) fn run(args: &Rescore) -> Result<()> {
    let mut configs = super::configs(&args.file, &args.changes)?;
    let stdin = Stdin::default();
    stdin.put_into(&mut configs)?;
    let session = crate::stop::session()?;
    let copies = Copies::default();
    copies.put_into(&mut configs, &session)?;
    let [config] = <[Config; 1]>::try_from(configs).map_err(|_| several())?;
    let evaluation = qeval_store::find(&args.results, &args.evaluation)?;
    let answers = StoredAnswers::read(&evaluation).with_context(|| {
        format!("cannot read the evaluation in `{}`", evaluation.folder().display())
    })?;
    // Only so many examples have answers.
    let part = |key: &str| answers.manifest().plan[key].as_u64().and_then(NonZeroU64::new);
    let stored = part("limit").map(Part::First).or(part("sample").map(Part::Sample));
    let part = match (args.changes.part(), stored) {
        (Some(_), Some(_)) => return Err(part_of_part().into()),
        (asked, stored) => asked.or(stored),
    };
    let config = Config { part, answers: Some(Arc::new(answers)), ..config };
    let plan = super::plan(&config, &session, args.no_plugins)?;
    let finished = {
        let options = RunOptions { stop: Some(session.stop()), ..RunOptions::default() };
        super::run::evaluate(&plan, options, progress::Form::Auto)?
    };
    super::run::eprint_reused(&finished)?;
    let report = evaluation::report_of_run(&finished)?;
    super::print(&evaluation::render(&report, args.format))
}

fn part_of_part() -> BadRequest {
    BadRequest {
        message: "the evaluation is of a part of the examples, and another part is asked for"
            .to_owned(),
        hint: Some("leave `--limit` and `--sample` out, or score the answers to all".to_owned()),
    }
}

fn several() -> BadRequest {
    BadRequest {
        message: "the file has a sweep, and the answers are those of one combination".to_owned(),
        hint: Some("give a file without `[sweep]`, and its values with `--set`".to_owned()),
    }
}
