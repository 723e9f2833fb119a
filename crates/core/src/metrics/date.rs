//! Answers that are a date: compared by year, month and day, however they are written.

mod names;
mod parse;
mod tokens;

use super::typed;
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject};

const ORDER: Parameter = Parameter {
    name: "order",
    kind: Kind::Choice(&["day", "month"]),
    summary: "which comes first in a date such as 7/6/1953",
};

const PARTS: Parameter = Parameter {
    name: "parts",
    kind: Kind::Choice(&["reference", "same"]),
    summary: "whether the parts of the reference are enough, or the prediction may have no others",
};

/// Whether the date in the prediction is the date of a reference.
///
/// # Definition
/// The first date of each text is read as year, month and day, of which some may be missing. Each
/// part of the reference must be in the prediction and equal. With `parts=same` the prediction may
/// not have a part more: "26 July 1953" is right for "July 1953" by default, and then it is not.
///
/// Read are 1953-07-26 (also with a time), 1953-07, 26.7.1953, 26/7/53, 7/1953, July 26, 1953,
/// the 26th of July 1953, Jul. 26, 5 Sept., 2001, 26-Jul-1953, July 1953, 1953, 44 BC, 1953年7月26日, and the names
/// of the months in Dutch, English, French, German, Italian, Portuguese, Russian, Spanish and
/// Turkish.
///
/// # Range
/// 0 or 1.
///
/// # Parameters
/// `order` decides only where both numbers may be a month: 26/7/1953 has one reading.
///
/// # Edge cases
/// Null without references, and where no reference holds a date. A prediction without a date scores
/// 0. A day that the month does not have is no date, and neither is what stands beside it: "31 April
/// 2000" says nothing of April 2000. A year of two digits agrees with each year
/// that ends in them. A number of four digits from 1000 to 2999 is a year, whatever is meant; the
/// name of a month without more is a date only if it is the whole text ("May").
///
/// # Equals
/// No script; SQuAD's EM and F1 compare the words.
pub static DATE: Definition = Definition {
    name: "Date",
    synonyms: &["DateMatch"],
    summary: "the date in the prediction is the date of a reference",
    equals: "no script; rules in the manual",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[ORDER, PARTS],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: date,
};

fn date(metric: &Metric, case: &Case<'_>) -> Score {
    let day_first = metric.choice(ORDER.name) == "day";
    let same = metric.choice(PARTS.name) == "same";
    let read = |text: &str| Date::first(text, day_first);
    let predicted = read(case.prediction_text());
    typed::best(case, read, "no reference holds a date", |_, reference| {
        predicted.is_some_and(|predicted| predicted.agrees(reference, same))
    })
}

/// A date of which parts may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Date {
    /// The year; before Christ it is negative.
    pub year: Option<Year>,
    /// 1 to 12.
    pub month: Option<u8>,
    /// 1 to 31, and no more than the month has.
    pub day: Option<u8>,
}

/// A year as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Year {
    /// With all digits.
    Full(i32),
    /// With its last two digits.
    Short(u8),
}

impl Date {
    /// The first date in a text.
    ///
    /// ```
    /// use qeval_core::metrics::date::{Date, Year};
    ///
    /// let date = Date::first("on July 26, 1953, in Cuba", true).unwrap();
    /// assert_eq!((date.year, date.month, date.day), (Some(Year::Full(1953)), Some(7), Some(26)));
    /// ```
    pub fn first(text: &str, day_first: bool) -> Option<Self> {
        parse::first(&tokens::tokens(text), day_first)
    }

    /// Whether this has each part of the reference, and with `same` no other.
    fn agrees(self, reference: &Self, same: bool) -> bool {
        let year = match (self.year, reference.year) {
            (Some(year), Some(reference)) => year.agrees(reference),
            (year, reference) => reference.is_none() && (year.is_none() || !same),
        };
        let part = |part: Option<u8>, reference: Option<u8>| {
            part == reference || (reference.is_none() && !same)
        };
        year && part(self.month, reference.month) && part(self.day, reference.day)
    }

    /// The date, if there is such a day.
    fn valid(self) -> Option<Self> {
        let days = match self.month {
            Some(2) if self.year.is_none_or(Year::may_leap) => 29,
            Some(2) => 28,
            Some(4 | 6 | 9 | 11) => 30,
            None | Some(1..=12) => 31,
            Some(_) => 0,
        };
        let right = days > 0 && self.day.is_none_or(|day| (1..=days).contains(&day));
        right.then_some(self)
    }
}

impl Year {
    fn agrees(self, other: Self) -> bool {
        match (self, other) {
            (Self::Full(_), Self::Full(_)) | (Self::Short(_), Self::Short(_)) => self == other,
            (Self::Full(full), Self::Short(short)) | (Self::Short(short), Self::Full(full)) => {
                full.rem_euclid(100) == i32::from(short) && full > 0
            }
        }
    }

    fn may_leap(self) -> bool {
        match self {
            Self::Full(year) if year > 0 => year % 4 == 0 && (year % 100 != 0 || year % 400 == 0),
            Self::Short(year) => year % 4 == 0,
            // Calendars before Christ are a matter of their own.
            Self::Full(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, Unscored, metrics::testing::check};

    #[test]
    fn dates_are_compared_by_their_parts() {
        check("Date", "July 26, 1953", &["the 26th of July, 1953"], 1.0);
        check("Date", "26.7.1953", &["1953-07-26"], 1.0);
        check("Date", "It was on 26 July 1953.", &["July 1953"], 1.0);
        check("Date(parts=same)", "It was on 26 July 1953.", &["July 1953"], 0.0);
        check("Date(parts=same)", "7/1953", &["July 1953"], 1.0);
        check("Date", "July 1953", &["26 July 1953"], 0.0);
        check("Date", "1953", &["1953"], 1.0);
        check("Date", "6/7/1953", &["6 July 1953"], 1.0);
        check("Date(order=month)", "6/7/1953", &["June 7, 1953"], 1.0);
        check("Date(order=month)", "26/7/1953", &["26 July 1953"], 1.0);
        check("Date", "26.7.53", &["26 July 1953"], 1.0);
        check("Date", "26.7.54", &["26 July 1953"], 0.0);
        check("Date", "in summer", &["1953"], 0.0);
        check("Date", "1954", &["no date", "1953", "1954"], 1.0);
        check("Date(parts=same)", "5 Sept., 2001", &["2001-09-05"], 1.0);
        check("Date(parts=same)", "5. Sept. 2001", &["2001-09-05"], 1.0);
        check("Date(parts=same)", "Sept., 2001", &["2001-09"], 1.0);
        check("Date(parts=same)", "Sept. 5, 2001", &["2001-09-05"], 1.0);
        check("Date", "44", &["44 BC"], 0.0);
        check("Date", "44 BCE", &["44 BC"], 1.0);
    }

    #[test]
    fn a_day_that_does_not_exist_is_no_date_at_all() {
        for text in [
            "31 April 2000",
            "April 31, 2000",
            "31-Apr-2000",
            "31/4/2000",
            "2000-04-31",
            "2000年4月31日",
            "2000年4月300日",
            "29 Feb 2001",
            "45 July 1953",
            "28-31 April 2000",
        ] {
            assert_eq!(Date::first(text, true), None, "{text}");
        }
        let date = |text| Date::first(text, true).and_then(|date| Some((date.month?, date.day)));
        assert_eq!(date("not 31 April 2000 but 1 May 2000"), Some((5, Some(1))));
        assert_eq!(date("page 45, July 1953"), Some((7, None)));
        assert_eq!(date("July 60 BC"), Some((7, None)));
        check("Date", "1939", &["1939-45"], 1.0);
        check("Date(parts=same)", "31 April 2000", &["April 2000"], 0.0);
        check("Date", "31 April 2000", &["April 2000"], 0.0);
    }

    #[test]
    fn a_reference_without_a_date_says_nothing() {
        let example = Example { references: vec!["31 April 2000".into()], ..Example::default() };
        let prediction = Prediction::answer("1953");
        let case = Case::new(&example).with_prediction(&prediction);
        let reason = "no reference holds a date".to_owned();
        let score = "Date".parse::<Metric>().unwrap().score(&case);
        assert_eq!(score, Err(Unscored::NotApplicable(reason)));
    }

    proptest! {
        #[test]
        fn a_date_is_read_in_each_of_its_forms(
            year in 1000..3000_i32, month in 1..=12_u8, day in 1..=28_u8, language in 0..9_usize,
        ) {
            let date = Date { year: Some(Year::Full(year)), month: Some(month), day: Some(day) };
            let name = names::MONTHS[language].split(' ').nth(usize::from(month) - 1).unwrap();
            let capital = name.to_uppercase();
            for text in [
                format!("{year}-{month:02}-{day:02}"),
                format!("{year}-{month:02}-{day:02}T10:30:00Z"),
                format!("{year}年{month}月{day}日"),
                format!("{day}.{month}.{year}"),
                format!("{day}. {month}. {year}"),
                format!("({day}/{month}/{year})"),
                format!("{day} {name} {year}"),
                format!("{day}. {capital} {year}."),
                format!("the {day}th of {name}, {year}"),
                format!("{day} de {name} de {year}"),
                format!("{name} {day}, {year}"),
                format!("{name} {day}th {year}"),
                format!("{day}-{name}-{year}"),
            ] {
                // The capital of the Turkish dotless i is the English one; lower case is not its own.
                if text.contains('I') && name.contains('ı') {
                    continue;
                }
                prop_assert_eq!(Date::first(&text, true), Some(date), "{}", text);
            }
        }

        #[test]
        fn any_text_can_be_searched(
            text in "\\PC*|[0-9./, -]*|([0-9]{1,4}|[-./, ]|July|mai|年|月|日|BC|\\PC){0,12}",
            day_first in any::<bool>(),
        ) {
            let date = Date::first(&text, day_first);
            prop_assert!(date.is_none_or(|date| date.valid().is_some() && date != Date::default()));
        }
    }
}
