//! The baseline of the bench `qa`: `xtask parse FILE`, a hidden verb.
//!
//! It parses the same file into borrowed texts and does nothing with them: what any program that
//! reads the file with `serde_json` must do at least.

use std::{
    borrow::Cow,
    fs::File,
    io::{BufRead, BufReader},
    path::PathBuf,
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// Parse a JSONL file and print how much is in it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file, with `id`, `prediction` and `answers` on each line.
    file: PathBuf,
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    prediction: Cow<'a, str>,
    #[serde(borrow)]
    answers: Vec<Cow<'a, str>>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let file =
        File::open(&args.file).with_context(|| format!("cannot read `{}`", args.file.display()))?;
    let (rows, bytes) = parse(BufReader::with_capacity(1 << 20, file))?;
    shell::print(&format!("{rows} rows, {bytes} bytes of text"));
    Ok(())
}

fn parse(mut reader: impl BufRead) -> Result<(u64, usize)> {
    let (mut rows, mut bytes, mut line) = (0, 0, Vec::new());
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok((rows, bytes));
        }
        rows += 1;
        let row: Row<'_> =
            serde_json::from_slice(&line).with_context(|| format!("line {rows} is no row"))?;
        // Adding the lengths up keeps the compiler from leaving the texts out.
        bytes += row.id.len() + row.prediction.len();
        bytes += row.answers.iter().map(|answer| answer.len()).sum::<usize>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_texts_are_parsed() {
        let text = "{\"id\": \"1\", \"prediction\": \"a\\nb\", \"answers\": [\"cd\", \"e\"]}\n";
        assert_eq!(parse(text.as_bytes()).unwrap(), (1, 7));
        let error = parse("{\"id\": 1}\n".as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "line 1 is no row");
    }
}
