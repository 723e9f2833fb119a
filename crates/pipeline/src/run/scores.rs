//! The scores of one stage of one batch.

use qeval_core::{Case, JudgedRanking, Need, Passage, Place, Prediction, Score, Stage, Unscored};
use qeval_dataset::Record;

use super::lost::{self, LostScores};
use crate::{
    Plan,
    plan::{OnError, PlannedMetric},
};

/// What is known of one example in one stage.
pub(super) struct Known<'a> {
    pub(super) record: &'a Record,
    pub(super) ranking: Option<&'a JudgedRanking>,
    pub(super) documents: Option<&'a JudgedRanking>,
    pub(super) passages: &'a [&'a Passage],
    pub(super) places: &'a [Place],
    pub(super) prediction: Option<&'a Prediction>,
    /// Why the example has no scores in this stage: its component failed, or the stage does not
    /// apply to it.
    pub(super) unscored: Option<Unscored>,
}

/// The scores in the order of the examples, for each in the order of `metrics`. Of what no answer
/// of the reader has (`lacks`), a missing one says nothing either.
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
) -> Result<Vec<Score>, LostScores> {
    let _span = tracing::info_span!("score", stage = stage.name()).entered();
    let width = metrics.len();
    let mut scores: Vec<Score> = Vec::with_capacity(known.len() * width);
    for known in known {
        // Replaced below, unless this is what it stays.
        let unscored = known.unscored.clone().unwrap_or(Unscored::NoReference);
        scores.extend((0..width).map(|_| Err(unscored.clone())));
    }
    let answered: Vec<usize> = (0..known.len()).filter(|&i| known[i].unscored.is_none()).collect();
    let cases: Vec<Case<'_>> = answered.iter().map(|&index| known[index].case()).collect();
    if cases.is_empty() {
        return Ok(scores);
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
        let mut given = match scorer.score(&cases) {
            Ok(given) => given.columns,
            Err(failure) => {
                let lost = Err(Unscored::Failed(failure.to_string()));
                vec![vec![lost; cases.len()]; scorer.metrics().len()]
            }
        };
        if let Some(on_error) = plan.on_error.get(&scorer_index) {
            name_lost(&mut given, &wanted, *on_error, batch, &cases)?;
        }
        for (place, metric) in wanted {
            let column = std::mem::take(&mut given[metric.index]);
            for (&row, score) in answered.iter().zip(column) {
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
    Ok(scores)
}

/// Says of each failure of a plugin what it concerns, or ends with the first one.
fn name_lost(
    given: &mut [Vec<Score>],
    wanted: &[(usize, &PlannedMetric)],
    on_error: OnError,
    batch: u64,
    cases: &[Case<'_>],
) -> Result<(), LostScores> {
    let columns: Vec<&[Score]> =
        wanted.iter().map(|(_, metric)| given[metric.index].as_slice()).collect();
    let failed = |score: &Score| matches!(score, Err(Unscored::Failed(_)));
    if !columns.iter().any(|column| column.iter().any(failed)) {
        return Ok(());
    }
    let names: Vec<String> =
        wanted.iter().map(|(_, metric)| metric.descriptor.name.clone()).collect();
    let lost = lost::of_columns(&columns, &names, batch, cases);
    for (first, lost) in lost {
        if on_error == OnError::Stop {
            return Err(lost);
        }
        let text = lost.to_string();
        for (_, metric) in wanted {
            let column = &mut given[metric.index][first..first + lost.examples.count];
            for score in column.iter_mut().filter(|score| failed(score)) {
                *score = Err(Unscored::Failed(text.clone()));
            }
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

impl<'a> Known<'a> {
    fn case(&self) -> Case<'a> {
        let mut case = Case::new(&self.record.example).with_passages(self.passages);
        case = case.with_places(self.places);
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
