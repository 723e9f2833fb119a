//! `qeval sql`: questions about stored evaluations, which the program `duckdb` answers.

use std::{
    io::ErrorKind,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use qeval_store::ViewError;

use crate::{
    args::{Rows, Sql},
    exit_code::BadRequest,
};

/// The program that is run.
const DUCKDB: &str = "duckdb";

pub(crate) fn run(args: &Sql) -> Result<()> {
    let views = qeval_store::views(&args.results).map_err(|error| match error {
        ViewError::Empty(_) => BadRequest {
            message: error.to_string(),
            hint: Some("name the folder of the results with `--results`".to_owned()),
        }
        .into(),
        error => anyhow::Error::from(error),
    })?;
    let Some(query) = &args.query else { return super::print(&views) };
    let mut duckdb = Command::new(DUCKDB);
    let form = match args.format {
        Rows::Table => "-box",
        Rows::Csv => "-csv",
        Rows::Json => "-json",
    };
    // Without a database of its own, without what the user's file of settings says, and without
    // questions to the terminal.
    duckdb.args(["-batch", "-no-init", "-bail", form, ":memory:"]).stdin(Stdio::null());
    duckdb.args(["-c", &views, "-c", query]);
    let status = duckdb.status().map_err(|error| {
        let missing = error.kind() == ErrorKind::NotFound;
        if !missing {
            return anyhow::Error::from(error).context("`duckdb` cannot be started");
        }
        let hint = "install DuckDB (`pip install duckdb-cli`, or see https://duckdb.org/install), or \
                    give what `qeval sql --print` prints to a DuckDB of any other kind";
        let message = "there is no program `duckdb` on the `PATH`".to_owned();
        BadRequest { message, hint: Some(hint.to_owned()) }.into()
    })?;
    match status.code() {
        Some(0) => Ok(()),
        // It has said why itself.
        Some(code) => bail!("`duckdb` ended with exit code {code}"),
        None => Err(anyhow::anyhow!("{status}")).context("`duckdb` did not finish"),
    }
}
