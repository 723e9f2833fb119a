//! Reading a dataset to its end without evaluating it.

use crate::{Plan, RunError};

/// What a dataset holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// All examples.
    pub examples: u64,
    /// Those without a reference.
    pub unanswerable: u64,
}

/// Counts the examples of each dataset of a plan; every record is read and checked.
pub fn count(plan: &Plan) -> Result<Vec<Contents>, RunError> {
    let mut all = Vec::new();
    for dataset in &plan.datasets {
        let mut contents = Contents::default();
        for record in dataset.records()? {
            contents.examples += 1;
            contents.unanswerable += u64::from(!record?.example.answerable());
        }
        all.push(contents);
    }
    Ok(all)
}
