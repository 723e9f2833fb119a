//! The component traits: [`Retriever`], [`Reader`], [`Scorer`].
//!
//! Built-in components and plugins implement the same traits; there is one way to write a
//! component. A component takes a batch and is synchronous: concurrency belongs to the pipeline.
//!
//! A plugin names this crate and no other of ours, so the vocabulary is exported again as
//! [`core`].

mod component;
mod reader;
mod retriever;
mod scorer;

pub use component::{Descriptor, Failure, FailureKind};
pub use qeval_core as core;
pub use reader::{Reader, Request};
pub use retriever::{Query, Retriever};
pub use scorer::{Columns, MetricDescriptor, Scorer};
