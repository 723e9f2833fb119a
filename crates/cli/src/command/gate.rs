//! `qeval gate`: the gates of a stored evaluation.

use anyhow::{Result, bail};

use crate::args::Gate;

pub(crate) fn run(args: &Gate) -> Result<()> {
    bail!("not built yet: {args:?}")
}
