//! `qeval diagnose`: where the errors of a stored evaluation come from.

use anyhow::{Result, bail};

use crate::args::Diagnose;

pub(crate) fn run(args: &Diagnose) -> Result<()> {
    bail!("not built yet: {args:?}")
}
