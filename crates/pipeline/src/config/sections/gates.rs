//! The table `[[gate]]`.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// A number that is to be good enough.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateSection {
    /// The metric, as in the lists of `[metrics]`.
    #[schemars(with = "String")]
    pub metric: Spanned<String>,
    /// `retrieval`, `isolated` or `integrated`; default: integrated, or retrieval for a metric of
    /// rankings.
    #[schemars(with = "Option<String>")]
    pub stage: Option<Spanned<String>>,
    /// Only this system, by its name in the report; default: each of them.
    pub system: Option<String>,
    /// Only this one of several datasets; default: all examples.
    #[schemars(with = "Option<String>")]
    pub dataset: Option<Spanned<String>>,
    /// Only the examples with a value of this slice; default: all examples.
    #[schemars(with = "Option<String>")]
    pub slice: Option<Spanned<String>>,
    /// The value of the slice.
    #[schemars(with = "Option<String>")]
    pub slice_value: Option<Spanned<String>>,
    /// The number is to be so much or more. One of `at_least`, `at_most` and `no_worse_than` is given.
    #[schemars(with = "Option<f64>")]
    pub at_least: Option<Spanned<f64>>,
    /// The number is to be so much or less.
    #[schemars(with = "Option<f64>")]
    pub at_most: Option<Spanned<f64>>,
    /// The number is to be no worse than that of another evaluation on the same examples: a label,
    /// which is its newest other evaluation, an id, or a folder, relative to the file.
    #[schemars(with = "Option<String>")]
    pub no_worse_than: Option<Spanned<String>>,
    /// By how much it may be worse than the other evaluation; default: 0.
    #[schemars(with = "Option<f64>")]
    pub margin: Option<Spanned<f64>>,
    /// The share of examples, from 0 to 1, that may be without a score because something failed;
    /// default: 0. Examples to which the metric does not apply do not count.
    #[schemars(with = "Option<f64>")]
    pub max_unscored: Option<Spanned<f64>>,
    /// What counts where the interval does not decide: `fail`, `warn` or `pass`; default: `warn`.
    #[schemars(with = "Option<String>")]
    pub undecided: Option<Spanned<String>>,
    /// What a gate that fails leads to: `fail` (exit code 3) or `warn`; default: `fail`.
    #[schemars(with = "Option<String>")]
    pub level: Option<Spanned<String>>,
}
