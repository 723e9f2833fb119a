//! A dataset in another format.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use qeval_dataset::{
    CorpusFormat, CorpusSource, DatasetFormat, DatasetSource, Target, TargetFormat,
};

use crate::{Problem, Problems, config::mapped_dataset, plan::field_names, problem::suggest};

/// A conversion as it is asked for on the command line.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The dataset.
    pub input: PathBuf,
    /// Its format.
    pub from: String,
    /// The file to write, which must not be there yet.
    pub output: PathBuf,
    /// The format to write.
    pub to: String,
    /// Which column of the dataset holds what.
    pub fields: Vec<(String, String)>,
    /// Columns to keep.
    pub columns: Vec<String>,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Converted {
    /// All examples.
    pub examples: u64,
    /// Those without a reference.
    pub unanswerable: u64,
    /// References without the place that the format has room for.
    pub unplaced: u64,
}

/// Why a dataset was not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// What is asked for cannot be.
    #[error(transparent)]
    Problems(#[from] Box<Problems>),
    /// The dataset cannot be read, or the other format cannot hold it.
    #[error(transparent)]
    Dataset(#[from] qeval_dataset::Error),
}

/// Writes a dataset in another format. After an error there is no new file.
pub fn convert(conversion: &Conversion) -> Result<Converted, ConvertError> {
    let mut problems = Vec::new();
    let from =
        named(&conversion.from, "dataset", &DatasetFormat::ALL, DatasetFormat::name, &mut problems);
    let to = named(&conversion.to, "target", &TargetFormat::ALL, TargetFormat::name, &mut problems);
    let mut fields = mapped_dataset(&conversion.fields, &mut problems);
    let (Some(from), Some(to), true) = (from, to, problems.is_empty()) else {
        return Err(Box::new(Problems::of_command_line(problems)).into());
    };
    if from.has_fields() {
        // A dataset whose references are called otherwise must not become one without answers.
        fields.references.get_or_insert_with(|| "references".to_owned());
    }
    let mut source = DatasetSource::new(&conversion.input, from);
    source.fields = field_names(&fields);
    source.columns.clone_from(&conversion.columns);
    let target = Target { path: conversion.output.clone(), format: to };
    let written = qeval_dataset::convert(&source, &target)?;
    let qeval_dataset::Written { examples, unanswerable, unplaced } = written;
    // Only SQuAD's tools expect a place of every answer.
    let unplaced = if matches!(to, TargetFormat::Squad) { unplaced } else { 0 };
    Ok(Converted { examples, unanswerable, unplaced })
}

/// The texts of a corpus by the ids of its passages, each behind its title where there is one.
///
/// # Errors
///
/// A format that is not there, and a corpus that cannot be read.
pub fn passage_texts(
    corpus: &Path,
    format: &str,
) -> Result<BTreeMap<String, String>, ConvertError> {
    let mut problems = Vec::new();
    let format = named(format, "corpus", &CorpusFormat::ALL, CorpusFormat::name, &mut problems);
    let Some(format) = format else {
        return Err(Box::new(Problems::of_command_line(problems)).into());
    };
    let passages = qeval_dataset::corpus(&CorpusSource::new(corpus, format))?;
    let text = |title: &str, text: String| match title {
        "" => text,
        title => format!("{title}\n{text}"),
    };
    let texts =
        passages.into_iter().map(|passage| (passage.id, text(&passage.title, passage.text)));
    Ok(texts.collect())
}

/// The format of that name.
fn named<F: Copy>(
    name: &str,
    what: &str,
    all: &[F],
    name_of: impl Fn(F) -> &'static str,
    problems: &mut Vec<Problem>,
) -> Option<F> {
    let found = all.iter().copied().find(|&format| name_of(format) == name);
    if found.is_none() {
        let names: Vec<&str> = all.iter().map(|&format| name_of(format)).collect();
        let message = format!("there is no {what} format `{name}`");
        problems.push(Problem::of_file(message).maybe_hint(suggest(name, names)));
    }
    found
}
