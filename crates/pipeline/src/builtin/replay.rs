//! Rankings and answers that a system gave earlier.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use qeval_dataset::Predictions;
use qeval_sdk::{
    Descriptor, Failure, Query, Reader, Request, Retriever,
    core::{Prediction, Ranking, Run},
};

/// A TREC run as a retriever.
pub(crate) struct ReplayRun {
    run: Run,
    asked: Mutex<std::collections::BTreeSet<String>>,
}

impl ReplayRun {
    pub(crate) fn new(run: Run) -> Self {
        Self { run, asked: Mutex::default() }
    }
}

impl Retriever for ReplayRun {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "replay".to_owned(),
            version: "1".to_owned(),
            summary: "the rankings of a TREC run file".to_owned(),
        }
    }

    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let ranking = |query: &Query<'_>| {
            let mut ranking = self.run.get(query.id)?.clone();
            ranking.truncate(depth);
            asked.insert(query.id.to_owned());
            Some(ranking)
        };
        queries.iter().map(ranking).map(Ok).collect()
    }

    fn unasked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        self.run.keys().filter(|query| !asked.contains(*query)).cloned().collect()
    }
}

/// Predictions files as a reader.
pub(crate) struct ReplayReader {
    files: Vec<File>,
}

/// The predictions of one file.
struct File {
    /// The dataset that they answer; `None` for all.
    dataset: Option<String>,
    predictions: Predictions,
    asked: Vec<AtomicBool>,
}

impl ReplayReader {
    /// One file for all datasets.
    pub(crate) fn new(predictions: Predictions) -> Self {
        Self { files: vec![File::new(None, predictions)] }
    }

    /// A file for each dataset, by its name.
    pub(crate) fn by_dataset(predictions: Vec<(String, Predictions)>) -> Self {
        let file = |(dataset, predictions)| File::new(Some(dataset), predictions);
        Self { files: predictions.into_iter().map(file).collect() }
    }

    /// Whether any answer says which passages the reader saw.
    pub(crate) fn knows_seen(&self) -> bool {
        let mut predictions = self.files.iter().flat_map(|file| file.predictions.iter());
        predictions.any(|(_, prediction)| prediction.seen.is_some())
    }

    fn answer(&self, request: &Request<'_>) -> Option<Prediction> {
        // The only dataset has no name in its examples.
        let file = match &request.example.dataset {
            Some(name) => {
                let own = |file: &&File| file.dataset.as_ref().is_none_or(|own| own == name);
                self.files.iter().find(own)?
            }
            None => self.files.first()?,
        };
        let place = file.predictions.place(&request.example.id)?;
        file.asked[place].store(true, Ordering::Relaxed);
        file.predictions.get(&request.example.id).cloned()
    }
}

impl File {
    fn new(dataset: Option<String>, predictions: Predictions) -> Self {
        let asked = (0..predictions.len()).map(|_| AtomicBool::new(false)).collect();
        Self { dataset, predictions, asked }
    }

    fn unasked(&self) -> impl Iterator<Item = &str> {
        let ids = self.predictions.iter().map(|(id, _)| id);
        let unasked = ids.zip(&self.asked).filter(|(_, asked)| !asked.load(Ordering::Relaxed));
        unasked.map(|(id, _)| id)
    }
}

impl Reader for ReplayReader {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "replay".to_owned(),
            version: "1".to_owned(),
            summary: "answers that a system gave earlier".to_owned(),
        }
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        requests.iter().map(|request| Ok(self.answer(request))).collect()
    }

    fn unasked(&self) -> Vec<String> {
        self.files.iter().flat_map(File::unasked).map(str::to_owned).collect()
    }
}
