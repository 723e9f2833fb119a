//! The arguments of `qeval sql`.

use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};

/// `qeval sql`.
#[derive(Debug, Group)]
pub(crate) struct Sql {
    /// What is asked, over the views `evaluations`, `scores`, `cases`, `hits`, `details` and `summaries`.
    #[arg(required_unless_present = "print", conflicts_with = "print", allow_hyphen_values = true)]
    pub(crate) query: Option<String>,
    /// Print the SQL that makes the views, for DuckDB in any other place.
    #[arg(long)]
    pub(crate) print: bool,
    /// Folder with the stored evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the answer is printed.
    #[arg(long, value_enum, default_value = "table", conflicts_with = "print")]
    pub(crate) format: Rows,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rows {
    /// A table for people.
    Table,
    /// Comma-separated values.
    Csv,
    /// A JSON list of objects.
    Json,
}
