//! Readers: question and passages to a prediction.

use qeval_core::{Example, Passage, Prediction};

use crate::{Descriptor, Failure};

/// What a reader is given for one example.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The example. A reader must not look at its references.
    pub example: &'a Example,
    /// The passages to read, best first.
    pub passages: &'a [&'a Passage],
}

/// Answers questions from passages.
pub trait Reader: Send + Sync {
    /// Name and version.
    fn descriptor(&self) -> Descriptor;

    /// A prediction for each request, in order. `None` says that the reader has nothing for the
    /// example, as a predictions file that lacks it: that counts as a wrong answer, unlike a
    /// failure, which leaves the example unscored.
    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>>;

    /// Whether it must be asked in the order of the dataset, because an answer may depend on the
    /// questions before it. Such a reader is asked on one thread; another one may be asked on
    /// several at once.
    fn asks_in_order(&self) -> bool {
        false
    }

    /// Ids of answers that nobody has asked for: after an evaluation, those whose example the
    /// dataset does not have. A live reader has none.
    fn unasked(&self) -> Vec<String> {
        Vec::new()
    }

    /// Ids of answers that examples of several datasets have got, because their ids are the same. A
    /// live reader has none.
    fn shared(&self) -> Vec<String> {
        Vec::new()
    }
}
