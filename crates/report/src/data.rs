//! What a report shows.

use qeval_core::{Stage, Summary, diagnosis::Counts};

use crate::{
    CalibrationReport, DecisionReport, DomainReport, GateReport, RepeatsReport, RetrievalReport,
    RiskReport, SweepReport, UnfoundReport, UnscoredReport, UsageReport,
};

/// The evaluations of one execution, or one of them.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What the evaluations have in common.
    pub group: String,
    /// Whether the evaluations can be opened again.
    pub stored: bool,
    /// One for each system.
    pub evaluations: Vec<EvaluationReport>,
    /// The datasets side by side, metric by metric; empty for a single dataset.
    pub domains: Vec<DomainReport>,
    /// What no retriever finds; `None` where nothing retrieves.
    pub unfound: Option<UnfoundReport>,
    /// The combinations side by side, where the evaluations are those of a sweep.
    pub sweep: Option<SweepReport>,
}

/// One evaluation.
#[derive(Clone, Debug, Default)]
pub struct EvaluationReport {
    /// Its id.
    pub id: String,
    /// Name that its file gives it.
    pub label: String,
    /// The system that was evaluated.
    pub system: String,
    /// `complete`.
    pub status: String,
    /// Name of the dataset.
    pub dataset: String,
    /// How many examples it has.
    pub examples: u64,
    /// The metrics, in the order of the columns.
    pub metrics: Vec<MetricReport>,
    /// The numbers.
    pub summaries: Vec<Summary>,
    /// What was counted aloud, in words.
    pub notices: Vec<String>,
    /// What the examples belong to, where they belong to dialogs or documents.
    pub clusters: Option<ClustersReport>,
    /// Whether a file of judgments judges relevant passages alone; `None` without such a file.
    pub relevant_only: Option<bool>,
    /// What was retrieved, passage by passage; `None` where nothing retrieves.
    pub retrieval: Option<RetrievalReport>,
    /// Whether questions were answered or abstained from: for each stage all datasets together and
    /// then each of several; empty where every question has an answer and got one.
    pub abstention: Vec<DecisionReport>,
    /// Risk and coverage, where a metric asks for it.
    pub risk: Vec<RiskReport>,
    /// Calibration, where a metric asks for it.
    pub calibration: Vec<CalibrationReport>,
    /// Why examples are unscored.
    pub unscored: Vec<UnscoredReport>,
    /// What the answers of the reader took, by stage.
    pub usage: Vec<UsageReport>,
    /// How scores differ, where questions were asked several times.
    pub repeats: Option<RepeatsReport>,
    /// The gates, where they were decided.
    pub gates: Vec<GateReport>,
    /// Where errors come from.
    pub diagnosis: Option<DiagnosisReport>,
}

/// The dialogs or documents that intervals take as the independent units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClustersReport {
    /// The name of a field, or of a format, that says where an example belongs.
    pub by: String,
    /// `declared` or `detected`.
    pub source: String,
    /// How many there are.
    pub groups: u64,
}

/// A metric in a stage.
#[derive(Clone, Debug)]
pub struct MetricReport {
    /// Column of the results.
    pub column: String,
    /// Official name.
    pub name: String,
    /// The part of the system.
    pub stage: Stage,
    /// Which share of the hits that it looks at is judged; `None` where it needs no judgments, or
    /// where no file of them is given.
    pub judged: Option<f64>,
    /// Whether its number is made of statistics, and not of the scores of the single examples.
    pub pooled: bool,
    /// The condition on the examples that are scored, where it has one.
    pub when: Option<String>,
    /// Lowest value; `None` where the range is open.
    pub min: Option<f64>,
    /// Highest value; `None` where the range is open.
    pub max: Option<f64>,
}

/// Where the errors of one evaluation come from.
#[derive(Clone, Debug, Default)]
pub struct DiagnosisReport {
    /// The metric that says when an answer is right.
    pub right: String,
    /// The score from which on it is.
    pub at_least: f64,
    /// Over all examples.
    pub counts: Counts,
    /// By slice.
    pub slices: Vec<SliceCounts>,
}

/// The diagnosis of one slice.
#[derive(Clone, Debug)]
pub struct SliceCounts {
    /// The column.
    pub slice: String,
    /// Its value; `None` for examples without one.
    pub value: Option<String>,
    /// The counts.
    pub counts: Counts,
}

impl EvaluationReport {
    /// Whether there are numbers by slice.
    pub fn has_slices(&self) -> bool {
        self.summaries.iter().any(|summary| summary.slice.is_some())
    }

    /// The summary of a metric over one of several datasets.
    pub fn summary_of_dataset(&self, column: &str, dataset: &str) -> Option<&Summary> {
        let mut summaries = self.summaries.iter();
        summaries.find(|s| {
            s.metric == column && s.slice.is_none() && s.dataset.as_deref() == Some(dataset)
        })
    }

    /// The summary of a metric over all examples or over one slice.
    pub fn summary(&self, column: &str, slice: Option<(&str, Option<&str>)>) -> Option<&Summary> {
        self.summaries.iter().find(|summary| {
            summary.metric == column
                && match slice {
                    None => summary.slice.is_none() && summary.dataset.is_none(),
                    Some((name, value)) => {
                        summary.slice.as_deref() == Some(name)
                            && summary.slice_value.as_deref() == value
                    }
                }
        })
    }
}
