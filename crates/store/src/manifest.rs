//! The manifest: what was evaluated, with what, and what came of it.
//!
//! It is the last file of an evaluation to be written: a folder without it is no evaluation. All
//! that may differ between two executions of one plan (times, the host) is here and nowhere else.

mod answers;
mod gates;
mod interval;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use qeval_core::{Metric, Stage};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Fingerprints, schema::MANIFEST_VERSION};

pub use answers::{CostInfo, LatencyInfo, RepeatedColumn, RepeatsInfo, SumInfo, UsageInfo};
pub use gates::GateInfo;
pub use interval::{ClustersInfo, IntervalInfo};

/// Name of the manifest in the folder of an evaluation.
pub(crate) const FILE_NAME: &str = "manifest.json";

/// What was evaluated, with what, and what came of it.
///
/// Reading accepts keys that are not known here: a later version may add some.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Version of this format, for example `evaluation/1`; set by the writer.
    pub schema: String,
    /// Id of the evaluation; set by the writer.
    pub evaluation_id: String,
    /// The name that its owner gave it; may repeat.
    pub label: String,
    /// Which system of the plan was evaluated: tells apart the evaluations of one execution.
    pub system: String,
    /// Its place among the systems of the plan, from 0: reports show them in this order.
    pub place: u64,
    /// What the evaluations of one execution share; derived from the plan.
    pub group: String,
    /// When it was made: RFC 3339, in UTC, always with the same number of digits.
    pub created: String,
    /// `complete`; set by the writer.
    pub status: String,
    /// Seed of all random draws.
    pub seed: u64,
    /// How the intervals of means were made; `None` in evaluations of versions before there was a
    /// choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<IntervalInfo>,
    /// What the examples belong to, where they belong to dialogs or documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClustersInfo>,
    /// The whole plan, with defaults filled in.
    pub plan: serde_json::Value,
    /// Digest of what was evaluated; set by the writer.
    pub plan_digest: String,
    /// The datasets, in the order of the plan.
    pub datasets: Vec<DatasetInfo>,
    /// The corpus, where there is one.
    pub corpus: Option<CorpusInfo>,
    /// Retriever, reader and scorers.
    pub components: Vec<ComponentInfo>,
    /// The metric columns of the scores; set by the writer.
    pub metrics: Vec<MetricColumn>,
    /// The slice columns of the scores; set by the writer.
    pub slices: Vec<String>,
    /// The files of the evaluation; set by the writer.
    pub parts: Vec<Part>,
    /// How many there are of what, by name: `examples`, `missing_predictions` and so on.
    pub counts: BTreeMap<String, u64>,
    /// Whether it was carried here without the texts of its cases.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_texts: bool,
    /// What a user should know before trusting the numbers.
    pub notices: Vec<Notice>,
    /// How much of what was retrieved is judged, where a file of judgments is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgments: Option<JudgmentsInfo>,
    /// What the answers of the reader took, by stage, as far as anybody measured it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<UsageInfo>,
    /// How the scores differ from repeat to repeat, where questions were asked several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatsInfo>,
    /// The gates that its file declares, decided whenever somebody asks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateInfo>,
    /// How causes were assigned, where they were.
    pub diagnosis: Option<Diagnosis>,
    /// Digests of all that it was made of; empty in evaluations of older versions.
    pub fingerprints: Fingerprints,
    /// Versions of what wrote the evaluation; `schema` is set by the writer.
    pub versions: Versions,
    /// Seconds by phase.
    pub timings: BTreeMap<String, f64>,
    /// Facts about the machine, by name.
    pub host: BTreeMap<String, String>,
}

/// A dataset as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatasetInfo {
    /// Its name in the plan.
    pub name: String,
    /// Version, where its owner states one.
    pub version: Option<String>,
    /// Digest of its content.
    pub digest: String,
    /// Number of examples.
    pub examples: u64,
}

/// A corpus as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CorpusInfo {
    /// Its name in the plan.
    pub name: String,
    /// Digest of its content.
    pub digest: String,
    /// Number of passages.
    pub passages: u64,
}

/// A component that took part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComponentInfo {
    /// Its name, for example `bm25`.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// `retriever`, `reader`, `scorer` or `plugin`.
    pub kind: String,
    /// Its options, with defaults filled in.
    pub options: serde_json::Value,
}

/// A metric column of the scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricColumn {
    /// Name of the column, for example `isolated_f1`.
    pub column: String,
    /// Official name of the metric, for example `F1`.
    pub name: String,
    /// The part of the system that it speaks of.
    #[serde(serialize_with = "stage_name", deserialize_with = "stage_from_name")]
    pub stage: Stage,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// Lowest value; `None` where the range is open.
    #[serde(default)]
    pub min: Option<f64>,
    /// Highest value; `None` where the range is open.
    #[serde(default)]
    pub max: Option<f64>,
    /// Parameters with their values.
    #[serde(default)]
    pub parameters: serde_json::Map<String, serde_json::Value>,
    /// Version of the definition: scores may change only when this does.
    #[serde(default)]
    pub version: String,
    /// For a statistic, the column of the metric that pools it: such a column has no summary of
    /// its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic_of: Option<String>,
    /// For a metric of a plugin that is no mean, the statistics that it pools. Built-in metrics are
    /// known by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<PooledStatistic>,
}

/// A statistic that a metric of a plugin pools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PooledStatistic {
    /// The plugin's name for it.
    pub name: String,
    /// Its column.
    pub column: String,
    /// How those of several examples become one: `sum`, `min`, `max` or `list`.
    pub merge: String,
}

impl MetricColumn {
    /// Whether its summaries are made of statistics, and not of its scores alone.
    pub fn is_pooled(&self) -> bool {
        let built_in = self.name.parse::<Metric>();
        !self.pools.is_empty() || built_in.is_ok_and(|metric| metric.pooled().is_some())
    }
}

/// A file of the evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// Path in the folder, with `/` on every system.
    pub path: String,
    /// Number of rows.
    pub rows: u64,
    /// SHA-256 of its bytes: `sha256:` and 64 hexadecimal digits; [`TEMPORARY`](Part::TEMPORARY) in an
    /// evaluation that is gone when it is reported.
    pub digest: String,
}

impl Part {
    /// In place of a digest: the only reader of the file is the process that wrote it.
    pub const TEMPORARY: &str = "temporary";
}

/// Something that a user should know before trusting the numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notice {
    /// A word that notices can be grouped by.
    pub kind: String,
    /// How many examples it concerns.
    pub count: u64,
    /// The notice as text.
    pub text: String,
    /// Ids of the first few examples.
    pub examples: Vec<String>,
}

/// How much of what was retrieved is judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgmentsInfo {
    /// Queries with judgments that were searched for.
    pub queries: u64,
    /// Whether only relevant passages are judged: then an unjudged one is one that nobody named.
    pub relevant_only: bool,
    /// At each cutoff of a metric.
    pub judged: Vec<JudgedShare>,
}

/// The share of judged hits among the first ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgedShare {
    /// How many hits count; `None` for all.
    pub cutoff: Option<u32>,
    /// Whether they are counted by document.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub documents: bool,
    /// `Judged@k`: the mean over the queries.
    pub mean: f64,
}

/// How wrong answers were assigned to causes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnosis {
    /// Column of the metric that decides whether an answer is right.
    pub metric: String,
    /// An answer is right from this score on.
    pub threshold: f64,
}

/// Versions of what wrote the evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Versions {
    /// Of the program.
    pub qeval: String,
    /// Of the tables, by name: `scores/1` and so on.
    pub schema: Vec<String>,
}

/// Why a manifest could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// There is none.
    #[error(
        "`{}` is no evaluation: it has no {FILE_NAME} (hint: an evaluation is a folder \
         `evaluation_id=...` in the results folder)",
        folder.display()
    )]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// It cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not a manifest.
    #[error("`{}` is damaged: it is no manifest", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// A later version of the program wrote it.
    #[error(
        "`{}` has the format `{schema}`, and this version of qeval reads up to \
         `{MANIFEST_VERSION}` (hint: use the version that wrote it, or a newer one)",
        path.display()
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// The version that it states.
        schema: String,
    },
}

impl Manifest {
    /// Which part of its datasets was evaluated, such as `limit 20`; `None` for all of them.
    pub fn part(&self) -> Option<String> {
        let keys = ["limit", "sample"].into_iter();
        let mut parts = keys.map(|key| (key, &self.plan[key])).filter(|(_, size)| !size.is_null());
        parts.next().map(|(key, size)| format!("{key} {size}"))
    }

    /// The notices of components that failed, which at another time they might not.
    pub fn failures(&self) -> impl Iterator<Item = &Notice> {
        self.notices.iter().filter(|notice| notice.kind.ends_with("_failures"))
    }

    /// Reads the manifest of the evaluation in `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(FILE_NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(ManifestError::Missing { folder: folder.to_owned() });
            }
            Err(source) => return Err(ManifestError::Io { path, source }),
        };
        // The version decides first: a newer manifest may differ in everything else.
        let damaged = |source| ManifestError::Damaged { path: path.clone(), source };
        let Header { schema } = serde_json::from_slice(&text).map_err(damaged)?;
        if !is_readable(&schema) {
            return Err(ManifestError::TooNew { path, schema });
        }
        serde_json::from_slice(&text).map_err(damaged)
    }

    /// Writes the manifest into `folder` in one step: a reader sees all of it or nothing.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let temporary = folder.join(format!("_{FILE_NAME}"));
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        let mut file = File::create(&temporary)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&temporary, folder.join(FILE_NAME))
    }
}

/// The part of a manifest that every version has.
#[derive(Deserialize)]
struct Header {
    schema: String,
}

/// Whether this version of the program understands a format such as `evaluation/1`.
pub(crate) fn is_readable(schema: &str) -> bool {
    let version = |schema: &str| -> Option<(String, u32)> {
        let (name, version) = schema.split_once('/')?;
        Some((name.to_owned(), version.split('.').next()?.parse().ok()?))
    };
    match (version(schema), version(MANIFEST_VERSION)) {
        (Some((name, found)), Some((expected, newest))) => name == expected && found <= newest,
        _ => false,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes every field by reference")]
fn stage_name<S: Serializer>(stage: &Stage, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(stage.name())
}

fn stage_from_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Stage, D::Error> {
    let name = String::deserialize(deserializer)?;
    Stage::from_name(&name).ok_or_else(|| {
        let expected = Stage::ALL.map(Stage::name).join(", ");
        serde::de::Error::custom(format!("the stage is `{name}`, expected one of {expected}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<Manifest, ManifestError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE_NAME), text).unwrap();
        Manifest::read(folder.path())
    }

    #[test]
    fn write_and_read_are_inverse() {
        let manifest = Manifest {
            schema: MANIFEST_VERSION.to_owned(),
            label: "α".to_owned(),
            seed: u64::MAX,
            plan: serde_json::json!({"reader": {"passages": 5}, "p": 0.1}),
            metrics: vec![MetricColumn {
                column: "isolated_f1".to_owned(),
                name: "F1".to_owned(),
                stage: Stage::Isolated,
                higher_is_better: true,
                min: Some(0.0),
                max: None,
                parameters: serde_json::Map::new(),
                version: "1".to_owned(),
                statistic_of: None,
                pools: Vec::new(),
            }],
            counts: [("examples".to_owned(), 3)].into(),
            diagnosis: Some(Diagnosis { metric: "em".to_owned(), threshold: 0.5 }),
            ..Manifest::default()
        };
        let folder = tempfile::tempdir().unwrap();
        manifest.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap(), manifest);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unknown_keys_are_accepted_and_newer_formats_refused() {
        let manifest = written(r#"{"schema": "evaluation/1.4", "label": "a", "mood": 3}"#).unwrap();
        assert_eq!(manifest.label, "a");
        let error = written(r#"{"schema": "evaluation/2", "label": 7}"#).unwrap_err();
        assert!(matches!(error, ManifestError::TooNew { .. }), "{error}");
        assert!(error.to_string().contains("`evaluation/2`"), "{error}");
        for text in ["", "[]", "{}", r#"{"schema": "evaluation/1", "seed": -1}"#] {
            let error = written(text).unwrap_err();
            assert!(matches!(error, ManifestError::Damaged { .. }), "{text}: {error}");
        }
        let error = Manifest::read(Path::new("/nowhere")).unwrap_err();
        assert!(error.to_string().starts_with("`/nowhere` is no evaluation"), "{error}");
    }
}
