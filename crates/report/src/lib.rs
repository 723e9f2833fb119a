//! Summaries and diagnoses as text: for a terminal, or as JSON with a stable shape.
//!
//! A [`Report`] is plain data that was read back from the store; rendering it cannot fail and
//! reads nothing else, so a report of a stored evaluation is the report of the run.

mod abstention;
mod caution;
mod comparison;
mod confidence;
mod data;
mod diagnosis;
mod domains;
mod explanation;
mod gates;
mod json;
mod judged;
mod notes;
mod repeats;
mod retrieval;
mod short;
mod sweep;
mod table;
mod terminal;
mod unscored;
mod usage;
mod verdict;

pub use abstention::DecisionReport;
pub use comparison::{
    ChangedExample, ChangedExamples, ComparedMetric, ComparedPair, ComparedSystem,
    ComparisonReport, Correction, render_comparison,
};
pub use confidence::{CalibrationReport, NamedValue, RiskReport};
pub use data::{
    ClustersReport, DiagnosisReport, EvaluationReport, MetricReport, Report, SliceCounts,
};
pub use diagnosis::{
    CauseExamples, CauseShare, CurvePoint, DiagnosedExample, FullDiagnosis, Hint, PassageCurve,
    PassageSetting, SeenPassage, render_diagnosis,
};
pub use domains::{DomainReport, SystemChange, SystemDrops};
pub use explanation::{
    ExampleExplanation, ExplainedHit, ExplainedMetric, ExplainedPart, ExplainedStage,
    render_explanation,
};
pub use gates::{
    GateExample, GateReport, GatedEvaluation, Outcome, annotations, gates, gates_json, junit,
    markdown,
};
pub use repeats::{RepeatedColumn, RepeatsReport};
pub use retrieval::{
    CopyReport, CoverageReport, CurveReport, DOCUMENTS_FOUND, DisagreementReport, Found,
    GroupRecall, Hub, PassageExample, RetrievalReport, SliceRecall, UnfoundReport, WithAnswer,
};
pub use sweep::{SweepReport, SweptMetric, SweptRow};
pub use unscored::UnscoredReport;
pub use usage::UsageReport;
pub use verdict::verdict;

/// How a report is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables for people.
    Terminal {
        /// Whether headings are bold.
        color: bool,
    },
    /// The documented JSON shape.
    Json,
}

/// The report as text, with a final newline.
pub fn render(report: &Report, format: Format) -> String {
    match format {
        Format::Terminal { color } => terminal::render(report, color),
        Format::Json => json::render(report),
    }
}
