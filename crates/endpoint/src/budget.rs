//! What may be spent on calls, in all.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::{Charge, Meter};

/// Limits of everything that one endpoint is sent; `None` is no limit.
///
/// What is answered from the log costs nothing. With several slots, requests that are under way
/// when a limit of bytes is reached are still answered. So it is with tokens and cost, unless the
/// [`Meter`] knows the most that an answer may cost: then a request that might be too much is not
/// sent, and one that might be too much together with those under way waits for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Requests, repeated ones included.
    pub requests: Option<u64>,
    /// Bytes of the bodies, sent and received.
    pub bytes: Option<u64>,
    /// Tokens, as the [`Meter`] counts them.
    pub tokens: Option<u64>,
    /// Units of cost, as the [`Meter`] counts them.
    pub cost: Option<u64>,
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Requests that were sent.
    pub requests: u64,
    /// Bytes of their bodies and of the answers.
    pub bytes: u64,
    /// Tokens.
    pub tokens: u64,
    /// Units of cost.
    pub cost: u64,
    /// Calls that the log answered.
    pub replayed: u64,
}

#[derive(Debug)]
pub(crate) struct Purse {
    budget: Budget,
    state: Mutex<State>,
    /// Something that was kept free no longer is.
    settled: Notify,
}

#[derive(Debug, Default)]
struct State {
    spent: Spent,
    /// Kept free for requests that are under way.
    reserved: Charge,
}

/// Why a request is not paid for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A limit is reached.
    Spent(String),
    /// It might be too much together with those that are under way.
    Wait,
}

/// What is kept free for a request until this is dropped.
#[derive(Debug)]
pub(crate) struct Reserved<'p> {
    purse: &'p Purse,
    most: Charge,
}

impl Purse {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, state: Mutex::default(), settled: Notify::new() }
    }

    /// Pays for one request, whose answer costs `most` at most, as soon as it may be sent; or says which
    /// limit is reached.
    pub(crate) async fn pay(
        &self,
        bytes: usize,
        most: Charge,
        meter: &dyn Meter,
    ) -> Result<Reserved<'_>, String> {
        loop {
            // It listens before it looks: what is settled in between is heard.
            let mut settled = std::pin::pin!(self.settled.notified());
            settled.as_mut().enable();
            match self.try_pay(bytes, most, meter) {
                Ok(reserved) => return Ok(reserved),
                Err(Refusal::Spent(message)) => return Err(message),
                Err(Refusal::Wait) => settled.await,
            }
        }
    }

    fn try_pay(
        &self,
        bytes: usize,
        most: Charge,
        meter: &dyn Meter,
    ) -> Result<Reserved<'_>, Refusal> {
        let mut state = self.lock();
        let (spent, reserved, budget) = (state.spent, state.reserved, self.budget);
        let limits = [
            (budget.requests, spent.requests, 0, 0, "requests"),
            (budget.bytes, spent.bytes, 0, 0, "bytes"),
            (budget.tokens, spent.tokens, most.tokens, reserved.tokens, "tokens"),
            (budget.cost, spent.cost, most.cost, reserved.cost, ""),
        ];
        let mut waits = false;
        for (limit, spent, most, reserved, what) in limits {
            let Some(limit) = limit else { continue };
            let amount = || match what {
                "" => meter.amount(limit),
                what => format!("{limit} {what}"),
            };
            if spent >= limit {
                return Err(Refusal::Spent(format!("the budget of {} is spent", amount())));
            }
            let with_it = spent.saturating_add(most);
            if with_it > limit {
                let message = format!("what is left of the budget of {} is too little", amount());
                return Err(Refusal::Spent(message));
            }
            waits |= with_it.saturating_add(reserved) > limit;
        }
        if waits {
            return Err(Refusal::Wait);
        }
        state.spent.requests += 1;
        state.spent.bytes = state.spent.bytes.saturating_add(bytes as u64);
        state.reserved = state.reserved.plus(most);
        Ok(Reserved { purse: self, most })
    }

    /// Notes what a response has cost.
    pub(crate) fn note(&self, bytes: usize, charge: Charge) {
        self.note_before(Spent {
            bytes: bytes as u64,
            tokens: charge.tokens,
            cost: charge.cost,
            ..Spent::default()
        });
    }

    /// Notes what was spent before this process.
    pub(crate) fn note_before(&self, before: Spent) {
        let spent = &mut self.lock().spent;
        spent.requests = spent.requests.saturating_add(before.requests);
        spent.bytes = spent.bytes.saturating_add(before.bytes);
        spent.tokens = spent.tokens.saturating_add(before.tokens);
        spent.cost = spent.cost.saturating_add(before.cost);
    }

    pub(crate) fn note_replayed(&self) {
        self.lock().spent.replayed += 1;
    }

    pub(crate) fn spent(&self) -> Spent {
        self.lock().spent
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = self.purse.lock();
        state.reserved = state.reserved.less(self.most);
        drop(state);
        self.purse.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoMeter;

    fn pay(purse: &Purse, most: Charge) -> Result<Reserved<'_>, Refusal> {
        purse.try_pay(9, most, &NoMeter)
    }

    fn free(purse: &Purse) -> Result<(), Refusal> {
        pay(purse, Charge::default()).map(drop)
    }

    fn spent(what: &str) -> Result<(), Refusal> {
        Err(Refusal::Spent(format!("the budget of {what} is spent")))
    }

    #[test]
    fn each_limit_is_kept() {
        let none = Purse::new(Budget::default());
        assert!((0..1000).all(|_| free(&none).is_ok()));

        let requests = Purse::new(Budget { requests: Some(2), ..Budget::default() });
        assert!(free(&requests).is_ok() && free(&requests).is_ok());
        assert_eq!(free(&requests), spent("2 requests"));

        let bytes = Purse::new(Budget { bytes: Some(10), ..Budget::default() });
        assert!(free(&bytes).is_ok());
        bytes.note(1, Charge::default());
        assert_eq!(free(&bytes), spent("10 bytes"));

        let tokens = Purse::new(Budget { tokens: Some(7), ..Budget::default() });
        tokens.note(1, Charge { tokens: 6, cost: 0 });
        assert!(free(&tokens).is_ok());
        tokens.note(1, Charge { tokens: 6, cost: 0 });
        assert_eq!(free(&tokens), spent("7 tokens"));

        let cost = Purse::new(Budget { cost: Some(3), ..Budget::default() });
        assert!(free(&cost).is_ok());
        cost.note(1, Charge { tokens: 2, cost: 5 });
        assert_eq!(free(&cost), spent("3 units of cost"));
        let all = Spent { requests: 1, bytes: 10, tokens: 2, cost: 5, replayed: 0 };
        assert_eq!(cost.spent(), all);

        let before = Purse::new(Budget { requests: Some(3), ..Budget::default() });
        before.note_before(Spent { requests: 2, bytes: 7, ..Spent::default() });
        assert!(free(&before).is_ok() && free(&before).is_err());
    }

    #[test]
    fn what_is_under_way_is_kept_free() {
        let purse = Purse::new(Budget { cost: Some(10), ..Budget::default() });
        let most = Charge { tokens: 0, cost: 4 };
        let first = pay(&purse, most).unwrap();
        let second = pay(&purse, most).unwrap();
        // A third might be too much now, and is not once the first has cost less than it could.
        assert_eq!(pay(&purse, most).map(drop), Err(Refusal::Wait));
        purse.note(0, Charge { tokens: 0, cost: 1 });
        drop(first);
        let third = pay(&purse, most).unwrap();
        purse.note(0, Charge { tokens: 0, cost: 4 });
        drop(second);
        purse.note(0, Charge { tokens: 0, cost: 4 });
        drop(third);
        let little = "what is left of the budget of 10 units of cost is too little";
        assert_eq!(pay(&purse, most).map(drop), Err(Refusal::Spent(little.to_owned())));
        assert_eq!(purse.spent().cost, 9);
        assert_eq!(purse.lock().reserved, Charge::default());
    }
}
