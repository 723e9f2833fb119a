//! What may be spent on calls, in all.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Limits of everything that one endpoint is sent; `None` is no limit.
///
/// What is answered from the log costs nothing. With several slots, requests that are under way
/// when a limit of bytes or cost is reached are still answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Requests, repeated ones included.
    pub requests: Option<u64>,
    /// Bytes of the bodies, sent and received.
    pub bytes: Option<u64>,
    /// Units of cost, as [`Settings::cost`](crate::Settings::cost) counts them.
    pub cost: Option<u64>,
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Requests that were sent.
    pub requests: u64,
    /// Bytes of their bodies and of the answers.
    pub bytes: u64,
    /// Units of cost.
    pub cost: u64,
    /// Calls that the log answered.
    pub replayed: u64,
}

#[derive(Debug)]
pub(crate) struct Purse {
    budget: Budget,
    spent: Mutex<Spent>,
}

impl Purse {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, spent: Mutex::default() }
    }

    /// Pays for one request, or says which limit is reached.
    pub(crate) fn pay(&self, bytes: usize) -> Result<(), String> {
        let mut spent = self.lock();
        let limits = [
            (self.budget.requests, spent.requests, "requests"),
            (self.budget.bytes, spent.bytes, "bytes"),
            (self.budget.cost, spent.cost, "units of cost"),
        ];
        for (limit, spent, what) in limits {
            if let Some(limit) = limit.filter(|&limit| spent >= limit) {
                return Err(format!("the budget of {limit} {what} is spent"));
            }
        }
        spent.requests += 1;
        spent.bytes += bytes as u64;
        Ok(())
    }

    /// Notes what a response has cost.
    pub(crate) fn note(&self, bytes: usize, cost: u64) {
        let mut spent = self.lock();
        spent.bytes = spent.bytes.saturating_add(bytes as u64);
        spent.cost = spent.cost.saturating_add(cost);
    }

    /// Notes what was spent before this process.
    pub(crate) fn note_before(&self, before: Spent) {
        let mut spent = self.lock();
        spent.requests = spent.requests.saturating_add(before.requests);
        spent.bytes = spent.bytes.saturating_add(before.bytes);
        spent.cost = spent.cost.saturating_add(before.cost);
    }

    pub(crate) fn note_replayed(&self) {
        self.lock().replayed += 1;
    }

    pub(crate) fn spent(&self) -> Spent {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_kept() {
        let limit = |budget| Purse::new(budget);
        let none = limit(Budget::default());
        assert!((0..1000).all(|_| none.pay(1 << 30).is_ok()));

        let requests = limit(Budget { requests: Some(2), ..Budget::default() });
        assert!(requests.pay(1).is_ok() && requests.pay(1).is_ok());
        assert_eq!(requests.pay(1), Err("the budget of 2 requests is spent".to_owned()));

        let bytes = limit(Budget { bytes: Some(10), ..Budget::default() });
        assert!(bytes.pay(9).is_ok());
        bytes.note(1, 0);
        assert_eq!(bytes.pay(1), Err("the budget of 10 bytes is spent".to_owned()));

        let cost = limit(Budget { cost: Some(3), ..Budget::default() });
        assert!(cost.pay(9).is_ok());
        cost.note(1, 5);
        assert_eq!(cost.pay(1), Err("the budget of 3 units of cost is spent".to_owned()));
        assert_eq!(cost.spent(), Spent { requests: 1, bytes: 10, cost: 5, replayed: 0 });

        let before = limit(Budget { requests: Some(3), ..Budget::default() });
        before.note_before(Spent { requests: 2, bytes: 7, ..Spent::default() });
        assert!(before.pay(1).is_ok() && before.pay(1).is_err());
    }
}
