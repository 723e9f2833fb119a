//! Standardised values: how far a value is from the mean of other runs, in standard deviations.

use std::{cmp::Ordering, collections::BTreeMap, path::Path};

use super::{
    super::Stop,
    TrecVersion,
    files::{real, table},
};

/// What stands where the mean is not known.
const UNKNOWN: f64 = -1_000_000.0;

/// The means and deviations of other runs, by topic; those of a topic by measure.
pub(super) struct ZScores(BTreeMap<String, Vec<Reference>>);

/// What other runs have in one measure and topic.
struct Reference {
    measure: String,
    mean: f64,
    deviation: f64,
}

pub(super) fn read(path: &Path, version: TrecVersion) -> Result<ZScores, Stop> {
    let mut topics: BTreeMap<String, Vec<Reference>> = BTreeMap::new();
    table(path, version, "topic measure mean deviation", |[topic, measure, mean, deviation]| {
        let (mean, deviation) = (real(mean), real(deviation));
        let reference = Reference { measure: measure.to_owned(), mean, deviation };
        topics.entry(topic.to_owned()).or_default().push(reference);
        Ok(())
    })?;
    for references in topics.values_mut() {
        references.sort_by(|a, b| a.measure.cmp(&b.measure));
    }
    Ok(ZScores(topics))
}

impl ZScores {
    pub(super) fn standardised(&self, topic: &str, measure: &str, value: f64) -> f64 {
        match self.0.get(topic).and_then(|references| find(references, measure)) {
            Some(reference) if reference.deviation != 0.0 => {
                (value - reference.mean) / reference.deviation
            }
            #[expect(clippy::float_cmp, reason = "the program compares them so")]
            Some(reference) if value == reference.mean => 0.0,
            None | Some(_) => UNKNOWN,
        }
    }
}

/// Halves as the program does, which decides where a measure is there twice. It begins behind the
/// last one.
fn find<'a>(references: &'a [Reference], measure: &str) -> Option<&'a Reference> {
    let (mut start, mut end) = (0, references.len());
    while start <= end {
        let middle = usize::midpoint(start, end);
        let order = references.get(middle).map(|found| measure.cmp(&found.measure));
        match order.unwrap_or(Ordering::Less) {
            Ordering::Less => end = middle.checked_sub(1)?,
            Ordering::Greater => start = middle + 1,
            Ordering::Equal => return references.get(middle),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_standardised_where_the_mean_is_known() {
        let reference = |measure: &str, mean, deviation| Reference {
            measure: measure.to_owned(),
            mean,
            deviation,
        };
        let references = vec![
            reference("P_5", 0.5, 0.25),
            reference("map", 0.3, 0.0),
            reference("ndcg", 0.5, 0.1),
        ];
        let zscores = ZScores(BTreeMap::from([("q1".to_owned(), references)]));
        for (topic, measure, value, expected) in [
            ("q1", "P_5", 1.0, 2.0),
            ("q1", "P_5", 0.25, -1.0),
            ("q1", "map", 0.3, 0.0),
            ("q1", "map", 0.4, UNKNOWN),
            ("q1", "bpref", 0.4, UNKNOWN),
            ("q1", "set_P", 0.4, UNKNOWN),
            ("q2", "P_5", 1.0, UNKNOWN),
        ] {
            let found = zscores.standardised(topic, measure, value);
            assert!((found - expected).abs() < 1e-12, "{topic} {measure} {value}: {found}");
        }
    }

    #[test]
    fn a_mean_that_is_no_number_leaves_none() {
        let references = vec![Reference {
            measure: "set_F".to_owned(),
            mean: real("nan"),
            deviation: real("nan"),
        }];
        let zscores = ZScores(BTreeMap::from([("q1".to_owned(), references)]));
        assert_eq!(super::super::number(zscores.standardised("q1", "set_F", 0.5)), "   nan");
        assert_eq!(super::super::number(real("-nan")), "  -nan");
    }

    #[test]
    fn of_two_means_of_a_measure_one_is_taken() {
        let means = [1.0, 2.0, 3.0];
        let references: Vec<_> = means
            .map(|mean| Reference { measure: "map".to_owned(), mean, deviation: 1.0 })
            .into_iter()
            .collect();
        // The middle of 0 and 3 is 1.
        assert_eq!(
            find(&references, "map").map(|found| found.mean.to_bits()),
            Some(2_f64.to_bits())
        );
    }
}
