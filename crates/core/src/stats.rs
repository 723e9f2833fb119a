//! Statistics on scores: exact sums, summaries and intervals.
//!
//! Everything here depends on the multiset of the scores alone, never on their order, so that any
//! number of threads or shards gives the same bits.

mod bootstrap;
mod change;
mod comparison;
mod distributions;
mod draw;
mod exact_sum;
mod group;
mod interval;
mod mcnemar;
mod multiple;
mod non_inferiority;
mod paired_pooled;
mod permutation;
mod pooled;
mod power;
mod preliminary;
mod resample;
mod running;
#[cfg(test)]
mod simulated;
mod spread;
mod studentised_range;
mod summary;
mod tukey;
mod units;
mod wide;
mod wilson;

pub(crate) use draw::draw;

pub use change::{Change, Unit, paired, unpaired};
pub use comparison::{Comparison, Outcomes, PairedColumn, compare};
pub use draw::lot;
pub use exact_sum::ExactSum;
pub use group::{Group, Groups};
pub use interval::{IntervalMethod, Intervals, LEVEL, RESAMPLES, percentile};
pub use mcnemar::{McNemar, mcnemar};
pub use multiple::{holm, letters};
pub use non_inferiority::{NonInferiority, non_inferior};
pub use paired_pooled::{
    NotCompared, PairedStatistics, PooledComparison, compare_groups, compare_pooled,
};
pub use permutation::{
    MOST_PERMUTATIONS, PERMUTATIONS, Permutation, permutations_for, sign_flip, sign_flip_up_to,
};
pub use pooled::{
    BuiltInPooling, PooledColumn, PooledEstimate, Pooling, PoolingError, estimate_pooled,
};
pub use power::{POWER, detectable, needed};
pub use preliminary::Preliminary;
pub use running::Running;
pub use summary::{Column, estimate};
pub use tukey::{Tukey, TukeyPair, tukey, tukey_one_way};
pub use units::units;
pub use wilson::wilson;
