//! Panics stay on their own side of the boundary.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Once,
};

use crate::{Failure, FailureKind};

thread_local! {
    /// Whether this thread works for the host just now.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// What the last panic of this thread said.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does work for the host. A panic becomes a failure.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    keep_panic_messages();
    let outer = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(outer);
    result.unwrap_or_else(|payload| Err(Failure::new(FailureKind::Crash, panic_message(payload))))
}

/// The plugin's copy of the standard library has its own panic hook. Inside a call it keeps the
/// message for the host, anywhere else it does what it did before.
fn keep_panic_messages() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if INSIDE.get() {
                let message = info.payload_as_str().unwrap_or("without a message");
                let place =
                    info.location().map_or_else(String::new, |place| format!(" at {place}"));
                PANIC.set(Some(format!("panicked{place}: {message}")));
            } else {
                before(info);
            }
        }));
    });
}

fn panic_message(payload: Box<dyn Any + Send>) -> String {
    let message = PANIC.take();
    // Dropping it runs code of the author that may panic again, and so may what that throws.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    message.unwrap_or_else(|| "panicked".to_owned())
}
