//! Child processes: started clean, spoken to in frames or lines, watched, limited, and ended.
//!
//! A [`Child`] is spoken to in [`Frame`]s, [`JsonLines`] in lines of JSON; both are one question
//! and one answer at a time, with a deadline. What goes wrong is a [`ProcessError`] in words, and
//! ends the child with all that it has started; a [`Supervisor`] starts it again for the next
//! question, a limited number of times.
//!
//! - A child sees no environment variable that was not granted to it, and begins with its standard
//!   streams only.
//! - What it writes on stderr goes line by line to `tracing`, and its last lines are kept for
//!   messages.
//! - A child that takes more memory than its limit is ended, where the system says what it takes.
//! - A [`Stop`] ends the wait for an answer, and the child with it.
//! - No child outlives its [`Child`]: dropping that kills the child's process group. When this
//!   process dies itself, the child sees the end of its stdin, and is expected to end.
//!
//! The interface blocks, because components are synchronous. Waiting with a deadline needs an
//! asynchronous runtime underneath, of which the caller passes a handle: it must be one with
//! worker threads, it must live longer than the child, and no method may be called from inside one
//! of its tasks.

mod child;
mod command;
mod error;
mod exit;
mod frame;
mod json_lines;
mod memory;
mod stderr;
mod stop;
mod supervisor;

pub use child::Child;
pub use command::Command;
pub use error::ProcessError;
pub use frame::{Frame, FrameError, LARGEST_FRAME};
pub use json_lines::JsonLines;
pub use memory::memory_of_the_machine;
pub use stop::Stop;
pub use supervisor::Supervisor;
