//! Systems compared on the examples that they share.

mod json;
mod terminal;
mod verdict;

use qeval_core::{
    Stage,
    stats::{Comparison, LEVEL, NonInferiority},
};

use crate::Format;

/// Several evaluations, each compared with each.
#[derive(Clone, Debug, Default)]
pub struct ComparisonReport {
    /// The systems, the baseline first.
    pub systems: Vec<ComparedSystem>,
    /// How many examples all have.
    pub shared: u64,
    /// The dialogs or documents that the shared examples belong to, where they are not independent.
    pub groups: Option<u64>,
    /// How the p-values are corrected for being many.
    pub correction: Correction,
    /// How many p-values are corrected together.
    pub hypotheses: u64,
    /// The margin within which a worse system is no worse, in units of the metric.
    pub margin: Option<f64>,
    /// The metrics over all shared examples, then by slice.
    pub metrics: Vec<ComparedMetric>,
    /// What forbids the comparison, where it was made nevertheless.
    pub overridden: Vec<String>,
    /// What else a reader should know.
    pub notes: Vec<String>,
    /// The examples that changed most.
    pub changed: Vec<ChangedExamples>,
}

/// One of the compared systems.
#[derive(Clone, Debug, Default)]
pub struct ComparedSystem {
    /// What the report calls it; no two are alike.
    pub name: String,
    /// Id of its evaluation.
    pub evaluation: String,
    /// How many examples it has, shared or not.
    pub examples: u64,
}

/// How p-values are corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Correction {
    /// Holm's, over all that is shown.
    #[default]
    Holm,
    /// Tukey's honestly significant differences, for each metric apart.
    Tukey,
    /// Not at all.
    None,
}

impl Correction {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holm => "holm",
            Self::Tukey => "tukey",
            Self::None => "none",
        }
    }

    /// What the column of corrected p-values is called; `None` where there is none.
    fn heading(self) -> Option<&'static str> {
        match self {
            Self::Holm => Some("p (Holm)"),
            Self::Tukey => Some("p (Tukey)"),
            Self::None => None,
        }
    }
}

/// One metric, over all shared examples or over those of a slice.
#[derive(Clone, Debug)]
pub struct ComparedMetric {
    /// Official name.
    pub name: String,
    /// Its column.
    pub column: String,
    /// The part of the systems that it speaks of.
    pub stage: Stage,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// The slice and its value; `None` for all shared examples. No value: examples without one.
    pub slice: Option<(String, Option<String>)>,
    /// Examples that have a score in all systems.
    pub n: u64,
    /// Shared examples that lack it in one: they are left out.
    pub unscored: u64,
    /// The mean of each system over the `n` examples; empty where the metric is no mean.
    pub means: Vec<f64>,
    /// For each system its letters: systems that share one are not told apart. Empty for two systems.
    pub letters: Vec<String>,
    /// Each system with each that comes after it; empty where there is no test.
    pub pairs: Vec<ComparedPair>,
    /// Why there is no test.
    pub without: Option<String>,
}

/// Two systems on one metric.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPair {
    /// Index of the first system.
    pub first: usize,
    /// Index of the second one.
    pub second: usize,
    /// The second less the first.
    pub comparison: Comparison,
    /// The corrected p-value; the raw one where nothing is corrected.
    pub p: f64,
    /// Whether the second is no worse, where a margin is given.
    pub non_inferior: Option<NonInferiority>,
}

impl ComparedPair {
    /// Whether the two differ, at a level of 5 %.
    pub fn differs(&self) -> bool {
        self.p < 1.0 - LEVEL
    }
}

/// The examples on which two systems differ most.
#[derive(Clone, Debug, Default)]
pub struct ChangedExamples {
    /// Name of the metric.
    pub metric: String,
    /// Index of the first system.
    pub first: usize,
    /// Index of the second one.
    pub second: usize,
    /// Those that lost most, then those that gained most.
    pub examples: Vec<ChangedExample>,
}

/// One example in two systems.
#[derive(Clone, Debug, Default)]
pub struct ChangedExample {
    /// Its id.
    pub id: String,
    /// Its dataset, where there are several.
    pub dataset: Option<String>,
    /// The score of the first and of the second system.
    pub scores: [f64; 2],
    /// What was asked, where it is known.
    pub question: Option<String>,
    /// The acceptable answers.
    pub references: Vec<String>,
    /// What the systems answered; `None` for no answer, and where nothing reads.
    pub answers: [Option<String>; 2],
}

/// The comparison as text, with a final newline.
pub fn render_comparison(report: &ComparisonReport, format: Format) -> String {
    match format {
        Format::Terminal { color } => terminal::render(report, color),
        Format::Json => json::render(report),
    }
}
