//! An index of passages and its search, against a bare loop over the same engine, in one program of
//! the workspace `peers`.

use std::process::Command;

use anyhow::{Context, Result};

use super::{Bench, generator};
use crate::shell;

pub(super) fn run(bench: &Bench<'_>) -> Result<()> {
    let passages = (bench.args.rows / 5).max(1);
    let queries = (bench.args.rows / 500).max(1);
    let corpus = bench.file("corpus.jsonl", |out| generator::passages(passages, out))?;
    let asked = bench.file("queries.jsonl", |out| generator::queries(queries, out))?;
    let mut search = Command::new(bench.peers()?);
    let printed = shell::output(search.arg("search").arg(&corpus).arg(&asked))?;
    shell::print(&format!("search: {passages} passages of 80 words, {queries} queries of 4 to 8"));
    shell::print("         ours CPU s   bare loop   ratio   two threads, wall");
    for line in printed.lines() {
        shell::print(&row(line, queries)?);
    }
    shell::print("limits: 1.1 of the bare loop, and 0.2 ms a query at k=100");
    Ok(())
}

/// A line of the program as it is shown.
fn row(line: &str, queries: u64) -> Result<String> {
    let mut words = line.split_whitespace();
    let name = words.next().context("a name is missing")?;
    let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>()?;
    let [ours, bare, two] = numbers[..] else { anyhow::bail!("`{line}` has no three numbers") };
    let each = if name == "index" {
        String::new()
    } else {
        format!("   {:.3} ms a query", ours * 1e3 / queries as f64)
    };
    Ok(format!("{name:<8}{ours:>11.3}{bare:>12.3}{:>8.2}{two:>20.2}{each}", ours / bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_ratio_and_the_time_of_a_query() {
        assert_eq!(
            row("k=100 0.4 0.5 0.6", 2000).unwrap(),
            "k=100         0.400       0.500    0.80                0.60   0.200 ms a query"
        );
        assert!(!row("index 2 2 0.5", 2000).unwrap().contains("query"));
        assert!(row("index 2", 2000).is_err());
    }
}
