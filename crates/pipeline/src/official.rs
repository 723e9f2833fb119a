//! What the field's own scripts print, from the same two files.
//!
//! Unlike a report, this follows the script in everything: sums run in the order of the dataset,
//! percentages are percentages, and where the script stops with an error there is an error.

mod python;
mod quac;
mod squad;

use std::path::PathBuf;

use qeval_core::{Metric, Prediction};
use qeval_dataset::{DatasetFormat, DatasetSource, PredictionSource, Predictions, Record};

/// A script that can be stood in for.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    format: DatasetFormat,
    evaluate: fn(&Input) -> Result<Output, Refusal>,
}

/// Every script, in the order of the families.
pub const SCRIPTS: [Script; 3] = [
    Script {
        name: "squad1",
        summary: "SQuAD 1.1's evaluate-v1.1.py",
        format: DatasetFormat::Squad,
        evaluate: squad::version_1,
    },
    Script {
        name: "squad2",
        summary: "SQuAD 2.0's evaluate-v2.0.py",
        format: DatasetFormat::Squad,
        evaluate: squad::version_2,
    },
    Script {
        name: "quac",
        summary: "QuAC's scorer.py",
        format: DatasetFormat::Quac,
        evaluate: quac::evaluate,
    },
];

/// What a script prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// On stdout.
    pub stdout: String,
    /// On stderr, line by line.
    pub stderr: Vec<String>,
}

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
pub enum OfficialError {
    /// No script has that name.
    #[error("there is no script `{name}` to stand in for")]
    Unknown {
        /// The name.
        name: String,
        /// The nearest one.
        hint: Option<String>,
    },
    /// One of the files cannot be read.
    #[error(transparent)]
    Dataset(#[from] qeval_dataset::Error),
    /// The script itself would stop.
    #[error("{name} stops here: {reason}")]
    Refused {
        /// Name of the script.
        name: &'static str,
        /// What stops it.
        reason: String,
    },
}

/// The files of a script, read.
struct Input {
    records: Vec<Record>,
    predictions: Predictions,
}

/// What stops a script.
struct Refusal(String);

/// Evaluates two files as the script of that name does.
pub fn official(
    name: &str,
    dataset: PathBuf,
    predictions: PathBuf,
) -> Result<Output, OfficialError> {
    let script = SCRIPTS.iter().find(|script| script.name == name);
    let script = script.ok_or_else(|| OfficialError::Unknown {
        name: name.to_owned(),
        hint: crate::problem::suggest(name, SCRIPTS.map(|script| script.name)),
    })?;
    let mut source = DatasetSource::new(dataset, script.format);
    if script.name == "quac" {
        source.columns = quac::COLUMNS.map(str::to_owned).to_vec();
    }
    let input = Input {
        records: qeval_dataset::open(&source)?.collect::<Result<_, _>>()?,
        predictions: qeval_dataset::predictions(&PredictionSource::new(predictions))?,
    };
    let refused = |Refusal(reason)| OfficialError::Refused { name: script.summary, reason };
    (script.evaluate)(&input).map_err(refused)
}

impl Input {
    /// The answer to a question; `None` where the file lacks it.
    fn prediction(&self, record: &Record) -> Option<&Prediction> {
        self.predictions.get(&record.example.id)
    }
}

/// A built-in metric.
fn metric(name: &str) -> Metric {
    name.parse().expect("the name of a built-in metric")
}

/// `100 * sum / n`, added from left to right as Python adds.
fn percent(scores: &[f64]) -> f64 {
    100.0 * scores.iter().fold(0.0, |sum, score| sum + score) / scores.len() as f64
}
