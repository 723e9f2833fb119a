//! The independent units of two systems on the same examples.

use super::Unit;

/// A unit for each example, or for each group of `groups`, which has the number of each example's
/// dialog or document. All lists are in the order of the examples.
///
/// The units depend on the multiset of the examples with their groups: sums have the same bits in any
/// order of the examples.
pub fn units(before: &[f64], after: &[f64], groups: Option<&[u32]>) -> Vec<Unit> {
    let pairs = before.iter().zip(after);
    let Some(groups) = groups else {
        return pairs.map(|(&before, &after)| Unit { n: 1, before, after }).collect();
    };
    let mut rows: Vec<(u32, f64, f64)> = groups
        .iter()
        .zip(pairs)
        .map(|(&group, (&before, &after))| (group, before, after))
        .collect();
    rows.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)).then_with(|| a.2.total_cmp(&b.2))
    });
    let sum = |rows: &[(u32, f64, f64)]| {
        rows.iter().fold(Unit::default(), |unit, row| Unit {
            n: unit.n + 1,
            before: unit.before + row.1,
            after: unit.after + row.2,
        })
    };
    rows.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_a_group_are_one_unit_in_any_order() {
        let unit = |n, before, after| Unit { n, before, after };
        let (before, after) = ([0.1, 0.2, 0.3], [1.0, 0.0, 0.5]);
        assert_eq!(units(&before, &after, None)[1], unit(1, 0.2, 0.0));
        let grouped = units(&before, &after, Some(&[7, 2, 7]));
        assert_eq!(grouped, [unit(1, 0.2, 0.0), unit(2, 0.1 + 0.3, 1.5)]);
        let turned = units(&[0.3, 0.1, 0.2], &[0.5, 1.0, 0.0], Some(&[7, 7, 2]));
        assert_eq!(turned, grouped);
    }
}
