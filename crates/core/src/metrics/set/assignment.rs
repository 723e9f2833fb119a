//! The largest sum of weights of pairs, where each row and each column is in one pair at most.

/// The sum. All rows have the same length.
///
/// Rows are paired one by one; each time the cheapest chain of changes to the pairs so far is looked
/// for, with a price on each row and column that keeps all costs from below zero (the Hungarian
/// method). That takes rows² · columns steps.
pub(super) fn largest(mut weights: Vec<Vec<f64>>) -> f64 {
    let columns = weights.first().map_or(0, Vec::len);
    if columns < weights.len() {
        weights = (0..columns).map(|j| weights.iter().map(|row| row[j]).collect()).collect();
    }
    let mut taken: Vec<f64> = (pairs(&weights).into_iter().enumerate())
        .map(|(row, column)| weights[row][column])
        .collect();
    // In one order, whatever the order of the items.
    taken.sort_unstable_by(f64::total_cmp);
    taken.iter().sum()
}

/// The column of each row. There are at least as many columns as rows.
fn pairs(weights: &[Vec<f64>]) -> Vec<usize> {
    let columns = weights.first().map_or(0, Vec::len);
    let mut row_price = vec![0.0; weights.len()];
    let mut column_price = vec![0.0; columns];
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for first in 0..weights.len() {
        let mut cheapest = vec![f64::INFINITY; columns];
        // The column from which each column is reached on the cheapest chain.
        let mut from: Vec<Option<usize>> = vec![None; columns];
        let mut reached = vec![false; columns];
        let (mut row, mut last) = (first, None);
        let end = loop {
            let mut step = f64::INFINITY;
            let mut next = 0;
            for column in (0..columns).filter(|&column| !reached[column]) {
                let cost = -weights[row][column] - row_price[row] - column_price[column];
                if cost < cheapest[column] {
                    cheapest[column] = cost;
                    from[column] = last;
                }
                if cheapest[column] < step {
                    step = cheapest[column];
                    next = column;
                }
            }
            row_price[first] += step;
            for column in 0..columns {
                match row_of[column] {
                    Some(row) if reached[column] => {
                        row_price[row] += step;
                        column_price[column] -= step;
                    }
                    _ => cheapest[column] -= step,
                }
            }
            reached[next] = true;
            match row_of[next] {
                Some(other) => (row, last) = (other, Some(next)),
                None => break next,
            }
        };
        let mut column = end;
        while let Some(before) = from[column] {
            row_of[column] = row_of[before];
            column = before;
        }
        row_of[column] = Some(first);
    }
    let mut column_of = vec![0; weights.len()];
    for (column, row) in row_of.into_iter().enumerate() {
        if let Some(row) = row {
            column_of[row] = column;
        }
    }
    column_of
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest sum by trying all pairs of the first row.
    fn slow(weights: &[Vec<f64>], free: &[usize]) -> f64 {
        let Some((row, rest)) = weights.split_first() else { return 0.0 };
        let with = |&column: &usize| {
            let free: Vec<usize> = free.iter().copied().filter(|&other| other != column).collect();
            row[column] + slow(rest, &free)
        };
        free.iter().map(with).fold(slow(rest, free), f64::max)
    }

    proptest! {
        #[test]
        fn the_sum_is_the_largest(
            weights in (0..6_usize, 0..6_usize).prop_flat_map(|(rows, columns)| {
                let weight = prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..=1.0];
                prop::collection::vec(prop::collection::vec(weight, columns), rows)
            }),
        ) {
            let columns: Vec<usize> = (0..weights.first().map_or(0, Vec::len)).collect();
            let expected = slow(&weights, &columns);
            prop_assert!((largest(weights) - expected).abs() < 1e-12);
        }
    }
}
