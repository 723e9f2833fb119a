//! The gates of an evaluation, as its file declares them.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// A gate: a number, what it is held against, and what follows. Gates are kept with an evaluation and
/// are no part of what it is: another limit makes no other evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GateInfo {
    /// Official name of the metric, or its column.
    pub metric: String,
    /// Stage of the metric; `None` for integrated, or for retrieval where the metric is of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Only this system; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Only this dataset of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Only examples with a value of this slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slice: Option<String>,
    /// The value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slice_value: Option<String>,
    /// The least that the number is to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The most that it is to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The evaluation that it is to be no worse than: a label, an id or a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_worse_than: Option<String>,
    /// By how much it may be worse, in units of the metric.
    pub margin: f64,
    /// The share of examples that may be without a score because something failed, from 0 to 1.
    pub max_unscored: f64,
    /// What an undecided gate counts as: `fail`, `warn` or `pass`.
    pub undecided: String,
    /// What follows when it fails: `fail` or `warn`.
    pub level: String,
}

impl GateInfo {
    /// The gate in words: `F1 of integrated >= 0.8, topic = pay`.
    pub fn title(&self) -> String {
        let mut text = self.metric.clone();
        if let Some(stage) = &self.stage {
            let _ = write!(text, " ({stage})");
        }
        if let Some(limit) = self.at_least {
            let _ = write!(text, " >= {limit}");
        }
        if let Some(limit) = self.at_most {
            let _ = write!(text, " <= {limit}");
        }
        if let Some(baseline) = &self.no_worse_than {
            let _ = write!(text, " no worse than `{baseline}`");
            if self.margin > 0.0 {
                let _ = write!(text, " by more than {}", self.margin);
            }
        }
        let slice = self.slice.as_ref().zip(self.slice_value.as_ref());
        let parts = [
            self.dataset.as_ref().map(|dataset| format!("dataset {dataset}")),
            slice.map(|(slice, value)| format!("{slice} = {value}")),
        ];
        for part in parts.into_iter().flatten() {
            let _ = write!(text, ", {part}");
        }
        text
    }
}
