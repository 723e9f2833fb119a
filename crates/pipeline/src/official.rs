//! What the field's own scripts print, from the same two files.
//!
//! Unlike a report, this follows the script in everything: sums run in the order of the dataset,
//! percentages are percentages, and where the script stops with an error there is an error.

mod coqa;
mod drop;
mod haystack;
mod hotpotqa;
mod kilt;
mod natural_questions;
mod nq_open;
mod python;
mod quac;
mod squad1;
mod squad2;
mod trec_eval;
mod triviaqa;

use std::path::{Path, PathBuf};

pub use self::trec_eval::{TrecJudgments, TrecOptions, TrecVersion, trec_eval};
use qeval_core::{Metric, Prediction};
use qeval_dataset::{
    DatasetFormat, DatasetSource, PredictionFormat, PredictionSource, Predictions, Record, verbatim,
};
use serde_json::{Map, Value};

/// A script that can be stood in for.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    evaluate: fn(&Files<'_>) -> Result<Output, Stop>,
}

/// Every script, in the order of the families.
pub const SCRIPTS: [Script; 11] = [
    Script { name: "squad1", summary: "SQuAD 1.1's evaluate-v1.1.py", evaluate: squad1::evaluate },
    Script { name: SQUAD2, summary: "SQuAD 2.0's evaluate-v2.0.py", evaluate: squad2::evaluate },
    Script { name: "quac", summary: "QuAC's scorer.py", evaluate: quac::evaluate },
    Script { name: "coqa", summary: "CoQA's evaluate-v1.0.py", evaluate: coqa::evaluate },
    Script {
        name: "hotpotqa",
        summary: "HotpotQA's hotpot_evaluate_v1.py",
        evaluate: hotpotqa::evaluate,
    },
    Script {
        name: "triviaqa",
        summary: "TriviaQA's triviaqa_evaluation.py",
        evaluate: triviaqa::evaluate,
    },
    Script { name: "drop", summary: "DROP's drop_eval.py", evaluate: drop::evaluate },
    Script {
        name: "natural-questions",
        summary: "Natural Questions' nq_eval.py",
        evaluate: natural_questions::evaluate,
    },
    Script {
        name: "nq-open",
        summary: "NQ-open's evaluate_predictions.py",
        evaluate: nq_open::evaluate,
    },
    Script { name: "kilt", summary: "KILT's eval_downstream.py", evaluate: kilt::evaluate },
    Script {
        name: HAYSTACK,
        summary: "Haystack 1.x's EvaluationResult.calculate_metrics",
        evaluate: haystack::evaluate,
    },
];

/// The one script whose predictions hold what is right.
const HAYSTACK: &str = "haystack";

/// The one script with options.
const SQUAD2: &str = "squad2";

/// The options of scripts; those of SQuAD 2.0's are all there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptOptions {
    /// How probable it is that a question has no answer, by id.
    pub na_prob_file: Option<PathBuf>,
    /// The probability above which a question counts as not answered; 1 when absent.
    pub na_prob_thresh: Option<f64>,
    /// Whether the areas under the curves of precision and recall are printed too, which the
    /// script does where it is given a folder for images.
    pub pr_curves: bool,
}

/// What a script prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// On stdout.
    pub stdout: String,
    /// On stderr.
    pub stderr: String,
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
    /// The options are another script's.
    #[error("the script `{name}` has no options")]
    Options {
        /// Name of the script.
        name: &'static str,
    },
    /// A file is missing, or there is one too many.
    #[error("the script `{name}` {problem}")]
    Dataset {
        /// Name of the script.
        name: &'static str,
        /// What is wrong with the files that are given.
        problem: &'static str,
    },
    /// One of the files cannot be read.
    #[error(transparent)]
    Unreadable(#[from] qeval_dataset::Error),
    /// The script itself would stop.
    #[error("{name} stops here: {reason}")]
    Refused {
        /// Name of the script.
        name: &'static str,
        /// What stops it.
        reason: String,
    },
}

impl OfficialError {
    /// There is no script of that name.
    pub fn unknown(name: &str) -> Self {
        let all = SCRIPTS.iter().map(|script| script.name).chain(TrecVersion::NAMES);
        Self::Unknown { name: name.to_owned(), hint: crate::problem::suggest(name, all) }
    }
}

/// What a script is given.
struct Files<'a> {
    dataset: &'a Path,
    predictions: &'a Path,
    options: &'a ScriptOptions,
}

/// Why a script prints nothing.
enum Stop {
    /// It would stop itself, for this reason.
    Refused(String),
    /// A file cannot be read.
    Unreadable(qeval_dataset::Error),
}

/// Evaluates a dataset and predictions as the script of that name does. Haystack's predictions hold
/// what is right, so that they are its dataset too.
pub fn official(
    name: &str,
    dataset: Option<&Path>,
    predictions: &Path,
    options: &ScriptOptions,
) -> Result<Output, OfficialError> {
    let script = SCRIPTS.iter().find(|script| script.name == name);
    let script = script.ok_or_else(|| OfficialError::unknown(name))?;
    if script.name != SQUAD2 && *options != ScriptOptions::default() {
        return Err(OfficialError::Options { name: script.name });
    }
    let wrong = |problem| OfficialError::Dataset { name: script.name, problem };
    let dataset = match (script.name == HAYSTACK, dataset) {
        (true, None) => predictions,
        (true, Some(_)) => {
            return Err(wrong("takes no dataset: its predictions hold what is right"));
        }
        (false, dataset) => dataset.ok_or_else(|| wrong("needs a dataset"))?,
    };
    let output = (script.evaluate)(&Files { dataset, predictions, options });
    output.map_err(|stop| match stop {
        Stop::Refused(reason) => OfficialError::Refused { name: script.summary, reason },
        Stop::Unreadable(error) => error.into(),
    })
}

impl Files<'_> {
    /// The records of the dataset, with these columns.
    fn records(&self, format: DatasetFormat, columns: &[&str]) -> Result<Vec<Record>, Stop> {
        let mut source = DatasetSource::new(self.dataset, format);
        source.columns = columns.iter().map(|&name| name.to_owned()).collect();
        Ok(qeval_dataset::open(&source)?.collect::<Result<_, _>>()?)
    }

    fn predictions(&self, format: PredictionFormat) -> Result<Predictions, Stop> {
        let format = Some(format);
        let source = PredictionSource { format, ..PredictionSource::new(self.predictions) };
        Ok(qeval_dataset::predictions(&source)?)
    }
}

/// SQuAD's object of ids and texts as its scripts see it: it may have nothing in it.
struct Texts(Map<String, Value>);

impl Texts {
    fn read(files: &Files<'_>) -> Result<Self, Stop> {
        Ok(Self(verbatim::json(files.predictions)?))
    }

    /// The answer to a question, if there is one. What is no text, null among them, stops a script
    /// that puts it in lower case.
    fn get(&self, id: &str) -> Result<Option<Prediction>, Stop> {
        match self.0.get(id) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(Prediction::answer(text.as_str()))),
            Some(other) => {
                let found = python::text(other);
                Err(refused(format!("the prediction of `{id}` is no text: {found}")))
            }
        }
    }
}

impl From<qeval_dataset::Error> for Stop {
    fn from(error: qeval_dataset::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// The script would stop for this reason.
fn refused(reason: impl Into<String>) -> Stop {
    Stop::Refused(reason.into())
}

/// A built-in metric.
fn metric(name: &str) -> Metric {
    name.parse().expect("the name of a built-in metric")
}

/// `100 * sum / n`, added from left to right as Python adds.
fn percent(scores: &[f64]) -> f64 {
    100.0 * sum(scores) / scores.len() as f64
}

/// The sum from left to right.
fn sum(scores: &[f64]) -> f64 {
    scores.iter().fold(0.0, |sum, score| sum + score)
}
