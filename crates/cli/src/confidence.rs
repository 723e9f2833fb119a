//! What confidences are worth, from the statistics of the metrics that ask for it.

use anyhow::Result;
use qeval_core::{
    Argument, Metric, Stage, Summary,
    metrics::{
        calibration::{self, BRIER, ECE},
        risk_coverage::{self, AURC, E_AURC},
    },
};
use qeval_report::{CalibrationReport, NamedValue, RiskReport};
use qeval_store::{Evaluation, MetricColumn, Scores};

/// The areas under a risk-coverage curve.
const AREAS: [&str; 2] = [AURC.name, E_AURC.name];

/// Risk and coverage for each stage and correctness that an area under the curve is asked for, and
/// calibration for each calibration error; of all datasets together, then of each of several.
pub(crate) fn confidence(
    evaluation: &Evaluation,
    summaries: &[Summary],
) -> Result<(Vec<RiskReport>, Vec<CalibrationReport>)> {
    let metrics = &evaluation.manifest().metrics;
    let known: Vec<Known<'_>> = metrics.iter().filter_map(Known::of).collect();
    let (mut risks, mut calibrations) = (Vec::new(), Vec::new());
    for (place, of) in known.iter().enumerate() {
        let (area, error) = (of.is_any(&AREAS), of.is_any(&[ECE.name]));
        // Both areas are read from one curve.
        let drawn =
            known[..place].iter().any(|other| area && other.is_any(&AREAS) && other.is_about(of));
        if drawn || !(area || error) {
            continue;
        }
        let columns: Vec<&str> = metrics
            .iter()
            .filter(|metric| metric.statistic_of.as_deref() == Some(of.column.column.as_str()))
            .map(|metric| metric.column.as_str())
            .collect();
        let scores = evaluation.scores(&columns)?;
        let names = scores.datasets.iter().flat_map(|_| &evaluation.manifest().datasets);
        let datasets = names.map(|info| Some(info.name.as_str()));
        for dataset in [None].into_iter().chain(datasets) {
            let (confidences, correct) = pairs(&scores, dataset);
            let n = confidences.len();
            let value = |known: &Known<'_>| known.value(summaries, dataset);
            if area {
                let areas = known.iter().filter(|other| other.is_any(&AREAS) && other.is_about(of));
                risks.push(RiskReport {
                    stage: of.column.stage,
                    dataset: dataset.map(str::to_owned),
                    correct: of.correct(),
                    metrics: areas.map(value).collect(),
                    n,
                    curve: risk_coverage::curve(&confidences, &correct),
                });
            } else if let Some(bins) = calibration::bins(&of.metric, &confidences, &correct) {
                let others =
                    known.iter().filter(|other| other.is_any(&[BRIER.name]) && other.is_about(of));
                calibrations.push(CalibrationReport {
                    stage: of.column.stage,
                    dataset: dataset.map(str::to_owned),
                    correct: of.correct(),
                    metrics: [of].into_iter().chain(others).map(value).collect(),
                    n,
                    bins,
                });
            }
        }
    }
    Ok((risks, calibrations))
}

/// Confidence and correctness of the examples that have both.
fn pairs(scores: &Scores, dataset: Option<&str>) -> (Vec<f64>, Vec<f64>) {
    let [(_, confidences), (_, correct)] = scores.metrics.as_slice() else {
        return (Vec::new(), Vec::new());
    };
    let of_dataset = |row: usize| {
        dataset.is_none() || scores.datasets.as_ref().and_then(|d| d.get(row)) == dataset
    };
    let rows = (0..scores.len()).filter(|&row| of_dataset(row));
    rows.filter_map(|row| Some((confidences[row]?, correct[row]?))).unzip()
}

/// A metric of confidences.
struct Known<'a> {
    column: &'a MetricColumn,
    metric: Metric,
}

impl<'a> Known<'a> {
    fn of(column: &'a MetricColumn) -> Option<Self> {
        let own = column.statistic_of.is_none() && column.stage != Stage::Retrieval;
        let metric: Metric = column.name.parse().ok().filter(|_| own)?;
        let known = Self { column, metric };
        (known.is_any(&AREAS) || known.is_any(&[ECE.name, BRIER.name])).then_some(known)
    }

    fn is_any(&self, names: &[&str]) -> bool {
        names.contains(&self.metric.definition().name)
    }

    fn argument(&self, name: &str) -> Option<&Argument> {
        self.metric.arguments().find(|(other, _)| *other == name).map(|(_, argument)| argument)
    }

    /// Whether both take the same answers of the same stage for correct.
    fn is_about(&self, other: &Self) -> bool {
        let same = |name| self.argument(name) == other.argument(name);
        self.column.stage == other.column.stage && same("score") && same("min_score")
    }

    /// What is correct, in words.
    fn correct(&self) -> String {
        let score = match self.argument("score") {
            Some(Argument::Choice(score)) => score,
            _ => "correctness",
        };
        match self.argument("min_score") {
            Some(Argument::Number(least)) if *least > 0.0 => format!("({score} >= {least})"),
            _ => score.to_owned(),
        }
    }

    fn value(&self, summaries: &[Summary], dataset: Option<&str>) -> NamedValue {
        let found = summaries.iter().find(|summary| {
            summary.metric == self.column.column
                && summary.slice.is_none()
                && summary.dataset.as_deref() == dataset
        });
        NamedValue {
            metric: self.column.name.clone(),
            column: self.column.column.clone(),
            value: found.and_then(|summary| summary.estimate.mean),
        }
    }
}
