//! What answers took, and how those to the same question differ.

use qeval_core::Stage;
use serde::{Deserialize, Serialize};

/// What the answers of a reader took in one stage. Each number is over the answers that say it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageInfo {
    /// Name of the reader.
    pub reader: String,
    /// The stage.
    #[serde(serialize_with = "super::stage_name", deserialize_with = "super::stage_from_name")]
    pub stage: Stage,
    /// Answers that there are.
    pub answers: u64,
    /// How many answers of earlier runs the reader needed in this stage, for all systems of the run;
    /// `None` where its answers are not kept.
    pub replayed: Option<u64>,
    /// Time to the whole answer.
    pub latency_ms: Option<LatencyInfo>,
    /// Tokens sent.
    pub tokens_in: Option<SumInfo>,
    /// Tokens received.
    pub tokens_out: Option<SumInfo>,
    /// Money.
    pub cost: Option<CostInfo>,
}

/// Percentiles of milliseconds, by linear interpolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LatencyInfo {
    /// Answers whose time is known.
    pub n: u64,
    /// Half of them took at most this.
    pub p50: f64,
    /// Nine in ten.
    pub p90: f64,
    /// Ninety-nine in a hundred.
    pub p99: f64,
}

/// A sum of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SumInfo {
    /// Answers that say how many they took.
    pub n: u64,
    /// All of them together.
    pub sum: u64,
}

/// A sum of money.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CostInfo {
    /// Answers that have a cost.
    pub n: u64,
    /// All of them together.
    pub sum: f64,
    /// What it is paid in, where the plan says so.
    pub currency: Option<String>,
}

/// Questions that were asked several times. The scores are the means over the repeats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RepeatsInfo {
    /// How often each was asked.
    pub repeats: u64,
    /// The columns of scores of answers.
    pub columns: Vec<RepeatedColumn>,
}

/// How the scores of a column differ from repeat to repeat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RepeatedColumn {
    /// Name of the column.
    pub column: String,
    /// The mean over the examples that have a score, of each repeat; `None` without one.
    pub means: Vec<Option<f64>>,
    /// Standard deviation of those means.
    pub stddev: Option<f64>,
    /// Standard deviation of the scores of one example: the root of the mean of the variances.
    pub stddev_within: Option<f64>,
}
