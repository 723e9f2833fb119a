//! The command line.

mod baseline;
mod changes;
mod compare;
mod corpus;
mod diagnose;
mod explain;
mod gate;
mod named;
mod plugins;
mod rescore;
mod sql;

use std::path::PathBuf;

use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use qeval_pipeline::TrecJudgments;

use crate::progress;

pub(crate) use baseline::{Baseline, BaselineVerb};
pub(crate) use changes::Changes;
pub(crate) use compare::{Compare, Correction};
pub(crate) use corpus::Corpus;
pub(crate) use diagnose::Diagnose;
pub(crate) use explain::Explain;
pub(crate) use gate::{Gate, GateOutputs};
pub(crate) use plugins::{CheckPlugin, Language, NewPlugin, PluginVerb};
pub(crate) use rescore::Rescore;
pub(crate) use sql::{Rows, Sql};

/// Evaluates question answering, retrieval and RAG systems from one TOML file.
#[derive(Debug, Parser)]
#[command(name = "qeval", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Log more: -v what happens, -vv how, -vvv everything. `QEVAL_LOG` chooses parts.
    #[arg(short, long, global = true, display_order = 900, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// How the log on stderr is written.
    #[arg(long, global = true, display_order = 900, value_enum, default_value = "text")]
    pub(crate) log_format: LogFormat,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for people.
    Terminal,
    /// JSON with a stable shape.
    Json,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Evaluate what a file declares, store the scores and print the report
    Run(Run),
    /// Check a file and everything it names without evaluating
    Check(Check),
    /// Score the answers of a stored evaluation with other metrics, without asking a reader
    Rescore(Rescore),
    /// Score two files without a configuration
    Score(Box<Score>),
    /// Build the index of each retriever that keeps one, or find it built
    Index(Index),
    /// Write a dataset in another format
    Convert(Convert),
    /// Print the report of a stored evaluation
    Report(Report),
    /// Compare stored evaluations, example by example
    Compare(Compare),
    /// Find where the errors of a stored evaluation come from
    Diagnose(Diagnose),
    /// Show how the scores of one example came about
    Explain(Explain),
    /// Decide the gates of a stored evaluation
    Gate(Gate),
    /// Carry an evaluation to another results folder, for example to CI
    Baseline(Baseline),
    /// Write stored evaluations as a table, JSON lines, Parquet or a TREC run
    Export(Box<Export>),
    /// Query stored evaluations in SQL, with the program `duckdb`
    Sql(Sql),
    /// Check that stored evaluations are what was written, and hold together
    Verify(Verify),
    /// List metrics, components, plugins or stored evaluations
    List(List),
    /// Begin a plugin, or try one
    Plugin(Plugin),
    /// Print the JSON Schema of the file
    Schema,
    /// Print the completions of a shell
    Completions(Completions),
    /// Run a plugin for another process of this program
    #[command(hide = true)]
    PluginHost(PluginHost),
}

/// `qeval run`.
#[derive(Debug, Group)]
pub(crate) struct Run {
    /// The file that declares the evaluation.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// Evaluate again, under a new id, also what is stored already; readers are asked again, also where
    /// their answers are kept.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Evaluate again, under a new id, what is stored already and has failures: what failed is asked
    /// for again, and nothing else.
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) retry: bool,
    /// Refuse a file that declares a plugin: plugins run code.
    #[arg(long)]
    pub(crate) no_plugins: bool,
    #[command(flatten)]
    pub(crate) gates: GateOutputs,
    /// How progress is shown on stderr.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) progress: progress::Form,
    /// How the report is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}

/// `qeval check`.
#[derive(Debug, Group)]
pub(crate) struct Check {
    /// The file that declares the evaluation.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) changes: Changes,

    /// End with an error if anything in the data looks like a mistake.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Refuse a file that declares a plugin: plugins run code.
    #[arg(long)]
    pub(crate) no_plugins: bool,
}

/// `qeval score`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:\n  \
    qeval score --dataset dev-v2.0.json --predictions answers.json -m EM -m F1\n  \
    qeval score --qrels qrels.txt --run bm25.run -m nDCG@10 -m 'Recall@{10,100}'\n  \
    qeval score --official squad2 --dataset dev-v2.0.json --predictions answers.json\n  \
    qeval score --official trec_eval --qrels qrels.txt --run bm25.run -q -c -m all_trec")]
pub(crate) struct Score {
    /// The questions with their references.
    #[arg(long, required_unless_present_any = ["qrels", "run", "official"])]
    pub(crate) dataset: Option<PathBuf>,
    /// Format of the dataset; `qeval list components` lists them.
    #[arg(long, default_value = "squad")]
    pub(crate) dataset_format: String,
    /// The answers of a system, unless the dataset has them: then name their column, as in
    /// `--field prediction=answer`.
    #[arg(long, required_unless_present_any = ["run", "qrels", "fields"])]
    pub(crate) predictions: Option<PathBuf>,
    /// Relevance judgments: TREC's lines, a table with a header, JSON or Parquet; `-` for the standard
    /// input.
    #[arg(long, requires = "run")]
    pub(crate) qrels: Option<PathBuf>,
    /// Rankings of a system: a TREC or MS MARCO run, a table with a header, JSON or Parquet; `-` for
    /// the standard input.
    #[arg(long)]
    pub(crate) run: Option<PathBuf>,
    /// Format of the run: trec, msmarco, json, jsonl, csv, tsv, parquet, dpr, kilt [default: what the
    /// content shows].
    #[arg(long, value_name = "FORMAT", requires = "run")]
    pub(crate) run_format: Option<String>,
    /// Take a hit whose id is that of the query out of each ranking, as BEIR does.
    #[arg(long, requires = "run", conflicts_with = "official")]
    pub(crate) ignore_identical_ids: bool,
    /// A metric; may be given several times.
    #[arg(short, long = "metric", value_name = "METRIC", required_unless_present = "official")]
    pub(crate) metrics: Vec<String>,
    /// Print what the official script of that name prints, and nothing else: squad1, squad2, quac,
    /// coqa, hotpotqa, triviaqa, drop, natural-questions, nq-open, kilt; haystack on the tables that
    /// it saved, without a dataset; `trec_eval` (9.0.8) and `trec_eval10` on `--qrels` and
    /// `--run`.
    #[arg(
        long,
        value_name = "SCRIPT",
        conflicts_with_all = [
            "results", "format", "dataset_format", "run_format",
            "fields", "prediction_fields", "run_fields"
        ]
    )]
    pub(crate) official: Option<String>,
    #[command(flatten)]
    pub(crate) trec: TrecArgs,
    /// For the script squad2: JSON with the probability, by id, that a question has no answer.
    #[arg(long, value_name = "FILE", requires = "official")]
    pub(crate) na_prob_file: Option<PathBuf>,
    /// For the script squad2: above this probability a question counts as not answered [default: 1].
    #[arg(long, value_name = "NUMBER", requires = "official", allow_negative_numbers = true)]
    pub(crate) na_prob_thresh: Option<f64>,
    /// For the script squad2: print the areas under the curves of precision and recall too.
    #[arg(long, requires = "na_prob_file")]
    pub(crate) pr_curves: bool,
    /// Which column of the dataset holds what, for example references=answers or labels.yesno=act.
    #[arg(long = "field", value_name = "NAME=COLUMN", value_parser = name_and_column)]
    pub(crate) fields: Vec<(String, String)>,
    /// Which column of the predictions holds what, for example prediction=answer or labels.yesno=act.
    #[arg(long = "prediction-field", value_name = "NAME=COLUMN", value_parser = name_and_column)]
    pub(crate) prediction_fields: Vec<(String, String)>,
    /// Which column of the run holds what, for example score=similarity.
    #[arg(
        long = "run-field",
        value_name = "NAME=COLUMN",
        value_parser = name_and_column,
        requires = "run"
    )]
    pub(crate) run_fields: Vec<(String, String)>,
    /// Keep the results in this folder.
    #[arg(long)]
    pub(crate) results: Option<PathBuf>,
    /// How the report is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}

/// The options of trec_eval, whose letters they have.
#[derive(Debug, Group)]
pub(crate) struct TrecArgs {
    /// For trec_eval: print the values of each query too.
    #[arg(short = 'q', long = "queries", requires = "official")]
    pub(crate) queries: bool,
    /// For trec_eval: average over all judged queries; one that the run lacks counts as 0.
    #[arg(short = 'c', long = "complete", requires = "official")]
    pub(crate) complete: bool,
    /// For trec_eval: the lowest grade that is relevant [default: 1].
    #[arg(
        short = 'l',
        long = "level",
        value_name = "GRADE",
        requires = "official",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX))
    )]
    pub(crate) level: Option<u32>,
    /// For trec_eval: keep so many hits of each query.
    #[arg(short = 'M', long = "depth", value_name = "HITS", requires = "official")]
    pub(crate) depth: Option<usize>,
    /// For trec_eval: leave out hits that nobody judged.
    #[arg(short = 'J', long = "judged-only", requires = "official")]
    pub(crate) judged_only: bool,
    /// For trec_eval: the number of documents in the corpus.
    #[arg(short = 'N', long = "collection", value_name = "DOCUMENTS", requires = "official")]
    pub(crate) collection: Option<u32>,
    /// For trec_eval: what the judgments are: grades, grades of several judges, preferences, or grades
    /// read as preferences [default: qrels].
    #[arg(
        short = 'R',
        long = "judgments",
        value_name = "FORM",
        requires = "official",
        value_parser = TrecJudgments::NAMES
    )]
    pub(crate) judgments: Option<String>,
    /// For trec_eval: standardise values by the means and deviations in this file, lines of
    /// `query measure mean deviation`.
    #[arg(short = 'Z', long = "zscores", value_name = "FILE", requires = "official")]
    pub(crate) zscores: Option<PathBuf>,
}

/// `qeval index`.
#[derive(Debug, Group)]
pub(crate) struct Index {
    /// The file that declares the retrievers.
    pub(crate) file: PathBuf,
    /// Refuse a file that declares a plugin: plugins run code.
    #[arg(long)]
    pub(crate) no_plugins: bool,
}

/// `qeval convert`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:\n  \
    qeval convert test.csv.gz books.json --from subjqa --to squad\n  \
    qeval convert golden.jsonl golden.parquet --from jsonl --to parquet \
    --field references=answers --column topic")]
pub(crate) struct Convert {
    /// The dataset.
    pub(crate) input: PathBuf,
    /// The file to write; it must not be there yet. A text that ends with .gz is packed.
    pub(crate) output: PathBuf,
    /// Format of the dataset; `qeval list components` lists them.
    #[arg(long)]
    pub(crate) from: String,
    /// Format to write: squad, jsonl, csv, parquet.
    #[arg(long)]
    pub(crate) to: String,
    /// Which column of the dataset holds what, for example references=answers or labels.yesno=act.
    #[arg(long = "field", value_name = "NAME=COLUMN", value_parser = name_and_column)]
    pub(crate) fields: Vec<(String, String)>,
    /// A further column to keep; may be given several times.
    #[arg(long = "column", value_name = "COLUMN")]
    pub(crate) columns: Vec<String>,
}

/// `qeval report`.
#[derive(Debug, Group)]
pub(crate) struct Report {
    /// An evaluation: its id, its folder, its label, or label:system.
    pub(crate) evaluation: String,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the report is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}

/// `qeval export`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:\n  \
    qeval export main --format csv --out scores.csv\n  \
    qeval export pair:a pair:b --format parquet-long --metric F1 --out both.parquet\n  \
    qeval export main --format ragas --corpus passages.jsonl --slice language=fr\n  \
    qeval export main --format trec-run | qeval score --qrels qrels.txt --run - -m nDCG@10")]
pub(crate) struct Export {
    /// The evaluations: each an id, a folder, a label, or label:system.
    #[arg(required = true, value_name = "EVALUATION")]
    pub(crate) evaluations: Vec<String>,
    /// What is written: csv, jsonl and parquet have one row an example, parquet-long one for each
    /// example and metric; ragas and haystack have the names of those tools; trec-run is the rankings.
    #[arg(long, value_parser = export_formats())]
    pub(crate) format: String,
    /// The file to write; without it a text goes to stdout.
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file if it is there.
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Only this metric or column; may be given several times.
    #[arg(short, long = "metric", value_name = "METRIC")]
    pub(crate) metrics: Vec<String>,
    /// Only the metrics of this stage.
    #[arg(long, value_parser = named::STAGES)]
    pub(crate) stage: Option<String>,
    /// Only examples with this value of a slice; of several, those that have all.
    #[arg(long = "slice", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) slices: Vec<(String, String)>,
    /// Only examples of this dataset.
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    /// The passages, for the texts in ragas and haystack: no evaluation stores them.
    #[arg(long, value_name = "FILE")]
    pub(crate) corpus: Option<PathBuf>,
    /// Format of the passages; `qeval list components` lists them.
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) corpus_format: String,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
}

/// `qeval verify`.
#[derive(Debug, Group)]
pub(crate) struct Verify {
    /// An evaluation: its id, its folder, its label, or label:system; several may be given.
    #[arg(required = true, value_name = "EVALUATION")]
    pub(crate) evaluations: Vec<String>,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}

/// `qeval list`.
#[derive(Debug, Group)]
pub(crate) struct List {
    #[command(subcommand)]
    pub(crate) what: Listed,
}

/// What can be listed.
#[derive(Debug, Subcommand)]
pub(crate) enum Listed {
    /// The built-in metrics, with the official script that each equals
    Metrics {
        /// How to print them.
        #[arg(long, value_enum, default_value_t = Format::Terminal)]
        format: Format,
    },
    /// The dataset formats, retrievers and readers
    Components,
    /// The plugins of a file, with their metrics
    Plugins {
        /// The file that declares them.
        file: PathBuf,
    },
    /// The stored evaluations, newest first
    Evaluations {
        /// Folder of the evaluations.
        #[arg(long, default_value = "results")]
        results: PathBuf,
    },
}

/// `qeval plugin`.
#[derive(Debug, Group)]
pub(crate) struct Plugin {
    #[command(subcommand)]
    pub(crate) verb: PluginVerb,
}

/// `qeval completions`.
#[derive(Debug, Group)]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// `qeval plugin-host`.
#[derive(Debug, Group)]
pub(crate) struct PluginHost {
    /// The library that holds the plugin.
    #[arg(long)]
    pub(crate) library: PathBuf,
}

impl TrecArgs {
    /// Whether any of them is given.
    pub(crate) fn given(&self) -> bool {
        self.queries
            || self.complete
            || self.level.is_some()
            || self.depth.is_some()
            || self.judged_only
            || self.collection.is_some()
            || self.judgments.is_some()
            || self.zscores.is_some()
    }
}

/// The names of the formats, for help and completions.
fn export_formats() -> Vec<&'static str> {
    qeval_store::ExportFormat::ALL.into_iter().map(qeval_store::ExportFormat::name).collect()
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE, for example language=fr".to_owned()),
    }
}

fn name_and_column(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, column)) if !name.is_empty() && !column.is_empty() => {
            Ok((name.to_owned(), column.to_owned()))
        }
        _ => Err("expected NAME=COLUMN, for example references=answers".to_owned()),
    }
}
