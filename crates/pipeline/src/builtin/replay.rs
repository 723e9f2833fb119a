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

/// A predictions file as a reader.
pub(crate) struct ReplayReader {
    predictions: Predictions,
    asked: Vec<AtomicBool>,
}

impl ReplayReader {
    pub(crate) fn new(predictions: Predictions) -> Self {
        let asked = (0..predictions.len()).map(|_| AtomicBool::new(false)).collect();
        Self { predictions, asked }
    }

    /// Whether any answer says which passages the reader saw.
    pub(crate) fn knows_seen(&self) -> bool {
        self.predictions.iter().any(|(_, prediction)| prediction.seen.is_some())
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
        let answer = |request: &Request<'_>| {
            let place = self.predictions.place(&request.example.id)?;
            self.asked[place].store(true, Ordering::Relaxed);
            self.predictions.get(&request.example.id).cloned()
        };
        requests.iter().map(answer).map(Ok).collect()
    }

    fn unasked(&self) -> Vec<String> {
        let ids = self.predictions.iter().map(|(id, _)| id);
        let unasked = ids.zip(&self.asked).filter(|(_, asked)| !asked.load(Ordering::Relaxed));
        unasked.map(|(id, _)| id.to_owned()).collect()
    }
}
