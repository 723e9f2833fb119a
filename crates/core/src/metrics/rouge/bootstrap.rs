//! The aggregation of `rouge_score`: percentiles of the means of resampled scores, with the random
//! numbers of NumPy's legacy generator.

/// Means of resamples: the middle and both ends of the interval, for each column of scores.
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap<const COLUMNS: usize> {
    /// Lower end of the interval.
    pub low: [f64; COLUMNS],
    /// The median of the means, which the script reports in place of the mean.
    pub mid: [f64; COLUMNS],
    /// Upper end of the interval.
    pub high: [f64; COLUMNS],
}

/// Resamples scores as `BootstrapAggregator(confidence, resamples)` does after
/// `numpy.random.seed(seed)`. `None` where there is no score or no resample. The order of the
/// scores matters, as it does there.
pub fn bootstrap<const COLUMNS: usize>(
    scores: &[[f64; COLUMNS]],
    confidence: f64,
    resamples: usize,
    seed: u32,
) -> Option<Bootstrap<COLUMNS>> {
    if scores.is_empty() || resamples == 0 {
        return None;
    }
    let mut random = MersenneTwister::new(seed);
    let mut means: [Vec<f64>; COLUMNS] = std::array::from_fn(|_| Vec::with_capacity(resamples));
    for _ in 0..resamples {
        let mut sums = [0.0; COLUMNS];
        for _ in scores {
            let drawn = &scores[random.below(scores.len())];
            sums.iter_mut().zip(drawn).for_each(|(sum, score)| *sum += score);
        }
        for (means, sum) in means.iter_mut().zip(sums) {
            means.push(sum / scores.len() as f64);
        }
    }
    for means in &mut means {
        means.sort_unstable_by(f64::total_cmp);
    }
    let tail = (1.0 - confidence) / 2.0;
    let at = |share: f64| std::array::from_fn(|column| percentile(&means[column], 100.0 * share));
    Some(Bootstrap { low: at(tail), mid: at(0.5), high: at(1.0 - tail) })
}

/// The percentile of sorted numbers, between two of them in proportion. From the middle on it is
/// computed from the upper one, as in NumPy: the last bit depends on it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a slice, which is clamped"
)]
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let last = sorted.len() - 1;
    let place = (percent / 100.0 * last as f64).clamp(0.0, last as f64);
    let below = place as usize;
    let part = place - below as f64;
    let (low, high) = (sorted[below], sorted[last.min(below + 1)]);
    if part < 0.5 { low + (high - low) * part } else { high - (high - low) * (1.0 - part) }
}

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// The Mersenne Twister MT19937. (Matsumoto and Nishimura, 1998.)
struct MersenneTwister {
    state: [u32; SIZE],
    next: usize,
}

impl MersenneTwister {
    fn new(seed: u32) -> Self {
        let mut state = [seed; SIZE];
        for index in 1..SIZE {
            let before = state[index - 1];
            let mixed = (before ^ before >> 30).wrapping_mul(1_812_433_253);
            state[index] = mixed.wrapping_add(u32::try_from(index).expect("below 624"));
        }
        Self { state, next: SIZE }
    }

    /// A number below `count`: numbers of as many bits as needed, until one is small enough.
    fn below(&mut self, count: usize) -> usize {
        let highest = count - 1;
        let mask = usize::MAX.checked_shr(highest.leading_zeros()).unwrap_or(0);
        loop {
            let drawn = if highest == 0 { 0 } else { self.next() as usize & mask };
            if drawn <= highest {
                return drawn;
            }
        }
    }

    fn next(&mut self) -> u32 {
        if self.next == SIZE {
            self.twist();
        }
        let mut number = self.state[self.next];
        self.next += 1;
        number ^= number >> 11;
        number ^= number << 7 & 0x9d2c_5680;
        number ^= number << 15 & 0xefc6_0000;
        number ^ number >> 18
    }

    fn twist(&mut self) {
        for index in 0..SIZE {
            let joined = self.state[index] & 1 << 31 | self.state[(index + 1) % SIZE] & !(1 << 31);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[index] = self.state[(index + MIDDLE) % SIZE] ^ joined >> 1 ^ odd;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = MersenneTwister::new(5489);
        assert_eq!(random.next(), 3_499_211_612);
        let ten_thousandth = (1..10_000).map(|_| random.next()).last();
        assert_eq!(ten_thousandth, Some(4_123_659_995));
    }

    #[test]
    fn one_score_is_its_own_interval() {
        let found = bootstrap(&[[0.25]], 0.95, 10, 1).unwrap();
        assert_eq!(found, Bootstrap { low: [0.25], mid: [0.25], high: [0.25] });
        assert_eq!(bootstrap::<1>(&[], 0.95, 10, 1), None);
        assert_eq!(bootstrap(&[[0.5]], 0.95, 0, 1), None);
    }
}
