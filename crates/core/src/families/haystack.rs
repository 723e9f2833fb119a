//! The evaluations that came with Haystack, whose numbers older reports give.
//!
//! They changed with its versions: the nodes of 0.10 count while a pipeline runs, 1.x builds tables,
//! 2.x and later has components. The answers of 1.x are scored with `EM` and `F1`, the best of the
//! first n; those of later versions by plain equality.

pub mod components;
pub mod nodes;
pub mod tables;
