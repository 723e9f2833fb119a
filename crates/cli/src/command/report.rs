//! `qeval report`: the report of a stored evaluation.

use anyhow::Result;
use qeval_store::Evaluation;

use crate::{args::Report, evaluation};

pub(crate) fn run(args: &Report) -> Result<()> {
    let found = evaluation::find(&args.results, &args.evaluation)?;
    let folders = together(args, &found)?;
    let report = evaluation::report_of(&folders)?;
    super::print(&evaluation::render(&report, args.format))
}

/// A label stands for all systems of its newest execution; everything else for one evaluation.
fn together(args: &Report, found: &Evaluation) -> Result<Vec<std::path::PathBuf>> {
    let manifest = found.manifest();
    if args.evaluation != manifest.label {
        return Ok(vec![found.folder().to_owned()]);
    }
    let listing = qeval_store::list(&args.results)?;
    let mut systems: Vec<&Evaluation> = listing
        .evaluations
        .iter()
        .filter(|evaluation| evaluation.manifest().group == manifest.group)
        .collect();
    systems.sort_by(|a, b| a.manifest().system.cmp(&b.manifest().system));
    Ok(systems.into_iter().map(|evaluation| evaluation.folder().to_owned()).collect())
}
