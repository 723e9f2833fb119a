//! The answers of a stored evaluation in place of a reader, so that they are scored again.

use std::{collections::HashMap, sync::Arc};

use qeval_core::{Need, Prediction, Stage, Unscored};
use qeval_sdk::{Descriptor, Failure, FailureKind, Reader, Request};
use qeval_store::{ComponentInfo, Evaluation, Manifest, ReadError, StoredCase};
use serde_json::{Value, json};

use crate::plan::{Answers, Asking, OnError, PlannedReader};

/// The type of the reader in plans and manifests.
const STORED: &str = "stored";

/// What a reader gave for one example.
type Given = Result<Option<Prediction>, Failure>;

/// The answers of an evaluation, all of them in memory. Their candidates, labels, columns and places in
/// texts are not stored, and of isolated answers only the texts.
#[derive(Debug)]
pub struct StoredAnswers {
    manifest: Manifest,
    /// Integrated and isolated, by dataset (where there are several) and id.
    given: HashMap<(Option<String>, String), [Given; 2]>,
}

impl StoredAnswers {
    /// Reads the answers of an evaluation.
    pub fn read(evaluation: &Evaluation) -> Result<Self, ReadError> {
        let mut given = HashMap::new();
        for case in evaluation.all_cases()? {
            let case = case?;
            let answers = [integrated(&case), isolated(&case)];
            given.insert((case.dataset, case.example_id), answers);
        }
        Ok(Self { manifest: evaluation.manifest().clone(), given })
    }

    /// What is known of the evaluation.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Its reader in its resolved plan: of answers that were scored again the one that gave them.
    /// `Null` where nothing reads.
    pub(crate) fn reader(&self) -> &Value {
        let reader = &self.manifest.plan["reader"];
        if reader["type"] == STORED { &reader["options"]["reader"] } else { reader }
    }

    /// Whether it has answers of a stage.
    pub(crate) fn has(&self, stage: Stage) -> bool {
        let mut stages = self.manifest.plan["stages"].as_array().into_iter().flatten();
        stages.any(|name| name == stage.name())
    }

    /// The answers as a reader of a plan; `reads` is what its metrics read beside the texts.
    pub(crate) fn planned(self: &Arc<Self>, reads: &[Need], datasets: usize) -> PlannedReader {
        let reader = self.reader();
        let of =
            |stage| Answers::Component(Arc::new(StoredReader { answers: self.clone(), stage }));
        // The cases are the answers: the same ones have the same id.
        let mut parts = self.manifest.parts.iter();
        let cases = parts.find(|part| part.path.starts_with("cases/"));
        let passages = reader["options"]["passages"].as_u64();
        let of_replay =
            |stage| if passages.is_some() { Vec::new() } else { self.lacks(stage, reads) };
        let lacks = [of_replay(Stage::Integrated), of_replay(Stage::Isolated)];
        let predictions =
            self.given.values().filter_map(|[given, _]| given.as_ref().ok()?.as_ref());
        PlannedReader {
            name: reader["name"].as_str().unwrap_or(STORED).to_owned(),
            integrated: of(Stage::Integrated),
            isolated: self.has(Stage::Isolated).then(|| of(Stage::Isolated)),
            passages: passages.and_then(|passages| usize::try_from(passages).ok()),
            knows_seen: passages.is_some() || { predictions }.any(|given| given.seen.is_some()),
            lacks: vec![lacks; datasets],
            on_error: OnError::Null,
            journaled: None,
            asking: Asking::default(),
            service: None,
            info: ComponentInfo {
                name: STORED.to_owned(),
                version: "1".to_owned(),
                kind: "reader".to_owned(),
                options: json!({
                    "cases": cases.map(|part| &part.digest),
                    "reader": reader,
                }),
            },
        }
    }

    /// What metrics read and no answer has.
    fn lacks(&self, stage: Stage, reads: &[Need]) -> Vec<Need> {
        let has_confidence = |[integrated, isolated]: &[Given; 2]| {
            let given = if stage == Stage::Isolated { isolated } else { integrated };
            matches!(given, Ok(Some(Prediction { confidence: Some(_), .. })))
        };
        let known = self.given.values().any(has_confidence);
        reads.iter().filter(|need| **need != Need::Confidence || !known).copied().collect()
    }
}

fn integrated(case: &StoredCase) -> Given {
    match (&case.prediction, &case.error) {
        (None, Some(error)) => Err(failure(error)),
        (None, None) => Ok(None),
        (Some(prediction), _) => {
            let hits = case.hits.iter().flatten();
            let known = hits.clone().any(|hit| hit.seen.is_some());
            let seen = hits.filter(|hit| hit.seen == Some(true));
            let seen = seen.map(|hit| hit.passage_id.clone()).collect();
            Ok(Some(Prediction { seen: known.then_some(seen), ..prediction.clone() }))
        }
    }
}

fn isolated(case: &StoredCase) -> Given {
    let nothing_to_read = Unscored::NoRelevantPassage.to_string();
    match (&case.isolated_prediction, &case.isolated_error) {
        (None, Some(error)) if *error != nothing_to_read => Err(failure(error)),
        (None, _) => Ok(None),
        (Some(text), _) => Ok(Some(Prediction {
            text: text.clone(),
            abstained: case.isolated_abstained,
            ..Prediction::default()
        })),
    }
}

/// A failure from its text, which begins with its kind.
fn failure(text: &str) -> Failure {
    let kind = |(kind, message)| Some(Failure::new(FailureKind::from_name(kind)?, message));
    let parsed = text.split_once(": ").and_then(kind);
    parsed.unwrap_or_else(|| Failure::new(FailureKind::Unnamed, text))
}

/// The answers of a stage.
struct StoredReader {
    answers: Arc<StoredAnswers>,
    stage: Stage,
}

impl Reader for StoredReader {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: STORED.to_owned(),
            version: "1".to_owned(),
            summary: "the answers of a stored evaluation".to_owned(),
        }
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        let answer = |request: &Request<'_>| {
            let key = (request.example.dataset.clone(), request.example.id.clone());
            let Some([integrated, isolated]) = self.answers.given.get(&key) else {
                return Ok(None);
            };
            if self.stage == Stage::Isolated { isolated.clone() } else { integrated.clone() }
        };
        requests.iter().map(answer).collect()
    }
}
