//! One evaluation on disk: written atomically, read back, found again.
//!
//! An evaluation is a folder of plain Parquet files, so that pandas, DuckDB and Polars read it
//! without us:
//!
//! ```text
//! <results>/
//!   evaluation_id=<id>/            one evaluation; copy, archive or delete the folder as a whole
//!     manifest.json                written last: no manifest, no evaluation
//!     scores/part-00000.parquet    one row per example, one column per metric
//!     cases/part-00000.parquet     the texts and the hits; the same rows in the same order
//!     details/part-00000.parquet   why scores are null, and what they are made of; only if there is something to say
//!     summaries.parquet            one row per metric and slice
//!   _unfinished-<id>/              being written, or left by a process that was killed
//!   _locks/<id>                    its lock, with the process that writes it
//!   _answers/<digest>/             the answers of a live reader, kept for the next evaluation
//! ```
//!
//! Scores are wide (a column for each metric) and apart from texts, because most questions relate
//! metrics of one example, and a mean must not read prompts. Null is *unscored*, with its reason
//! in `details`; it is never NaN and never zero.
//!
//! The bytes of every Parquet file follow from the plan and the examples alone: not from the
//! order in which rows are appended, the memory that is allowed, times, or paths.
//!
//! A [`Writer`] takes [`Row`]s and makes the folder; [`Evaluation`] reads it; [`list`] and
//! [`find`] look for it. An [`AnswerJournal`] keeps what readers have answered, each answer as it
//! arrives.

mod answers;
mod baseline;
mod comparable;
mod export;
mod fingerprints;
mod id;
mod library;
mod manifest;
mod pairing;
mod pooling;
mod reader;
mod row;
mod schema;
mod summaries;
mod time;
mod verify;
mod views;
mod writer;

pub use answers::{AnswerJournal, AnswerKey, JournalError, KeptAnswer};
pub use baseline::{BaselineError, Imported, export_baseline, import_baseline};
pub use comparable::{Obstacle, obstacle_of_column, obstacles};
pub use export::{ExportError, ExportFormat, Exported, Selection, check_export, export};
pub use fingerprints::{Environment, Fingerprints};
pub use id::{EvaluationId, InvalidId};
pub use library::{FindError, Listing, find, list, select};
pub use manifest::{
    ClustersInfo, ComponentInfo, CorpusInfo, CostInfo, DatasetInfo, Diagnosis, GateInfo,
    IntervalInfo, JudgedShare, JudgmentsInfo, LatencyInfo, Manifest, ManifestError, MetricColumn,
    Notice, Part, PooledStatistic, RepeatedColumn, RepeatsInfo, SumInfo, UsageInfo, Versions,
};
pub use pairing::Pairing;
pub use pooling::{PluginPooling, PoolingFailure, WithoutPlugins};
pub use reader::{
    Detail, Evaluation, Labels, ReadError, Reason, Scores, StoredCase, StoredDecisions, StoredHit,
    StoredRelevant, StoredRetrieval, Texts,
};
pub use row::{Row, RowError, RowHit, RowPart, RowRelevant};
pub use schema::{
    CASES_VERSION, DETAILS_VERSION, Layout, LayoutError, MANIFEST_VERSION, RetrievalColumns,
    SCORES_VERSION, SUMMARIES_VERSION,
};
pub use summaries::{Clusters, summarize};
pub use verify::{Defect, Verification, verify};
pub use views::{ViewError, views};
pub use writer::{PackedRows, Packer, WriteError, Writer};
