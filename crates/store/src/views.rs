//! The tables of stored evaluations as views for DuckDB: what `qeval sql` sets up.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use crate::{ReadError, id::FOLDER_KEY, list};

/// Tables that each evaluation has, and where they lie in its folder.
const TABLES: [(&str, &str); 4] = [
    ("scores", "scores/*.parquet"),
    ("stored_cases", "cases/*.parquet"),
    ("details", "details/*.parquet"),
    ("summaries", "summaries.parquet"),
];

/// The table that an evaluation lacks where there is nothing to say.
const NO_DETAILS: &str = "CREATE VIEW details AS SELECT NULL::VARCHAR AS example_id, NULL::VARCHAR AS metric, \
     NULL::INTEGER AS ordinal, NULL::VARCHAR AS kind, NULL::DOUBLE AS \"value\", NULL::VARCHAR AS label, \
     NULL::VARCHAR AS \"text\", NULL::VARCHAR AS evaluation_id WHERE false;\n";

/// The keys of a manifest with their types in SQL; the others are left out.
const MANIFEST: [(&str, &str); 21] = [
    ("evaluation_id", "VARCHAR"),
    ("label", "VARCHAR"),
    ("system", "VARCHAR"),
    ("group", "VARCHAR"),
    ("place", "BIGINT"),
    ("created", "TIMESTAMP"),
    ("status", "VARCHAR"),
    ("seed", "UBIGINT"),
    ("plan_digest", "VARCHAR"),
    (
        "datasets",
        "STRUCT(\"name\" VARCHAR, \"version\" VARCHAR, digest VARCHAR, examples BIGINT)[]",
    ),
    ("corpus", "JSON"),
    ("components", "JSON"),
    ("metrics", "JSON"),
    ("slices", "VARCHAR[]"),
    ("counts", "JSON"),
    ("notices", "JSON"),
    ("judgments", "JSON"),
    ("diagnosis", "JSON"),
    ("versions", "JSON"),
    ("timings", "JSON"),
    ("plan", "JSON"),
];

/// Why there are no views.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// There is nothing to look at.
    #[error("there is no evaluation in `{}`", .0.display())]
    Empty(PathBuf),
    /// SQL is text.
    #[error("`{}` is not valid UTF-8, so no SQL can name it", .0.display())]
    Unnamable(PathBuf),
    /// The folder cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// SQL that makes the views `scores`, `cases`, `hits`, `details`, `summaries` and `evaluations` of all
/// evaluations in a folder of results. `docs/store-format.md` has their columns.
pub fn views(results: &Path) -> Result<String, ViewError> {
    let folder = results.to_str().ok_or_else(|| ViewError::Unnamable(results.to_owned()))?;
    let evaluations = list(results)?.evaluations;
    if evaluations.is_empty() {
        return Err(ViewError::Empty(results.to_owned()));
    }
    let details = evaluations.iter().any(|evaluation| evaluation.folder().join("details").is_dir());
    let all = format!("{}/{FOLDER_KEY}*", pattern(folder.trim_end_matches('/')));
    let mut sql = String::new();
    for (name, files) in TABLES {
        if name == "details" && !details {
            sql.push_str(NO_DETAILS);
            continue;
        }
        // An id must not become a number or a date, and evaluations have different columns.
        let _ = writeln!(
            sql,
            "CREATE VIEW {name} AS SELECT * FROM read_parquet({}, hive_partitioning = true, \
             hive_types = {{'evaluation_id': VARCHAR}}, union_by_name = true);",
            quoted(&format!("{all}/{files}")),
        );
    }
    sql.push_str(
        "CREATE VIEW cases AS SELECT * REPLACE ([struct_insert(hit, relevant := \
         hit.grade > 0) for hit in hits] AS hits) FROM stored_cases;\n\
         CREATE VIEW hits AS SELECT * EXCLUDE (hit), hit.* FROM (SELECT \
         COLUMNS('^(evaluation_id|dataset|example_id)$'), unnest(hits) AS hit FROM cases);\n",
    );
    let keys = MANIFEST.map(|(key, kind)| format!("'{key}': '{kind}'")).join(", ");
    let _ = writeln!(
        sql,
        "CREATE VIEW evaluations AS SELECT * FROM read_json({}, format = 'auto', \
         hive_partitioning = false, columns = {{{keys}}});",
        quoted(&format!("{all}/manifest.json")),
    );
    Ok(sql)
}

/// A pattern that only this path matches.
fn pattern(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for sign in path.chars() {
        match sign {
            '*' | '?' | '[' => pattern.extend(['[', sign, ']']),
            _ => pattern.push(sign),
        }
    }
    pattern
}

/// A text in SQL.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_pattern_of_itself() {
        assert_eq!(pattern("a/[b]*?.c"), "a/[[]b][*][?].c");
        assert_eq!(quoted("it's"), "'it''s'");
    }

    #[test]
    fn nothing_has_no_views() {
        let results = tempfile::tempdir().unwrap();
        assert!(matches!(views(results.path()), Err(ViewError::Empty(_))));
        assert!(matches!(views(&results.path().join("none")), Err(ViewError::Empty(_))));
    }
}
