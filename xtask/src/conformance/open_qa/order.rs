//! Whether a metric puts systems in the order in which people put them.

use crate::conformance::check::Check;

/// The means of one system.
pub(super) struct Means {
    pub(super) system: String,
    /// The share of answers that people call right.
    pub(super) people: f64,
    /// Of each metric.
    pub(super) metrics: Vec<f64>,
}

/// Notes the table of a set of systems, the pairs that each metric puts the other way round, and
/// Kendall's tau with the order of people, which must be what is written down.
pub(super) fn compare(
    check: &mut Check,
    name: &str,
    metrics: &[&str],
    systems: &[Means],
    expected: &[f64],
) {
    let mut sorted: Vec<&Means> = systems.iter().collect();
    sorted.sort_by(|a, b| b.people.total_cmp(&a.people));
    check.note(format!("{name}, by people: system, people, {}", metrics.join(", ")));
    for means in &sorted {
        let numbers = std::iter::once(&means.people).chain(&means.metrics);
        let numbers: Vec<String> = numbers.map(|mean| format!("{:.2}", 100.0 * mean)).collect();
        check.note(format!("{name}: {} | {}", means.system, numbers.join(" | ")));
    }
    for (index, (metric, expected)) in metrics.iter().zip(expected).enumerate() {
        let tau = tau(&sorted, |means| means.metrics[index]);
        check.close(&format!("{name}: tau of {metric}"), tau, *expected, 0.0005);
        let flips: Vec<String> = pairs(&sorted)
            .filter(|(better, worse)| better.people > worse.people)
            .filter(|(better, worse)| better.metrics[index] < worse.metrics[index])
            .map(|(better, worse)| format!("{} > {}", better.system, worse.system))
            .collect();
        check.note(format!(
            "{name}: {metric}: tau {tau:.3}, {} of {} pairs the other way round: {}",
            flips.len(),
            pairs(&sorted).count(),
            flips.join(", ")
        ));
    }
}

/// All pairs, the better one by people first.
fn pairs<'a>(systems: &'a [&'a Means]) -> impl Iterator<Item = (&'a Means, &'a Means)> {
    systems.iter().enumerate().flat_map(move |(place, &first)| {
        systems[place + 1..].iter().map(move |&second| (first, second))
    })
}

/// Kendall's tau-b of the order by people with another one.
fn tau(systems: &[&Means], of: impl Fn(&Means) -> f64) -> f64 {
    let sign = |difference: f64| if difference == 0.0 { 0.0 } else { difference.signum() };
    let (mut both, mut by_people, mut by_other) = (0.0, 0.0_f64, 0.0);
    for (first, second) in pairs(systems) {
        let (people, other) = (sign(first.people - second.people), sign(of(first) - of(second)));
        both += people * other;
        by_people += people * people;
        by_other += other * other;
    }
    both / (by_people * by_other).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tau_counts_pairs() {
        let means = |people, metric| Means { system: String::new(), people, metrics: vec![metric] };
        let tau =
            |systems: &[Means]| tau(&systems.iter().collect::<Vec<_>>(), |means| means.metrics[0]);
        let one = [means(0.9, 0.3), means(0.8, 0.4), means(0.7, 0.1)];
        assert!((tau(&one) - 1.0 / 3.0).abs() < 1e-12);
        // scipy.stats.kendalltau([3, 2, 1], [1, 1, 0])
        let tied = [means(0.9, 1.0), means(0.8, 1.0), means(0.7, 0.0)];
        assert!((tau(&tied) - 0.816_496_580_927_726).abs() < 1e-12);
    }
}
