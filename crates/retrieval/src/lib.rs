//! An index over passages, and the BM25 [`Retriever`](qeval_sdk::Retriever) on it.
//!
//! The index is made with tantivy, which no other crate of ours uses. What tantivy alone would not
//! give is repeatability: it adds the scores of the terms of a query as 32-bit floats, in an order
//! that depends on how many hits are asked for, so that a score can differ in its last bits from
//! one depth to another, and with it the order of hits that are nearly or exactly tied. Here
//! tantivy keeps the lists of passages, and the search is our own: in 64 bits, always added in the
//! same order. A ranking is therefore a pure function of the set of passages, the query and the
//! options. The first ten hits are the same ten with the same bits of score, whether ten or a
//! thousand were asked for, and in whatever order the passages came.
//!
//! ```
//! use std::sync::Arc;
//!
//! use qeval_core::Passage;
//! use qeval_retrieval::{Bm25, Options};
//! use qeval_sdk::{Query, Retriever};
//!
//! let passage = |id: &str, text: &str| Passage {
//!     id: id.to_owned(),
//!     text: text.to_owned(),
//!     ..Passage::default()
//! };
//! let passages = Arc::new(vec![
//!     passage("leave", "Employees have 15 days of leave."),
//!     passage("travel", "Travel by train is paid for."),
//! ]);
//!
//! let bm25 = Bm25::build(passages, Options::default())?;
//! let query = Query { id: "q1", text: "How many days of leave?", dataset: None };
//! let mut rankings = bm25.retrieve(&[query], 10);
//! let ranking = rankings.remove(0)?.ok_or("BM25 answers every query")?;
//! assert_eq!(ranking.hits().get(0).map(|hit| hit.passage), Some("leave"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyzer;
mod bm25;
mod index;
mod options;

pub use analyzer::{Analyzer, Departures, Language, UnknownAnalyzer};
pub use bm25::{Bm25, Bm25Error};
pub use index::{Index, IndexError, IndexOptions, Stored, StoredState};
pub use options::{Boosts, InvalidOptions, Options, QueryMode, UnknownQueryMode};
