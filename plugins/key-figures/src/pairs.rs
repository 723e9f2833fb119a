//! Matches the figures of a prediction with those of a reference; `compare` says by what rules.

use crate::figures::{Amount, Figure, Kind};
use std::{collections::HashMap, fmt::Write as _};

/// The most figures of a side that are compared one by one.
const MOST_PAIRED: usize = 256;

/// The score of the figures of a prediction against those of a reference.
pub(crate) fn agreement(stated: &[Figure], asked: &[Figure]) -> f64 {
    let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, figure) in asked.iter().enumerate().rev() {
        waiting.entry(key(&figure.0)).or_default().push(index);
    }
    let mut taken = vec![false; asked.len()];
    let mut left: Vec<&Figure> = Vec::new();
    let mut matched = 0;
    for figure in stated {
        match waiting.get_mut(&key(&figure.0)).and_then(Vec::pop) {
            Some(index) => {
                taken[index] = true;
                matched += 1;
            }
            None => left.push(figure),
        }
    }
    let free = asked.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(figure, _)| figure);
    let free: Vec<&Figure> = free.take(MOST_PAIRED).collect();
    left.truncate(MOST_PAIRED);
    matched += most_pairs(&left, &free);
    ratio(2 * matched, stated.len() + asked.len())
}

/// The quotient of two counts.
fn ratio(top: usize, bottom: usize) -> f64 {
    let float = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    float(top) / float(bottom.max(1))
}

/// The most matches there can be between the two lists.
fn most_pairs(stated: &[&Figure], asked: &[&Figure]) -> usize {
    let options: Vec<Vec<usize>> = stated
        .iter()
        .map(|figure| (0..asked.len()).filter(|index| matches(figure, asked[*index])).collect())
        .collect();
    let mut owners: Vec<Option<usize>> = vec![None; asked.len()];
    (0..stated.len())
        .filter(|index| settle(*index, &options, &mut owners, &mut vec![false; asked.len()]))
        .count()
}

/// Finds a match for one figure, moving the others to their other options where needed.
fn settle(
    index: usize,
    options: &[Vec<usize>],
    owners: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for option in &options[index] {
        if seen[*option] {
            continue;
        }
        seen[*option] = true;
        let free = match owners[*option] {
            None => true,
            Some(owner) => settle(owner, options, owners, seen),
        };
        if free {
            owners[*option] = Some(index);
            return true;
        }
    }
    false
}

/// A text that is the same for two figures that are equal.
pub(crate) fn key(kind: &Kind) -> String {
    let Kind::Amount(amount) = kind else { return kind.to_string() };
    let Some(units) = amount.unit.filter(|_| amount.qualifier.is_none()) else {
        return kind.to_string();
    };
    let mut key = String::new();
    for unit in units {
        let _ = match amount.value.times(unit.size.0, unit.size.1) {
            Some(value) => write!(key, "{}={value};", unit.group),
            None => write!(key, "{}*{};", unit.many, amount.value),
        };
    }
    key
}

/// Whether a figure of a prediction states a figure of a reference.
fn matches(stated: &Figure, asked: &Figure) -> bool {
    match (&stated.0, &asked.0) {
        (Kind::Amount(stated), Kind::Amount(asked)) => amounts_match(stated, asked),
        (Kind::Date(stated), Kind::Date(asked)) => stated.states(asked),
        (Kind::Time(stated), Kind::Time(asked)) => stated.agrees(asked),
        (Kind::Date(date), Kind::Amount(asked)) => bare(asked).is_some_and(|n| date.states_year(n)),
        (Kind::Time(time), Kind::Amount(amount)) | (Kind::Amount(amount), Kind::Time(time)) => {
            bare(amount).is_some_and(|hour| time.is_hour(hour))
        }
        _ => false,
    }
}

/// The value of a whole number without a unit.
fn bare(amount: &Amount) -> Option<i128> {
    amount.value.as_whole().filter(|_| amount.unit.is_none())
}

/// Whether two amounts are equal, as far as their units say.
fn amounts_match(stated: &Amount, asked: &Amount) -> bool {
    let same = stated.value == asked.value;
    let (first, second) = match (stated.unit, asked.unit) {
        (Some(first), Some(second)) => (first, second),
        (None, None) => return same,
        (Some(units), None) | (None, Some(units)) => {
            return same && units.iter().all(|unit| unit.group != "decade");
        }
    };
    let plain = stated.qualifier.is_none() && asked.qualifier.is_none();
    first.iter().any(|a| {
        second.iter().any(|b| {
            let converted = || {
                let left = stated.value.times(a.size.0, a.size.1)?;
                Some(left == asked.value.times(b.size.0, b.size.1)?)
            };
            let equal = same && a.size == b.size;
            a.group == b.group && (equal || (plain && converted() == Some(true)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::figures;

    #[test]
    fn each_figure_is_matched_once() {
        #[rustfmt::skip]
        let cases = [
            ("5 km", "5 km", 1.0), ("5 km", "6 km", 0.0), ("5 km, 5 km", "5 km", 2.0 / 3.0),
            ("5; 5 km", "5 km; 5 lb", 1.0), ("5; 5", "5 km", 2.0 / 3.0),
            ("5; 5 lb", "5 pounds; £5", 1.0), ("5; 5 lb", "£5; 5 pounds", 1.0),
            ("1 week; 2 days", "7 days; 48 hours", 1.0), ("", "5", 0.0),
        ];
        for (stated, asked, expected) in cases {
            let found = agreement(&figures(stated), &figures(asked));
            assert!((found - expected).abs() < 1e-12, "{stated} / {asked}: {found}");
        }
    }
}
