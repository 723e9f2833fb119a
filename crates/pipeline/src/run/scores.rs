//! The scores of one stage of one batch.

use qeval_core::{Case, JudgedRanking, Need, Passage, Place, Prediction, Score, Stage, Unscored};
use qeval_dataset::Record;

use crate::{Plan, plan::PlannedMetric};

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
pub(super) fn score(
    plan: &Plan,
    stage: Stage,
    metrics: &[usize],
    known: &[Known<'_>],
    lacks: &[Need],
) -> Vec<Score> {
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
        return scores;
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
                for (place, metric) in wanted {
                    let column = std::mem::take(&mut given.columns[metric.index]);
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
    scores
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
