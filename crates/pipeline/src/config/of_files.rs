//! A configuration for files that are named on the command line.

use std::path::PathBuf;

use toml::Spanned;

use super::{
    Config, DatasetFields, DatasetSection, EvaluationSection, MetricsSection, PredictionFields,
    ReaderSection, ReaderType, RetrieverSection, RetrieverType,
    sections::{ReplayReaderSection, ReplayRunSection},
};
use crate::{Problem, Problems, problem::suggest};

/// Files to score, and with what.
#[derive(Clone, Debug)]
pub struct ScoredFiles {
    /// The questions with their references.
    pub dataset: Option<PathBuf>,
    /// Format of the dataset.
    pub dataset_format: String,
    /// The answers of a system.
    pub predictions: Option<PathBuf>,
    /// Relevance judgments.
    pub qrels: Option<PathBuf>,
    /// Rankings of a system.
    pub run: Option<PathBuf>,
    /// Names of the metrics.
    pub metrics: Vec<String>,
    /// Which column of the dataset holds what.
    pub fields: Vec<(String, String)>,
    /// Which column of the predictions holds what.
    pub prediction_fields: Vec<(String, String)>,
    /// Folder of the evaluations.
    pub results: PathBuf,
}

impl Config {
    /// The configuration that scores these files. Paths are relative to the working folder.
    pub fn of_files(files: ScoredFiles) -> Result<Self, Box<Problems>> {
        let mut problems = Vec::new();
        let config = config(files, &mut problems);
        if problems.is_empty() {
            Ok(config)
        } else {
            Err(Box::new(Problems::new(config.path, String::new(), problems)))
        }
    }
}

fn config(files: ScoredFiles, problems: &mut Vec<Problem>) -> Config {
    let rankings = files.run.is_some() && files.dataset.is_none();
    let path = |path: &PathBuf| written(path.to_string_lossy().into_owned());
    let dataset = DatasetSection {
        format: written(if rankings { "trec".to_owned() } else { files.dataset_format }),
        path: files.dataset.as_ref().map(path),
        qrels: files.qrels.as_ref().map(path),
        topic_ids: None,
        fields: dataset_fields(&files.fields, problems),
        slices: Vec::new(),
    };
    let retriever = files.run.as_ref().map(|run| {
        let replay = ReplayRunSection {
            r#type: "replay".to_owned(),
            name: None,
            path: path(run),
            depth: None,
        };
        written(RetrieverSection { what: RetrieverType::Replay(replay) })
    });
    let reader = files.predictions.as_ref().map(|predictions| {
        let replay = ReplayReaderSection {
            r#type: "replay".to_owned(),
            name: None,
            path: Some(path(predictions)),
            isolated_path: None,
            fields: prediction_fields(&files.prediction_fields, problems),
        };
        written(ReaderSection { what: ReaderType::Replay(replay) })
    });
    let scored = files.predictions.as_ref().or(files.run.as_ref());
    let label = scored
        .and_then(|path| path.file_stem())
        .map_or_else(|| "score".to_owned(), |stem| stem.to_string_lossy().into_owned());
    Config {
        path: PathBuf::from("the command line"),
        text: String::new(),
        evaluation: EvaluationSection {
            label: Some(written(label)),
            results: Some(files.results.to_string_lossy().into_owned()),
            ..EvaluationSection::default()
        },
        dataset: written(dataset),
        corpus: None,
        retrievers: retriever.into_iter().collect(),
        readers: reader.into_iter().collect(),
        metrics: written(metrics(files.metrics)),
        plugins: Vec::new(),
        diagnosis: None,
    }
}

/// A value that stands in no file.
fn written<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

/// The lists of a file; a name that is no metric goes to the answers and is reported there.
fn metrics(names: Vec<String>) -> MetricsSection {
    let is_retrieval = |name: &String| {
        qeval_core::Metric::parse_list(name).is_ok_and(|metrics| {
            metrics.iter().any(|m| m.definition().subject == qeval_core::Subject::Retrieval)
        })
    };
    let (retrieval, answer) = names.into_iter().partition::<Vec<String>, _>(is_retrieval);
    MetricsSection {
        retrieval: retrieval.into_iter().map(written).collect(),
        answer: answer.into_iter().map(written).collect(),
    }
}

fn dataset_fields(given: &[(String, String)], problems: &mut Vec<Problem>) -> DatasetFields {
    let mut fields = DatasetFields::default();
    for (name, column) in given {
        let field = match name.as_str() {
            "id" => &mut fields.id,
            "question" => &mut fields.question,
            "references" => &mut fields.references,
            "context" => &mut fields.context,
            "gold_passages" => &mut fields.gold_passages,
            "group" => &mut fields.group,
            "turn" => &mut fields.turn,
            _ => {
                let known =
                    ["id", "question", "references", "context", "gold_passages", "group", "turn"];
                problems.push(unknown_field(name, &known));
                continue;
            }
        };
        *field = Some(column.clone());
    }
    fields
}

fn prediction_fields(given: &[(String, String)], problems: &mut Vec<Problem>) -> PredictionFields {
    let mut fields = PredictionFields::default();
    for (name, column) in given {
        let field = match name.as_str() {
            "id" => &mut fields.id,
            "prediction" => &mut fields.prediction,
            "confidence" => &mut fields.confidence,
            "hits" => &mut fields.hits,
            "citations" => &mut fields.citations,
            _ => {
                let known = ["id", "prediction", "confidence", "hits", "citations"];
                problems.push(unknown_field(name, &known));
                continue;
            }
        };
        *field = Some(column.clone());
    }
    fields
}

fn unknown_field(name: &str, known: &[&str]) -> Problem {
    Problem::of_file(format!("there is no field `{name}`"))
        .maybe_hint(suggest(name, known.iter().copied()))
}
