//! A value to which the batches are added in the order of the dataset, whoever is ready first.
//!
//! A worker hands its batch over and goes on. Whoever hands over the batch whose turn it is adds
//! it, and all that follow it and are there. So a worker waits for another one only when it is far
//! ahead.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// Items that wait for an earlier one at most: more would only take memory.
const AHEAD: usize = 32;

/// A value that takes numbered items in the order of their numbers, whatever thread they are on.
#[derive(Debug)]
pub(super) struct InTurn<T, I> {
    state: Mutex<State<T, I>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T, I> {
    /// `None` while somebody adds to it.
    value: Option<T>,
    /// Whose turn it is.
    next: u64,
    waiting: BTreeMap<u64, I>,
    closed: bool,
}

/// An error, and the number of the item that it is about.
pub(super) type AddError<E> = (u64, E);

impl<T, I> InTurn<T, I> {
    /// A value that number 0 is added to first.
    pub(super) fn new(value: T) -> Self {
        let state = State { value: Some(value), next: 0, waiting: BTreeMap::new(), closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Hands an item over; `add` adds those whose turn it is. False when nobody's turn comes any
    /// more.
    ///
    /// # Errors
    ///
    /// The first error of `add`, which may be about an item of another thread. After it there are
    /// no more turns.
    pub(super) fn give<E>(
        &self,
        number: u64,
        item: I,
        mut add: impl FnMut(&mut T, I) -> Result<(), E>,
    ) -> Result<bool, AddError<E>> {
        let far = |state: &mut State<T, I>| {
            !state.closed && state.next != number && state.waiting.len() >= AHEAD
        };
        let mut state =
            self.changed.wait_while(self.lock(), far).unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Ok(false);
        }
        state.waiting.insert(number, item);
        // Whoever has the value sees the item before giving the value back.
        let Some(mut value) = state.value.take() else { return Ok(true) };
        while !state.closed {
            let number = state.next;
            let Some(item) = state.waiting.remove(&number) else { break };
            drop(state);
            let added = add(&mut value, item);
            state = self.lock();
            state.next += 1;
            if let Err(error) = added {
                state.closed = true;
                self.changed.notify_all();
                return Err((number, error));
            }
            self.changed.notify_all();
        }
        state.value = Some(value);
        Ok(!state.closed)
    }

    /// Ends all waiting: somebody's turn will not come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The value, when all items are added; `None` after an error.
    pub(super) fn into_inner(self) -> Option<T> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }

    fn lock(&self) -> MutexGuard<'_, State<T, I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn push(list: &mut Vec<u64>, number: u64) -> Result<(), u64> {
        if list.last().is_some_and(|&last| last >= number) {
            Err(number)
        } else {
            list.push(number);
            Ok(())
        }
    }

    #[test]
    fn items_are_added_in_the_order_of_the_numbers() {
        let list = InTurn::new(Vec::new());
        let count = 3 * AHEAD as u64;
        thread::scope(|scope| {
            for number in (0..count).rev() {
                let list = &list;
                scope.spawn(move || assert_eq!(list.give(number, number, push), Ok(true)));
            }
        });
        assert_eq!(list.into_inner(), Some((0..count).collect()));
    }

    #[test]
    fn an_item_that_is_early_does_not_wait() {
        let list = InTurn::new(Vec::new());
        assert_eq!(list.give(1, 1, push), Ok(true));
        assert_eq!(list.give(2, 2, push), Ok(true));
        assert_eq!(list.give(0, 0, push), Ok(true));
        assert_eq!(list.into_inner(), Some(vec![0, 1, 2]));
    }

    #[test]
    fn nobody_waits_for_a_turn_that_does_not_come() {
        let list = InTurn::new(Vec::new());
        thread::scope(|scope| {
            let early = 1..=AHEAD as u64;
            early.for_each(|number| assert_eq!(list.give(number, number, push), Ok(true)));
            let waiting = scope.spawn(|| list.give(1000, 1000, push));
            list.close();
            assert_eq!(waiting.join().unwrap(), Ok(false));
        });
        assert_eq!(list.into_inner(), Some(Vec::new()));
    }

    #[test]
    fn an_error_names_its_item_and_ends_all_turns() {
        let list = InTurn::new(Vec::new());
        let odd = |list: &mut Vec<u64>, number: u64| {
            list.push(number);
            if number == 1 { Err("odd") } else { Ok(()) }
        };
        assert_eq!(list.give(2, 2, odd), Ok(true));
        assert_eq!(list.give(1, 1, odd), Ok(true));
        assert_eq!(list.give(0, 0, odd), Err((1, "odd")));
        assert_eq!(list.give(3, 3, odd), Ok(false));
    }
}
