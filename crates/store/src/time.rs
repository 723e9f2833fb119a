//! Times as a manifest says them: RFC 3339, in UTC and whole seconds.

use chrono::{DateTime, SecondsFormat, Utc};

/// The time so many seconds after 1970, for example `2026-11-03T09:30:00Z`.
pub(crate) fn rfc3339(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.unwrap_or(DateTime::<Utc>::MAX_UTC).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The seconds after 1970 of such a text; `None` for another one.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    let found = u64::try_from(time.timestamp()).ok()?;
    (rfc3339(found) == text).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_seconds_are_inverse() {
        for (number, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(number), text);
            assert_eq!(seconds(text), Some(number));
        }
        for text in ["", "2025-02-30T00:00:00Z", "2025-01-01 00:00:00", "äöü"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
