//! `qeval diagnose`: where the errors of a stored evaluation come from.

use anyhow::Result;
use qeval_store::Evaluation;

use crate::{args::Diagnose, diagnosis, evaluation};

pub(crate) fn run(args: &Diagnose) -> Result<()> {
    let find = |selector: &String| qeval_store::find(&args.results, selector);
    let evaluations: Vec<Evaluation> =
        args.evaluations.iter().map(find).collect::<Result<_, _>>()?;
    let texts = super::export::texts_of(&args.corpus)?;
    let found = diagnosis::diagnose(&evaluations, args, texts.as_ref())?;
    super::print(&qeval_report::render_diagnosis(&found, evaluation::format(args.format)))
}
