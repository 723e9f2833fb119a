//! The assignment of rows to columns with the largest sum, found by shortest augmenting paths.

/// Pairs of row and column, each used once, with the largest sum of scores; there are as many as
/// the shorter side has. All rows have `columns` scores.
pub(super) fn best(scores: &[Vec<f64>], columns: usize) -> Vec<(usize, usize)> {
    let rows = scores.len();
    if columns < rows {
        let turned: Vec<Vec<f64>> =
            (0..columns).map(|column| scores.iter().map(|row| row[column]).collect()).collect();
        return best(&turned, rows).into_iter().map(|(row, column)| (column, row)).collect();
    }
    let mut search = Search {
        row_prices: vec![0.0; rows],
        column_prices: vec![0.0; columns],
        owner: vec![None; columns],
    };
    (0..rows).for_each(|row| search.add(row, scores));
    let owners = search.owner.into_iter().enumerate();
    owners.filter_map(|(column, row)| Some((row?, column))).collect()
}

/// The largest sum. It is added in one order, whatever the order of the rows.
pub(super) fn largest(scores: &[Vec<f64>]) -> f64 {
    let columns = scores.first().map_or(0, Vec::len);
    let pairs = best(scores, columns).into_iter();
    let mut taken: Vec<f64> = pairs.map(|(row, column)| scores[row][column]).collect();
    taken.sort_unstable_by(f64::total_cmp);
    taken.iter().sum()
}

struct Search {
    row_prices: Vec<f64>,
    column_prices: Vec<f64>,
    /// The row that each column belongs to.
    owner: Vec<Option<usize>>,
}

impl Search {
    /// Gives one more row its column; others may have to change theirs.
    fn add(&mut self, row: usize, scores: &[Vec<f64>]) {
        let columns = self.owner.len();
        let mut distance = vec![f64::INFINITY; columns];
        let mut from = vec![None; columns];
        let mut visited = vec![false; columns];
        let (mut current, mut current_row, mut length) = (None, row, 0.0);
        let end = loop {
            for column in (0..columns).filter(|&column| !visited[column]) {
                let cost = -scores[current_row][column];
                let through =
                    length + cost - self.row_prices[current_row] - self.column_prices[column];
                if through < distance[column] {
                    distance[column] = through;
                    from[column] = current;
                }
            }
            let open = (0..columns).filter(|&column| !visited[column]);
            // A free column is taken before an owned one at the same distance.
            let nearest = open.min_by(|&a, &b| {
                let owned = |column: usize| self.owner[column].is_some();
                distance[a].total_cmp(&distance[b]).then(owned(a).cmp(&owned(b)))
            });
            // No more rows are added than there are columns.
            let Some(column) = nearest else { return };
            visited[column] = true;
            length = distance[column];
            current = Some(column);
            match self.owner[column] {
                Some(owner) => current_row = owner,
                None => break column,
            }
        };
        self.row_prices[row] += length;
        for column in (0..columns).filter(|&column| visited[column] && column != end) {
            let shorter = length - distance[column];
            if let Some(owner) = self.owner[column] {
                self.row_prices[owner] += shorter;
            }
            self.column_prices[column] -= shorter;
        }
        let mut column = end;
        while let Some(previous) = from[column] {
            self.owner[column] = self.owner[previous];
            column = previous;
        }
        self.owner[column] = Some(row);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::best;

    /// The largest sum by trying everything.
    fn largest(scores: &[Vec<f64>], row: usize, used: &mut Vec<bool>) -> f64 {
        if row == scores.len() {
            return 0.0;
        }
        // A row may stay without a column: scores are not negative.
        let mut best = largest(scores, row + 1, used);
        for column in 0..used.len() {
            if !used[column] {
                used[column] = true;
                best = best.max(scores[row][column] + largest(scores, row + 1, used));
                used[column] = false;
            }
        }
        best
    }

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
            prop_assert!((super::largest(&weights) - expected).abs() < 1e-12);
        }

        #[test]
        fn no_other_assignment_has_a_larger_sum(
            (columns, scores) in (0_usize..5).prop_flat_map(|columns| (
                Just(columns),
                prop::collection::vec(prop::collection::vec(0_u8..4, columns), 0..5),
            )),
        ) {
            let scores: Vec<Vec<f64>> = scores
                .into_iter()
                .map(|row| row.into_iter().map(|score| f64::from(score) / 3.0).collect())
                .collect();
            let pairs = best(&scores, columns);
            prop_assert_eq!(pairs.len(), columns.min(scores.len()));
            let sum: f64 = pairs.iter().map(|&(row, column)| scores[row][column]).sum();
            let largest = largest(&scores, 0, &mut vec![false; columns]);
            prop_assert!((sum - largest).abs() < 1e-9, "{} < {}", sum, largest);
        }
    }
}
