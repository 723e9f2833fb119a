//! `qeval plugin-host`: the child process in which an isolated plugin lives.

use anyhow::Result;

use crate::args::PluginHost;

pub(crate) fn run(args: &PluginHost) -> Result<()> {
    Ok(qeval_loader::host::serve(&args.library)?)
}
