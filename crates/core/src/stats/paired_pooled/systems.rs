//! The numbers of two systems over any choice of units.

use std::{cmp::Ordering, collections::BTreeMap};

use super::{NotCompared, PairedStatistics};
use crate::stats::{Group, PairedColumn, PoolingError};

/// Numbers, one for each choice.
type Numbers = Result<Vec<Option<f64>>, PoolingError>;

/// Two systems on the same units.
///
/// The units stand in an order that depends on what they hold, not on which system is the first.
pub(super) trait Systems {
    /// How many units there are.
    fn units(&self) -> usize;

    /// How many examples they have.
    fn examples(&self) -> usize;

    /// The numbers of one system over choices of units, each as often as it was drawn.
    fn of_one(&self, second: bool, sets: &mut dyn Iterator<Item = Vec<usize>>) -> Numbers;

    /// The numbers over all units, where a side is chosen for each. A side is not a system: of
    /// a unit, it is the one that comes first in an order of what both hold. So the same choices
    /// mean the same for A against B and for B against A.
    fn mixed(&self, sets: &mut dyn Iterator<Item = Vec<bool>>) -> Numbers;
}

/// Statistics of examples.
pub(super) struct Statistics<'a> {
    of: &'a PairedStatistics<'a>,
    units: Vec<Rows>,
    examples: usize,
}

/// The rows of one unit.
struct Rows {
    /// In the order of the statistics of the first system.
    before: Vec<usize>,
    /// In the order of those of the second.
    after: Vec<usize>,
    /// Whether the second system comes first in the order of what both hold.
    turned: bool,
}

impl<'a> Statistics<'a> {
    pub(super) fn new(of: &'a PairedStatistics<'a>) -> Result<Self, NotCompared> {
        let examples = of.before.first().map_or(0, |column| column.len());
        let whole =
            |&row: &usize| of.before.iter().chain(of.after).all(|column| column[row].is_some());
        let scored: Vec<usize> = (0..examples).filter(whole).collect();
        if scored.is_empty() {
            return Err(NotCompared::NoExample);
        }
        let examples = scored.len();
        let rows: Vec<Vec<usize>> = match of.groups {
            None => scored.into_iter().map(|row| vec![row]).collect(),
            Some(groups) => {
                let mut units: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
                for row in scored {
                    units.entry(groups[row]).or_default().push(row);
                }
                units.into_values().collect()
            }
        };
        let mut units: Vec<Rows> = rows
            .into_iter()
            .map(|mut before| {
                let mut after = before.clone();
                before.sort_by(|&a, &b| rows_in_order((of.before, a), (of.before, b)));
                after.sort_by(|&a, &b| rows_in_order((of.after, a), (of.after, b)));
                let turned = lists_in_order((of.before, &before), (of.after, &after)).is_gt();
                Rows { before, after, turned }
            })
            .collect();
        units.sort_by(|a, b| {
            let [first, second] =
                [false, true].map(|side| lists_in_order(a.side(of, side), b.side(of, side)));
            first.then(second)
        });
        Ok(Self { of, units, examples })
    }
}

impl Rows {
    /// What the unit holds on one side.
    fn side<'a>(
        &'a self,
        of: &'a PairedStatistics<'a>,
        side: bool,
    ) -> (&'a [&'a [Option<f64>]], &'a [usize]) {
        if side == self.turned { (of.before, &self.before) } else { (of.after, &self.after) }
    }
}

type Row<'a> = (&'a [&'a [Option<f64>]], usize);

fn rows_in_order(a: Row<'_>, b: Row<'_>) -> Ordering {
    let value = |column: &[Option<f64>], row: usize| column[row].unwrap_or_default();
    let pairs =
        a.0.iter().zip(b.0).map(|(left, right)| value(left, a.1).total_cmp(&value(right, b.1)));
    pairs.fold(Ordering::Equal, Ordering::then)
}

type List<'a> = (&'a [&'a [Option<f64>]], &'a [usize]);

fn lists_in_order(a: List<'_>, b: List<'_>) -> Ordering {
    let pairs = a.1.iter().zip(b.1).map(|(&left, &right)| rows_in_order((a.0, left), (b.0, right)));
    pairs.fold(a.1.len().cmp(&b.1.len()), Ordering::then)
}

impl Systems for Statistics<'_> {
    fn units(&self) -> usize {
        self.units.len()
    }

    fn examples(&self) -> usize {
        self.examples
    }

    fn of_one(&self, second: bool, sets: &mut dyn Iterator<Item = Vec<usize>>) -> Numbers {
        let statistics = if second { self.of.after } else { self.of.before };
        let rows = |set: Vec<usize>| -> Vec<usize> {
            set.into_iter().flat_map(|unit| &self.units[unit].before).copied().collect()
        };
        self.of.pooling.numbers(statistics, &mut sets.map(rows))
    }

    fn mixed(&self, sets: &mut dyn Iterator<Item = Vec<bool>>) -> Numbers {
        // Both systems in one table: the rows of the second come after those of the first.
        let pairs = self.of.before.iter().zip(self.of.after);
        let columns: Vec<Vec<Option<f64>>> =
            pairs.map(|(before, after)| [*before, *after].concat()).collect();
        let columns: Vec<&[Option<f64>]> = columns.iter().map(Vec::as_slice).collect();
        let offset = self.of.before.first().map_or(0, |column| column.len());
        let rows = |set: Vec<bool>| -> Vec<usize> {
            let sides = self.units.iter().zip(set);
            let unit = |(unit, side): (&Rows, bool)| {
                let offset = if side == unit.turned { 0 } else { offset };
                unit.before.iter().map(move |row| row + offset).collect::<Vec<_>>()
            };
            sides.flat_map(unit).collect()
        };
        self.of.pooling.numbers(&columns, &mut sets.map(rows))
    }
}

/// Scores by group.
pub(super) struct Grouped {
    /// On each side, in order; and whether the second system is on the first side.
    units: Vec<([Group; 2], bool)>,
    examples: usize,
    finish: fn(&mut dyn Iterator<Item = &Group>) -> Option<f64>,
}

impl Grouped {
    pub(super) fn new(
        of: &PairedColumn<'_>,
        finish: fn(&mut dyn Iterator<Item = &Group>) -> Option<f64>,
    ) -> Result<Self, NotCompared> {
        let mut groups: BTreeMap<u64, [Group; 2]> = BTreeMap::new();
        for (row, (&before, &after)) in of.before.iter().zip(of.after).enumerate() {
            let key = of.groups.map_or(row as u64, |groups| u64::from(groups[row]));
            let [first, second] = groups.entry(key).or_default();
            first.add(before);
            second.add(after);
        }
        if groups.is_empty() {
            return Err(NotCompared::NoExample);
        }
        let unit = |[before, after]: [Group; 2]| {
            let turned = before.sum() > after.sum();
            (if turned { [after, before] } else { [before, after] }, turned)
        };
        let mut units: Vec<_> = groups.into_values().map(unit).collect();
        units.sort_by(|(a, _), (b, _)| {
            let sums = |side: usize| a[side].sum().total_cmp(&b[side].sum());
            a[0].n.cmp(&b[0].n).then_with(|| sums(0)).then_with(|| sums(1))
        });
        Ok(Self { units, examples: of.before.len().min(of.after.len()), finish })
    }

    fn number(&self, chosen: impl Iterator<Item = (usize, bool)>) -> Option<f64> {
        (self.finish)(&mut chosen.map(|(unit, side)| &self.units[unit].0[usize::from(side)]))
    }
}

impl Systems for Grouped {
    fn units(&self) -> usize {
        self.units.len()
    }

    fn examples(&self) -> usize {
        self.examples
    }

    fn of_one(&self, second: bool, sets: &mut dyn Iterator<Item = Vec<usize>>) -> Numbers {
        let side = |unit: usize| (unit, self.units[unit].1 != second);
        Ok(sets.map(|set| self.number(set.into_iter().map(side))).collect())
    }

    fn mixed(&self, sets: &mut dyn Iterator<Item = Vec<bool>>) -> Numbers {
        Ok(sets.map(|set| self.number(set.into_iter().enumerate())).collect())
    }
}
