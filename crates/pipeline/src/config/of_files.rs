//! A configuration for files that are named on the command line.

use std::path::{Path, PathBuf};

use qeval_core::{Metric, Subject};
use toml::Spanned;

use super::{
    Config, DatasetFields, DatasetSection, EvaluationSection, MetricsSection, Paths,
    PredictionFields, ReaderSection, ReaderType, RetrieverSection, RetrieverType, RunFields,
    sections::{ReplayReaderSection, ReplayRunSection},
};
use crate::{
    Problem, Problems,
    problem::suggest,
    sources::{COMMAND_LINE, Sources},
};

/// Files to score, and with what.
#[derive(Clone, Debug)]
pub struct ScoredFiles {
    /// The questions with their references.
    pub dataset: Option<PathBuf>,
    /// Format of the dataset.
    pub dataset_format: String,
    /// The answers of a system, unless the dataset has them.
    pub predictions: Option<PathBuf>,
    /// Relevance judgments.
    pub qrels: Option<PathBuf>,
    /// Rankings of a system.
    pub run: Option<PathBuf>,
    /// Format of the run; what its content shows where it is absent.
    pub run_format: Option<String>,
    /// Which column of the run holds what.
    pub run_fields: Vec<(String, String)>,
    /// Whether a hit whose id is that of the query is taken out.
    pub ignore_identical_ids: bool,
    /// Names of the metrics.
    pub metrics: Vec<String>,
    /// Which column of the dataset holds what.
    pub fields: Vec<(String, String)>,
    /// Which column of the predictions holds what.
    pub prediction_fields: Vec<(String, String)>,
    /// Folder of the evaluations.
    pub results: PathBuf,
    /// Whether somebody keeps them.
    pub kept: bool,
}

impl ScoredFiles {
    fn has_answers(&self) -> bool {
        self.predictions.is_some() || self.fields.iter().any(|(name, _)| name == "prediction")
    }
}

impl Config {
    /// The configuration that scores these files. Paths are relative to the working folder.
    pub fn of_files(files: &ScoredFiles) -> Result<Self, Box<Problems>> {
        let mut problems = Vec::new();
        let config = config(files, &mut problems);
        if problems.is_empty() {
            Ok(config)
        } else {
            Err(Box::new(Problems::of_command_line(problems)))
        }
    }
}

fn config(given: &ScoredFiles, problems: &mut Vec<Problem>) -> Config {
    let rankings = given.run.is_some() && given.dataset.is_none();
    let path = |path: &PathBuf| written(path.to_string_lossy().into_owned());
    let files = |path: &PathBuf| written(Paths::One(path.to_string_lossy().into_owned()));
    let dataset = DatasetSection {
        name: None,
        format: written(if rankings { "trec".to_owned() } else { given.dataset_format.clone() }),
        path: given.dataset.as_ref().map(files),
        qrels: given.qrels.as_ref().map(path),
        topic_ids: None,
        split: None,
        fields: mapped_dataset(&given.fields, problems),
        slices: Vec::new(),
    };
    let retriever = given.run.as_ref().map(|run| {
        let replay = ReplayRunSection {
            r#type: "replay".to_owned(),
            name: None,
            path: files(run),
            format: given.run_format.clone().map(written),
            fields: run_fields(&given.run_fields, problems),
            depth: None,
        };
        written(RetrieverSection { what: RetrieverType::Replay(replay) })
    });
    let reader = given.has_answers().then(|| {
        let replay = ReplayReaderSection {
            r#type: "replay".to_owned(),
            name: None,
            path: given.predictions.as_ref().map(files),
            isolated_path: None,
            fields: prediction_fields(&given.prediction_fields, problems),
        };
        written(ReaderSection { what: ReaderType::Replay(Box::new(replay)) })
    });
    let scored = given.predictions.as_ref().or(given.run.as_ref()).or(given.dataset.as_ref());
    let label = scored.map_or_else(|| "score".to_owned(), |path| label_of(path));
    if given.predictions.is_some() && given.fields.iter().any(|(name, _)| name == "prediction") {
        let message = "the answers are in `--predictions`, and `--field prediction=...` says that \
                       they are in the dataset";
        problems.push(Problem::of_file(message).hint("give one of the two"));
    }
    let metrics = metrics(given, problems);
    Config {
        path: PathBuf::from(COMMAND_LINE),
        sources: Sources::new(PathBuf::from(COMMAND_LINE), String::new()),
        problems: Vec::new(),
        kept: given.kept,
        part: None,
        swept: None,
        answers: None,
        variables: Vec::new(),
        evaluation: EvaluationSection {
            label: Some(written(label)),
            results: Some(path(&given.results)),
            ignore_identical_ids: given.ignore_identical_ids,
            ..EvaluationSection::default()
        },
        datasets: vec![written(dataset)],
        corpus: None,
        retrievers: retriever.into_iter().collect(),
        readers: reader.into_iter().collect(),
        metrics: written(metrics),
        scorers: Vec::new(),
        plugins: Vec::new(),
        diagnosis: None,
        gates: Vec::new(),
    }
}

/// The name of a file without the endings that say how it is written: `k1.2` of `k1.2.run.gz`.
fn label_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut label = name.as_ref();
    let ending =
        |text: &str| text.len() <= 7 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    while let Some((rest, last)) = label.rsplit_once('.') {
        if rest.is_empty() || !ending(last) {
            break;
        }
        label = rest;
    }
    label.to_owned()
}

/// A value that stands in no file.
fn written<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

/// The lists of a file. A name that is no metric goes to the list of which there are files, and is
/// reported later.
fn metrics(files: &ScoredFiles, problems: &mut Vec<Problem>) -> MetricsSection {
    let mut lists = MetricsSection::default();
    for name in &files.metrics {
        let subject = Metric::parse_list(name)
            .ok()
            .and_then(|metrics| Some(metrics.first()?.definition().subject));
        let missing = match subject {
            Some(Subject::Retrieval) if files.run.is_none() => {
                let also = if files.qrels.is_some() {
                    "give `--run`"
                } else {
                    "give `--qrels` and `--run`"
                };
                Some(("rankings", also))
            }
            Some(Subject::Answer) if !files.has_answers() => Some((
                "answers",
                "give `--predictions`, or `--field prediction=COLUMN` if the dataset has them",
            )),
            _ => None,
        };
        if let Some((what, hint)) = missing {
            let message = format!("`{name}` scores {what}, and there are none");
            problems.push(Problem::of_file(message).hint(hint));
        }
        let retrieval = subject.map_or(!files.has_answers(), |s| s == Subject::Retrieval);
        let list = if retrieval { &mut lists.retrieval } else { &mut lists.answer };
        list.push(written(name.clone()));
    }
    lists
}

/// What stands before the name of a label: `labels.yesno`, as in a file.
const LABELS: &str = "labels.";

/// A label among the names of fields.
const LABEL: &str = "labels.NAME";

/// The name of the label that the field is, if it is one.
fn label(field: &str) -> Option<&str> {
    field.strip_prefix(LABELS).filter(|name| !name.is_empty())
}

/// The `fields` of a dataset from pairs of names and columns.
pub(crate) fn mapped_dataset(
    given: &[(String, String)],
    problems: &mut Vec<Problem>,
) -> DatasetFields {
    let mut fields = DatasetFields::default();
    for (name, column) in given {
        if let Some(label) = label(name) {
            fields.labels.insert(label.to_owned(), written(column.clone()));
            continue;
        }
        let field = match name.as_str() {
            "id" => &mut fields.id,
            "question" => &mut fields.question,
            "references" => &mut fields.references,
            "context" => &mut fields.context,
            "gold_passages" => &mut fields.gold_passages,
            "group" => &mut fields.group,
            "turn" => &mut fields.turn,
            "history" => &mut fields.history,
            "prediction" => &mut fields.prediction,
            "confidence" => &mut fields.confidence,
            "hits" => &mut fields.hits,
            "citations" => &mut fields.citations,
            "verdict" => &mut fields.verdict,
            _ => {
                let known = [
                    "id",
                    "question",
                    "references",
                    "context",
                    "gold_passages",
                    "group",
                    "turn",
                    "history",
                    "prediction",
                    "confidence",
                    "hits",
                    "citations",
                    "verdict",
                    LABEL,
                ];
                problems.push(unknown_field(name, &known));
                continue;
            }
        };
        *field = Some(column.clone());
    }
    fields
}

fn run_fields(given: &[(String, String)], problems: &mut Vec<Problem>) -> RunFields {
    let mut fields = RunFields::default();
    for (name, column) in given {
        let field = match name.as_str() {
            "query_id" => &mut fields.query_id,
            "passage_id" => &mut fields.passage_id,
            "score" => &mut fields.score,
            "rank" => &mut fields.rank,
            _ => {
                problems.push(unknown_field(name, &["query_id", "passage_id", "score", "rank"]));
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
        if let Some(label) = label(name) {
            fields.labels.insert(label.to_owned(), written(column.clone()));
            continue;
        }
        let field = match name.as_str() {
            "id" => &mut fields.id,
            "prediction" => &mut fields.prediction,
            "candidates" => &mut fields.candidates,
            "confidence" => &mut fields.confidence,
            "hits" => &mut fields.hits,
            "citations" => &mut fields.citations,
            "verdict" => &mut fields.verdict,
            "start" => &mut fields.start,
            "end" => &mut fields.end,
            "span" => &mut fields.span,
            _ => {
                let known = [
                    "id",
                    "prediction",
                    "candidates",
                    "confidence",
                    "hits",
                    "citations",
                    "verdict",
                    "start",
                    "end",
                    "span",
                    LABEL,
                ];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_no_part_of_a_name() {
        let named = |path: &str| label_of(Path::new(path));
        assert_eq!(named("runs/bm25.run"), "bm25");
        assert_eq!(named("gpt-3.5-turbo_2023.txt.gz"), "gpt-3.5-turbo_2023");
        assert_eq!(named("gpt-3.5.json"), "gpt-3.5");
        assert_eq!(named("-"), "-");
        assert_eq!(named(".run"), ".run");
        assert_eq!(named("run."), "run");
    }

    #[test]
    fn a_label_is_a_field_with_a_dot() {
        let mut problems = Vec::new();
        let given = |name: &str| [(name.to_owned(), "column".to_owned())];
        let fields = mapped_dataset(&given("labels.yesno"), &mut problems);
        assert_eq!(fields.labels["yesno"].get_ref(), "column");
        let fields = prediction_fields(&given("labels.yesno"), &mut problems);
        assert_eq!(fields.labels["yesno"].get_ref(), "column");
        assert!(problems.is_empty());
        for name in ["labels", "labels.", "wibble-wobble"] {
            problems.clear();
            mapped_dataset(&given(name), &mut problems);
            prediction_fields(&given(name), &mut problems);
            assert_eq!(problems.len(), 2, "{name}");
            for problem in &problems {
                assert!(problem.hint.as_ref().unwrap().contains("labels.NAME"), "{name}");
            }
        }
    }
}
