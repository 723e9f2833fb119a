//! Times of day.
//!
//! A time without `am` or `pm` may be in either half of the day: `9:30` is all it can mean, and
//! matches both `9:30 am` and `21:30`. A time such as `17:00` or `09:30` is clear.

use crate::token::{Token, digits_at, glued_at, symbol_at, word_at};
use std::fmt;

/// The seconds in half a day.
const HALF: u32 = 43_200;

/// A time of day: all that it can mean, in seconds since midnight. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Time(Vec<u32>);

impl Time {
    /// The time at `hour` o'clock, in the half of the day that `half` says.
    ///
    /// `padded` says that the hour is written with a zero in front, as on a clock of 24 hours.
    fn of(hour: u32, seconds: u32, half: Option<bool>, padded: bool) -> Option<Self> {
        if hour > 24 || seconds >= 3600 || (hour == 24 && seconds > 0) {
            return None;
        }
        let clock = hour % 12 * 3600 + seconds;
        Some(Self(match half {
            Some(late) if (1..=12).contains(&hour) => vec![clock + if late { HALF } else { 0 }],
            None if (1..=12).contains(&hour) && !padded => vec![clock, clock + HALF],
            _ => vec![hour % 24 * 3600 + seconds],
        }))
    }

    /// The time of a bare hour that stands in a range before this time: `9 to 11 am`.
    pub(crate) fn at_hour(&self, hour: i128) -> Option<Self> {
        let half = match self.0.as_slice() {
            [only] if hour < 12 && i128::from(only % HALF) > hour * 3600 => Some(*only >= HALF),
            _ => None,
        };
        Self::of(u32::try_from(hour).ok()?, 0, half, false)
    }

    /// Whether both can be the same time.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        self.0.iter().any(|seconds| other.0.contains(seconds))
    }

    /// Whether this is the full hour `hour`, on a clock of 12 or of 24 hours.
    pub(crate) fn is_hour(&self, hour: i128) -> bool {
        let bare = u32::try_from(hour).ok().and_then(|hour| Self::of(hour, 0, None, false));
        bare.is_some_and(|bare| self.agrees(&bare))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, time) in self.0.iter().enumerate() {
            let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
            write!(out, "{}{hour:02}:{minute:02}", if index > 0 { " or " } else { "" })?;
            if second > 0 {
                write!(out, ":{second:02}")?;
            }
        }
        Ok(())
    }
}

/// Reads `am` or `pm` (true) at `at`, and says where it ends.
fn half_at(tokens: &[Token], at: usize) -> Option<(bool, usize)> {
    let late = match word_at(tokens, at)? {
        "am" => false,
        "pm" => true,
        _ => return None,
    };
    Some((late, at + 1))
}

/// Reads a time that begins at `at`: `9:30`, `9:30 pm`, `17:00:05`, `9.30 am`, `noon`.
pub(crate) fn clock(tokens: &[Token], at: usize) -> Option<(Time, usize)> {
    match word_at(tokens, at) {
        Some("noon" | "midday") => return Some((Time(vec![HALF]), at + 1)),
        Some("midnight") => return Some((Time(vec![0]), at + 1)),
        _ => {}
    }
    let raw = digits_at(tokens, at)?;
    if let Some((hour, minute)) = raw.split_once('.') {
        let (late, next) = half_at(tokens, at + 1)?;
        let seconds = two_digits(minute)? * 60;
        return Some((Time::of(hour.parse().ok()?, seconds, Some(late), false)?, next));
    }
    let hour = raw.parse().ok().filter(|_| raw.len() <= 2)?;
    let pair = |place: usize| {
        let joined = symbol_at(tokens, place) == Some(':') && glued_at(tokens, place);
        let digits = digits_at(tokens, place + 1).filter(|_| joined && glued_at(tokens, place + 1));
        digits.and_then(two_digits)
    };
    let minute = pair(at + 1)?;
    let second = pair(at + 3);
    let end = if second.is_some() { at + 5 } else { at + 3 };
    let half = half_at(tokens, end);
    let seconds = minute * 60 + second.unwrap_or_default();
    let padded = raw.starts_with('0') || second.is_some();
    let time = Time::of(hour, seconds, half.map(|(late, _)| late), padded && half.is_none())?;
    let next = half.map_or(end, |(_, next)| next);
    let zone = matches!(word_at(tokens, next), Some("h" | "hrs" | "hours" | "z"));
    Some((time, next + usize::from(zone)))
}

/// Reads what makes a number an hour: `pm`, `o'clock`, `noon`; `at` is after the number.
pub(crate) fn after_hour(tokens: &[Token], at: usize, hour: i128) -> Option<(Time, usize)> {
    let hour = u32::try_from(hour).ok()?;
    if let Some((late, next)) = half_at(tokens, at) {
        return Some((Time::of(hour, 0, Some(late), false)?, next));
    }
    match word_at(tokens, at)? {
        "noon" if hour == 12 => Some((Time(vec![HALF]), at + 1)),
        "midnight" if hour == 12 => Some((Time(vec![0]), at + 1)),
        "o" if symbol_at(tokens, at + 1) == Some('\'')
            && word_at(tokens, at + 2) == Some("clock") =>
        {
            let half = half_at(tokens, at + 3);
            let time = Time::of(hour, 0, half.map(|(late, _)| late), false)?;
            Some((time, half.map_or(at + 3, |(_, next)| next)))
        }
        _ => None,
    }
}

/// The value of exactly two digits, below 60.
fn two_digits(raw: &str) -> Option<u32> {
    raw.parse().ok().filter(|value| raw.len() == 2 && *value < 60)
}

#[cfg(test)]
mod tests {
    use crate::figures::figures;

    #[test]
    fn times_are_read() {
        #[rustfmt::skip]
        let cases = [
            ("9:30", "09:30 or 21:30"), ("9:30 am", "09:30"), ("9:30 p.m.", "21:30"),
            ("5 pm", "17:00"), ("5pm", "17:00"), ("9.30 am", "09:30"), ("17:00", "17:00"),
            ("09:30", "09:30"), ("17:00:05", "17:00:05"), ("17:00 hours", "17:00"),
            ("9 o'clock", "09:00 or 21:00"), ("nine o’clock pm", "21:00"), ("12 am", "00:00"),
            ("12 pm", "12:00"), ("noon", "12:00"), ("12 noon", "12:00"), ("midnight", "00:00"),
            ("9 to 11 am", "09:00|11:00"), ("9-5 pm", "09:00 or 21:00|17:00"),
            ("25:00", "25|0"), ("3:1", "3|1"), ("9:75", "9|75"), ("open 24/7", ""),
            ("5 am", "05:00"), ("24:00", "00:00"),
        ];
        for (text, expected) in cases {
            let shown: Vec<_> = figures(text).iter().map(ToString::to_string).collect();
            assert_eq!(shown.join("|"), expected, "{text}");
        }
    }
}
