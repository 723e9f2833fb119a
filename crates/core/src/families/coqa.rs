//! CoQA's table of domains.
//!
//! Each turn belongs to the source of its story. The table has a row for each source, for those
//! inside and those outside the domains of the training set, and for all turns; its numbers are
//! percent, rounded to one decimal as the script does.

use crate::{arithmetic::round, metrics::coqa::TurnScore};

/// The sources in the order of the table: as the data names them, as the table does, and whether
/// the training set has them.
const SOURCES: [(&str, &str, bool); 7] = [
    ("mctest", "children_stories", true),
    ("gutenberg", "literature", true),
    ("race", "mid-high_school", true),
    ("cnn", "news", true),
    ("wikipedia", "wikipedia", true),
    ("reddit", "reddit", false),
    ("science", "science", false),
];

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the domain.
    pub domain: &'static str,
    /// Mean exact match in percent, rounded to one decimal; 0 without a turn.
    pub em: f64,
    /// Mean token F1 in percent, rounded to one decimal; 0 without a turn.
    pub f1: f64,
    /// How many turns there are.
    pub turns: usize,
}

/// A turn of a story whose source the table does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no CoQA source `{0}`")]
pub struct UnknownSource(pub String);

/// The table of `evaluate-v1.0.py` for turns that are given with the source of their story. A turn
/// without an answer is scored 0 and counts.
pub fn domains<'a>(
    turns: impl IntoIterator<Item = (&'a str, TurnScore)>,
) -> Result<Vec<Row>, UnknownSource> {
    let mut sums = [Sum::default(); SOURCES.len()];
    for (source, score) in turns {
        let place = SOURCES.iter().position(|&(name, ..)| name == source);
        sums[place.ok_or_else(|| UnknownSource(source.to_owned()))?].add(score.em, score.f1, 1);
    }
    let mut rows = Vec::with_capacity(SOURCES.len() + 3);
    let (mut inside, mut outside) = (Sum::default(), Sum::default());
    for (sum, (_, domain, trained)) in sums.into_iter().zip(SOURCES) {
        rows.push(sum.row(domain));
        let side = if trained { &mut inside } else { &mut outside };
        side.add(sum.em, sum.f1, sum.turns);
    }
    rows.push(inside.row("in_domain"));
    rows.push(outside.row("out_domain"));
    inside.add(outside.em, outside.f1, outside.turns);
    rows.push(inside.row("overall"));
    Ok(rows)
}

#[derive(Clone, Copy, Default)]
struct Sum {
    em: f64,
    f1: f64,
    turns: usize,
}

impl Sum {
    fn add(&mut self, em: f64, f1: f64, turns: usize) {
        self.em += em;
        self.f1 += f1;
        self.turns += turns;
    }

    fn row(self, domain: &'static str) -> Row {
        let percent = |sum: f64| round(sum / self.turns.max(1) as f64 * 100.0, 1);
        Row { domain, em: percent(self.em), f1: percent(self.f1), turns: self.turns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_counts_in_its_domain_on_its_side_and_overall() {
        let score = |em| TurnScore { em, f1: em };
        let rows = domains([("cnn", score(1.0)), ("cnn", score(0.0)), ("reddit", score(0.5))]);
        let of = |name: &str| {
            let row = rows.as_ref().unwrap().iter().find(|row| row.domain == name).unwrap();
            (row.em.to_string(), row.turns)
        };
        assert_eq!(of("news"), ("50".to_owned(), 2));
        assert_eq!(of("out_domain"), ("50".to_owned(), 1));
        assert_eq!(of("overall"), ("50".to_owned(), 3));
        assert_eq!(of("science"), ("0".to_owned(), 0));
        assert_eq!(domains([("blog", score(1.0))]), Err(UnknownSource("blog".to_owned())));
    }
}
