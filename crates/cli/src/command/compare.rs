//! `qeval compare`: paired differences of stored evaluations.

use anyhow::Result;
use qeval_store::Evaluation;

use super::report::folders;
use crate::{args::Compare, comparison, evaluation, exit_code::BadRequest};

pub(crate) fn run(args: &Compare) -> Result<()> {
    let mut evaluations: Vec<Evaluation> = Vec::new();
    for selector in &args.evaluations {
        for folder in folders(&args.results, selector)? {
            let id = |evaluation: &Evaluation| evaluation.manifest().evaluation_id.clone();
            let found = Evaluation::open(&folder)?;
            if !evaluations.iter().any(|known| id(known) == id(&found)) {
                evaluations.push(found);
            }
        }
    }
    if evaluations.len() < 2 {
        return Err(BadRequest {
            message: format!("there is only one evaluation in `{}`", args.evaluations.join(" ")),
            hint: Some("name two or more; `qeval list evaluations` lists them".to_owned()),
        }
        .into());
    }
    let report = comparison::compare(&evaluations, args)?;
    super::print(&qeval_report::render_comparison(&report, evaluation::format(args.format)))
}
