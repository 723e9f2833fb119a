//! Commands that are measured in turns, and the table of what they cost.

use std::process::Command;

use anyhow::Result;

use super::{
    Bench,
    measure::{self, Cost},
};

/// One side of a comparison.
pub(super) struct Side {
    name: String,
    command: Command,
    costs: Vec<Cost>,
}

impl Side {
    pub(super) fn new(name: impl Into<String>, command: Command) -> Self {
        Self { name: name.into(), command, costs: Vec::new() }
    }

    /// The same with so many threads.
    pub(super) fn with_threads(mut self, threads: u32) -> Self {
        self.command.env("RAYON_NUM_THREADS", threads.to_string());
        self
    }
}

/// Measures all sides in turns, as often as the bench says.
pub(super) fn measure(bench: &Bench<'_>, sides: &mut [Side]) -> Result<()> {
    let (xtask, report) = (bench.xtask(), bench.folder.join("cost.json"));
    for _ in 0..bench.args.repeats {
        for side in &mut *sides {
            side.costs.push(measure::cost(&xtask, &report, &side.command)?);
        }
    }
    Ok(())
}

/// The medians of all sides; ratios are to the first one, the baseline, round by round.
pub(super) fn table(title: &str, sides: &[Side]) -> String {
    let width = sides.iter().map(|side| side.name.len()).max().unwrap_or_default();
    let mut lines =
        vec![title.to_owned(), format!("{:width$}    CPU s   ratio    wall s   peak MB", "")];
    for side in sides {
        let peaks = median(side.costs.iter().map(|cost| cost.peak as f64)) / 1e6;
        lines.push(format!(
            "{:width$} {:>8.3} {:>7.2} {:>9.3} {peaks:>9.1}",
            side.name,
            median(side.costs.iter().map(|cost| cost.cpu)),
            ratio(side, &sides[0], |cost| cost.cpu),
            median(side.costs.iter().map(|cost| cost.wall)),
        ));
    }
    lines.join("\n")
}

/// The median over the rounds of what one side takes beside another.
pub(super) fn ratio(side: &Side, beside: &Side, of: fn(&Cost) -> f64) -> f64 {
    let pairs = side.costs.iter().zip(&beside.costs);
    median(pairs.map(|(cost, other)| of(cost) / of(other)))
}

/// The median over the rounds of what one side takes.
pub(super) fn median_of(side: &Side, of: fn(&Cost) -> f64) -> f64 {
    median(side.costs.iter().map(of))
}

/// The middle one, or the middle of the two in the middle.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(name: &str, costs: &[(f64, u64)]) -> Side {
        let costs = costs.iter().map(|&(cpu, peak)| Cost { cpu, wall: 2.0 * cpu, peak }).collect();
        Side { costs, ..Side::new(name, Command::new("true")) }
    }

    #[test]
    fn the_table_has_medians_and_ratios_of_rounds() {
        let parse = side("parse", &[(0.5, 5_000_000), (1.0, 5_000_000), (0.5, 5_000_000)]);
        let scores = side("scores", &[(2.0, 30_000_000), (2.0, 10_000_000), (3.0, 20_000_000)]);
        assert!((ratio(&scores, &parse, |cost| cost.wall) - 4.0).abs() < 1e-12);
        let table = table("qa", &[parse, scores]);
        assert_eq!(
            table,
            "qa\n          CPU s   ratio    wall s   peak MB\n\
             parse     0.500    1.00     1.000       5.0\n\
             scores    2.000    4.00     4.000      20.0"
        );
    }

    #[test]
    fn the_median_of_two_is_between_them() {
        assert!((median([1.0, 2.0].into_iter()) - 1.5).abs() < 1e-12);
    }
}
