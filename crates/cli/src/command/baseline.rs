//! `qeval baseline`: a baseline as a file that can be carried.

use anyhow::{Result, bail};

use crate::args::Baseline;

pub(crate) fn run(args: &Baseline) -> Result<()> {
    bail!("not built yet: {args:?}")
}
