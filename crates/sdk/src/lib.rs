//! The component traits, [`Retriever`], [`Reader`] and [`Scorer`], and the plugin boundary.
//!
//! Built-in components and plugins implement the same traits; there is one way to write a
//! component. A component takes a batch and is synchronous: concurrency belongs to the pipeline.
//!
//! A plugin names this crate and no other of ours, so the vocabulary is exported again as
//! [`core`]. A whole plugin, the `lib.rs` of a library with `crate-type = ["cdylib", "rlib"]`:
//!
//! ```
//! use qeval_sdk::{
//!     Columns, Descriptor, Failure, MetricDescriptor, Scorer, WorkedExample, core::Case,
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
//!     fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure> {
//!         let words = |case: &Case<'_>| case.prediction_text().split_whitespace().count();
//!         Ok(vec![cases.iter().map(|case| Ok(1.0 / words(case).max(1) as f64)).collect()])
//!     }
//! }
//!
//! qeval_sdk::export_scorer!(Brevity);
//!
//! qeval_sdk::testing::assert_good(&Brevity::default()); // in a test of the plugin
//! ```

pub mod abi;
pub mod answer;
pub mod batch;
mod component;
mod handshake;
mod input;
mod owned_cases;
mod reader;
mod retriever;
mod scorer;
pub mod testing;
mod worked_example;

pub use component::{Descriptor, Failure, FailureKind};
pub use handshake::{
    DescriptorError, INTERFACE, InterfaceVersion, PluginDescriptor, PluginKind, PluginMetric,
    is_name,
};
pub use input::{Input, UnknownInput};
pub use owned_cases::OwnedCases;
pub use qeval_core as core;
pub use reader::{Reader, Request};
pub use retriever::{Query, Retriever};
pub use scorer::{Columns, MetricDescriptor, Scorer};
pub use worked_example::WorkedExample;
