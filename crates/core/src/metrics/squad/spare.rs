//! Buffers that wait for the next answers.
//!
//! The cases of a batch are made and dropped together, so a thread needs the same few hundred buffers
//! again and again. To ask the system for them each time was a third of what a plugin costs that
//! compares short answers, because a plugin has the allocator of its system.

use std::cell::RefCell;

use super::Buffers;

/// The most that wait in one thread: those of two batches.
const MOST: usize = 512;

/// The longest texts whose buffers are kept, in bytes: 512 of them are 2 MiB.
const LONGEST: usize = 4096;

thread_local! {
    static WAITING: RefCell<Vec<Buffers>> = const { RefCell::new(Vec::new()) };
}

/// Empty buffers, of which some were used before.
pub(super) fn take() -> Buffers {
    WAITING.try_with(|waiting| waiting.borrow_mut().pop()).ok().flatten().unwrap_or_default()
}

/// Keeps buffers for the next [`take`] of this thread, unless there are many or they are large.
pub(super) fn give(mut buffers: Buffers) {
    if buffers.bytes.capacity() > LONGEST {
        return;
    }
    buffers.bytes.clear();
    buffers.tokens.clear();
    buffers.places.clear();
    // A thread that ends has none waiting any more.
    let _ = WAITING.try_with(|waiting| {
        let mut waiting = waiting.borrow_mut();
        if waiting.len() < MOST {
            waiting.push(buffers);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::metrics::squad::Answers;

    use super::*;

    #[test]
    fn buffers_come_back_empty_and_large_ones_do_not() {
        let waiting = || WAITING.with_borrow(Vec::len);
        let kept: Vec<Answers> =
            (0..MOST + 9).map(|_| Answers::new("the end", ["an end"].into_iter())).collect();
        drop(kept);
        assert_eq!(waiting(), MOST);
        let buffers = take();
        assert!(buffers.bytes.is_empty() && buffers.tokens.is_empty() && buffers.places.is_empty());
        assert!(buffers.bytes.capacity() > 0);
        give(buffers);
        let long = "word ".repeat(LONGEST);
        drop(Answers::new(&long, ["end"].into_iter()));
        assert_eq!(waiting(), MOST - 1);
    }
}
