//! Calls to the outside: one JSON object posted, one JSON object back, over HTTP.
//!
//! An [`Endpoint`] sends requests to one address, a limited number at a time. A failure that may
//! pass (no connection, no answer in time, half an answer, 429, 5xx) is tried again after a wait
//! that grows and is drawn at random; a server that says when to come back is believed. All other
//! failures are final at once. A [`Budget`] bounds what is sent in all.
//!
//! [`Endpoint::call_each`] hands each answer over as it arrives, and sends no request in its place before
//! it was taken: a caller that keeps answers loses none but those under way.
//!
//! With a log, a response that was received is on the disk before the next request of its slot is
//! sent, and a later run with the same request is answered from there: after a kill, at most as many
//! requests are sent again as there are slots.
//!
//! A [`Secret`] goes into a header of the request and nowhere else: messages, the log and what is
//! printed for debugging do not have it, not even where a server sends it back.
//!
//! The interface blocks, because components are synchronous. The caller passes the handle of a
//! runtime with worker threads, which must live longer than the endpoint; no method may be called
//! from inside one of its tasks. Clock and randomness of the waits are in [`Settings`], so that tests
//! wait for nothing.

mod activity;
mod budget;
mod call;
mod clock;
mod endpoint;
mod log;
mod meter;
mod pace;
mod retry;
mod secret;
mod settings;
mod trouble;

pub use activity::Calls;
pub use budget::{Budget, Spent};
pub use call::{CallError, CallErrorKind};
pub use clock::{Clock, Wait, WallClock};
pub use endpoint::{Answer, Arrived, Endpoint};
pub use log::LogError;
pub use meter::{Charge, Meter, NoMeter};
pub use retry::Retry;
pub use secret::Secret;
pub use settings::{OpenError, Settings};
