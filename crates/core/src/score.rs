//! Scores and their summaries.

use crate::FailureKind;

/// The value of one metric on one example, or why there is none.
pub type Score = Result<f64, Unscored>;

/// Why an example has no score. Unscored is never zero and never dropped: it is counted beside
/// every mean.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unscored {
    /// The metric needs a reference.
    #[error("the example has no reference")]
    NoReference,
    /// The metric needs judgments.
    #[error("the example has no relevant passage")]
    NoRelevantPassage,
    /// The annotators disagree too much for the official script to count the question.
    #[error("the references agree too little with each other")]
    LowAgreement,
    /// The metric does not apply, for a reason that it states itself.
    #[error("{0}")]
    NotApplicable(String),
    /// The metric was tried and failed: how, and what happened.
    #[error("{1}")]
    Failed(FailureKind, String),
}

impl Unscored {
    /// A short name that results can be grouped by.
    pub fn label(&self) -> &'static str {
        match self {
            Self::NoReference => "no reference",
            Self::NoRelevantPassage => "no relevant passage",
            Self::LowAgreement => "low agreement",
            Self::NotApplicable(_) => "not applicable",
            Self::Failed(kind, _) => kind.name(),
        }
    }

    /// Whether this is a fault rather than a property of the example.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(..))
    }
}

/// Which part of the system a score speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The retriever alone.
    Retrieval,
    /// The reader alone, on the gold passages.
    Isolated,
    /// The reader on what was retrieved: the system as its users meet it.
    Integrated,
}

impl Stage {
    /// All stages, in the order in which reports show them.
    pub const ALL: [Self; 3] = [Self::Retrieval, Self::Isolated, Self::Integrated];

    /// The word for it in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retrieval => "retrieval",
            Self::Isolated => "isolated",
            Self::Integrated => "integrated",
        }
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One metric over an evaluation or over one slice of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Column of the metric in the scores, for example `ndcg_at_10`.
    pub metric: String,
    /// The part of the system.
    pub stage: Stage,
    /// Name of the dataset, where the file declares several.
    pub dataset: Option<String>,
    /// Column that was grouped by; `None` for all examples.
    pub slice: Option<String>,
    /// Value of that column; `None` is the group of examples without a value when `slice` is set.
    pub slice_value: Option<String>,
    /// The numbers.
    pub estimate: Estimate,
}

/// An average with all that is needed to judge it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Scored examples.
    pub n: u64,
    /// Examples without a score.
    pub unscored: u64,
    /// The metric over the scored examples: their mean, unless the metric defines another
    /// estimator; `None` when nothing is scored.
    pub mean: Option<f64>,
    /// Sample standard deviation of the scores; `None` below two examples.
    pub stddev: Option<f64>,
    /// Lowest score.
    pub min: Option<f64>,
    /// Highest score.
    pub max: Option<f64>,
    /// The mean if every unscored example had the worst value of the range; `None` for an open
    /// range or a metric that is not a mean.
    pub mean_worst: Option<f64>,
    /// The mean if every unscored example had the best value of the range.
    pub mean_best: Option<f64>,
    /// Where the true value lies with a stated probability.
    pub interval: Option<Interval>,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability with which such an interval holds the truth, for example 0.95.
    pub level: f64,
    /// How it was computed, for example `wilson`.
    pub method: &'static str,
    /// Seed of the resampling, where there was one.
    pub seed: Option<u64>,
    /// Number of resamples, where there were any.
    pub resamples: Option<u32>,
}
