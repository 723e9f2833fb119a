//! What was retrieved, looked at passage by passage: whether the answer stands in it and where,
//! whether it repeats another one, and how recall grows with the depth.
//!
//! Metrics say how good a ranking is; these functions say why. All of them are pure, and none
//! depends on the order in which examples come.

mod answers;
mod copies;
mod curve;
mod groups;

pub use answers::{Answers, HasAnswer};
pub use copies::{COMPARED, near_copies};
pub use curve::{Curve, shown_depths};
pub use groups::{quarter, quartiles};
