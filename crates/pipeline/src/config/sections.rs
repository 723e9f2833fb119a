//! The tables of the file, one type each. The doc comments are the text of `qeval schema`.

mod gates;
mod of_plugins;
mod readers;
mod remote;
mod service;

use std::{collections::BTreeMap, num::NonZeroUsize};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{analyzer::AnalyzerOption, paths::Paths};
pub use gates::GateSection;
pub use of_plugins::{PluginReaderSection, PluginRetrieverSection};
pub use readers::{CommandSection, HttpReaderSection, OpenAiSection, SlidingWindowSection};
pub use remote::{CommandRetrieverSection, FusionSection, HttpRetrieverSection, RerankerSection};
pub(crate) use service::Service;
pub use service::{BudgetOptions, PriceOptions, ReaderBudgetOptions};

/// What is evaluated, and where the results go.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSection {
    /// Name of the evaluation; default: the name of the file.
    #[schemars(with = "Option<String>")]
    pub label: Option<Spanned<String>>,
    /// Folder of the evaluations, or the address of an object store that they are copied to; default:
    /// `results`.
    #[schemars(with = "Option<String>")]
    pub results: Option<Spanned<String>>,
    /// Seed of everything that is drawn at random; default: 0.
    pub seed: Option<u64>,
    /// Stages to evaluate: `retrieval`, `isolated`, `integrated`; default: all that the declared
    /// parts allow.
    #[schemars(with = "Option<Vec<String>>")]
    pub stages: Option<Vec<Spanned<String>>>,
    /// How hits with equal scores are ordered: `docno` (by passage id, descending, as trec_eval)
    /// or `input` (as they come); default: `docno`.
    #[schemars(with = "Option<String>")]
    pub ties: Option<Spanned<String>>,
    /// Whether a hit whose id is that of the query is taken out of each ranking, as BEIR does for
    /// datasets whose queries are passages too; default: false.
    #[serde(default)]
    pub ignore_identical_ids: bool,
    /// How the intervals of means are made.
    pub interval: Option<IntervalSection>,
}

/// How the intervals of means are made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntervalSection {
    /// `auto` (the scores decide), `percentile` or `bca`; default: `auto`.
    #[schemars(with = "Option<String>")]
    pub method: Option<Spanned<String>>,
    /// Resamples of a bootstrap, from 100 to 1,000,000; default: 2000.
    #[schemars(with = "Option<u32>")]
    pub resamples: Option<Spanned<u32>>,
}

/// The questions and their references.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatasetSection {
    /// Name in the results, where there are several datasets; default: the name of the file up to
    /// its first point.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// Format of the file: `squad`, `quac`, `coqa`, `hotpotqa`, `triviaqa`, `drop`, `subjqa`,
    /// `nq-open`, `curatedtrec`, `kilt`, `dpr`, `evouna`, `jsonl`, `csv`, `parquet`,
    /// `trec`, `beir`.
    #[schemars(with = "String")]
    pub format: Spanned<String>,
    /// The file, or several that are read as one; `.gz` is read directly. With format `trec` the
    /// topics, which may be left out where the queries of the qrels are enough; with format `beir`
    /// the folder.
    #[schemars(with = "Option<Paths>")]
    pub path: Option<Spanned<Paths>>,
    /// Relevance judgments: TREC's lines, a table with a header, JSON lines, Parquet, or one JSON
    /// object; default with format `beir`: those of the split.
    #[schemars(with = "Option<String>")]
    pub qrels: Option<Spanned<String>>,
    /// What the ids of TREC topics are: those in the file (`given`) or their positions from 1
    /// (`position`, as Cranfield's judgments count them); default: `given`.
    #[schemars(with = "Option<String>")]
    pub topic_ids: Option<Spanned<String>>,
    /// The split of a BEIR folder; default: `test`.
    #[schemars(with = "Option<String>")]
    pub split: Option<Spanned<String>>,
    /// Which column holds what.
    #[serde(default)]
    pub fields: DatasetFields,
    /// Columns to group the scores by.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub slices: Vec<Spanned<String>>,
}

/// Which column of the dataset holds what.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatasetFields {
    /// Column of the example id; default: `id`.
    pub id: Option<String>,
    /// Column of the question; default: `question`.
    pub question: Option<String>,
    /// Column of the acceptable answers: a text or a list; default: `references`.
    pub references: Option<String>,
    /// Column of the text that holds the answer; default: `context`.
    pub context: Option<String>,
    /// Column of the gold passages' ids; default: `gold_passages`.
    pub gold_passages: Option<String>,
    /// Column of the dialog or document that an example belongs to; default: none (a column
    /// `group` is kept, but intervals are not computed over it).
    pub group: Option<String>,
    /// Column of the place in the dialog; default: none.
    pub turn: Option<String>,
    /// Column of the earlier questions and answers of the dialog; default: `history`.
    pub history: Option<String>,
    /// Column of a prediction that stands in the dataset itself; default: none.
    pub prediction: Option<String>,
    /// Column of the confidence of that prediction; default: `confidence`.
    pub confidence: Option<String>,
    /// Column of the ids of the passages that the reader saw, in order; default: `hits`.
    pub hits: Option<String>,
    /// Column of the ids of the passages that the reader cites; default: `citations`.
    pub citations: Option<String>,
    /// Column of somebody's verdict on the answer, yes or no, for the metric `Verdict`; default:
    /// `verdict`.
    pub verdict: Option<String>,
    /// Columns of closed answers of that prediction, by their names, such as `yesno`; default: none.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub labels: BTreeMap<String, Spanned<String>>,
}

/// The passages that a retriever searches.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorpusSection {
    /// Format of the file: `jsonl`, `csv`, `parquet`, `trec`, `dpr`, `beir` (a folder) or `msmarco`.
    #[schemars(with = "String")]
    pub format: Spanned<String>,
    /// The file, or several that are read as one; `.gz` is read directly.
    #[schemars(with = "Paths")]
    pub path: Spanned<Paths>,
    /// Which column holds what.
    #[serde(default)]
    pub fields: CorpusFields,
    /// How the passages are cut into smaller ones; default: they are not.
    #[schemars(with = "Option<ChunksSection>")]
    pub chunks: Option<Spanned<ChunksSection>>,
}

/// How passages are cut. The chunks of the passage `p` are `p#1`, `p#2` and so on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunksSection {
    /// Units in a chunk.
    pub size: u32,
    /// Units that a chunk has in common with the one before; default: 0.
    #[serde(default)]
    pub overlap: u32,
    /// What is never cut in two: `words`, `sentences` or `paragraphs`; default: `words`.
    pub unit: Option<String>,
}

/// Which column of the corpus holds what.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorpusFields {
    /// Column of the passage id; default: `id`.
    pub id: Option<String>,
    /// Column of the title; default: `title`.
    pub title: Option<String>,
    /// Column of the text; default: `text`.
    pub text: Option<String>,
    /// Column of the document that a passage is a part of; default: none.
    pub document: Option<String>,
    /// Column of the id of the passage that replaced this one; default: none.
    pub superseded_by: Option<String>,
    /// Further columns to keep.
    #[serde(default)]
    pub metadata: Vec<String>,
}

/// A retriever: its `type` decides the other keys.
#[derive(Clone, Debug)]
pub struct RetrieverSection {
    /// The retriever.
    pub what: RetrieverType,
}

/// The types of retriever.
#[derive(Clone, Debug)]
pub enum RetrieverType {
    /// `type = "bm25"`.
    Bm25(Bm25Section),
    /// `type = "replay"`.
    Replay(ReplayRunSection),
    /// `type = "command"`.
    Command(CommandRetrieverSection),
    /// `type = "http"`.
    Http(Box<HttpRetrieverSection>),
    /// `type = "fusion"`.
    Fusion(FusionSection),
    /// `type = "reranker"`.
    Reranker(Box<RerankerSection>),
    /// `type = "plugin"`.
    Plugin(PluginRetrieverSection),
}

impl RetrieverType {
    /// The name of the retriever: its own, else its type.
    pub fn name(&self) -> &str {
        let (name, default) = match self {
            Self::Bm25(section) => (&section.name, "bm25"),
            Self::Replay(section) => (&section.name, "replay"),
            Self::Command(section) => (&section.name, "command"),
            Self::Http(section) => (&section.name, "http"),
            Self::Fusion(section) => (&section.name, "fusion"),
            Self::Reranker(section) => (&section.name, "reranker"),
            Self::Plugin(section) => (&section.name, "plugin"),
        };
        name.as_ref().map_or(default, |name| name.get_ref())
    }
}

/// BM25 over the corpus.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bm25Section {
    /// `bm25`.
    pub r#type: String,
    /// Name of this retriever; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// How many hits are requested for each query; default: 100.
    #[schemars(with = "Option<u32>")]
    pub depth: Option<Spanned<u32>>,
    /// Folder in which the index is kept for the next time; default: it is built anew, in memory.
    #[schemars(with = "Option<String>")]
    pub index: Option<Spanned<String>>,
    /// Parameters.
    #[serde(default)]
    pub options: Bm25Options,
}

/// Parameters of BM25.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bm25Options {
    /// Saturation of the term frequency, from 0 to 1000; default: 1.2.
    #[schemars(with = "Option<f64>")]
    pub k1: Option<Spanned<f64>>,
    /// Weight of the passage's length, from 0 to 1; default: 0.75.
    #[schemars(with = "Option<f64>")]
    pub b: Option<Spanned<f64>>,
    /// How text is cut into terms: `standard`, `whitespace`, `cjk`, a language such as `english`, or
    /// a table; default: `standard`.
    #[schemars(with = "Option<AnalyzerOption>")]
    pub analyzer: Option<Spanned<AnalyzerOption>>,
    /// What a query asks for: `terms` (any of its terms), `phrase` (all of them, one after the
    /// other) or `boolean` (an expression with AND, OR, NOT, parentheses and phrases in quotation
    /// marks); default: `terms`.
    #[schemars(with = "Option<String>")]
    pub query: Option<Spanned<String>>,
    /// What title and text are worth; default: they are one body.
    #[schemars(with = "Option<BoostOptions>")]
    pub boosts: Option<Spanned<BoostOptions>>,
}

/// What title and text are worth, each with its own lengths.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoostOptions {
    /// For the title; default: 1. With 0 it is not searched.
    pub title: Option<f64>,
    /// For the text; default: 1. With 0 it is not searched.
    pub text: Option<f64>,
}

/// The rankings of a run file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRunSection {
    /// `replay`.
    pub r#type: String,
    /// Name of this retriever; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The run file, or several that are read as one; `.gz` is read directly. `{dataset}` in it
    /// stands for the name of each dataset, which then has a file of its own.
    #[schemars(with = "Paths")]
    pub path: Spanned<Paths>,
    /// Format of the file: `trec`, `msmarco`, `json`, `jsonl`, `csv`, `tsv`, `parquet`, `dpr`,
    /// `kilt`; default: what the content shows.
    #[schemars(with = "Option<String>")]
    pub format: Option<Spanned<String>>,
    /// Which column holds what, in JSON lines and tables.
    #[serde(default)]
    pub fields: RunFields,
    /// How many hits of each query are used; default: all.
    #[schemars(with = "Option<u32>")]
    pub depth: Option<Spanned<u32>>,
}

/// Which column of a run holds what.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunFields {
    /// Column of the query's id; default: the first of `query_id`, `qid`, `query-id`, `q_id`,
    /// `topic_id`, `topic` and `query` that there is.
    pub query_id: Option<String>,
    /// Column of the passage's id; default: the first of `passage_id`, `pid`, `doc_id`, `docid`,
    /// `docno`, `document_id`, `corpus-id`, `corpus_id` and `doc` that there is.
    pub passage_id: Option<String>,
    /// Column of the score; default: `score`.
    pub score: Option<String>,
    /// Column of the rank from 1, which counts where there is no score; default: `rank`.
    pub rank: Option<String>,
}

/// A reader: its `type` decides the other keys.
#[derive(Clone, Debug)]
pub struct ReaderSection {
    /// The reader.
    pub what: ReaderType,
}

/// The types of reader.
#[derive(Clone, Debug)]
pub enum ReaderType {
    /// `type = "replay"`.
    Replay(Box<ReplayReaderSection>),
    /// `type = "command"`.
    Command(CommandSection),
    /// `type = "http"`.
    Http(Box<HttpReaderSection>),
    /// `type = "openai"`.
    OpenAi(Box<OpenAiSection>),
    /// `type = "sliding-window"`.
    SlidingWindow(SlidingWindowSection),
    /// `type = "plugin"`.
    Plugin(PluginReaderSection),
}

/// Answers that a system gave earlier.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayReaderSection {
    /// `replay`.
    pub r#type: String,
    /// Name of this reader; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The predictions: `{id: text}` JSON as in SQuAD, `nbest_predictions.json`, JSON lines, CSV,
    /// Parquet, or QuAC's JSON lines; several files are read as one.
    /// `{dataset}` in it stands for the name of each dataset, which then has a file of its own.
    /// Left out where the dataset holds the predictions itself.
    #[schemars(with = "Option<Paths>")]
    pub path: Option<Spanned<Paths>>,
    /// Answers given on the gold passages, if there are any.
    #[schemars(with = "Option<Paths>")]
    pub isolated_path: Option<Spanned<Paths>>,
    /// Which column holds what.
    #[serde(default)]
    pub fields: PredictionFields,
}

/// Which column of the predictions holds what.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PredictionFields {
    /// Column of the example id; default: `id`.
    pub id: Option<String>,
    /// Column of the answer; default: `prediction`.
    pub prediction: Option<String>,
    /// Column of all answers, best first; default: `candidates`, if there is one.
    pub candidates: Option<String>,
    /// Column of the confidence; default: `confidence`, if there is one.
    pub confidence: Option<String>,
    /// Column of the ids of the passages that the reader saw, in order; default: `hits`, if there
    /// is one.
    pub hits: Option<String>,
    /// Column of the ids of the passages that the reader cites; default: `citations`, if there is
    /// one.
    pub citations: Option<String>,
    /// Column of somebody's verdict on the answer, yes or no, for the metric `Verdict`; default:
    /// `verdict`.
    pub verdict: Option<String>,
    /// Column of the place in the context where the answer begins, in code points: an answer
    /// without a text is what stands there; default: `start`, if there is one.
    pub start: Option<String>,
    /// Column of the place behind the answer's last code point; default: `end`, if there is one.
    pub end: Option<String>,
    /// Column of both places as a list of two numbers; default: `span`, if there is one.
    pub span: Option<String>,
    /// Columns of closed answers beside the text, by their names, such as `yesno`; default: the
    /// column of that name, if there is one.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub labels: BTreeMap<String, Spanned<String>>,
}

/// What is measured.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricsSection {
    /// Metrics of the rankings, for example `nDCG@10` or `Recall@{1,5,20}`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub retrieval: Vec<Spanned<String>>,
    /// Metrics of the answers, for example `EM`, `F1` or `acme.key_figures`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub answer: Vec<Spanned<String>>,
}

/// A metric with what it is scored with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScorerSection {
    /// The metric, as in the lists of `[metrics]`.
    #[schemars(with = "String")]
    pub metric: Spanned<String>,
    /// Where it is scored: a condition on other metrics of the same example, for example `EM == 0`.
    /// Default: everywhere.
    #[schemars(with = "Option<String>")]
    pub when: Option<Spanned<String>>,
}

/// Metrics of one's own, from a native library or a program.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginSection {
    /// Name of the plugin in this file: its metrics are `name.metric`.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// The library: the file, or its stem without `lib` and ending. Or the program: a file with
    /// another ending than a library's.
    #[schemars(with = "String")]
    pub path: Spanned<String>,
    /// The program that runs the one at `path`, and its arguments before the path; its own path is
    /// relative to the file, and nothing is searched in `PATH`. Default: none, the file at `path` is
    /// started itself.
    #[schemars(with = "Option<Vec<String>>")]
    pub interpreter: Option<Spanned<Vec<String>>>,
    /// Arguments of the program, behind the path.
    #[schemars(with = "Option<Vec<String>>")]
    pub args: Option<Spanned<Vec<String>>>,
    /// Environment variables that its child processes may see; they see no others, not even `PATH`.
    #[schemars(with = "Option<Vec<String>>")]
    pub environment: Option<Spanned<Vec<String>>>,
    /// SHA-256 that the file at `path` must have, in hexadecimal.
    #[schemars(with = "Option<String>")]
    pub sha256: Option<Spanned<String>>,
    /// Of a library: `process` (a child of this program runs it, so that a crash costs one example)
    /// or `in-process`; default: `process`.
    #[schemars(with = "Option<String>")]
    pub isolation: Option<Spanned<String>>,
    /// Seconds after which a batch counts as failed; default: 60.
    #[schemars(with = "Option<f64>")]
    pub timeout_s: Option<Spanned<f64>>,
    /// Megabytes of memory (millions of bytes) that each child process may take; default: three
    /// quarters of the machine's.
    #[schemars(with = "Option<u64>")]
    pub memory_mb: Option<Spanned<u64>>,
    /// How many child processes work side by side, at least 1; default: one for each thread for a
    /// library, and one for a program.
    pub workers: Option<NonZeroUsize>,
    /// What a failure costs: `null` (the examples of its batch are unscored) or `stop` (the
    /// evaluation ends); default: `null`.
    #[schemars(with = "Option<String>")]
    pub on_error: Option<Spanned<String>>,
    /// What the plugin itself can be told.
    #[schemars(with = "Option<std::collections::BTreeMap<String, serde_json::Value>>")]
    pub options: Option<Spanned<toml::Table>>,
}

/// Which answers count as right when errors are put down to their causes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiagnosisSection {
    /// An answer metric.
    #[schemars(with = "String")]
    pub right: Spanned<String>,
    /// The score from which on an answer is right; default: 1.
    #[schemars(with = "Option<f64>")]
    pub at_least: Option<Spanned<f64>>,
}
