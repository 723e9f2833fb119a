//! `qeval plugin`: the kit of those who write plugins.

mod check;
mod new;

use anyhow::Result;

use crate::args::{Plugin, PluginVerb};

pub(crate) fn run(args: &Plugin) -> Result<()> {
    match &args.verb {
        PluginVerb::New(args) => new::run(args),
        PluginVerb::Check(args) => check::run(args),
    }
}
