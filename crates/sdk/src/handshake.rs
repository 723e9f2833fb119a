//! The handshake: what a plugin says of itself before any work, and whether the two sides fit.

use std::{collections::BTreeSet, fmt};

use qeval_core::{Estimator, Subject, column_name, is_name};
use serde::{Deserialize, Serialize};

use crate::{
    Argument, Asked, Input, MetricDescriptor, Parameter, Statistic, WorkedExample, display_name,
    parse_arguments, split_name,
};

/// The version of the plugin interface that this crate speaks.
pub const INTERFACE: InterfaceVersion = InterfaceVersion { major: 1, minor: 1 };

/// A version of the plugin interface. Another major is another layout; a higher minor adds things
/// at the end that an older host does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceVersion {
    /// Must be the same on both sides.
    pub major: u32,
    /// That of the plugin must not be above the host's.
    pub minor: u32,
}

impl InterfaceVersion {
    /// Whether a host of this version can use a plugin of that version.
    pub fn accepts(self, plugin: Self) -> bool {
        self.major == plugin.major && plugin.minor <= self.minor
    }
}

impl fmt::Display for InterfaceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What a plugin says of itself. It crosses the boundary as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginDescriptor {
    /// The author's name for it. Users give their own in the pipeline file.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it does, in one sentence.
    pub summary: String,
    /// Who wrote it; may be empty.
    #[serde(default)]
    pub authors: String,
    /// Version of the kit it was made with; empty for a plugin without one.
    #[serde(default)]
    pub sdk: String,
    /// Said by plugins of interface 1.0, which are scorers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OldKind>,
    /// Whether one instance may be called from several threads at a time.
    #[serde(default)]
    pub thread_safe: bool,
    /// What its scorer reads of each case.
    #[serde(default)]
    pub inputs: Vec<Input>,
    /// The metrics of its scorer.
    #[serde(default)]
    pub metrics: Vec<PluginMetric>,
    /// Cases with the scores that they must get.
    #[serde(default)]
    pub examples: Vec<WorkedExample>,
    /// Its normalizers.
    #[serde(default)]
    pub normalizers: Vec<PluginNormalizer>,
    /// Its retriever.
    #[serde(default)]
    pub retriever: Option<PluginComponent>,
    /// Its reader.
    #[serde(default)]
    pub reader: Option<PluginComponent>,
}

/// The one kind of component in interface 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OldKind {
    /// Cases to scores.
    Scorer,
}

/// A retriever or a reader of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginComponent {
    /// What it does, in one sentence.
    pub summary: String,
}

/// A normalizer of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginNormalizer {
    /// Its name inside the plugin: letters, digits, `_` and `-`, a letter first.
    pub name: String,
    /// What it does to a text, in one sentence.
    pub summary: String,
    /// Version of its definition: a text may come out otherwise only when this changes.
    pub version: String,
    /// Texts with what becomes of them.
    #[serde(default)]
    pub examples: Vec<(String, String)>,
}

/// A metric of a plugin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginMetric {
    /// Its name inside the plugin: letters, digits, `_` and `-`, a letter first.
    pub name: String,
    /// What it measures, in one sentence.
    pub summary: String,
    /// Version of its definition.
    pub version: String,
    /// Lowest value; `None` where the range is open.
    pub min: Option<f64>,
    /// Highest value; `None` where the range is open.
    pub max: Option<f64>,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// What is scored.
    #[serde(with = "SubjectName")]
    pub subject: Subject,
    /// How the scores of examples become one number.
    pub estimator: PluginEstimator,
    /// What can be written in parentheses behind its name.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// What it reads, where that is less than all inputs of the plugin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// What each case gives beside its score, where the metric is pooled.
    #[serde(default)]
    pub statistics: Vec<Statistic>,
}

/// How the scores of examples become one number, as far as it can cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginEstimator {
    /// Their mean.
    Mean,
    /// A function of merged statistics.
    Pooled,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Subject", rename_all = "snake_case")]
enum SubjectName {
    Answer,
    Retrieval,
}

/// What stands in the place of a descriptor when there is none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Excuse {
    error: String,
}

/// A descriptor that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DescriptorError {
    /// It is not JSON of the right shape.
    #[error("it is not the JSON that was agreed: {0}")]
    Json(String),
    /// The plugin says why it cannot be used.
    #[error("{0}")]
    Excuse(String),
    /// The plugin has no component.
    #[error("it declares no metric, no normalizer, no retriever and no reader")]
    Nothing,
    /// A name that cannot be a part of `plugin.metric`.
    #[error("the name `{0}` must begin with a letter and hold only letters, digits, `_` and `-`")]
    Name(String),
    /// Two things have the same name.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// Two metrics would be one column of the results.
    #[error("the metrics `{0}` and `{1}` have the same column `{2}`")]
    Clash(String, String, String),
    /// A range without room.
    #[error("the range of `{0}` is {1} to {2}")]
    Range(String, f64, f64),
    /// A parameter that cannot be used.
    #[error("a parameter of `{0}`: {1}")]
    Parameter(String, String),
    /// A metric reads what the plugin does not.
    #[error("the metric `{0}` reads `{1}`, which is none of the inputs of the plugin")]
    Input(String, Input),
    /// Statistics that do not go with the estimator.
    #[error("the metric `{0}` is {1}")]
    Statistics(String, &'static str),
}

impl PluginDescriptor {
    /// Reads and checks what came over the boundary.
    pub fn from_json(json: &[u8]) -> Result<Self, DescriptorError> {
        if let Ok(Excuse { error }) = serde_json::from_slice(json) {
            return Err(DescriptorError::Excuse(error));
        }
        let descriptor: Self = serde_json::from_slice(json)
            .map_err(|error| DescriptorError::Json(error.to_string()))?;
        descriptor.check()?;
        Ok(descriptor)
    }

    /// Whether it can be used.
    pub fn check(&self) -> Result<(), DescriptorError> {
        let components = self.retriever.iter().chain(&self.reader).count();
        if self.metrics.is_empty() && self.normalizers.is_empty() && components == 0 {
            return Err(DescriptorError::Nothing);
        }
        let mut columns: Vec<(String, &str)> = Vec::new();
        for metric in &self.metrics {
            metric.check()?;
            let column = column_name(&metric.name);
            if let Some((_, other)) = columns.iter().find(|(seen, _)| *seen == column) {
                let (other, name) = ((*other).to_owned(), metric.name.clone());
                return Err(DescriptorError::Clash(other, name, column));
            }
            columns.push((column, &metric.name));
            if let Some(input) = metric.inputs.iter().find(|input| !self.inputs.contains(input)) {
                return Err(DescriptorError::Input(metric.name.clone(), input.clone()));
            }
        }
        distinct_names(self.normalizers.iter().map(|normalizer| normalizer.name.as_str()))
    }

    /// What is asked of its scorer by the name of a metric, which may have parameters; or what is
    /// wrong with that name.
    pub fn ask(&self, name: &str) -> Result<Asked, String> {
        let (base, arguments) = split_name(name)?;
        let metric = self.metrics.iter().find(|metric| metric.name == base);
        let metric = metric.ok_or_else(|| format!("there is no metric `{base}`"))?;
        metric.asked_with(arguments).map_err(|message| format!("`{base}`: {message}"))
    }

    /// The inputs without repetitions, in the order of [`Input`].
    pub fn distinct_inputs(&self) -> Vec<Input> {
        self.inputs.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl PluginMetric {
    /// What a scorer says of a metric.
    pub fn of(metric: &MetricDescriptor) -> Self {
        let (low, high) = metric.range;
        let mean = metric.statistics.is_empty();
        Self {
            name: metric.name.clone(),
            summary: metric.summary.clone(),
            version: metric.version.clone(),
            min: (low != f64::NEG_INFINITY).then_some(low),
            max: (high != f64::INFINITY).then_some(high),
            higher_is_better: metric.higher_is_better,
            subject: metric.subject,
            estimator: if mean { PluginEstimator::Mean } else { PluginEstimator::Pooled },
            parameters: metric.parameters.clone(),
            inputs: metric.inputs.clone(),
            statistics: metric.statistics.clone(),
        }
    }

    /// The metric with the parameters that stand between its parentheses: `a=1,b=2`.
    pub fn asked_with(&self, arguments: &str) -> Result<Asked, String> {
        Ok(self.asked(parse_arguments(&self.parameters, arguments)?))
    }

    /// The metric with these values of its parameters, in their order.
    fn asked(&self, arguments: Vec<Argument>) -> Asked {
        let names = self.parameters.iter().map(|parameter| parameter.name.clone());
        Asked {
            column: display_name(&self.name, &self.parameters, &arguments),
            name: self.name.clone(),
            parameters: names.zip(arguments).collect(),
        }
    }

    /// The metric with the defaults of its parameters.
    pub fn with_defaults(&self) -> Asked {
        self.asked(self.parameters.iter().map(Parameter::default).collect())
    }

    fn check(&self) -> Result<(), DescriptorError> {
        let name = || self.name.clone();
        if !is_name(&self.name) {
            return Err(DescriptorError::Name(name()));
        }
        let (low, high) = self.range();
        if low.is_nan() || high.is_nan() || low >= high {
            return Err(DescriptorError::Range(name(), low, high));
        }
        match (self.estimator, self.statistics.is_empty()) {
            (PluginEstimator::Mean, false) => {
                return Err(DescriptorError::Statistics(name(), "a mean and has statistics"));
            }
            (PluginEstimator::Pooled, true) => {
                return Err(DescriptorError::Statistics(name(), "pooled and has no statistics"));
            }
            _ => {}
        }
        distinct_names(self.statistics.iter().map(|statistic| statistic.name.as_str()))?;
        if let Some(taken) = self.statistics.iter().find(|s| TAKEN.contains(&s.name.as_str())) {
            return Err(DescriptorError::Twice(format!("{}.{}", self.name, taken.name)));
        }
        distinct_names(self.parameters.iter().map(|parameter| parameter.name.as_str()))?;
        let mut checks = self.parameters.iter().map(Parameter::check);
        checks.try_for_each(|check| check.map_err(|e| DescriptorError::Parameter(name(), e)))
    }

    /// Lowest and highest value.
    pub fn range(&self) -> (f64, f64) {
        (self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY))
    }

    /// The metric as the users of the plugin see it, under the name of its column:
    /// `acme.key_figures(tolerance=0.1)`.
    pub fn named(&self, plugin: &str, column: &str) -> MetricDescriptor {
        MetricDescriptor {
            name: format!("{plugin}.{column}"),
            summary: self.summary.clone(),
            version: self.version.clone(),
            subject: self.subject,
            range: self.range(),
            higher_is_better: self.higher_is_better,
            estimator: Estimator::Mean,
            parameters: self.parameters.clone(),
            inputs: self.inputs.clone(),
            statistics: self.statistics.clone(),
        }
    }
}

/// The names of other columns, among scores and among merged statistics.
const TAKEN: [&str; 7] = ["unscored", "reason", "values", "labels", "texts", "metric", "n"];

fn distinct_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), DescriptorError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !is_name(name) {
            return Err(DescriptorError::Name(name.to_owned()));
        }
        if !seen.insert(name) {
            return Err(DescriptorError::Twice(name.to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str) -> serde_json::Value {
        serde_json::json!({
            "name": name, "summary": "s", "version": "1", "min": 0.0, "max": null,
            "higher_is_better": true, "subject": "answer", "estimator": "mean",
        })
    }

    fn read(metrics: &[serde_json::Value]) -> Result<PluginDescriptor, DescriptorError> {
        let json = serde_json::json!({
            "name": "n", "version": "1.0", "summary": "s", "kind": "scorer",
            "inputs": ["references", "columns.unit", "references"], "metrics": metrics,
        });
        PluginDescriptor::from_json(json.to_string().as_bytes())
    }

    #[test]
    fn versions_fit_when_the_host_knows_all_that_the_plugin_may_use() {
        let host = InterfaceVersion { major: 2, minor: 3 };
        for (major, minor, fits) in [
            (2, 0, true),
            (2, 3, true),
            (2, 4, false),
            (1, 3, false),
            (3, 0, false),
            (2, u32::MAX, false),
        ] {
            assert_eq!(host.accepts(InterfaceVersion { major, minor }), fits, "{major}.{minor}");
        }
    }

    #[test]
    fn a_descriptor_survives_json() {
        let descriptor = read(&[metric("a"), metric("b-2")]).unwrap();
        let json = serde_json::to_vec(&descriptor).unwrap();
        assert_eq!(PluginDescriptor::from_json(&json).as_ref(), Ok(&descriptor));
        assert_eq!(
            descriptor.distinct_inputs(),
            [Input::References, Input::Column("unit".to_owned())]
        );
        let named = descriptor.metrics[1].named("acme", "b-2");
        assert_eq!((named.name.as_str(), named.range), ("acme.b-2", (0.0, f64::INFINITY)));
    }

    #[test]
    fn a_bad_descriptor_says_what_is_wrong() {
        let with = |field: &str, value: serde_json::Value| {
            let mut metric = metric("m");
            metric[field] = value;
            read(&[metric]).unwrap_err().to_string()
        };
        assert_eq!(
            read(&[]).unwrap_err().to_string(),
            "it declares no metric, no normalizer, no retriever and no reader"
        );
        let excuse = PluginDescriptor::from_json(b"{\"error\": \"no license\"}").unwrap_err();
        assert_eq!(excuse, DescriptorError::Excuse("no license".to_owned()));
        for (message, expected) in [
            (
                with("name", "a.b".into()),
                "the name `a.b` must begin with a letter and hold only letters, digits, \
                 `_` and `-`",
            ),
            (with("max", (-1).into()), "the range of `m` is 0 to -1"),
            (with("max", 0.into()), "the range of `m` is 0 to 0"),
            (with("estimator", "pooled".into()), "the metric `m` is pooled and has no statistics"),
            (
                with("statistics", serde_json::json!([{"name": "n", "merge": "sum"}])),
                "the metric `m` is a mean and has statistics",
            ),
            (
                with(
                    "parameters",
                    serde_json::json!([{"name": "k", "type": "integer", "min": 1, "default": 0}]),
                ),
                "a parameter of `m`: `0` cannot be the default of `k`",
            ),
            (
                with("inputs", serde_json::json!(["hits"])),
                "the metric `m` reads `hits`, which is none of the inputs of the plugin",
            ),
            (
                read(&[metric("a_b"), metric("A-b")]).unwrap_err().to_string(),
                "the metrics `a_b` and `A-b` have the same column `a_b`",
            ),
        ] {
            assert_eq!(message, expected);
        }
        let typo = with("rnage", 1.into());
        assert!(
            typo.starts_with("it is not the JSON that was agreed: unknown field `rnage`"),
            "{typo}"
        );
    }
}
