//! `qeval report`: the report of a stored evaluation.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Result;
use qeval_store::Evaluation;

use crate::{args::Report, evaluation};

pub(crate) fn run(args: &Report) -> Result<()> {
    let report = evaluation::report_of(&folders(&args.results, &args.evaluation)?)?;
    super::print(&evaluation::render(&report, args.format))
}

/// A label stands for all systems of its newest execution; everything else for one evaluation.
pub(super) fn folders(results: &Path, selector: &str) -> Result<Vec<PathBuf>> {
    let listing = qeval_store::list(results)?;
    let labelled = |evaluation: &&Evaluation| evaluation.manifest().label == selector;
    let Some(newest) = listing.evaluations.iter().find(labelled) else {
        let found = qeval_store::find(results, selector)?;
        return Ok(vec![found.folder().to_owned()]);
    };
    // The newest of each system, where the same plan was run again.
    let mut systems: BTreeMap<&str, &Evaluation> = BTreeMap::new();
    let together =
        listing.evaluations.iter().filter(|e| e.manifest().group == newest.manifest().group);
    for evaluation in together {
        systems.entry(&evaluation.manifest().system).or_insert(evaluation);
    }
    let mut systems: Vec<&Evaluation> = systems.into_values().collect();
    // As `qeval run` shows them. In older evaluations all have the same place.
    systems.sort_by_key(|evaluation| evaluation.manifest().place);
    Ok(systems.into_iter().map(|evaluation| evaluation.folder().to_owned()).collect())
}
