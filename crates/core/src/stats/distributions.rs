//! Distributions that tests and intervals need.

use std::f64::consts::{PI, SQRT_2};

/// Two-sided p-value of `heads` in `tosses` of a fair coin: the probability of a number at least as
/// far from half of them. Above 0, at most 1.
///
/// Only sums, products and quotients are used, so that all machines get the same bits.
pub(super) fn coin_p(heads: u64, tosses: u64) -> f64 {
    let fewer = heads.min(tosses.saturating_sub(heads));
    let middle = tosses / 2;
    if fewer >= middle {
        return 1.0;
    }
    // Probabilities relative to that of the middle, going down from there.
    let (mut term, mut below, mut tail) = (1.0_f64, 0.0, 0.0);
    for number in (0..middle).rev() {
        term *= (number + 1) as f64 / (tosses - number) as f64;
        below += term;
        if number <= fewer {
            tail += term;
            // The rest is smaller than rounding.
            if term <= tail * 1e-18 {
                break;
            }
        }
    }
    // An even number has one middle, an odd number two that are equal.
    let all = if tosses.is_multiple_of(2) { 1.0 + 2.0 * below } else { 2.0 + 2.0 * below };
    (2.0 * tail / all).clamp(f64::MIN_POSITIVE, 1.0)
}

/// Probability that a standard normal number is below `z`.
pub(super) fn normal_below(z: f64) -> f64 {
    erfc(-z / SQRT_2) / 2.0
}

/// The number below which a standard normal number lies with probability `p`, which must be
/// between 0 and 1.
pub(super) fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    // Abramowitz and Stegun 26.2.23, to three digits; Halley's steps double them and more.
    let t = (-2.0 * p.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut z = above / below - t;
    for _ in 0..3 {
        let density = normal_density(z);
        if density > 0.0 {
            let step = (normal_below(z) - p) / density;
            z -= step / (1.0 + z * step / 2.0);
        }
    }
    z
}

pub(super) fn normal_density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / (2.0 * PI).sqrt()
}

/// The number below which one of Student's distribution with so many degrees of freedom, at least
/// one, lies with probability `p`, which must be above 0.5 and below 1.
pub(super) fn student_quantile(p: f64, degrees: u64) -> f64 {
    let (z, freedom) = (normal_quantile(p), degrees as f64);
    if degrees > EXACT_DEGREES {
        // Abramowitz and Stegun 26.7.5; the next term is below 1e-10.
        let z2 = z * z;
        let terms = [
            (z2 + 1.0) / 4.0,
            ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0,
            (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0,
        ];
        return z + z * terms.iter().rev().fold(0.0, |sum, term| (sum + term) / freedom);
    }
    // The quantile is above z. There the distribution is concave, so that Newton's steps from below
    // do not pass it; with one degree it is known.
    if degrees == 1 {
        return (PI * (p - 0.5)).tan();
    }
    let mut t = z;
    for _ in 0..60 {
        let step = (p - student_below(t, degrees)) / student_density(t, degrees);
        t += step;
        if step.abs() <= t * 1e-14 {
            break;
        }
    }
    t
}

/// Degrees of freedom up to which the sum of all terms is taken.
const EXACT_DEGREES: u64 = 200;

/// Probability that a number of Student's distribution is below `t`, which is 0 or more: the finite
/// sums of Abramowitz and Stegun 26.7.3 and 26.7.4.
fn student_below(t: f64, degrees: u64) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2;
    // For an odd number cos + 2/3 cos^3 + ..., for an even one 1 + 1/2 cos^2 + ...
    let (mut term, mut sum) = (if odd == 1 { cosine } else { 1.0 }, 0.0);
    let mut power = odd;
    while power + 2 <= degrees {
        sum += term;
        term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
        power += 2;
    }
    let within = if odd == 1 { (angle + sine * sum) * 2.0 / PI } else { sine * sum };
    f64::midpoint(1.0, within)
}

fn student_density(t: f64, degrees: u64) -> f64 {
    // Gamma((d + 1) / 2) / Gamma(d / 2), from that of one or two degrees.
    let (mut ratio, mut of) =
        if degrees % 2 == 1 { (1.0 / PI.sqrt(), 1) } else { (PI.sqrt() / 2.0, 2) };
    while of < degrees {
        ratio *= (of + 1) as f64 / of as f64;
        of += 2;
    }
    let d = degrees as f64;
    ratio / (d * PI).sqrt() * (1.0 + t * t / d).powf(-f64::midpoint(d, 1.0))
}

/// The complementary error function, with a relative error near 1e-15.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    let density = (-x * x).exp() / PI.sqrt();
    if x < 2.0 {
        // Series of the error function without changes of sign.
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        1.0 - 2.0 * density * sum
    } else {
        // Continued fraction from its end; its error after n steps is exp(-2 x sqrt(2 n)).
        let steps = if x < 4.0 { 48 } else { 14 };
        let tail = (1..=steps).rev().fold(x, |tail, n| x + f64::from(n) / 2.0 / tail);
        density / tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins() {
        // scipy.stats.binomtest(heads, tosses).pvalue
        for (heads, tosses, p) in [
            (0, 1, 1.0),
            (0, 2, 0.5),
            (0, 6, 0.03125),
            (9, 30, 0.042_773_945_257_067_68),
            (21, 30, 0.042_773_945_257_067_68),
            (15, 30, 1.0),
            (7, 15, 1.0),
        ] {
            let found = coin_p(heads, tosses);
            assert!((found / p - 1.0).abs() < 1e-12, "{heads} of {tosses}: {found}");
        }
        assert_eq!((coin_p(0, 0), coin_p(0, 1_000_000)), (1.0, f64::MIN_POSITIVE));
    }

    #[test]
    fn the_normal_distribution() {
        // scipy.stats.norm.cdf(z), and back with norm.ppf
        for (z, p) in [
            (-8.0, 6.220_960_574_271_785e-16),
            (-3.0, 0.001_349_898_031_630_094_6),
            (-1.959_963_984_540_054, 0.025),
            (-0.841_621_233_572_914_3, 0.2),
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013_1),
            (2.0, 0.977_249_868_051_820_8),
        ] {
            let (below, quantile) = (normal_below(z), normal_quantile(p));
            assert!((below / p - 1.0).abs() < 1e-13, "{z}: {below}");
            assert!((quantile - z).abs() < 1e-12, "{p}: {quantile}");
        }
        assert!((normal_quantile(1e-300) + 37.0471).abs() < 1e-4);
        assert!((normal_density(1.0) - 0.241_970_724_519_143_37).abs() < 1e-16);
    }

    #[test]
    fn students_distribution() {
        // scipy.stats.t.ppf(p, degrees)
        for (p, degrees, t) in [
            (0.975, 1, 12.706_204_736_174_694),
            (0.975, 2, 4.302_652_729_749_462),
            (0.975, 3, 3.182_446_305_283_707_8),
            (0.975, 7, 2.364_624_251_592_784),
            (0.975, 39, 2.022_690_920_036_761),
            (0.995, 12, 3.054_539_589_392_901_3),
            (0.6, 5, 0.267_180_865_704_145_1),
            (0.975, 200, 1.971_896_223_633_908_8),
            (0.975, 201, 1.971_836_506_779_859),
            (0.975, 19_999, 1.960_082_611_089_815),
        ] {
            let found = student_quantile(p, degrees);
            assert!((found / t - 1.0).abs() < 1e-9, "{p}, {degrees}: {found}");
        }
    }
}
