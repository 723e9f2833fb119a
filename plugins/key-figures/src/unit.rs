//! Units and currencies.
//!
//! A unit belongs to a group; within a group, units are exact multiples of each other and can be
//! compared (`1 hour` is `60 minutes`). Days and months are of different groups, and so are two
//! currencies. A word may stand for more than one unit: `pound` is a mass and a currency, `dollar`
//! is one of many dollars. Such a word is kept as the list of all it can mean.
//!
//! A word that is not in the tables is no unit: `12 employees` is the bare number 12.

use crate::{
    money::{CURRENCIES, HUNDREDTHS},
    token::{self, Token},
};
use std::{collections::HashMap, sync::LazyLock};

/// A unit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The units that can be compared share a group. Currency codes are in capital letters.
    pub(crate) group: &'static str,
    /// The name after the number 1.
    pub(crate) one: &'static str,
    /// The name after other numbers.
    pub(crate) many: &'static str,
    /// The size, as a fraction of the unit that the group counts in.
    pub(crate) size: (i128, i128),
}

impl Unit {
    /// Whether this is a currency.
    pub(crate) fn is_money(&self) -> bool {
        self.group.starts_with(|c: char| c.is_ascii_uppercase())
    }
}

/// All that a unit word can mean; never empty.
pub(crate) type Units = &'static [&'static Unit];

/// One row of the table: group, names for one and for many, size, forms parted by `|`.
///
/// A form in capital letters is only found in capital letters, and a form of one letter only in
/// the same case.
type Row = (&'static str, &'static str, &'static str, (i128, i128), &'static str);

/// The units other than currencies.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    ("time", "ms", "ms", (1, 1000), "ms|msec|millisecond|milliseconds"),
    ("time", "second", "seconds", (1, 1), "s|sec|secs|second|seconds"),
    ("time", "minute", "minutes", (60, 1), "min|mins|minute|minutes"),
    ("time", "hour", "hours", (3600, 1), "h|hr|hrs|hour|hours"),
    ("time", "day", "days", (86_400, 1), "d|day|days|workday|workdays|weekday|weekdays"),
    ("time", "week", "weeks", (604_800, 1), "wk|wks|week|weeks|workweek|workweeks"),
    ("time", "fortnight", "fortnights", (1_209_600, 1), "fortnight|fortnights"),
    ("months", "month", "months", (1, 1), "mo|mos|mth|mths|month|months"),
    ("months", "year", "years", (12, 1), "y|yr|yrs|year|years"),
    ("months", "decade", "decades", (120, 1), "decade|decades"),
    ("months", "century", "centuries", (1200, 1), "century|centuries"),
    ("nights", "night", "nights", (1, 1), "night|nights"),
    ("length", "nm", "nm", (1, 1_000_000_000), "nm|nanometer|nanometers"),
    ("length", "µm", "µm", (1, 1_000_000), "µm|micron|microns|micrometer|micrometers"),
    ("length", "mm", "mm", (1, 1000), "mm|millimeter|millimeters"),
    ("length", "cm", "cm", (1, 100), "cm|centimeter|centimeters"),
    ("length", "m", "m", (1, 1), "m|meter|meters"),
    ("length", "km", "km", (1000, 1), "km|kms|kilometer|kilometers"),
    ("length", "inch", "inches", (254, 10_000), "in|inch|inches"),
    ("length", "foot", "feet", (3048, 10_000), "ft|foot|feet"),
    ("length", "yard", "yards", (9144, 10_000), "yd|yds|yard|yards"),
    ("length", "mile", "miles", (1_609_344, 1000), "mi|mile|miles"),
    ("length", "nautical mile", "nautical miles", (1852, 1), "nmi|nautical mile|nautical miles"),
    ("area", "mm²", "mm²", (1, 1_000_000), "mm²|sq mm|square millimeters"),
    ("area", "cm²", "cm²", (1, 10_000), "cm²|sq cm|square centimeters"),
    ("area", "m²", "m²", (1, 1), "m²|sqm|sq m|square meter|square meters"),
    ("area", "km²", "km²", (1_000_000, 1), "km²|sq km|square kilometer|square kilometers"),
    ("area", "hectare", "hectares", (10_000, 1), "ha|hectare|hectares"),
    ("area", "acre", "acres", (40_468_564_224, 10_000_000), "acre|acres"),
    ("area", "square foot", "square feet", (9_290_304, 100_000_000),
        "ft²|sqft|sq ft|square foot|square feet"),
    ("area", "square mile", "square miles", (2_589_988_110_336, 1_000_000),
        "sq mi|square mile|square miles"),
    ("volume", "ml", "ml", (1, 1000), "ml|cc|cm³|milliliter|milliliters"),
    ("volume", "cl", "cl", (1, 100), "cl|centiliter|centiliters"),
    ("volume", "dl", "dl", (1, 10), "dl|deciliter|deciliters"),
    ("volume", "l", "l", (1, 1), "l|L|liter|liters"),
    ("volume", "m³", "m³", (1000, 1), "m³|cubic meter|cubic meters"),
    ("gallons", "cup", "cups", (1, 16), "cup|cups"),
    ("gallons", "pint", "pints", (1, 8), "pint|pints"),
    ("gallons", "quart", "quarts", (1, 4), "quart|quarts"),
    ("gallons", "gallon", "gallons", (1, 1), "gal|gallon|gallons"),
    ("mass", "µg", "µg", (1, 1_000_000), "µg|mcg|microgram|micrograms"),
    ("mass", "mg", "mg", (1, 1000), "mg|milligram|milligrams"),
    ("mass", "g", "g", (1, 1), "g|gram|grams"),
    ("mass", "kg", "kg", (1000, 1), "kg|kgs|kilo|kilos|kilogram|kilograms"),
    ("mass", "tonne", "tonnes", (1_000_000, 1), "t|tonne|tonnes|metric ton|metric tons|ton|tons"),
    ("mass", "short ton", "short tons", (90_718_474, 100), "short ton|short tons|ton|tons"),
    ("mass", "ounce", "ounces", (45_359_237, 1_600_000), "oz|ounce|ounces"),
    ("mass", "lb", "lb", (45_359_237, 100_000), "lb|lbs|pound|pounds"),
    ("mass", "stone", "stone", (635_029_318, 100_000), "stone|stones"),
    ("data", "bit", "bits", (1, 8), "bit|bits"),
    ("data", "byte", "bytes", (1, 1), "byte|bytes"),
    ("data", "kB", "kB", (1000, 1), "kb|kilobyte|kilobytes"),
    ("data", "MB", "MB", (1_000_000, 1), "mb|megabyte|megabytes"),
    ("data", "GB", "GB", (1_000_000_000, 1), "gb|gigabyte|gigabytes"),
    ("data", "TB", "TB", (1_000_000_000_000, 1), "tb|terabyte|terabytes"),
    ("data", "PB", "PB", (1_000_000_000_000_000, 1), "pb|petabyte|petabytes"),
    ("data", "KiB", "KiB", (1 << 10, 1), "kib|kibibyte|kibibytes"),
    ("data", "MiB", "MiB", (1 << 20, 1), "mib|mebibyte|mebibytes"),
    ("data", "GiB", "GiB", (1 << 30, 1), "gib|gibibyte|gibibytes"),
    ("data", "TiB", "TiB", (1 << 40, 1), "tib|tebibyte|tebibytes"),
    ("data rate", "Mbit/s", "Mbit/s", (1, 1), "Mb/s|mbps|mbit/s|megabits per second"),
    ("data rate", "Gbit/s", "Gbit/s", (1000, 1), "Gb/s|gbps|gbit/s|gigabits per second"),
    ("angle", "°", "°", (1, 1), "degree|degrees|°"),
    ("celsius", "°C", "°C", (1, 1),
        "C|°c|℃|celsius|degree c|degrees c|degree celsius|degrees celsius|degrees centigrade|\
        degree|degrees|°"),
    ("fahrenheit", "°F", "°F", (1, 1),
        "F|°f|℉|fahrenheit|degree f|degrees f|degree fahrenheit|degrees fahrenheit|degree|\
        degrees|°"),
    ("kelvin", "K", "K", (1, 1), "K|kelvin|kelvins"),
    ("percent", "%", "%", (10, 1), "%|percent|pct|per cent|percents"),
    ("percent", "‰", "‰", (1, 1), "‰|per mille|permille|per mil"),
    ("points", "percentage point", "percentage points", (100, 1),
        "pp|percentage point|percentage points|percent points|% points"),
    ("points", "basis point", "basis points", (1, 1), "bp|bps|basis point|basis points"),
    ("speed", "m/s", "m/s", (36, 10), "m/s|meters per second"),
    ("speed", "km/h", "km/h", (1, 1), "km/h|kmh|kph|kmph|kilometers per hour|km per hour"),
    ("speed", "mph", "mph", (1_609_344, 1_000_000), "mph|mi/h|miles per hour|miles an hour"),
    ("speed", "knot", "knots", (1852, 1000), "kn|knot|knots"),
    ("power", "W", "W", (1, 1), "W|watt|watts"),
    ("power", "kW", "kW", (1000, 1), "kw|kilowatt|kilowatts"),
    ("power", "MW", "MW", (1_000_000, 1), "mw|megawatt|megawatts"),
    ("power", "GW", "GW", (1_000_000_000, 1), "gw|gigawatt|gigawatts"),
    ("energy", "J", "J", (1, 1), "J|joule|joules"),
    ("energy", "kJ", "kJ", (1000, 1), "kj|kilojoule|kilojoules"),
    ("energy", "kWh", "kWh", (3_600_000, 1), "kwh|kilowatt hour|kilowatt hours"),
    ("energy", "MWh", "MWh", (3_600_000_000, 1), "mwh|megawatt hour|megawatt hours"),
    ("kcal", "kcal", "kcal", (1, 1), "kcal|calorie|calories|kilocalorie|kilocalories"),
    ("era", "BC", "BC", (1, 1), "BC|BCE"),
];

/// The unit of `26th`.
pub(crate) static ORDINAL: Units =
    &[&Unit { group: "ordinal", one: "th", many: "th", size: (1, 1) }];

/// The unit of `the 1950s`.
pub(crate) static DECADE: Units = &[&Unit { group: "decade", one: "s", many: "s", size: (1, 1) }];

/// Every form, with all it can mean.
static FORMS: LazyLock<HashMap<&'static str, Vec<&'static Unit>>> = LazyLock::new(|| {
    let mut forms: HashMap<&'static str, Vec<&'static Unit>> = HashMap::new();
    let mut add = |(group, one, many, size, words): Row, code: bool| {
        let unit: &'static Unit = Box::leak(Box::new(Unit { group, one, many, size }));
        let code = code.then_some(group);
        for word in words.split('|').chain(code) {
            forms.entry(word).or_default().push(unit);
        }
    };
    for row in TABLE {
        add(*row, false);
    }
    for (code, words) in CURRENCIES {
        add((code, code, code, (1, 1), words), true);
    }
    for (code, words) in HUNDREDTHS {
        let (one, many) = if *code == "GBP" { ("penny", "pence") } else { ("cent", "cents") };
        add((code, one, many, (1, 100), words), false);
    }
    forms
});

/// Whether this can only be a currency.
pub(crate) fn is_money(units: Units) -> bool {
    units.iter().all(|unit| unit.is_money())
}

/// Whether this is a length of time.
pub(crate) fn is_time(units: Units) -> bool {
    units.iter().all(|unit| matches!(unit.group, "time" | "months" | "nights"))
}

/// The form in lower case and in American spelling, as in the table.
fn american(form: &str) -> String {
    let lower = form.to_lowercase();
    let pairs = [("metre", "meter"), ("litre", "liter"), ("gramme", "gram")];
    let found = pairs.iter().find(|(british, _)| lower.contains(british));
    found.map_or_else(|| lower.clone(), |(british, american)| lower.replace(british, american))
}

/// The longest form that starts at `at`, and the token after it.
fn longest(tokens: &[Token], at: usize) -> Option<(Units, usize)> {
    let (mut key, mut best) = (String::new(), None);
    for place in at..at + 4 {
        let Some(token) = tokens.get(place) else { break };
        let joined = token.glued && place > at;
        match token.kind {
            token::Kind::Word => {
                if key.ends_with(|c: char| c.is_alphabetic() || c == '%') {
                    key.push(' ');
                }
                key.push_str(&token.text);
            }
            token::Kind::Symbol if token::hyphen_at(tokens, place) && place > at => continue,
            token::Kind::Symbol if token.text == "." && joined && key.len() < 4 => continue,
            token::Kind::Symbol if joined || place == at => key.push_str(&token.text),
            token::Kind::Number if joined && token.text == "2" => key.push('²'),
            token::Kind::Number if joined && token.text == "3" => key.push('³'),
            _ => break,
        }
        let lower = if key.chars().nth(1).is_none() { key.clone() } else { american(&key) };
        let found = FORMS.get(key.as_str()).or_else(|| FORMS.get(lower.as_str()));
        best = found.map(|units| (units.as_slice(), place + 1)).or(best);
    }
    best
}

/// Reads the unit after a number, and says where it ends.
///
/// Single letters and `in` are taken with care: `15 in` may be the start of `15 in total`.
pub(crate) fn after(tokens: &[Token], at: usize) -> Option<(Units, usize)> {
    let hyphen = token::hyphen_at(tokens, at);
    let start = at + usize::from(hyphen);
    let word = tokens.get(start)?;
    let (units, next) = longest(tokens, start)?;
    let short = word.kind == token::Kind::Word && next == start + 1;
    let allowed = if short && word.text.chars().nth(1).is_none() {
        !hyphen && (word.glued || "hsmglLtKWJ".contains(&word.text))
    } else {
        !short || word.lower != "in" || word.glued
    };
    allowed.then_some((units, next))
}

/// Reads the currency before a number, and says where it ends: a sign, or a code in capital
/// letters, or a form such as `Rs.`.
pub(crate) fn before(tokens: &[Token], at: usize) -> Option<(Units, usize)> {
    let first = tokens.get(at)?;
    let (units, next) = longest(tokens, at).filter(|(units, _)| is_money(units))?;
    let code = first.text.len() == 3 && first.text.chars().all(|c| c.is_ascii_uppercase());
    let known = ["rs", "usd", "eur", "gbp", "chf", "inr", "rp", "ksh", "rm"];
    let sign = tokens.get(next - 1).is_some_and(|token| token.kind == token::Kind::Symbol);
    let dot = usize::from(token::symbol_at(tokens, next) == Some('.') && first.lower == "rs");
    (sign || (next == at + 1 && (code || known.contains(&first.lower.as_str()))))
        .then_some((units, next + dot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::split;

    #[test]
    fn a_unit_after_a_number_is_read() {
        #[rustfmt::skip]
        let cases = [
            ("15 days", "days"), ("15-day", "days"), ("15kg", "kg"), ("5 km/h", "km/h"),
            ("5 m2", "m²"), ("5 m²", "m²"), ("5 sq. ft", "square feet"), ("20°C", "°C"),
            ("20 degrees Celsius", "°C"), ("15 per cent", "%"),
            ("15 percentage points", "percentage points"), ("5 U.S. dollars", "USD"),
            ("5 Swiss francs", "CHF"), ("5 pounds sterling", "GBP"), ("5 pounds", "lb GBP EGP"),
            ("16GB", "GB"), ("300 K", "K"), ("15in", "inches"), ("15 in total", "-"),
            ("15 employees", "-"), ("3D", "-"), ("5 d", "-"), ("5-s", "-"), ("5 try", "-"),
        ];
        for (text, expected) in cases {
            let names = |(units, _): (Units, usize)| {
                units.iter().map(|unit| unit.many).collect::<Vec<_>>().join(" ")
            };
            let found = after(&split(text), 1).map_or_else(|| "-".to_owned(), names);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_currency_before_a_number_is_read() {
        #[rustfmt::skip]
        let cases = [
            ("$5", Some("USD")), ("US$5", Some("USD")), ("CA$ 5", Some("CAD")),
            ("CHF 5", Some("CHF")), ("Rs. 5", Some("INR")), ("€5", Some("EUR")),
            ("won 5", None), ("try 5", None), ("pound 5", None), ("km 5", None),
        ];
        for (text, expected) in cases {
            assert_eq!(
                before(&split(text), 0).map(|(units, _)| units[0].group),
                expected,
                "{text}"
            );
        }
    }
}
