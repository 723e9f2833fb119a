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
    refuse(query, args.format)?;
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

/// Refuses what is no query: commands of the program `duckdb` itself, which may run others, and for
/// JSON more than one statement, whose two lists of rows would be no JSON.
fn refuse(query: &str, format: Rows) -> Result<()> {
    let command = query.lines().map(str::trim_start).find(|line| {
        line.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    });
    if let Some(command) = command {
        let message = format!("`{command}` is a command of `duckdb` and no SQL");
        let hint = "give `duckdb` itself what `qeval sql --print` prints";
        return Err(BadRequest { message, hint: Some(hint.to_owned()) }.into());
    }
    if format == Rows::Json && statements(query) > 1 {
        let message = "JSON holds the rows of one statement".to_owned();
        let hint = "ask once for each, or choose another format";
        return Err(BadRequest { message, hint: Some(hint.to_owned()) }.into());
    }
    Ok(())
}

/// How many statements there are, as far as semicolons outside of quotes and comments say.
fn statements(query: &str) -> usize {
    let (mut count, mut is_empty) = (0, true);
    let mut rest = query;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '\'' | '"' => rest[1..].find(c).map(|at| at + 2),
            '-' if rest.starts_with("--") => rest.find('\n'),
            '/' if rest.starts_with("/*") => rest.find("*/").map(|at| at + 2),
            _ => Some(c.len_utf8()),
        };
        let comment = rest.starts_with("--") || rest.starts_with("/*");
        if c == ';' {
            count += usize::from(!is_empty);
            is_empty = true;
        } else if !c.is_whitespace() && !comment {
            is_empty = false;
        }
        rest = &rest[end.unwrap_or(rest.len()).min(rest.len())..];
    }
    count + usize::from(!is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_counted_outside_of_quotes_and_comments() {
        for (query, expected) in [
            ("", 0),
            (" ; ;", 0),
            ("SELECT 1", 1),
            ("SELECT 1;\n", 1),
            ("SELECT ';'; -- and; more", 1),
            ("SELECT \"a;b\" /* ; */ FROM t; SELECT 2", 2),
            ("SELECT 'it''s; so'", 1),
            ("SELECT 'open; ", 1),
            ("SELECT 'é;' ; SELECT ü", 2),
        ] {
            assert_eq!(statements(query), expected, "{query}");
        }
    }
}
