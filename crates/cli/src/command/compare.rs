//! `qeval compare`: paired differences of stored evaluations.

use anyhow::{Result, bail};

use crate::args::Compare;

pub(crate) fn run(args: &Compare) -> Result<()> {
    bail!("not built yet: {args:?}")
}
