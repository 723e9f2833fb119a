//! The predictions files of a replay: in memory, or on disk where they are large.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use qeval_core::Need;
use qeval_dataset::{PredictionFields, PredictionSource};
use toml::Spanned;

use super::{Answers, Surroundings, files, metrics::Scorers, paths};
use crate::{
    Config, Problem,
    builtin::{replay::ReplayReader, spilled::SpilledReplay},
    config::Paths,
};

/// How much of the predictions is kept in memory, and where the rest goes.
#[derive(Clone, Copy)]
pub(super) struct Held<'a> {
    bytes: u64,
    /// A folder that can be written; `None` where there is none.
    folder: Option<&'a Path>,
}

/// The answers of a replay.
pub(super) enum Replay {
    Held(Arc<ReplayReader>),
    Spilled(Arc<SpilledReplay>),
}

impl<'a> Held<'a> {
    pub(super) fn new(surroundings: &Surroundings, folder: Option<&'a Path>) -> Self {
        Self { bytes: surroundings.held_predictions, folder }
    }
}

impl Replay {
    /// Whether any answer says which passages the reader saw.
    pub(super) fn knows_seen(&self) -> bool {
        match self {
            Self::Held(reader) => reader.knows_seen(),
            Self::Spilled(replay) => replay.knows_seen(),
        }
    }

    /// Whether any answer for a dataset, by its place among all, has what a metric reads beside its
    /// text.
    pub(super) fn has(&self, need: Need, dataset: usize) -> bool {
        match self {
            Self::Held(reader) => reader.has(need, dataset),
            Self::Spilled(replay) => replay.has(need, dataset),
        }
    }

    pub(super) fn answers(self) -> Answers {
        match self {
            Self::Held(reader) => Answers::Component(reader),
            Self::Spilled(replay) => Answers::Spilled(replay),
        }
    }
}

pub(super) fn mapped(fields: &crate::config::PredictionFields) -> PredictionFields {
    PredictionFields {
        id: fields.id.clone(),
        prediction: fields.prediction.clone(),
        candidates: fields.candidates.clone(),
        confidence: fields.confidence.clone(),
        hits: fields.hits.clone(),
        citations: fields.citations.clone(),
        verdict: fields.verdict.clone(),
        start: fields.start.clone(),
        end: fields.end.clone(),
        span: fields.span.clone(),
        labels: files::label_fields(&fields.labels),
    }
}

/// The predictions of a file, or of one file for each dataset where the path has `{dataset}` in
/// it, with their digests. The path comes with whether its answers are on the gold passages.
pub(super) fn predictions(
    config: &Config,
    scorers: &Scorers,
    fields: &PredictionFields,
    (path, isolated): (&Spanned<Paths>, bool),
    held: Held<'_>,
    problems: &mut Vec<Problem>,
) -> Option<(Replay, serde_json::Value)> {
    let source = |path: PathBuf, further: Vec<PathBuf>| {
        let mut source = PredictionSource { further, ..PredictionSource::new(path) };
        source.fields = fields.clone();
        source.labels = scorers.labels().into_iter().collect();
        source.isolated = isolated;
        source
    };
    // What is on disk is joined with datasets that are read once more for it.
    let files = paths::of_all_datasets(config, path);
    let bytes: u64 = files.iter().map(|path| qeval_dataset::text_size(path)).sum();
    if let Some(folder) = held.folder
        && bytes > held.bytes
        && paths::can_be_read_again(config)
    {
        let (files, digest) = paths::per_dataset(config, path, problems, |path, further| {
            qeval_dataset::spill_predictions(&source(path, further), folder)
        })?;
        return Some((Replay::Spilled(Arc::new(SpilledReplay::new(files))), digest));
    }
    let (files, digest) = paths::per_dataset(config, path, problems, |path, further| {
        qeval_dataset::predictions(&source(path, further)).map(Into::into)
    })?;
    Some((Replay::Held(Arc::new(ReplayReader::new(files))), digest))
}
