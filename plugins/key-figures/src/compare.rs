//! The score: how far the figures of a prediction are those of a reference.
//!
//! The score for one reference is `2 * matched / (figures of the prediction + figures of the
//! reference)`, where a figure that a side repeats counts once (a long answer often says the same
//! thing twice) and each figure is matched at most once. With one figure on each side it is either
//! 0 or 1. A figure of the prediction that the reference does not state lowers the score,
//! and so does a figure that is missing. A reference without figures is not scored; of several
//! references with figures, the best score counts.
//!
//! When a figure of the prediction matches a figure of the reference:
//!
//! - Amounts match if the numbers are equal and the units can mean the same; units are converted
//!   where that is exact (`2 weeks` is `14 days`, `1 year` is `12 months`).
//! - `15 working days` matches `15 days`, but is never converted.
//! - A number without a unit matches the same number with any unit, on either side, because the
//!   question often names the unit; two different units never match. A decade (`1950s`) is not
//!   matched by the bare number.
//! - A date matches if it says at least what the reference says: `July 26, 1953` matches `1953`
//!   and `July 1953`, but `1953` does not match `July 26, 1953`.
//! - A time of day matches if both can be the same time; a full hour also matches its bare number.
//!
//! Equal figures are matched first. Of what is left, the first 256 figures of each side are then
//! matched in the way that gives the most matches.

use crate::{
    figures::{Figure, figures},
    pairs::{agreement, key},
};

use std::{collections::HashSet, fmt::Write as _};

/// The most figures of a side that an explanation lists.
const MOST_LISTED: usize = 8;

/// Scores a prediction against the reference that suits it best.
///
/// The score is from 0 to 1, or nothing where no reference holds a figure.
#[must_use]
pub fn score(prediction: &str, references: &[&str]) -> Option<f64> {
    best(prediction, references).map(|best| best.score)
}

/// Scores a prediction, and says in one line what it states and what the reference states.
#[must_use]
pub fn explain(prediction: &str, references: &[&str]) -> Option<(f64, String)> {
    let best = best(prediction, references)?;
    let (stated, asked) = (list(&best.stated), list(&best.asked));
    Some((best.score, format!("states {stated}; the reference states {asked}")))
}

/// The comparison with one reference.
struct Comparison {
    /// The score.
    score: f64,
    /// The figures of the prediction.
    stated: Vec<Figure>,
    /// The figures of the reference.
    asked: Vec<Figure>,
}

/// The comparison with the best reference; the first one, where several are as good.
fn best(prediction: &str, references: &[&str]) -> Option<Comparison> {
    let stated = distinct(figures(prediction));
    let mut best: Option<(f64, Vec<Figure>)> = None;
    for reference in references {
        let asked = distinct(figures(reference));
        if asked.is_empty() {
            continue;
        }
        let score = agreement(&stated, &asked);
        if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
            best = Some((score, asked));
        }
    }
    best.map(|(score, asked)| Comparison { score, stated, asked })
}

/// The figures without repetitions, in the order in which they first occur.
fn distinct(mut figures: Vec<Figure>) -> Vec<Figure> {
    let mut seen = HashSet::new();
    figures.retain(|figure| seen.insert(key(&figure.0)));
    figures
}

/// The figures in words.
fn list(figures: &[Figure]) -> String {
    let mut text = String::new();
    for (index, figure) in figures.iter().take(MOST_LISTED).enumerate() {
        let last = index + 1 == figures.len();
        let parted = if index == 0 {
            ""
        } else if last {
            " and "
        } else {
            ", "
        };
        let _ = write!(text, "{parted}{figure}");
    }
    match figures.len().checked_sub(MOST_LISTED) {
        _ if figures.is_empty() => "no figure".to_owned(),
        None | Some(0) => text,
        Some(more) => format!("{text} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_scored() {
        #[rustfmt::skip]
        let cases = [
            ("15 working days", "15 days", 1.0), ("10 working days", "15 days", 0.0),
            ("about 6000 dollars", "6000 hours", 0.0), ("about 6000 hours", "6000 hours", 1.0),
            ("July 26, 1953", "the 26th of July, 1953", 1.0), ("", "15 days", 0.0),
            ("15", "15 days", 1.0), ("15 days", "15", 1.0), ("15 employees", "15", 1.0),
            ("15 days", "15 hours", 0.0), ("$6,000", "6 thousand dollars", 1.0),
            ("US$ 6000", "6k dollars", 1.0), ("$6000", "6000 CAD", 1.0),
            ("6000 USD", "6000 CAD", 0.0), ("€6", "$6", 0.0), ("5 pounds", "£5", 1.0),
            ("5 pounds", "5 lb", 1.0), ("£5", "5 lb", 0.0), ("1 hour", "60 minutes", 1.0),
            ("2 weeks", "14 days", 1.0), ("10 working days", "2 weeks", 0.0),
            ("14 working days", "2 weeks", 0.0), ("30 days", "1 month", 0.0),
            ("18 months", "a year", -1.0), ("1 year and 6 months", "18 months", 1.0),
            ("1 km", "1000 m", 1.0), ("15%", "15 percent", 1.0), ("15%", "0.15", 0.0),
            ("15 percentage points", "15%", 0.0), ("20°C", "20 degrees", 1.0),
            ("20°C", "20°F", 0.0), ("1953", "July 26, 1953", 0.0),
            ("July 26, 1953", "1953", 1.0), ("July 26, 1953", "July 1953", 1.0),
            ("26 July", "July 26, 1953", 0.0), ("26/07/1953", "1953-07-26", 1.0),
            ("05/07/1953", "5 July 1953", 1.0), ("05/07/1953", "May 7, 1953", 1.0),
            ("05/07/1953", "6 July 1953", 0.0), ("1950", "the 1950s", 0.0),
            ("26", "the 26th", 1.0), ("26 days", "the 26th day", 0.0), ("9:30", "9:30 pm", 1.0),
            ("9:30 am", "9:30 pm", 0.0), ("17:00", "5 pm", 1.0), ("9", "9 am", 1.0),
            ("0.10", "0.1", 1.0), ("two weeks (14 days)", "14 days", 1.0),
            ("½ day", "0.5 days", 1.0), ("90 minutes", "1h 30min", 1.0),
            ("15 days and 3 hours, or 10 km", "10 km", 2.0 / 3.0),
            ("5 km", "5 km or 6 km", 2.0 / 3.0), ("15 days, 15 days", "15 days", 1.0),
            ("5 pounds, £5", "£5, 5 lb", 1.0), ("６ ０００ dollars", "$6000", 1.0),
            ("٦٠٠٠ dollars", "$6000", 1.0),
        ];
        for (prediction, reference, expected) in cases {
            let found = score(prediction, &[reference]);
            let expected = Some(expected).filter(|expected| *expected >= 0.0);
            assert_eq!(found, expected, "{prediction} / {reference}");
        }
    }

    #[test]
    fn references_without_figures_are_left_out() {
        assert_eq!(score("Einstein", &["Albert Einstein"]), None);
        assert_eq!(score("15 days", &[]), None);
        assert_eq!(score("15 days", &["soon", "14 days", "15 days"]), Some(1.0));
    }

    #[test]
    fn a_score_is_explained() {
        let line = |prediction, reference| explain(prediction, &[reference]).unwrap().1;
        assert_eq!(line("10 days", "15 days"), "states 10 days; the reference states 15 days");
        assert_eq!(
            line("no", "$5 or 6 km"),
            "states no figure; the reference states 5 USD and 6 km"
        );
        let many = "1 km; 2 km; 3 km; 4 km; 5 km; 6 km; 7 km; 8 km; 9 km; 10 km";
        assert!(line(many, "1").contains("7 km, 8 km and 2 more; the"));
        assert_eq!(line("5 pounds", "£5"), "states 5 lb or GBP; the reference states 5 GBP");
        assert_eq!(explain("5", &["none"]), None);
    }

    /// A text of pieces drawn by a small generator of pseudo-random numbers.
    fn drawn(seed: &mut u64, pieces: &[&str], most: u64) -> String {
        let mut next = |limit: usize| {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(*seed >> 33).unwrap() % limit
        };
        let count = next(usize::try_from(most).unwrap());
        (0..count).map(|_| pieces[next(pieces.len())]).collect()
    }

    #[test]
    fn hostile_texts_are_safe() {
        #[rustfmt::skip]
        const PIECES: &[&str] = &[
            " ", " ", " ", "1", "5", "15", "000", "2024", "7", "26", ",", ".", "-", "–", "/", ":",
            "'", "(", ")", "[", "]", "$", "€", "%", "°", "½", "²", "\u{a0}", "\u{301}",
            "\u{200b}",
            "٣", "５", "😀", "é", "日", "İ", "ß", "k", "m", "M", "bn", "days", "day",
            " hours",
            "working ", "may", "July", "of", "the ", "th", "st", "T", "Z", "am", " pm", "half",
            "a ", "an ", "and ", "to", "or ", "one", "two", "twenty", "hundred", "thousand",
            "million", "billion", "point", "dozen", "third", "first", "quarter", "USD", "dollars",
            "cents", "pounds", "minus ", "between ", "x", "s", "BC", "+", "_", "http://", "\n",
            "99999999999999999999999999999999999999", "0", "feet", "inches", "o'clock",
        ];
        let mut seed = 7;
        for _ in 0..600 {
            let (text, other) = (drawn(&mut seed, PIECES, 24), drawn(&mut seed, PIECES, 24));
            let has_figures = !figures(&text).is_empty();
            assert_eq!(score(&text, &[&text]), has_figures.then_some(1.0), "{text:?}");
            let found = score(&text, &[&other]).unwrap_or_default();
            assert!((0.0..=1.0).contains(&found), "{text:?} {other:?}");
        }
    }

    #[test]
    fn figures_with_units_can_change_sides() {
        #[rustfmt::skip]
        const PIECES: &[&str] = &[
            "5 pounds; ", "£5; ", "5 lb; ", "80 oz; ", "$5; ", "CAD 5; ", "5 USD; ", "1 week; ",
            "7 days; ", "7 working days; ", "168 hours; ", "20°; ", "20 °C; ", "20 °F; ",
            "500 cents; ", "5 €; ",
        ];
        let mut seed = 11;
        for _ in 0..600 {
            let (text, other) = (drawn(&mut seed, PIECES, 8), drawn(&mut seed, PIECES, 8));
            if !figures(&text).is_empty() && !figures(&other).is_empty() {
                assert_eq!(score(&text, &[&other]), score(&other, &[&text]), "{text} / {other}");
            }
        }
    }

    #[test]
    fn long_texts_are_scored() {
        #[rustfmt::skip]
        let cases = [
            "5 ", "5", "1,", "1.", "5-", "5 days, ", "twenty ", "one hundred thousand ", "$", "(",
            "[1,", "½", "July 1 to ", "05/07/1953 ", "a.", "-", "1/", "and a half ", "😀",
            "1 000", "working ", "point five ", "A5", "5 or ", "5 (", "nineteen ", "hundred ", "1:",
            "x_", "https://",
        ];
        for piece in cases {
            let text = piece.repeat(1000);
            let expected = (!figures(&text).is_empty()).then_some(1.0);
            assert_eq!(score(&text, &[&text]), expected, "{piece}");
        }
    }
}
