//! A value that the batches reach one after the other, in the order of the dataset.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A value whose users come in the order of their numbers, whatever thread they are on.
#[derive(Debug)]
pub(super) struct InTurn<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    value: T,
    /// Whose turn it is.
    next: u64,
    closed: bool,
}

impl<T> InTurn<T> {
    /// A value that number 0 reaches first.
    pub(super) fn new(value: T) -> Self {
        let state = State { value, next: 0, closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits until it is this number's turn, and ends it. `None` when nobody's turn comes any
    /// more.
    pub(super) fn with<R>(&self, number: u64, act: impl FnOnce(&mut T) -> R) -> Option<R> {
        let before = |state: &mut State<T>| !state.closed && state.next != number;
        let mut state =
            self.changed.wait_while(self.lock(), before).unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        let result = act(&mut state.value);
        state.next += 1;
        self.changed.notify_all();
        Some(result)
    }

    /// Ends all waiting: somebody's turn will not come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The value, when all have had their turn.
    pub(super) fn into_inner(self) -> T {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn turns_come_in_the_order_of_the_numbers() {
        let list = InTurn::new(Vec::new());
        thread::scope(|scope| {
            for number in (0..20).rev() {
                let list = &list;
                scope.spawn(move || list.with(number, |list| list.push(number)));
            }
        });
        assert_eq!(list.into_inner(), (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_waits_for_a_turn_that_does_not_come() {
        let value = InTurn::new(0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| value.with(1, |value| *value += 1));
            value.close();
            assert_eq!(waiting.join().unwrap(), None);
        });
        assert_eq!(value.into_inner(), 0);
    }
}
