//! Haystack's rules for documents, where they differ from those of `trec_eval`.
//!
//! [`nodes`] has the rules of version 0.10, [`tables`] those of 1.x. The components of 2.x and later
//! follow `trec_eval` with `empty=zero`, as long as no two passages have the same text.

pub mod nodes;
pub mod tables;
