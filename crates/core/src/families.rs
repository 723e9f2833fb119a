//! Evaluations that say more than a mean: the tables and curves of question answering scripts,
//! as pure functions on scores and annotations.

pub mod coqa;
pub mod farm;
pub mod haystack;
pub mod squad2;
