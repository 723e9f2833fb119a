//! The baselines of the benches: `xtask parse FILE`, a hidden verb.
//!
//! It parses the same file into borrowed texts and does nothing with them: what any program that
//! reads the file with `serde_json` must do at least.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// Parse a file and print how much is in it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// JSON lines with `id`, `prediction` and `answers`; with `--squad` a dataset of SQuAD.
    file: PathBuf,
    /// Predictions by id, for a dataset of SQuAD.
    #[arg(long, value_name = "PREDICTIONS")]
    squad: Option<PathBuf>,
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

#[derive(Deserialize)]
struct Squad<'a> {
    #[serde(borrow)]
    data: Vec<Article<'a>>,
}

#[derive(Deserialize)]
struct Article<'a> {
    #[serde(borrow)]
    paragraphs: Vec<Paragraph<'a>>,
}

#[derive(Deserialize)]
struct Paragraph<'a> {
    #[serde(borrow)]
    qas: Vec<Question<'a>>,
}

#[derive(Deserialize)]
struct Question<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    answers: Vec<Answer<'a>>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (rows, bytes) = if let Some(predictions) = &args.squad {
        let (dataset, predictions) = (read(&args.file)?, read(predictions)?);
        squad(&dataset, &predictions)?
    } else {
        let file = File::open(&args.file)
            .with_context(|| format!("cannot read `{}`", args.file.display()))?;
        lines(BufReader::with_capacity(1 << 20, file))?
    };
    shell::print(&format!("{rows} rows, {bytes} bytes of text"));
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}

// In both, adding the lengths up keeps the compiler from leaving the texts out.

fn lines(mut reader: impl BufRead) -> Result<(usize, usize)> {
    let (mut rows, mut bytes, mut line) = (0, 0, Vec::new());
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok((rows, bytes));
        }
        rows += 1;
        let row: Row<'_> =
            serde_json::from_slice(&line).with_context(|| format!("line {rows} is no row"))?;
        bytes += row.id.len() + row.prediction.len();
        bytes += row.answers.iter().map(|answer| answer.len()).sum::<usize>();
    }
}

fn squad(dataset: &[u8], predictions: &[u8]) -> Result<(usize, usize)> {
    let dataset: Squad<'_> = serde_json::from_slice(dataset).context("this is no dataset")?;
    let predictions: HashMap<Cow<'_, str>, Cow<'_, str>> =
        serde_json::from_slice(predictions).context("these are no predictions")?;
    let mut bytes = predictions.iter().map(|(id, text)| id.len() + text.len()).sum();
    let questions = || {
        let paragraphs = dataset.data.iter().flat_map(|article| &article.paragraphs);
        paragraphs.flat_map(|paragraph| &paragraph.qas)
    };
    for question in questions() {
        bytes += question.id.len();
        bytes += question.answers.iter().map(|answer| answer.text.len()).sum::<usize>();
    }
    Ok((questions().count(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_texts_of_lines_are_parsed() {
        let text = "{\"id\": \"1\", \"prediction\": \"a\\nb\", \"answers\": [\"cd\", \"e\"]}\n";
        assert_eq!(lines(text.as_bytes()).unwrap(), (1, 7));
        let error = lines("{\"id\": 1}\n".as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "line 1 is no row");
    }

    #[test]
    fn all_texts_of_squad_are_parsed() {
        let dataset = r#"{"data": [{"title": "t", "paragraphs": [{"context": "c", "qas": [
            {"id": "1", "question": "q", "answers": [{"text": "ab", "answer_start": 0}]}]}]}]}"#;
        assert_eq!(squad(dataset.as_bytes(), br#"{"1": "xyz"}"#).unwrap(), (1, 7));
        let error = squad(dataset.as_bytes(), b"[]").unwrap_err();
        assert_eq!(error.to_string(), "these are no predictions");
    }
}
