//! Answers that are a number: compared by value, however they are written.

mod locale;
mod power;
mod ratio;
mod scan;

use super::typed;
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject};
use locale::Locale;

const LOCALE: Parameter = Parameter {
    name: "locale",
    kind: Kind::Choice(locale::NAMES),
    summary: "how numbers are written: separators and words such as million",
};

const FIND: Parameter = Parameter {
    name: "find",
    kind: Kind::Choice(&["first", "last", "only", "any"]),
    summary: "which number of a text counts; `only`: it must be the only one",
};

const PERCENT: Parameter = Parameter {
    name: "percent",
    kind: Kind::Choice(&["strip", "scale"]),
    summary: "whether 50% is 50 or 0.5",
};

const ABS: Parameter = Parameter {
    name: "abs",
    kind: Kind::Number { min: 0.0, max: f64::INFINITY, default: 0.0 },
    summary: "how far from the reference a right number may be",
};

const REL: Parameter = Parameter {
    name: "rel",
    kind: Kind::Number { min: 0.0, max: 1.0, default: 0.0 },
    summary: "the same as a share of the reference; the larger of both holds",
};

/// Whether the number in the prediction is the number of a reference.
///
/// # Definition
/// Both texts are searched for numbers; those that `find` selects are compared:
/// |p - r| <= max(abs, rel · |r|). Units and currency signs do not matter. Read are thousands
/// separators and the decimal sign of the locale, signs (-, −), exponents (1.5e6, 3 × 10^5, 3 × 10⁵,
/// 10^5), fractions (½, 1/2, 2 1/2), digits of any script in use, percent signs, and words that
/// multiply (2.5 million, 3 Mrd., 1.2万). K, mn, bn and tn do so in capitals or not, with or without
/// a blank before them (5K, 5 k); M and B only as capitals that touch the number (10M), because 10 M
/// may be anything.
///
/// | locale | 1234567.89 is | words |
/// |---|---|---|
/// | `en` | 1,234,567.89 | thousand, million, billion (10⁹) |
/// | `in` | 12,34,567.89 | the same, lakh, crore |
/// | `de` | 1.234.567,89 | Tausend, Million, Milliarde, Billion (10¹²), Tsd., Mio., Mrd. |
/// | `ch` | 1'234'567.89 | the same |
/// | `fr` | 1 234 567,89 | mille, million, milliard |
/// | `es` | 1.234.567,89 | mil, millón, billón (10¹²) |
/// | `it` | 1.234.567,89 | mila, milione, miliardo |
/// | `pt` | 1.234.567,89 | mil, milhão, bilhão (10⁹) |
/// | `ru` | 1 234 567,89 | тысяча, миллион, миллиард, тыс., млн, млрд |
///
/// A thin or no-break space between groups of three is read in every locale.
///
/// # Range
/// 0 or 1.
///
/// # Parameters
/// `find` is for the prediction and the references alike, but with `any` one number of the
/// prediction must be the first of the reference.
///
/// # Edge cases
/// Null without references, and where no reference holds a number. A prediction without a number
/// scores 0. Digits in a name (B12, CO2, COVID-19) are no number, and neither is 1/0 or what has wrong
/// groups (1,000,00); numbers in words (fifteen) are not read. With `percent=scale` 5‰ is 0.005.
/// 1/2 is one number, a half; with a second slash (1/2/2020) each part is a number of its own. A unit
/// that is a K, as in 300 K, is read as thousand.
/// Values are compared as 64-bit floats made of all digits at once, so "2.5 million" equals 2500000
/// exactly; a tolerance gives way by the rounding of these floats. Several references are aliases.
///
/// # Equals
/// No script: those of GSM8K, DROP and TAT-QA each have rules of their own.
pub static NUMBER: Definition = Definition {
    name: "Number",
    synonyms: &["NumberMatch"],
    summary: "the number in the prediction is the number of a reference",
    equals: "no script; rules in the manual",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[LOCALE, FIND, PERCENT, ABS, REL],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: number,
};

fn number(metric: &Metric, case: &Case<'_>) -> Score {
    let locale = Locale::named(metric.choice(LOCALE.name));
    let scale = metric.choice(PERCENT.name) == "scale";
    let find = metric.choice(FIND.name);
    let (abs, rel) = (metric.number(ABS.name), metric.number(REL.name));
    let all = |text: &str| scan::numbers(text, locale, scale);
    let one = |text: &str| select(find, &all(text));
    let predicted = match find {
        "any" => all(case.prediction_text()),
        _ => one(case.prediction_text()).into_iter().collect(),
    };
    typed::best(case, one, "no reference holds a number", |_, &reference| {
        predicted.iter().any(|&number| near(number, reference, abs, rel))
    })
}

/// The number of a text that counts.
fn select(find: &str, numbers: &[f64]) -> Option<f64> {
    match (find, numbers) {
        ("last", [.., last]) => Some(*last),
        ("only", [only]) => Some(*only),
        ("first" | "any", [first, ..]) => Some(*first),
        _ => None,
    }
}

#[expect(clippy::float_cmp, reason = "without a tolerance the numbers must be the same")]
fn near(number: f64, reference: f64, abs: f64, rel: f64) -> bool {
    let bound = abs.max(rel * reference.abs());
    // 1.1 differs from 1 by a little more than 0.1: what binary floats add is allowed.
    let slack = 4.0 * f64::EPSILON * number.abs().max(reference.abs());
    number == reference || (bound > 0.0 && (number - reference).abs() <= bound + slack)
}

/// The numbers in a text, in order; `None` if there is no such locale.
///
/// ```
/// use qeval_core::metrics::number::numbers;
///
/// assert_eq!(numbers("from $1,200 to 2.5 million", "en"), Some(vec![1200.0, 2_500_000.0]));
/// assert_eq!(numbers("1.200,5 km", "de"), Some(vec![1200.5]));
/// ```
pub fn numbers(text: &str, locale: &str) -> Option<Vec<f64>> {
    let known = locale::NAMES.contains(&locale);
    known.then(|| scan::numbers(text, Locale::named(locale), false))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, Unscored, metrics::testing::check};

    #[test]
    fn numbers_are_compared_by_value() {
        check("Number", "about 6000 hours", &["6,000"], 1.0);
        check("Number", "$2.5 million", &["2500000"], 1.0);
        check("Number", "It takes 15 days, at most 20.", &["20"], 0.0);
        check("Number(find=last)", "It takes 15 days, at most 20.", &["20"], 1.0);
        check("Number(find=any)", "It takes 15 days, at most 20.", &["15"], 1.0);
        check("Number(find=only)", "It takes 15 days, at most 20.", &["15"], 0.0);
        check("Number", "50 %", &["50"], 1.0);
        check("Number(percent=scale)", "50 %", &["0.5"], 1.0);
        check("Number", "fifteen", &["15"], 0.0);
        check("Number", "1/2", &["0.5"], 1.0);
        check("Number", "10^5", &["100,000"], 1.0);
        check("Number", "5 K", &["5000"], 1.0);
        check("Number", "7", &["6", "seven", "7.0"], 1.0);
        check("Number(locale=de)", "1.234,5 km", &["1234,50"], 1.0);
    }

    #[test]
    fn tolerance() {
        check("Number", "99", &["100"], 0.0);
        check("Number(rel=0.01)", "99", &["100"], 1.0);
        check("Number(rel=0.01)", "98.9", &["100"], 0.0);
        check("Number(abs=0.1)", "1.1", &["1.0"], 1.0);
        check("Number(abs=0.1)", "1.11", &["1.0"], 0.0);
        check("Number(abs=5,rel=0.5)", "149", &["100"], 1.0);
        check("Number(rel=0.5)", "-100", &["100"], 0.0);
    }

    #[test]
    fn a_reference_without_a_number_says_nothing() {
        let score = |references: Vec<&str>| {
            let references = references.into_iter().map(Into::into).collect();
            let example = Example { references, ..Example::default() };
            let prediction = Prediction::answer("7");
            let case = Case::new(&example).with_prediction(&prediction);
            "Number".parse::<Metric>().unwrap().score(&case)
        };
        let reason = "no reference holds a number".to_owned();
        assert_eq!(score(vec!["Paris"]), Err(Unscored::NotApplicable(reason)));
        assert_eq!(score(vec![]), Err(Unscored::NoReference));
        assert_eq!(score(vec!["Paris", "7"]), Ok(1.0));
        // Nothing else is said of it where the prediction is missing.
        let missing = |reference: &str| {
            let example = Example { references: vec![reference.into()], ..Example::default() };
            "Number".parse::<Metric>().unwrap().score(&Case::new(&example))
        };
        assert!(matches!(missing("Paris"), Err(Unscored::NotApplicable(_))));
        assert_eq!(missing("7"), Ok(0.0));
    }

    proptest! {
        #[test]
        fn a_number_equals_itself(
            value in -1_000_000_000_i64..1_000_000_000,
            cents in 0_u8..100,
            locale in prop::sample::select(locale::NAMES),
        ) {
            let written = scan::tests::written(value, cents, Locale::named(locale));
            let expected: f64 = format!("{value}.{cents:02}").parse().unwrap();
            let expected = if value == 0 { expected.abs() } else { expected };
            prop_assert_eq!(numbers(&written, locale), Some(vec![expected]), "{}", written);
        }
    }
}
