//! `qeval explain`: how the scores of one example came about.

use anyhow::Result;

use crate::{args::Explain, evaluation, explanation};

pub(crate) fn run(args: &Explain) -> Result<()> {
    let evaluation = qeval_store::find(&args.results, &args.evaluation)?;
    let texts = super::export::texts_of(&args.corpus)?;
    let found = explanation::explain(&evaluation, args, texts.as_ref())?;
    super::print(&qeval_report::render_explanation(&found, evaluation::format(args.format)))
}
