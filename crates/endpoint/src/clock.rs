//! The time, as the waits between requests need it.

use std::{
    fmt,
    pin::Pin,
    time::{Duration, Instant, SystemTime},
};

/// A wait that is under way.
pub type Wait<'c> = Pin<Box<dyn Future<Output = ()> + Send + 'c>>;

/// Says what time it is, and waits.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Time since some moment; it never goes back.
    fn elapsed(&self) -> Duration;

    /// The time of day, for servers that name one.
    fn now(&self) -> SystemTime;

    /// Waits.
    fn sleep(&self, time: Duration) -> Wait<'_>;
}

/// The machine's clock.
#[derive(Debug)]
pub struct WallClock(Instant);

impl Default for WallClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for WallClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) -> Wait<'_> {
        Box::pin(tokio::time::sleep(time))
    }
}
