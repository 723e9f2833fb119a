//! The distribution of the studentised range: how far the largest and the smallest of several means
//! lie apart where nothing differs.

use super::distributions::{normal_below, normal_density};

/// Places and weights of Gauss and Legendre's quadrature with eight points, of one half.
const POINTS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// A normal number lies farther out once in 10^15 times.
const FAR: f64 = 8.0;

/// Smallest p-value that can be told from 0.
const SMALLEST: f64 = 1e-12;

/// The distribution for so many means and degrees of freedom of their error.
pub(super) struct StudentisedRange {
    means: f64,
    /// Relative sizes that the estimated error has, and their probabilities.
    errors: Vec<(f64, f64)>,
    /// Places of the smallest mean with the density there, and the probability of a smaller one.
    smallest: Vec<(f64, f64, f64)>,
}

impl StudentisedRange {
    /// At least 2 means, at least 1 degree of freedom.
    pub(super) fn new(means: usize, degrees: f64) -> Self {
        // With few degrees the error may be near 0, where the range changes fast with it.
        let panels = if degrees < 10.0 { 60 } else { 18 };
        let spread = 10.0 / (2.0 * degrees).sqrt();
        let density =
            |s: f64| ((degrees - 1.0) * s.ln() - degrees * (s - 1.0) * (s + 1.0) / 2.0).exp();
        let mut errors: Vec<(f64, f64)> = nodes((1.0 - spread).max(0.0), 1.0 + spread, panels)
            .map(|(s, weight)| (s, weight * density(s)))
            .collect();
        let whole: f64 = errors.iter().map(|(_, weight)| weight).sum();
        for (_, weight) in &mut errors {
            *weight /= whole;
        }
        let smallest = nodes(-FAR, FAR, 16)
            .map(|(z, weight)| (z, weight * normal_density(z), normal_below(z)))
            .collect();
        Self { means: means as f64, errors, smallest }
    }

    /// The probability of a range of at least `q`: from 1e-12, below which it is not told from 0,
    /// to 1.
    pub(super) fn p(&self, q: f64) -> f64 {
        // For what is no number nothing is claimed.
        if q.is_nan() || q <= 0.0 {
            return 1.0;
        }
        let below: f64 = self.errors.iter().map(|(s, weight)| weight * self.range(q * s)).sum();
        (1.0 - below).clamp(SMALLEST, 1.0)
    }

    /// The range that is exceeded with probability `p`.
    pub(super) fn quantile(&self, p: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        while self.p(high) > p && high < 1e6 {
            (low, high) = (high, 2.0 * high);
        }
        while high - low > 1e-9 * high {
            let middle = f64::midpoint(low, high);
            if self.p(middle) > p {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The probability that the range of normal numbers with a known error is below `width`.
    fn range(&self, width: f64) -> f64 {
        let others = self.means - 1.0;
        let part = |&(z, weight, below): &(f64, f64, f64)| {
            weight * (normal_below(z + width) - below).max(0.0).powf(others)
        };
        self.means * self.smallest.iter().map(part).sum::<f64>()
    }
}

/// Places and weights of a quadrature from `low` to `high`, in so many panels.
fn nodes(low: f64, high: f64, panels: u32) -> impl Iterator<Item = (f64, f64)> {
    let half = (high - low) / f64::from(panels) / 2.0;
    (0..panels).flat_map(move |panel| {
        let middle = low + half * f64::from(2 * panel + 1);
        POINTS.into_iter().flat_map(move |(place, weight)| {
            [-place, place].map(|place| (middle + half * place, half * weight))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: [(f64, usize, f64, f64); 10] = [
        (3.0, 2, 1.0, 0.280_437_798_007_543_4),
        (3.5, 3, 10.0, 0.077_103_310_838_410_38),
        (1.0, 5, 4.0, 0.944_405_152_875_726_5),
        (3.9, 5, 168.0, 0.049_988_645_621_748_43),
        (6.0, 10, 38.0, 0.004_742_678_515_489_596),
        (8.0, 20, 60.0, 7.705_542_378_966_257e-05),
        (0.2, 3, 5.0, 0.989_058_611_600_110_2),
        (3.86, 5, 50_000.0, 0.049_786_439_236_838_45),
        (20.0, 4, 2.0, 0.012_399_820_958_389_43),
        (5.0, 50, 1_000.0, 0.213_885_422_623_595_33),
    ];

    #[test]
    fn it_is_scipys() {
        // scipy.stats.studentized_range.sf(q, means, degrees)
        for (q, means, degrees, p) in EXPECTED {
            let found = StudentisedRange::new(means, degrees).p(q);
            assert!((found - p).abs() < 1e-9 + 1e-6 * p, "{q} {means} {degrees}: {found} {p}");
        }
    }

    #[test]
    fn of_two_means_it_is_the_normal_distribution() {
        let range = StudentisedRange::new(2, 1e7);
        let (q, p) = (range.quantile(0.05), range.p(2.0_f64.sqrt() * 1.959_964));
        assert!((q / 2.0_f64.sqrt() - 1.959_964).abs() < 1e-5, "{q}");
        assert!((p - 0.05).abs() < 1e-6, "{p}");
        assert_eq!((range.p(0.0), range.p(f64::NAN), range.p(1e9)), (1.0, 1.0, SMALLEST));
    }
}
