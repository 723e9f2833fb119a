//! From a TOML file to an evaluation on disk.
//!
//! ```text
//! file ─► Config ─► Plan ─► Dataset ─► Ranking ─► Prediction ─► Score ─► store
//!      written   checked            retriever    reader      scorers
//! ```
//!
//! [`Config::read`] reads the file as it is written, [`Plan::new`] checks it whole and builds
//! the components, [`run`] executes the plan. All that can be wrong with a file is found before
//! the first example is read, and reported together as [`Problems`].

mod builtin;
mod changes;
mod components;
mod condition;
pub mod config;
mod convert;
mod corpus;
mod event;
mod index;
mod inspect;
mod official;
mod part;
mod plan;
mod problem;
mod prompt;
mod run;
mod session;
mod sources;
mod stored_answers;
mod watch;

pub use builtin::derived::{Derive, Found};
pub use changes::changes;
pub use components::{ComponentSummary, components};
pub use config::Config;
pub use convert::{Conversion, ConvertError, Converted, convert, passage_texts};
pub use corpus::Corpus;
pub use event::Event;
pub use index::{IndexError, IndexPlan, Indexed, index};
pub use inspect::{Contents, Finding, Inspection, Kind, inspect};
pub use official::{
    OfficialError, Output, SCRIPTS, Script, ScriptOptions, TrecJudgments, TrecOptions, TrecVersion,
    official, trec_eval,
};
pub use part::Part;
pub use plan::{
    Answers, DatasetPlan, DiagnosisPlan, OnError, Plan, PlannedMetric, PlannedReader,
    PlannedRetriever, Search, Surroundings, System, plugins,
};
pub use problem::{Problem, Problems};
pub use qeval_endpoint::{Calls, Spent};
pub use run::{Finished, LostExamples, LostScores, RunError, RunOptions, TurnOrder, run};
pub use session::Session;
pub use sources::{Source, Sources};
pub use stored_answers::StoredAnswers;
pub use watch::{MeanSoFar, Step, View, Watch};
