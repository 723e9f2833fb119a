//! What the calls of an endpoint are doing just now.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Spent;

/// The calls of an endpoint, as they are at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Those that wait for a slot.
    pub waiting: u64,
    /// Those that have one: a request is on its way, or its repetition is waited for.
    pub running: u64,
    /// Those that have an answer.
    pub answered: u64,
    /// Those that have none, and will have none in this run.
    pub failed: u64,
    /// Requests that were sent again.
    pub retried: u64,
    /// What all of them have spent.
    pub spent: Spent,
}

/// The numbers behind [`Calls`].
#[derive(Debug, Default)]
pub(crate) struct Activity {
    waiting: AtomicU64,
    running: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    retried: AtomicU64,
}

/// A call that has a slot. It runs until this is dropped.
pub(crate) struct Running<'a>(&'a Activity);

impl Activity {
    /// So many calls begin to wait.
    pub(crate) fn wait(&self, calls: usize) {
        self.waiting.fetch_add(calls as u64, Ordering::Relaxed);
    }

    /// So many calls wait no longer.
    pub(crate) fn leave(&self, calls: usize) {
        self.waiting.fetch_sub(calls as u64, Ordering::Relaxed);
    }

    pub(crate) fn run(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::Relaxed);
        Running(self)
    }

    pub(crate) fn retry(&self) {
        self.retried.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self, answered: bool) {
        let count = if answered { &self.answered } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn calls(&self, spent: Spent) -> Calls {
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Calls {
            waiting: now(&self.waiting),
            running: now(&self.running),
            answered: now(&self.answered),
            failed: now(&self.failed),
            retried: now(&self.retried),
            spent,
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}
