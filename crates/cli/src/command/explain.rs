//! `qeval explain`: how the scores of one example came about.

use anyhow::{Result, bail};

use crate::args::Explain;

pub(crate) fn run(args: &Explain) -> Result<()> {
    bail!("not built yet: {args:?}")
}
