//! The scores of one stage of one batch.

use std::collections::HashMap;

use qeval_core::{Case, JudgedRanking, Need, Passage, Place, Prediction, Score, Stage, Unscored};
use qeval_dataset::Record;
use qeval_sdk::{ScorePart, Scores};

use super::evidence::Evidence;
use crate::{Plan, plan::PlannedMetric};

/// What is known of one example in one stage.
pub(super) struct Known<'a> {
    pub(super) record: &'a Record,
    pub(super) ranking: Option<&'a JudgedRanking>,
    pub(super) documents: Option<&'a JudgedRanking>,
    pub(super) passages: &'a [&'a Passage],
    pub(super) places: &'a [Place],
    pub(super) prediction: Option<&'a Prediction>,
    pub(super) evidence: Evidence<'a>,
    /// Why the example has no scores in this stage: its component failed, or the stage does not
    /// apply to it.
    pub(super) unscored: Option<Unscored>,
}

/// The scores of one stage.
pub(super) struct StageScores {
    /// In the order of the examples, for each in the order of the metrics.
    pub(super) scores: Vec<Score>,
    /// What they are made of.
    pub(super) parts: Vec<StagePart>,
}

/// A part of a score.
pub(super) struct StagePart {
    /// Index of the example.
    pub(super) example: usize,
    /// Index among the metrics of the stage.
    pub(super) place: usize,
    pub(super) part: ScorePart,
}

/// Scores the examples. Of what no answer of the reader has (`lacks`), a missing one says nothing
/// either.
pub(super) fn score(
    plan: &Plan,
    stage: Stage,
    metrics: &[usize],
    known: &[Known<'_>],
    lacks: &[Need],
) -> StageScores {
    let _span = tracing::info_span!("score", stage = stage.name()).entered();
    let width = metrics.len();
    let mut scores: Vec<Score> = Vec::with_capacity(known.len() * width);
    for known in known {
        // Replaced below, unless this is what it stays.
        let unscored = known.unscored.clone().unwrap_or(Unscored::NoReference);
        scores.extend((0..width).map(|_| Err(unscored.clone())));
    }
    let mut parts = Vec::new();
    let answered: Vec<usize> = (0..known.len()).filter(|&i| known[i].unscored.is_none()).collect();
    let cases: Vec<Case<'_>> = answered.iter().map(|&index| known[index].case()).collect();
    if cases.is_empty() {
        return StageScores { scores, parts };
    }
    for (scorer_index, scorer) in plan.scorers.iter().enumerate() {
        let wanted: Vec<(usize, &PlannedMetric)> = metrics
            .iter()
            .enumerate()
            .map(|(place, &metric)| (place, &plan.metrics[metric]))
            .filter(|(_, metric)| metric.scorer == scorer_index)
            .collect();
        if wanted.is_empty() {
            continue;
        }
        match scorer.score(&cases) {
            Ok(mut given) => {
                let places = wanted.iter().filter(|(_, metric)| metric.statistic.is_none());
                let places: HashMap<usize, usize> =
                    places.map(|&(place, metric)| (metric.index, place)).collect();
                parts.extend(given.parts.drain(..).filter_map(|part| {
                    let place = *places.get(&part.metric)?;
                    Some(StagePart { example: answered[part.case], place, part })
                }));
                // Statistics come last, and have the reasons of their metrics.
                for (place, metric) in wanted.into_iter().rev() {
                    let column = column(&mut given, metric);
                    for (&row, score) in answered.iter().zip(column) {
                        scores[row * width + place] = score;
                    }
                }
            }
            Err(failure) => {
                for (place, _) in wanted {
                    for &row in &answered {
                        scores[row * width + place] = Err(Unscored::Failed(failure.to_string()));
                    }
                }
            }
        }
    }
    for (place, &metric) in metrics.iter().enumerate() {
        let reads = &plan.metrics[metric].reads;
        let Some(need) = reads.iter().find(|need| lacks.contains(need)) else { continue };
        for &row in answered.iter().filter(|&&row| known[row].prediction.is_none()) {
            scores[row * width + place] = Err(lacking(*need));
        }
    }
    StageScores { scores, parts }
}

/// The column of a metric or of a statistic.
fn column(given: &mut Scores, metric: &PlannedMetric) -> Vec<Score> {
    let Some(statistic) = metric.statistic else {
        return std::mem::take(&mut given.columns[metric.index]);
    };
    let values = &given.statistics[metric.index][statistic];
    let scores = &given.columns[metric.index];
    scores.iter().zip(values).map(|(score, &value)| score.clone().map(|_| value)).collect()
}

/// Nothing is known of a missing prediction that is known of no other.
fn lacking(need: Need) -> Unscored {
    Unscored::NotApplicable(match need {
        Need::Label(label) => format!("no prediction has a `{label}`"),
        _ => "no prediction has a confidence".to_owned(),
    })
}

impl Known<'_> {
    fn case(&self) -> Case<'_> {
        let mut case = Case::new(&self.record.example).with_passages(self.passages);
        case = case.with_places(self.places);
        case.hits = self.evidence.hits.as_deref();
        case.cited = self.evidence.cited.as_deref();
        case.gold = &self.evidence.gold;
        if let Some(ranking) = self.ranking {
            case = case.with_ranking(ranking);
        }
        if let Some(documents) = self.documents {
            case = case.with_documents(documents);
        }
        if let Some(prediction) = self.prediction {
            case = case.with_prediction(prediction);
        }
        case
    }
}
