//! When a request is sent again, and how long that waits.

use std::time::{Duration, SystemTime};

use chrono::DateTime;

/// How often a request is sent again, and the waits before that.
///
/// The n-th wait is drawn evenly from zero to `first * 2^n`, at most `longest` ("full jitter"), so
/// that many clients that failed together do not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often a request is sent again.
    pub times: u32,
    /// Upper bound of the first wait.
    pub first: Duration,
    /// Upper bound of every wait.
    pub longest: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { times: 4, first: Duration::from_millis(500), longest: Duration::from_secs(30) }
    }
}

impl Retry {
    /// The wait after `failed` failures, from 1; `drawn` is an evenly drawn number.
    pub(crate) fn wait(&self, failed: u32, drawn: u32) -> Duration {
        let doubled = 1_u32.checked_shl(failed.saturating_sub(1)).filter(|_| failed <= 32);
        let bound = doubled.map_or(self.longest, |times| self.first.saturating_mul(times));
        bound.min(self.longest).mul_f64(f64::from(drawn) / f64::from(u32::MAX))
    }
}

/// Whether a status may be another one next time.
pub(crate) fn may_pass(status: u16) -> bool {
    status == 429 || (500..600).contains(&status)
}

/// The header `Retry-After`: seconds, or a date.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = SystemTime::from(DateTime::parse_from_rfc2822(header).ok()?);
    // A date that is over asks for no wait.
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound() {
        let retry =
            Retry { times: 9, first: Duration::from_secs(1), longest: Duration::from_secs(10) };
        let longest = |failed| retry.wait(failed, u32::MAX).as_secs();
        assert_eq!([1, 2, 3, 4, 5, 99].map(longest), [1, 2, 4, 8, 10, 10]);
        assert_eq!(retry.wait(3, 0), Duration::ZERO);
        assert!((retry.wait(3, u32::MAX / 2).as_secs_f64() - 2.0).abs() < 1e-6);
    }

    #[test]
    fn only_some_statuses_pass() {
        let passing = [200, 301, 400, 401, 403, 404, 408, 422, 429, 500, 502, 503, 504, 599];
        let passing: Vec<u16> = passing.into_iter().filter(|&status| may_pass(status)).collect();
        assert_eq!(passing, [429, 500, 502, 503, 504, 599]);
    }

    #[test]
    fn retry_after_has_two_forms() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let parse = |header| retry_after(header, now).map(|wait| wait.as_secs());
        assert_eq!(parse(" 7 "), Some(7));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:00 GMT"), Some(0));
        assert_eq!(parse("soon"), None);
        assert_eq!(parse("-1"), None);
    }
}
