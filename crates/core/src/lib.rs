//! The vocabulary of an evaluation, and the pure metrics and statistics on it.
//!
//! An [`Example`] is a question with its [`Reference`]s. A retriever turns it into a [`Ranking`]
//! of [`Passage`]s, which [`Qrels`] judge; a reader turns it into a [`Prediction`]. All that is
//! known of one example together is a [`Case`], and a [`Metric`] turns a case into a [`Score`].
//! Scores become a [`Summary`].
//!
//! Nothing here reads a file, a clock or the environment, and nothing here can fail: a metric
//! returns a number or says why there is none. That is what lets every caller, from the command
//! line to a cluster, get the same digits.
//!
//! ```
//! use qeval_core::{Case, Example, Metric, Prediction};
//!
//! let example = Example { references: vec!["15 days".into()], ..Example::default() };
//! let prediction = Prediction::answer("10 working days");
//! let case = Case::new(&example).with_prediction(&prediction);
//!
//! let f1: Metric = "F1".parse()?;
//! assert_eq!(f1.score(&case), Ok(0.4));
//! # Ok::<(), qeval_core::MetricError>(())
//! ```

pub mod arithmetic;
mod case;
pub mod diagnosis;
mod example;
pub mod explain;
mod failure_kind;
pub mod families;
pub mod gate;
mod judged;
mod metric;
pub mod metrics;
mod passage;
mod prediction;
mod qrels;
mod ranking;
pub mod retrieved;
mod score;
pub mod stats;

pub use case::{Case, CaseHit, Named, Place};
pub use example::{Example, Exchange, Reference, Value};
pub use failure_kind::FailureKind;
pub use judged::{JudgedRanking, Subtopics};
pub use metric::{
    Argument, Cutoff, Definition, Estimator, FAMILIES, Family, Gains, Kind, METRICS, Metric,
    MetricError, Need, Parameter, Pooled, Subject, column_name, is_name,
};
pub use passage::Passage;
pub use prediction::{Candidate, Prediction, SpanError, Usage, slice};
pub use qrels::{JudgedTwice, Judgments, Qrels};
pub use ranking::{Duplicates, Hit, Hits, InvalidRanking, Ranking, Run, Ties};
pub use score::{Estimate, Interval, Score, Stage, Summary, Unscored};
