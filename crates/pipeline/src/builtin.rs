//! The built-in components. They implement the same traits as plugins.

pub(crate) mod answer;
pub(crate) mod bm25;
pub(crate) mod command;
pub(crate) mod derived;
pub(crate) mod fusion;
pub(crate) mod http_reader;
pub(crate) mod journaled;
pub(crate) mod live;
pub(crate) mod metric;
pub(crate) mod normalized;
pub(crate) mod openai;
pub(crate) mod peer;
pub(crate) mod per_dataset;
pub(crate) mod price;
pub(crate) mod remote;
pub(crate) mod replay;
pub(crate) mod reranker;
pub(crate) mod sliding_window;
pub(crate) mod spilled;
