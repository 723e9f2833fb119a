//! The verbs, one file each.

pub(crate) mod baseline;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod diagnose;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod gate;
pub(crate) mod index;
pub(crate) mod list;
pub(crate) mod plugin;
pub(crate) mod plugin_host;
pub(crate) mod report;
pub(crate) mod rescore;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod sql;
pub(crate) mod verify;

use std::{io::Write, path::Path};

use anyhow::{Context, Result};
use qeval_pipeline::{Config, Plan, Session};

use crate::{args::Changes, exit_code::BadRequest, terminal};

/// Prints text on stdout. A closed pipe (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write the results to stdout"),
    }
}

/// Reads and parses a file, with what the command line sets in place of it: one configuration, or
/// one for each combination of its sweep.
fn configs(file: &Path, changes: &Changes) -> Result<Vec<Config>> {
    let text = std::fs::read(file).map_err(|error| {
        let hint = (error.kind() == std::io::ErrorKind::NotFound)
            .then(|| "give the path of the TOML file that declares the evaluation".to_owned());
        BadRequest { message: format!("cannot read `{}`: {error}", file.display()), hint }
    })?;
    let text = String::from_utf8(text).map_err(|error| BadRequest {
        message: format!("`{}`, line {}: invalid UTF-8", file.display(), line_of(&error)),
        hint: Some("save the file as UTF-8".to_owned()),
    })?;
    let only = changes.only.iter().map(|stage| format!("evaluation.stages=[\"{}\"]", stage.name()));
    let settings: Vec<String> = changes.set.iter().cloned().chain(only).collect();
    let configs = Config::read(file, &text, &settings, &terminal::variable)?.into_iter();
    Ok(configs.map(|config| Config { part: changes.part(), ..config }).collect())
}

/// The line, from 1, where a text ceases to be one.
fn line_of(error: &std::string::FromUtf8Error) -> usize {
    let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    String::from_utf8_lossy(valid).matches('\n').count() + 1
}

/// The variable that says how many bytes of predictions are kept in memory.
const HELD_PREDICTIONS: &str = "QEVAL_HELD_PREDICTIONS";

/// A plan and what it needs while it runs.
pub(crate) fn plan(config: &Config, session: &Session, no_plugins: bool) -> Result<Plan> {
    let mut surroundings = session.surroundings(std::env::current_exe()?, terminal::variable);
    surroundings.plugins = !no_plugins;
    if let Some(bytes) = terminal::variable(HELD_PREDICTIONS) {
        surroundings.held_predictions = bytes.parse().map_err(|_| BadRequest {
            message: format!("the variable `{HELD_PREDICTIONS}` is `{bytes}`"),
            hint: Some("it is a number of bytes, such as 67108864".to_owned()),
        })?;
    }
    Ok(Plan::new(config, &surroundings)?)
}
