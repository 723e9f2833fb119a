//! An instance of a plugin: one component that answers batches, whatever carries them.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use arrow_array::RecordBatch;

use crate::{
    Failure, FailureKind, Merge, Normalizer, OwnedCases, Reader, Retriever, Scorer, answer, batch,
    groups, questions, requests, texts,
};

/// A component of a plugin, made by its setup.
pub enum Component {
    /// Cases to scores.
    Scorer(AskedScorer),
    /// Texts to texts.
    Normalizer(Box<dyn Normalizer>),
    /// Questions to hits, with the most hits for a question.
    Retriever(Box<dyn Retriever>, usize),
    /// Questions with passages to answers.
    Reader(Box<dyn Reader>),
}

/// A scorer with the columns that were asked for.
pub struct AskedScorer {
    /// What scores.
    pub scorer: Box<dyn Scorer>,
    /// A column for each metric that was asked for.
    pub columns: Vec<Column>,
    /// Cases of batches before, which are written over: one for each thread that was here.
    scratch: Mutex<Vec<OwnedCases>>,
}

/// A column of the answer of a scorer.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Index of the metric in the scorer.
    pub metric: usize,
    /// Names of the statistics behind it, and how they are merged.
    pub statistics: Vec<(String, Merge)>,
}

impl Component {
    /// A scorer with the names of its columns and the metrics that they hold.
    pub(crate) fn scorer(scorer: Box<dyn Scorer>, places: Vec<(String, usize)>) -> Self {
        let columns = places.into_iter().map(|(name, metric)| {
            let statistics = scorer.metrics()[metric].statistics.iter();
            let statistics = statistics.map(|s| (s.name.clone(), s.merge)).collect();
            Column { name, metric, statistics }
        });
        let columns = columns.collect();
        Self::Scorer(AskedScorer { scorer, columns, scratch: Mutex::default() })
    }

    /// Answers a batch with a batch.
    pub fn answer(&self, asked: &RecordBatch) -> Result<RecordBatch, Failure> {
        match self {
            Self::Scorer(scorer) => scorer.answer(asked),
            Self::Normalizer(normalizer) => {
                let normalised = normalizer.normalize(&texts::decode(asked)?)?;
                texts::encode(normalised.iter().map(String::as_str))
            }
            Self::Retriever(retriever, depth) => {
                let found = retriever.retrieve(&questions::decode(asked)?, *depth);
                questions::encode_answer(&found, asked.num_rows())
            }
            Self::Reader(reader) => {
                let answers = requests::decode(asked, |requests| reader.read(requests))?;
                requests::encode_answer(&answers, asked.num_rows())
            }
        }
    }

    /// Makes numbers of merged statistics.
    pub fn finish(&self, asked: &RecordBatch) -> Result<RecordBatch, Failure> {
        let Self::Scorer(AskedScorer { scorer, columns, .. }) = self else {
            return Err(Failure::new(FailureKind::Protocol, "only a scorer finishes statistics"));
        };
        let (column, merged) = groups::decode(asked, columns)?;
        groups::encode_values(&scorer.finish(columns[column].metric, &merged)?, merged.len())
    }
}

impl AskedScorer {
    fn answer(&self, asked: &RecordBatch) -> Result<RecordBatch, Failure> {
        let scratch = || self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cases = scratch().pop().unwrap_or_default();
        // Where one of these fails, the cases are not used again.
        batch::decode_into(asked, &mut cases)?;
        let scores = cases.with_cases(|cases| self.scorer.score(cases))?;
        let answer = answer::encode(&self.columns, &scores, asked.num_rows());
        scratch().push(cases);
        answer
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scorer(_) => "Scorer",
            Self::Normalizer(_) => "Normalizer",
            Self::Retriever(..) => "Retriever",
            Self::Reader(_) => "Reader",
        })
    }
}
