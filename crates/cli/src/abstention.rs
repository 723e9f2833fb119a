//! What was decided about each question, from stored evaluations.

use anyhow::Result;
use qeval_core::{
    Estimate, Stage,
    metrics::abstention::{Decision, Decisions, Rate},
    stats::{Column, Intervals, Running, estimate},
};
use qeval_report::DecisionReport;
use qeval_store::{Clusters, Evaluation, Labels, Scores};

/// For each stage with answers the table of all datasets, then of each of several. Empty where
/// there is nothing to show: each question has an answer and got one, or no question has any.
pub(crate) fn abstention(evaluation: &Evaluation, scores: &Scores) -> Result<Vec<DecisionReport>> {
    let manifest = evaluation.manifest();
    let stored = evaluation.decisions()?;
    let mut tables = Vec::new();
    for (stage, decisions) in
        [(Stage::Isolated, &stored.isolated), (Stage::Integrated, &stored.integrated)]
    {
        if !manifest.metrics.iter().any(|metric| metric.stage == stage) {
            continue;
        }
        let datasets = scores.datasets.as_ref();
        let decided = Decided { stage, answerable: &stored.answerable, decisions, datasets };
        tables.push(decided.table(None));
        if datasets.is_some() {
            let names = manifest.datasets.iter().map(|dataset| dataset.name.as_str());
            tables.extend(names.map(|name| decided.table(Some(name))));
        }
    }
    // The rates cost far more than the counts, and most evaluations show neither.
    if !tables.iter().any(|table| speaks(&table.report)) {
        return Ok(Vec::new());
    }
    let clusters = Clusters::new(scores);
    let with_rates = |table: Table<'_>| table.with_rates(clusters.as_ref(), manifest.intervals());
    Ok(tables.into_iter().map(with_rates).collect())
}

/// Whether a table says anything. A dataset without any reference is not one of unanswerable
/// questions: it has no references.
fn speaks(report: &DecisionReport) -> bool {
    let decisions = report.decisions;
    let abstentions = decisions.abstentions() - report.missing_answerable;
    abstentions > 0 || (decisions.unanswerable() > 0 && decisions.answerable() > 0)
}

/// What was decided in one stage, row by row.
#[derive(Clone, Copy)]
struct Decided<'a> {
    stage: Stage,
    answerable: &'a [bool],
    decisions: &'a [Option<Decision>],
    /// Names of the datasets, where there are several.
    datasets: Option<&'a Labels>,
}

/// Some of the rows, counted.
struct Table<'a> {
    decided: Decided<'a>,
    /// The only dataset whose rows they are.
    dataset: Option<&'a str>,
    /// Without rates.
    report: DecisionReport,
}

impl<'a> Decided<'a> {
    /// The rows of a dataset, or all.
    fn rows(self, dataset: Option<&'a str>) -> impl Iterator<Item = usize> + 'a {
        let is_of = move |row: usize, name: &str| {
            self.datasets.is_some_and(|datasets| datasets.get(row) == Some(name))
        };
        let rows = 0..self.answerable.len();
        rows.filter(move |&row| dataset.is_none_or(|name| is_of(row, name)))
    }

    /// The table of the rows of a dataset, or of all.
    fn table(self, dataset: Option<&'a str>) -> Table<'a> {
        let mut report = DecisionReport {
            stage: self.stage,
            dataset: dataset.map(str::to_owned),
            decisions: Decisions::default(),
            missing_answerable: 0,
            missing_unanswerable: 0,
            left_out: 0,
            rates: Vec::new(),
        };
        for row in self.rows(dataset) {
            let Some(decision) = self.decisions[row] else {
                report.left_out += 1;
                continue;
            };
            report.decisions.merge(Decisions::one(self.answerable[row], decision));
            let missing = u64::from(decision == Decision::Missing);
            if self.answerable[row] {
                report.missing_answerable += missing;
            } else {
                report.missing_unanswerable += missing;
            }
        }
        Table { decided: self, dataset, report }
    }
}

impl Table<'_> {
    fn with_rates(self, clusters: Option<&Clusters>, intervals: Intervals) -> DecisionReport {
        let Self { decided, dataset, report } = self;
        let Decided { stage, answerable, decisions, .. } = decided;
        let estimate_of = |rate: Rate| {
            let name = format!("{} {}", stage.name(), rate.name());
            let column = Column::of_shares(&name, intervals);
            let Some(clusters) = clusters else {
                let (part, whole) = report.decisions.rate(rate);
                return (rate, share(column, part, whole));
            };
            // A row that the rate is not about changes nothing.
            let scores = decided.rows(dataset).filter_map(|row| {
                let one = Decisions::one(answerable[row], decisions[row]?);
                Some((Some(rate.score(one)?), clusters.get(row)))
            });
            (rate, estimate(column, scores))
        };
        DecisionReport { rates: Rate::ALL.map(estimate_of).to_vec(), ..report }
    }
}

/// The estimate of a share, of which no more is kept than the counts where they are large.
fn share(column: Column<'_>, part: u64, whole: u64) -> Estimate {
    let mut running = Running::default();
    (0..part).for_each(|_| running.add(Some(1.0)));
    (part..whole).for_each(|_| running.add(Some(0.0)));
    running.estimate(column).unwrap_or_else(|| {
        let scores = (0..whole).map(|place| if place < part { 1.0 } else { 0.0 });
        estimate(column, scores.map(|score| (Some(score), None)))
    })
}
