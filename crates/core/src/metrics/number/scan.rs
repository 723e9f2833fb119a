//! Finds the numbers in a text.

use unicode_general_category::{GeneralCategory, get_general_category};

use super::locale::Locale;
use crate::metrics::digits::digit;

/// All numbers of a text, in order. A number too large for a float is none.
pub(super) fn numbers(text: &str, locale: &Locale, scale_percent: bool) -> Vec<f64> {
    let chars: Vec<char> = text.chars().collect();
    let mut scanner = Scanner { chars: &chars, locale, at: 0 };
    let mut found = Vec::new();
    while scanner.at < chars.len() {
        let start = scanner.at;
        found.extend(scanner.number(scale_percent).filter(|number| number.is_finite()));
        if scanner.at == start {
            scanner.at += 1;
        }
    }
    found
}

/// A place in a text.
pub(super) struct Scanner<'a> {
    pub(super) chars: &'a [char],
    pub(super) locale: &'a Locale,
    pub(super) at: usize,
}

impl Scanner<'_> {
    /// The number that begins here. Digits after a letter that has a capital or small form belong to
    /// a name and are skipped with it.
    fn number(&mut self, scale_percent: bool) -> Option<f64> {
        let start = self.at;
        let mut digits = String::new();
        self.integer(&mut digits);
        let plain = digits.len() == self.at - start;
        if !plain && self.skip_groups(start) {
            return None;
        }
        digits.push('.');
        let fraction = digits.len();
        self.fraction(&mut digits);
        if digits.len() == 1 {
            return None;
        }
        if self.in_name(start) {
            self.skip_name();
            return None;
        }
        let mut divisor = 1;
        let mut power = None;
        if digits.len() == fraction {
            if plain && digits == "10." {
                power = self.power();
            }
            if power.is_some() {
                digits.replace_range(.., "1.");
            } else if plain && let Some((numerator, denominator)) = self.ratio(start) {
                (digits, divisor) = (format!("{numerator}."), denominator);
            }
            digits.push('0');
            if plain && power.is_none() && divisor == 1 && self.skip_by_zero(start) {
                return None;
            }
        }
        let mut power = power.or_else(|| self.exponent()).unwrap_or(0);
        power = power.saturating_add(self.magnitude());
        if scale_percent {
            power = power.saturating_sub(self.percent());
        }
        let sign = if self.negative(start) { "-" } else { "" };
        let number: f64 = format!("{sign}0{digits}e{power}").parse().ok()?;
        // The digits make one float; only a fraction is rounded once more.
        Some(if divisor == 1 { number } else { number / divisor as f64 })
    }

    /// Whether what begins here is the end of a name: `CO2`, `COVID-19`. In `mid-1990s` it is not.
    fn in_name(&self, start: usize) -> bool {
        let before = &self.chars[..start];
        let cased = |c: &char| c.is_lowercase() || c.is_uppercase();
        let Some(('-' | '\u{2010}' | '\u{2011}', word)) =
            before.split_last().map(|(c, word)| (*c, word))
        else {
            return before.last().is_some_and(cased);
        };
        let letters = word.iter().rev().take_while(|c| c.is_alphabetic()).count();
        let word: String = word[word.len() - letters..].iter().collect();
        word.chars().next_back().is_some_and(|c| cased(&c))
            && !PREFIXES.contains(&word.to_lowercase().as_str())
    }

    /// Goes over a number whose groups begin right and go on wrong, such as `1,000,00`; not where
    /// blanks part them, which part numbers too.
    fn skip_groups(&mut self, start: usize) -> bool {
        let separator = self.chars.get(start + self.digits_at(start)).copied();
        let goes_on = separator.is_some_and(|c| !c.is_whitespace())
            && self.peek(0) == separator
            && self.digits_at(self.at + 1) > 0;
        while goes_on && self.peek(0) == separator && self.digits_at(self.at + 1) > 0 {
            self.at += 1 + self.digits_at(self.at + 1);
        }
        goes_on
    }

    /// Goes to the end of a name such as `CO2` or `x86_64`.
    fn skip_name(&mut self) {
        while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.at += 1;
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn digits_at(&self, from: usize) -> usize {
        self.chars[from.min(self.chars.len())..].iter().take_while(|c| digit(**c).is_some()).count()
    }

    fn take(&mut self, count: usize, output: &mut String) {
        let taken = &self.chars[self.at..self.at + count];
        output.extend(taken.iter().filter_map(|&c| digit(c)).map(|value| char::from(b'0' + value)));
        self.at += count;
    }

    /// Digits, with separators where the groups are right.
    fn integer(&mut self, output: &mut String) {
        let first = self.digits_at(self.at);
        let grouped = self.grouped(first);
        self.take(grouped, output);
    }

    /// How far the integer that begins with this many digits goes.
    fn grouped(&self, first: usize) -> usize {
        let Some(&separator) = self.chars.get(self.at + first) else { return first };
        if first == 0 || first > 3 || !self.locale.groups(separator) {
            return first;
        }
        let (mut end, mut best, mut pairs) = (first, first, self.locale.pairs && first <= 2);
        while self.chars.get(self.at + end) == Some(&separator) {
            let length = self.digits_at(self.at + end + 1);
            let western = length == 3 && best == end;
            let last_of_pairs = length == 3 && pairs;
            end += 1 + length;
            if western || last_of_pairs {
                best = end;
            } else if !(length == 2 && pairs) {
                break;
            }
            pairs &= length == 2;
        }
        best
    }

    /// The decimal sign with digits behind it, or a sign such as `½`.
    fn fraction(&mut self, output: &mut String) {
        if self.peek(0).is_some_and(|c| self.locale.decimal(c)) {
            // "26.7.1953" and the like: what follows digits and a sign is no new fraction.
            let follows_digit =
                output.len() == 1 && self.at > 0 && digit(self.chars[self.at - 1]).is_some();
            let length = self.digits_at(self.at + 1);
            if length > 0 && !follows_digit {
                self.at += 1;
                self.take(length, output);
            }
            return;
        }
        let blank = usize::from(output.len() > 1 && self.peek(0) == Some(' '));
        if let Some(digits) = self.peek(blank).and_then(vulgar_fraction) {
            self.at += blank + 1;
            output.push_str(digits);
        }
    }

    /// Whether a minus stands before the number or before its currency sign, and is no hyphen.
    fn negative(&self, start: usize) -> bool {
        let before = |end: usize| end.checked_sub(1).map(|at| self.chars[at]);
        let currency = |c: char| get_general_category(c) == GeneralCategory::CurrencySymbol;
        let end = if before(start).is_some_and(currency) { start - 1 } else { start };
        matches!(before(end), Some('-' | '−'))
            && before(end - 1).is_none_or(|c| !c.is_alphanumeric())
    }
}

/// Words that a hyphen joins to a number that counts.
const PREFIXES: &[&str] = &["mid", "pre", "post", "early", "late", "under", "over", "top", "sub"];

/// The digits behind the decimal sign.
fn vulgar_fraction(c: char) -> Option<&'static str> {
    Some(match c {
        '½' => "5",
        '⅓' => "3333333333333333333",
        '⅔' => "6666666666666666667",
        '¼' => "25",
        '¾' => "75",
        '⅕' => "2",
        '⅖' => "4",
        '⅗' => "6",
        '⅘' => "8",
        '⅙' => "1666666666666666667",
        '⅚' => "8333333333333333333",
        '⅛' => "125",
        '⅜' => "375",
        '⅝' => "625",
        '⅞' => "875",
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A number as the locale writes it.
    pub(in crate::metrics::number) fn written(value: i64, cents: u8, locale: &Locale) -> String {
        let digits = value.unsigned_abs().to_string();
        let mut text = String::new();
        for (index, c) in digits.chars().enumerate() {
            let left = digits.len() - index;
            let ends =
                if locale.pairs && left > 3 { left % 2 == 1 } else { left.is_multiple_of(3) };
            if index > 0 && ends {
                text.push(locale.group[0]);
            }
            text.push(c);
        }
        let sign = if value < 0 { "-" } else { "" };
        format!("{sign}{text}{}{cents:02}", locale.decimal)
    }

    #[test]
    fn numbers_of_many_hands() {
        for (locale, text, expected) in [
            ("en", "", &[][..]),
            ("en", "1,234,567.89", &[1_234_567.89]),
            ("en", "1,23,456", &[1.0, 23_456.0]),
            ("en", "1,2,3", &[1.0, 2.0, 3.0]),
            ("en", "1,0000", &[1.0, 0.0]),
            ("en", "1,000,00 and 1,000,0000; 1,000, 5", &[1000.0, 5.0]),
            ("fr", "1 000 20", &[1000.0, 20.0]),
            (
                "en",
                "COVID-19, a-5, SARS-CoV‑2, mid-1990s, -5, (-5), x = -5",
                &[1990.0, -5.0, -5.0, -5.0],
            ),
            ("en", "1234,567", &[1234.0, 567.0]),
            ("en", "-5 and −5 and 10-15 and -$5 and $-5", &[-5.0, -5.0, 10.0, 15.0, -5.0, -5.0]),
            ("en", "-.5", &[-0.5]),
            ("en", "CO2, B12, x86_64, 3D", &[3.0]),
            (
                "en",
                "2.5 million, 3bn, 5k, 5K, 5 k, 5 K, 5km, 5 km, 10M, 10 M, 3 BN",
                &[2.5e6, 3e9, 5e3, 5e3, 5e3, 5e3, 5.0, 5.0, 1e7, 10.0, 3e9],
            ),
            ("en", "two hundred thousand; 2 hundred thousand", &[2e5]),
            ("en", "1.5e6 6.02 × 10^23 3x10⁵ 1e-3 5e 1e999", &[1.5e6, 6.02e23, 3e5, 1e-3, 5.0]),
            (
                "en",
                "10^5, -10^-2, 10⁵ and 10^3 million; 10^5.5, 2^5, 10^x, 110^2",
                &[1e5, -1e-2, 1e5, 1e9, 10.0, 5.5, 2.0, 5.0, 10.0, 110.0, 2.0],
            ),
            (
                "en",
                "1/2, -3/4 and 2 1/2 or 3/2 of 1⁄3; 1/2 million, 1/2K",
                &[0.5, -0.75, 2.5, 1.5, 1.0 / 3.0, 5e5, 500.0],
            ),
            (
                "en",
                "1/2/2020, 1/0, 1/2.5, 4 5/3, a/1/2, 1,000/2, CO2/3",
                &[1.0, 2.0, 2020.0, 1.0, 2.5, 4.0, 5.0 / 3.0, 1.0, 2.0, 1000.0, 2.0, 3.0],
            ),
            ("en", "3½ cups, ½ cup, 2 ¼", &[3.5, 0.5, 2.25]),
            ("en", "٣٫٥ ३.५ １，２ 12 345", &[3.5, 3.5, 1.0, 2.0, 12.0, 345.0]),
            ("en", "1\u{202f}234 1\u{a0}234\u{a0}567", &[1234.0, 1_234_567.0]),
            ("en", "version 1.2.3", &[1.2, 3.0]),
            ("en", "約500人 1.2万人 3億", &[500.0, 12_000.0, 3e8]),
            ("en", "5. Then 6.", &[5.0, 6.0]),
            (
                "in",
                "12,34,567.5 and 1,234 and 5 lakh and 2 crore",
                &[1_234_567.5, 1234.0, 5e5, 2e7],
            ),
            (
                "de",
                "1.234,5 und 3 Mio. Euro, 2 Mrd. und 1,5 Billionen",
                &[1234.5, 3e6, 2e9, 1.5e12],
            ),
            ("ch", "1'234.50 1’234’567", &[1234.5, 1_234_567.0]),
            ("fr", "1 234 567,5 €, 3 milliards", &[1_234_567.5, 3e9]),
            ("es", "2 mil millones y 1.000", &[2e9, 1000.0]),
            ("ru", "2,5 млн и 10 тыс. рублей", &[2.5e6, 1e4]),
        ] {
            assert_eq!(numbers(text, Locale::named(locale), false), expected, "{locale}: {text}");
        }
    }

    #[test]
    fn percent_may_scale() {
        for (text, expected) in [
            ("50%", 0.5),
            ("12.5 percent", 0.125),
            ("3 per cent", 0.03),
            ("7", 7.0),
            ("50 ٪", 0.5),
            ("5‰", 0.005),
        ] {
            assert_eq!(numbers(text, Locale::named("en"), true), [expected], "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_searched(
            text in "\\PC*|[0-9.,' eE×x^%$½万kM/-]*|(\\PC|[0-9]){0,40}",
            name in prop::sample::select(super::super::locale::NAMES),
        ) {
            let found = numbers(&text, Locale::named(name), true);
            prop_assert!(found.iter().all(|number| number.is_finite()));
        }
    }
}
