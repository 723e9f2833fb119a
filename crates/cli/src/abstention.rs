//! What was decided about each question, from stored evaluations.

use anyhow::Result;
use qeval_core::{
    Estimator, Stage,
    metrics::abstention::{Decision, Decisions, Rate},
    stats::{Column, estimate},
};
use qeval_report::DecisionReport;
use qeval_store::{Clusters, Evaluation, Scores};

/// For each stage with answers the table of all datasets, then of each of several. Empty where
/// there is nothing to show: each question has an answer and got one, or no question has any.
pub(crate) fn abstention(evaluation: &Evaluation, scores: &Scores) -> Result<Vec<DecisionReport>> {
    let manifest = evaluation.manifest();
    let stored = evaluation.decisions()?;
    let count = stored.answerable.len();
    let mut tables = Vec::new();
    for (stage, decisions) in
        [(Stage::Isolated, &stored.isolated), (Stage::Integrated, &stored.integrated)]
    {
        if !manifest.metrics.iter().any(|metric| metric.stage == stage) {
            continue;
        }
        let decided = Decided { stage, answerable: &stored.answerable, decisions };
        tables.push(decided.table(None, 0..count));
        if let Some(labels) = &scores.datasets {
            for dataset in &manifest.datasets {
                let rows = (0..count).filter(|&row| labels.get(row) == Some(&dataset.name));
                tables.push(decided.table(Some(&dataset.name), rows));
            }
        }
    }
    // The rates cost far more than the counts, and most evaluations show neither.
    if !tables.iter().any(|table| speaks(&table.report)) {
        return Ok(Vec::new());
    }
    let clusters = Clusters::new(scores);
    let with_rates = |table: Table<'_>| table.with_rates(clusters.as_ref(), manifest.seed);
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
}

/// Some of the rows, counted.
struct Table<'a> {
    decided: Decided<'a>,
    rows: Vec<usize>,
    /// Without rates.
    report: DecisionReport,
}

impl<'a> Decided<'a> {
    /// The table of these rows.
    fn table(self, dataset: Option<&str>, rows: impl Iterator<Item = usize>) -> Table<'a> {
        let rows: Vec<usize> = rows.collect();
        let mut report = DecisionReport {
            stage: self.stage,
            dataset: dataset.map(str::to_owned),
            decisions: Decisions::default(),
            missing_answerable: 0,
            missing_unanswerable: 0,
            left_out: 0,
            rates: Vec::new(),
        };
        for &row in &rows {
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
        Table { decided: self, rows, report }
    }
}

impl Table<'_> {
    fn with_rates(self, clusters: Option<&Clusters>, seed: u64) -> DecisionReport {
        let Self { decided: Decided { stage, answerable, decisions }, rows, report } = self;
        let estimate_of = |rate: Rate| {
            let name = format!("{} {}", stage.name(), rate.name());
            let column = Column {
                name: &name,
                estimator: Estimator::Mean,
                range: (0.0, 1.0),
                higher_is_better: true,
                seed,
            };
            let Some(clusters) = clusters else {
                let (part, whole) = report.decisions.rate(rate);
                let all = [(1.0, part), (0.0, whole - part)];
                let scores = all
                    .into_iter()
                    .flat_map(|(score, count)| (0..count).map(move |_| (Some(score), None)));
                return (rate, estimate(column, scores));
            };
            // A row that the rate is not about changes nothing.
            let scores = rows.iter().filter_map(|&row| {
                let one = Decisions::one(answerable[row], decisions[row]?);
                Some((Some(rate.score(one)?), clusters.get(row)))
            });
            (rate, estimate(column, scores))
        };
        DecisionReport { rates: Rate::ALL.map(estimate_of).to_vec(), ..report }
    }
}
