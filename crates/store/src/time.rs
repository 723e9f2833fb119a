//! Times as a manifest says them: RFC 3339, in UTC and whole seconds.

const DAY: i64 = 86_400;

/// The time so many seconds after 1970, for example `2026-11-03T09:30:00Z`.
pub(crate) fn rfc3339(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let (days, second) = (seconds / DAY, seconds % DAY);
    // Years that begin in March have their leap day at the end; 400 of them have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The seconds after 1970 of such a text; `None` for another one.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let found = (days - 719_468) * DAY + hour * 3600 + minute * 60 + second;
    let found = u64::try_from(found).ok()?;
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
