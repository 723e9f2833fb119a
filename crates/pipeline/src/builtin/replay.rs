//! Rankings and answers that a system gave earlier.

use qeval_dataset::{HeldRun, Predictions};
use qeval_sdk::{
    Descriptor, Failure, FailureKind, Query, Reader, Request, Retriever,
    core::{Need, Prediction, Ranking},
};

use super::per_dataset::{Asker, PerDataset};

/// Runs as a retriever.
pub(crate) struct ReplayRun {
    runs: PerDataset<Rankings>,
}

/// The rankings of one file, by query.
pub(crate) struct Rankings {
    run: HeldRun,
    /// By the places of the queries.
    askers: Vec<Asker>,
}

impl From<HeldRun> for Rankings {
    fn from(run: HeldRun) -> Self {
        let askers = run.queries().iter().map(|_| Asker::nobody()).collect();
        Self { run, askers }
    }
}

impl ReplayRun {
    pub(crate) fn new(runs: PerDataset<Rankings>) -> Self {
        Self { runs }
    }

    fn ranking(&self, query: &Query<'_>, depth: usize) -> Result<Option<Ranking>, Failure> {
        let Some((rankings, dataset)) = self.runs.of(query.dataset) else { return Ok(None) };
        let Some(place) = rankings.run.place(query.id) else { return Ok(None) };
        rankings.askers[place].asks(dataset);
        let failure =
            |error: qeval_dataset::Error| Failure::new(FailureKind::Refused, error.to_string());
        rankings.run.ranking(place, depth).map(Some).map_err(failure)
    }

    fn queries(&self, wanted: fn(&Asker) -> bool) -> Vec<String> {
        let of = |rankings: &Rankings| {
            let queries = rankings.run.queries().iter().zip(&rankings.askers);
            let queries = queries.filter(|(_, asker)| wanted(asker));
            queries.map(|(query, _)| query.clone()).collect::<Vec<_>>()
        };
        self.runs.iter().flat_map(of).collect()
    }
}

impl Retriever for ReplayRun {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "replay".to_owned(),
            version: "1".to_owned(),
            summary: "the rankings of a run file".to_owned(),
        }
    }

    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        queries.iter().map(|query| self.ranking(query, depth)).collect()
    }

    fn unasked(&self) -> Vec<String> {
        self.queries(Asker::is_nobody)
    }

    fn shared(&self) -> Vec<String> {
        self.queries(Asker::are_several)
    }
}

/// Predictions files as a reader.
pub(crate) struct ReplayReader {
    files: PerDataset<Answers>,
}

/// The predictions of one file.
pub(crate) struct Answers {
    predictions: Predictions,
    askers: Vec<Asker>,
}

impl From<Predictions> for Answers {
    fn from(predictions: Predictions) -> Self {
        let askers = (0..predictions.len()).map(|_| Asker::nobody()).collect();
        Self { predictions, askers }
    }
}

impl ReplayReader {
    pub(crate) fn new(files: PerDataset<Answers>) -> Self {
        Self { files }
    }

    /// Whether any answer says which passages the reader saw.
    pub(crate) fn knows_seen(&self) -> bool {
        let mut predictions = self.files.iter().flat_map(|file| file.predictions.iter());
        predictions.any(|(_, prediction)| prediction.seen.is_some())
    }

    /// Whether any answer for a dataset, by its place among all, has what a metric reads beside its
    /// text. A file for all datasets is not taken apart.
    pub(crate) fn has(&self, need: Need, dataset: usize) -> bool {
        let has = |prediction: &Prediction| match need {
            Need::Label(label) => prediction.labels.contains_key(label),
            Need::Confidence => prediction.confidence.is_some(),
            _ => true,
        };
        let mut predictions = self.files.at(dataset).into_iter().flat_map(|f| f.predictions.iter());
        predictions.any(|(_, prediction)| has(prediction))
    }

    fn answer(&self, request: &Request<'_>) -> Option<Prediction> {
        let (file, dataset) = self.files.of(request.example.dataset.as_deref())?;
        let place = file.predictions.place(&request.example.id)?;
        file.askers[place].asks(dataset);
        file.predictions.get(&request.example.id).cloned()
    }

    fn ids(&self, wanted: fn(&Asker) -> bool) -> Vec<String> {
        let of_file = |file: &Answers| {
            let ids = file.predictions.iter().map(|(id, _)| id).zip(&file.askers);
            let ids = ids.filter(|(_, asker)| wanted(asker));
            ids.map(|(id, _)| id.to_owned()).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
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
        self.ids(Asker::is_nobody)
    }

    fn shared(&self) -> Vec<String> {
        self.ids(Asker::are_several)
    }
}
