//! The scores of one stage of one batch.

use std::collections::HashMap;

use qeval_core::{
    Case, JudgedRanking, Need, Passage, Place, Prediction, Score, Stage, Subject, Unscored,
};
use qeval_dataset::Record;
use qeval_sdk::{MetricDescriptor, ScorePart, Scores};

use super::{
    PlannedColumn,
    evidence::Evidence,
    lost::{self, Lost, LostScores},
};
use crate::{
    Plan,
    plan::{OnError, PlannedMetric, When},
};

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

/// The scores of the stages before, of the same batch.
pub(super) struct Before<'a> {
    /// The columns of all stages.
    pub(super) columns: &'a [PlannedColumn],
    /// Those of each example in a row; of stages that are still to come they mean nothing.
    pub(super) scores: &'a [Score],
}

/// Scores the examples. Of what no answer of the reader has (`lacks`), a missing one says nothing
/// either.
///
/// # Errors
///
/// The failure of a plugin whose failures end the evaluation.
pub(super) fn score(
    plan: &Plan,
    (batch, stage): (u64, Stage),
    metrics: &[usize],
    known: &[Known<'_>],
    lacks: &[Need],
    before: &Before<'_>,
) -> Result<StageScores, LostScores> {
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
    for &scorer_index in &plan.order {
        let scorer = &plan.scorers[scorer_index];
        let wanted: Vec<(usize, &PlannedMetric)> = metrics
            .iter()
            .enumerate()
            .map(|(place, &metric)| (place, &plan.metrics[metric]))
            .filter(|(_, metric)| metric.scorer == scorer_index)
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let selected = match plan.when.get(&scorer_index) {
            None => answered.clone(),
            Some(when) => {
                let looks = Looks { plan, stage, metrics, scores: &scores, before };
                let (selected, others) = looks.select(when, &answered);
                for (row, reason) in others {
                    for &(place, _) in &wanted {
                        scores[row * width + place] = Err(reason.clone());
                    }
                }
                selected
            }
        };
        if selected.is_empty() {
            continue;
        }
        let cases: Vec<Case<'_>> = selected.iter().map(|&index| known[index].case()).collect();
        let mut given = scorer.score(&cases).unwrap_or_else(|failure| {
            let lost = Err(Unscored::from(&failure));
            all(scorer.metrics(), cases.len(), &lost)
        });
        if let Some(on_error) = plan.on_error.get(&scorer_index) {
            name_lost(&mut given.columns, &wanted, *on_error, batch, &cases)?;
        }
        let places = wanted.iter().filter(|(_, metric)| metric.statistic.is_none());
        let places: HashMap<usize, usize> =
            places.map(|&(place, metric)| (metric.index, place)).collect();
        parts.extend(given.parts.drain(..).filter_map(|part| {
            let place = *places.get(&part.metric)?;
            Some(StagePart { example: selected[part.case], place, part })
        }));
        // Statistics come last, and have the reasons of their metrics.
        for (place, metric) in wanted.into_iter().rev() {
            let column = column(&mut given, metric);
            for (&row, score) in selected.iter().zip(column) {
                scores[row * width + place] = score;
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
    Ok(StageScores { scores, parts })
}

/// The scores that a condition looks at.
struct Looks<'a> {
    plan: &'a Plan,
    stage: Stage,
    /// The metrics of the stage.
    metrics: &'a [usize],
    /// Their scores, of each example in a row.
    scores: &'a [Score],
    before: &'a Before<'a>,
}

impl Looks<'_> {
    /// The examples for which a condition holds, and why the others have no score.
    fn select(&self, when: &When, rows: &[usize]) -> (Vec<usize>, Vec<(usize, Unscored)>) {
        let (mut selected, mut others) = (Vec::new(), Vec::new());
        for &row in rows {
            let score = |metric: &usize| self.score(*metric, row);
            let why = match when.condition.holds(&score) {
                Some(true) => {
                    selected.push(row);
                    continue;
                }
                Some(false) => format!("`{}` does not hold", when.text),
                None => format!("`{}` looks at a metric without a score", when.text),
            };
            others.push((row, Unscored::NotApplicable(why)));
        }
        (selected, others)
    }

    /// The score of a metric: of answers in this stage, of rankings in their own.
    fn score(&self, metric: usize, row: usize) -> Option<f64> {
        let ranked = self.plan.metrics[metric].descriptor.subject == Subject::Retrieval;
        let (place, scores, width) = if ranked && self.stage != Stage::Retrieval {
            let Before { columns, scores } = *self.before;
            let own = |column: &PlannedColumn| {
                column.stage == Stage::Retrieval && column.metric == metric
            };
            (columns.iter().position(own)?, scores, columns.len())
        } else {
            (self.metrics.iter().position(|&own| own == metric)?, self.scores, self.metrics.len())
        };
        scores.get(row * width + place)?.as_ref().ok().copied()
    }
}

/// The same score for all cases.
fn all(metrics: &[MetricDescriptor], cases: usize, score: &Score) -> Scores {
    let statistics = |metric: &MetricDescriptor| vec![vec![0.0; cases]; metric.statistics.len()];
    Scores {
        columns: vec![vec![score.clone(); cases]; metrics.len()],
        statistics: metrics.iter().map(statistics).collect(),
        parts: Vec::new(),
    }
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

/// Says of each failure of a plugin what it concerns, or ends with the first one.
fn name_lost(
    given: &mut [Vec<Score>],
    wanted: &[(usize, &PlannedMetric)],
    on_error: OnError,
    batch: u64,
    cases: &[Case<'_>],
) -> Result<(), LostScores> {
    let metrics: Vec<&PlannedMetric> =
        wanted.iter().map(|&(_, metric)| metric).filter(|m| m.statistic.is_none()).collect();
    let columns: Vec<&[Score]> =
        metrics.iter().map(|metric| given[metric.index].as_slice()).collect();
    let failed = |score: &Score| matches!(score, Err(Unscored::Failed(..)));
    if !columns.iter().any(|column| column.iter().any(failed)) {
        return Ok(());
    }
    let names: Vec<String> = metrics.iter().map(|metric| metric.descriptor.name.clone()).collect();
    let lost = lost::of_columns(&columns, ("metric", &names), batch, cases);
    for Lost { columns, cases, scores } in lost {
        if on_error == OnError::Stop {
            return Err(scores);
        }
        let (kind, text) = (scores.kind, scores.to_string());
        for place in columns {
            let column = &mut given[metrics[place].index];
            column[cases.clone()].fill(Err(Unscored::Failed(kind, text.clone())));
        }
    }
    Ok(())
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
        let mut case = Case::new(&self.record.example);
        case.ranking = self.ranking;
        case.documents = self.documents;
        case.passages = self.passages;
        case.places = self.places;
        case.hits = self.evidence.hits.as_deref();
        case.cited = self.evidence.cited.as_deref();
        case.gold = &self.evidence.gold;
        case.prediction = self.prediction;
        case
    }
}
