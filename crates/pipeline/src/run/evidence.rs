//! What plugins ask for beside a case's own parts: all hits, and the passages that are cited or
//! gold.

use std::collections::HashMap;

use qeval_core::{CaseHit, Example, Named, Passage, Prediction, Ranking, Stage};
use qeval_sdk::Input;

use super::{answers::Gold, retrieved::Retrieved};
use crate::Plan;

/// What somebody asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    hits: bool,
    cited: bool,
    gold: bool,
}

/// What one case has of that.
#[derive(Debug, Default)]
pub(super) struct Evidence<'a> {
    pub(super) hits: Option<Vec<CaseHit<'a>>>,
    pub(super) cited: Option<Vec<Named<'a>>>,
    pub(super) gold: Vec<Named<'a>>,
}

/// Where the hits of a case may come from.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) stage: Stage,
    pub(super) retrieved: Option<&'a Retrieved<'a>>,
    pub(super) gold: &'a Gold<'a>,
    /// Whether the reader was shown what was retrieved here.
    pub(super) live: bool,
}

impl Wanted {
    /// What the scorers of a plan ask for.
    pub(super) fn of(plan: &Plan) -> Self {
        let inputs: Vec<Input> = plan.scorers.iter().flat_map(|scorer| scorer.inputs()).collect();
        Self {
            hits: inputs.contains(&Input::Hits),
            cited: inputs.contains(&Input::CitedPassages),
            gold: inputs.contains(&Input::GoldTexts),
        }
    }

    /// What a case has of it.
    pub(super) fn find<'a>(
        self,
        plan: &'a Plan,
        example: &'a Example,
        prediction: Option<&'a Prediction>,
        sources: Sources<'a>,
    ) -> Evidence<'a> {
        let named = |id: &'a String| {
            let passage = plan.corpus.as_ref().and_then(|corpus| corpus.get(id));
            Named { id, passage }
        };
        let gold = if self.gold { example.gold_passages.as_slice() } else { &[] };
        let cited = prediction.filter(|_| self.cited);
        Evidence {
            hits: if self.hits { sources.hits(prediction) } else { None },
            cited: cited.map(|prediction| prediction.citations.iter().map(named).collect()),
            gold: gold.iter().map(named).collect(),
        }
    }
}

impl<'a> Sources<'a> {
    /// What the reader was given: on the gold passages these, else what a replayed reader says that
    /// it saw, else what was retrieved.
    fn hits(self, prediction: Option<&'a Prediction>) -> Option<Vec<CaseHit<'a>>> {
        let ranking = self.retrieved.and_then(Retrieved::ranking);
        match self.stage {
            Stage::Isolated => {
                let gold = &self.gold.passages;
                let hit = |passage: &&'a Passage| CaseHit { passage: &passage.id, score: None };
                return (!gold.is_empty()).then(|| gold.iter().map(hit).collect());
            }
            Stage::Integrated if !self.live => {
                if let Some(seen) = prediction.and_then(|prediction| prediction.seen.as_ref()) {
                    return Some(scored(seen, ranking));
                }
            }
            Stage::Integrated | Stage::Retrieval => {}
        }
        let hits = ranking?.hits().iter();
        Some(hits.map(|hit| CaseHit { passage: hit.passage, score: Some(hit.score) }).collect())
    }
}

/// These passages, with the scores of those that the retriever has found too.
fn scored<'a>(seen: &'a [String], ranking: Option<&'a Ranking>) -> Vec<CaseHit<'a>> {
    let hits = ranking.into_iter().flat_map(|ranking| ranking.hits().iter());
    let scores: HashMap<&str, f64> = hits.map(|hit| (hit.passage, hit.score)).collect();
    let hit = |id: &'a String| CaseHit { passage: id, score: scores.get(id.as_str()).copied() };
    seen.iter().map(hit).collect()
}
