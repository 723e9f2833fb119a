//! The pace that a server asks for: nobody sends before the moment it names.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use reqwest::header::HeaderMap;

/// Names of the headers of rate limits, without their prefix: what is left, and when it is
/// filled up again.
const LIMITS: [(&str, &str); 4] = [
    ("ratelimit-remaining", "ratelimit-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
];

/// A number of seconds above this is a moment, not a wait.
const MOMENT: f64 = 1e9;

/// When the next request may be sent, by the clock's `elapsed`.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<Duration>);

impl Pace {
    /// Lets nobody send before that moment.
    pub(crate) fn hold(&self, until: Duration) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *held = until.max(*held);
    }

    /// How long to wait.
    pub(crate) fn wait(&self, elapsed: Duration) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).saturating_sub(elapsed)
    }
}

/// How long a server that has nothing left asks to wait; `None` where something is left.
pub(crate) fn exhausted(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let wait = |&(remaining, reset): &(&str, &str)| {
        let remaining: f64 = text(remaining)?.trim().parse().ok()?;
        (remaining <= 0.0).then(|| duration(text(reset)?, now)).flatten()
    };
    LIMITS.iter().filter_map(wait).max()
}

/// Seconds (`12`, `0.5`), seconds since 1970, or a text such as `1m30s` or `20ms`.
fn duration(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let seconds = Duration::try_from_secs_f64(seconds).ok()?;
        return Some(if seconds.as_secs_f64() > MOMENT {
            (UNIX_EPOCH + seconds).duration_since(now).unwrap_or_default()
        } else {
            seconds
        });
    }
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let units = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(units);
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
        sum = sum.checked_add(part)?;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<f64> {
        let headers = headers.iter().map(|&(name, value)| {
            (name.parse::<reqwest::header::HeaderName>().unwrap(), value.parse().unwrap())
        });
        let now = UNIX_EPOCH + Duration::from_secs(2_000_000_000);
        exhausted(&headers.collect(), now).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn a_limit_holds_once_nothing_is_left() {
        assert_eq!(wait(&[]), None);
        let left = |left| [("x-ratelimit-remaining", left), ("x-ratelimit-reset", "12")];
        assert_eq!(wait(&left("1")), None);
        assert_eq!(wait(&left("0")), Some(12.0));
        assert_eq!(wait(&left("none")), None);
        assert_eq!(wait(&[("x-ratelimit-remaining", "0")]), None);
    }

    #[test]
    fn resets_have_several_forms() {
        for (reset, expected) in [
            ("0.5", Some(0.5)),
            ("2000000007", Some(7.0)),
            ("1000000001", Some(0.0)),
            ("20ms", Some(0.02)),
            ("6m0s", Some(360.0)),
            ("1h1.5s", Some(3601.5)),
            ("5 parsecs", None),
            ("", None),
            ("-3", None),
            ("1e999", None),
        ] {
            let headers = [("ratelimit-remaining", "0"), ("ratelimit-reset", reset)];
            assert_eq!(wait(&headers), expected, "{reset}");
        }
    }

    #[test]
    fn the_later_moment_counts() {
        let pace = Pace::default();
        pace.hold(Duration::from_secs(9));
        pace.hold(Duration::from_secs(5));
        assert_eq!(pace.wait(Duration::from_secs(2)), Duration::from_secs(7));
        assert_eq!(pace.wait(Duration::from_secs(20)), Duration::ZERO);
    }
}
