//! The component traits, [`Retriever`], [`Reader`], [`Scorer`] and [`Normalizer`], and the plugin
//! boundary.
//!
//! Built-in components and plugins implement the same traits; there is one way to write a
//! component. A component takes a batch and is synchronous: concurrency belongs to the pipeline.
//!
//! A plugin names this crate and no other of ours, so the vocabulary is exported again as
//! [`core`]. A whole plugin, the `lib.rs` of a library with `crate-type = ["cdylib", "rlib"]`:
//!
//! ```
//! use qeval_sdk::{
//!     Descriptor, Failure, MetricDescriptor, Scorer, Scores, WorkedExample, core::Case,
//! };
//!
//! struct Brevity {
//!     metrics: Vec<MetricDescriptor>,
//! }
//!
//! impl Default for Brevity {
//!     fn default() -> Self {
//!         Self { metrics: vec![MetricDescriptor::new("brevity", "1 / words of the answer")] }
//!     }
//! }
//!
//! impl Scorer for Brevity {
//!     fn descriptor(&self) -> Descriptor {
//!         Descriptor::new("brevity", "0.1.0", "Rewards short answers")
//!     }
//!
//!     fn metrics(&self) -> &[MetricDescriptor] {
//!         &self.metrics
//!     }
//!
//!     fn examples(&self) -> Vec<WorkedExample> {
//!         vec![WorkedExample::answer("ten days", &[], Some(0.5))]
//!     }
//!
//!     fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
//!         let words = |case: &Case<'_>| case.prediction_text().split_whitespace().count();
//!         let scores = cases.iter().map(|case| Ok(1.0 / words(case).max(1) as f64));
//!         Ok(Scores::from(vec![scores.collect()]))
//!     }
//! }
//!
//! qeval_sdk::export_scorer!(Brevity);
//!
//! qeval_sdk::testing::assert_good(&Brevity::default()); // in a test of the plugin
//! ```
//!
//! A plugin with parameters, options or several components is a [`Plugin`], exported with
//! [`export`].

pub mod abi;
pub mod answer;
pub mod batch;
mod cells;
mod component;
pub mod groups;
mod handshake;
mod input;
pub mod instance;
mod normalizer;
mod owned_cases;
mod parameter;
mod plugin;
#[cfg(feature = "program")]
pub mod program;
pub mod questions;
mod reader;
pub mod requests;
mod retriever;
mod scorer;
mod setup;
pub mod testing;
pub mod texts;
mod worked_example;

pub use component::{Descriptor, Failure};
pub use handshake::{
    DescriptorError, INTERFACE, InterfaceVersion, OldKind, PluginComponent, PluginDescriptor,
    PluginEstimator, PluginMetric, PluginNormalizer,
};
pub use input::{Input, UnknownInput};
pub use normalizer::Normalizer;
pub use owned_cases::OwnedCases;
pub use parameter::{
    Argument, Parameter, ParameterKind, display_name, parse_arguments, split_name,
};
pub use plugin::{Plugin, ScorerOffer};
pub use qeval_core::{self as core, FailureKind, is_name};
pub use reader::{Reader, Request};
pub use retriever::{Query, Retriever};
pub use scorer::{Columns, Merge, Merged, MetricDescriptor, ScorePart, Scorer, Scores, Statistic};
pub use setup::{Asked, Role, Setup};
pub use worked_example::WorkedExample;
