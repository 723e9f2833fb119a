//! What a metric is computed on, as far as it is stored.

use qeval_core::{Case, Example, JudgedRanking, Prediction, Reference, Stage};
use qeval_store::StoredCase;

/// A stored example, so that metrics can be asked again.
pub(super) struct Rebuilt {
    example: Example,
    integrated: Option<Prediction>,
    isolated: Option<Prediction>,
    ranking: Option<JudgedRanking>,
}

impl Rebuilt {
    pub(super) fn of(case: &StoredCase) -> Self {
        let isolated = match (&case.isolated_prediction, case.isolated_abstained) {
            (_, true) => Some(Prediction::abstention()),
            (Some(text), false) => Some(Prediction::answer(text.clone())),
            (None, false) => None,
        };
        Self {
            example: Example {
                id: case.example_id.clone(),
                question: case.question.clone().unwrap_or_default(),
                references: case.references.iter().cloned().map(Reference::from).collect(),
                gold_passages: case.gold_passages.clone(),
                ..Example::default()
            },
            integrated: case.prediction.clone(),
            isolated,
            ranking: ranking(case),
        }
    }

    /// What `then` makes of the case of a stage.
    pub(super) fn with<T>(&self, stage: Stage, then: impl FnOnce(&Case<'_>) -> T) -> T {
        let mut case = Case::new(&self.example);
        case.ranking = self.ranking.as_ref();
        case.prediction = match stage {
            Stage::Retrieval => None,
            Stage::Isolated => self.isolated.as_ref(),
            Stage::Integrated => self.integrated.as_ref(),
        };
        then(&case)
    }
}

/// The ranking with its judgments; `None` where one of them is not stored.
fn ranking(case: &StoredCase) -> Option<JudgedRanking> {
    let hits = case.hits.as_ref()?;
    let mut ideal: Vec<i32> = match &case.relevant {
        Some(relevant) => relevant.iter().map(|passage| passage.grade).collect(),
        None => case.gold_passages.iter().map(|_| 1).collect(),
    };
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let grades = hits.iter().map(|hit| hit.grade).collect();
    Some(JudgedRanking { grades, ideal, zeros: None, subtopics: None })
}
