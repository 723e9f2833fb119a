//! The numbers of a comparison, from stored evaluations.
//!
//! Columns of metrics are read one at a time: ten of them of two large evaluations would not fit into
//! memory together.

mod changed;
mod columns;
mod corrected;
mod pooled;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use qeval_core::stats::{
    self, Comparison, NotCompared, PairedColumn, non_inferior, permutations_for,
};
use qeval_report::{ComparedMetric, ComparedPair, ComparedSystem, ComparisonReport, Correction};
use qeval_store::{Evaluation, Pairing, Scores, obstacles};

use self::columns::{Compared, Kind, Values};
use crate::{
    args::{self, Compare},
    exit_code::BadRequest,
    slices,
};

/// Compares each evaluation with each that comes after it.
pub(crate) fn compare(evaluations: &[Evaluation], args: &Compare) -> Result<ComparisonReport> {
    let all: Vec<&Evaluation> = evaluations.iter().collect();
    let names = names(evaluations);
    let metrics = columns::wanted(evaluations, &names, args)?;
    let pairing = Pairing::of(&all)?;
    if pairing.is_empty() {
        return Err(BadRequest {
            message: "the evaluations have no example in common".to_owned(),
            hint: Some(
                "examples are matched by their ids, and by the names of several datasets"
                    .to_owned(),
            ),
        }
        .into());
    }
    let overridden = refusals(evaluations, &names, &pairing, &metrics)?;
    if !overridden.is_empty() && !args.anyway {
        return Err(BadRequest {
            message: format!("these evaluations are not comparable: {}", overridden.join("; ")),
            hint: Some("compare them nevertheless with `--anyway`".to_owned()),
        }
        .into());
    }
    let slices = slices_of(&evaluations[0], &pairing, &args.slices)?;
    let correction = match args.correction {
        args::Correction::Holm => Correction::Holm,
        args::Correction::Tukey => Correction::Tukey,
        args::Correction::None => Correction::None,
    };
    let pairs = evaluations.len() * (evaluations.len() - 1) / 2;
    let hypotheses = metrics.len() * pairs * (1 + slices.len());
    let task = Task {
        pairing: &pairing,
        seed: evaluations[0].manifest().seed,
        most_permutations: permutations_for(hypotheses),
        margin: args.margin,
        correction,
    };
    let (mut whole, mut sliced, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    // Texts are shown for what matters most: the answers of the whole system, where there are some.
    let shown = metrics.iter().filter(|metric| matches!(metric.kind, Kind::Mean));
    let shown = shown.map(|metric| metric.stage);
    let shown = if args.metrics.is_empty() { shown.max() } else { shown.min() };
    for metric in &metrics {
        let values = metric.values(evaluations, &pairing)?;
        whole.push(task.metric(metric, &values, None));
        for slice in &slices {
            sliced.push(task.metric(metric, &values, Some(slice)));
        }
        let texts = evaluations.iter().all(Evaluation::has_texts);
        let testable = matches!(metric.kind, Kind::Mean) && Some(metric.stage) == shown && texts;
        if changed.is_empty() && args.changed > 0 && testable {
            changed =
                changed::examples(evaluations, &pairing, metric, &values.scores, args.changed)?;
        }
    }
    let mut compared = whole;
    compared.append(&mut sliced);
    let hypotheses = corrected::correct(&mut compared, correction);
    let systems = names.into_iter().zip(evaluations).enumerate().map(|(place, (name, one))| {
        let evaluation = one.manifest().evaluation_id.clone();
        ComparedSystem { name, evaluation, examples: pairing.examples(place) }
    });
    Ok(ComparisonReport {
        systems: systems.collect(),
        shared: pairing.len() as u64,
        groups: pairing.groups().map(|groups| groups.iter().collect::<BTreeSet<_>>().len() as u64),
        correction,
        hypotheses,
        margin: args.margin,
        notes: columns::notes(evaluations, args).into_iter().chain(left_out(&compared)).collect(),
        metrics: compared,
        overridden,
        changed,
    })
}

/// Says which examples take no part, because a system has no score of them.
fn left_out(metrics: &[ComparedMetric]) -> impl Iterator<Item = String> {
    let whole = metrics.iter().filter(|metric| metric.slice.is_none() && metric.unscored > 0);
    whole.map(|metric| {
        let (some, all) = (metric.unscored, metric.unscored + metric.n);
        format!(
            "{}: {some} of {all} shared examples have no score in some system, and are left out.",
            metric.name
        )
    })
}

/// What the report calls each evaluation: the parts of label, system and id in which they differ.
fn names(evaluations: &[Evaluation]) -> Vec<String> {
    let distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let of = |name: &dyn Fn(&qeval_store::Manifest) -> String| -> Vec<String> {
        evaluations.iter().map(|evaluation| name(evaluation.manifest())).collect()
    };
    let ways = [
        of(&|manifest| manifest.label.clone()),
        of(&|manifest| manifest.system.clone()),
        of(&|manifest| format!("{}:{}", manifest.label, manifest.system)),
    ];
    let found =
        ways.into_iter().find(|names| distinct(names) && !names.iter().any(String::is_empty));
    found.unwrap_or_else(|| of(&|manifest| manifest.evaluation_id.clone()))
}

/// What forbids the comparison, each with the systems that it is about.
fn refusals(
    evaluations: &[Evaluation],
    names: &[String],
    pairing: &Pairing,
    metrics: &[Compared],
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for second in 1..evaluations.len() {
        let both = (&evaluations[0], &evaluations[second]);
        for obstacle in obstacles(both, pairing, (0, second))? {
            found.push(format!("{} (`{}` and `{}`)", obstacle.text, names[0], names[second]));
        }
    }
    found.extend(metrics.iter().filter_map(|metric| metric.obstacle.clone()));
    Ok(found)
}

/// A value of a slice, and which of the shared examples have it.
struct Slice {
    name: String,
    value: Option<String>,
    examples: Vec<usize>,
}

/// The values of slices, as the first evaluation has them.
fn slices_of(evaluation: &Evaluation, pairing: &Pairing, names: &[String]) -> Result<Vec<Slice>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let scores: Scores = evaluation.groupings()?;
    let mut found: Vec<Slice> = Vec::new();
    for name in names {
        let labels = slices::labels(&scores, name)?;
        let mut of_values = BTreeMap::<Option<&str>, Vec<usize>>::new();
        for (example, &row) in pairing.rows(0).iter().enumerate() {
            of_values.entry(labels.get(row as usize)).or_default().push(example);
        }
        found.extend(of_values.into_iter().map(|(value, examples)| Slice {
            name: name.clone(),
            value: value.map(str::to_owned),
            examples,
        }));
    }
    Ok(found)
}

/// What all metrics of a comparison have in common.
struct Task<'a> {
    pairing: &'a Pairing,
    seed: u64,
    most_permutations: u32,
    margin: Option<f64>,
    correction: Correction,
}

impl Task<'_> {
    /// One metric over all shared examples or over those of a slice; `values` are those of each
    /// system, NaN where there is no score.
    fn metric(&self, metric: &Compared, values: &Values, slice: Option<&Slice>) -> ComparedMetric {
        let all: Vec<usize>;
        let examples = if let Some(slice) = slice {
            &slice.examples
        } else {
            all = (0..self.pairing.len()).collect();
            &all
        };
        let scored: Vec<usize> =
            examples.iter().copied().filter(|&example| values.are_known(example)).collect();
        let mut compared = ComparedMetric {
            name: metric.name.clone(),
            column: metric.column.clone(),
            stage: metric.stage,
            higher_is_better: metric.higher_is_better,
            slice: slice.map(|slice| (slice.name.clone(), slice.value.clone())),
            n: scored.len() as u64,
            unscored: (examples.len() - scored.len()) as u64,
            means: Vec::new(),
            letters: Vec::new(),
            pairs: Vec::new(),
            without: metric.without.clone(),
        };
        if compared.without.is_some() {
            return compared;
        }
        if scored.is_empty() {
            compared.without = Some("no example has a score in all systems".to_owned());
            return compared;
        }
        let columns: Vec<Vec<f64>> = values
            .scores
            .iter()
            .map(|values| scored.iter().map(|&example| values[example]).collect())
            .collect();
        let groups: Option<Vec<u32>> = self
            .pairing
            .groups()
            .map(|groups| scored.iter().map(|&example| groups[example]).collect());
        let statistics = pooled::of_examples(values, &scored);
        let systems =
            Systems { columns: &columns, statistics: &statistics, groups: groups.as_deref() };
        for first in 0..columns.len() {
            for second in first + 1..columns.len() {
                let comparison = match self.pair(metric, &systems, (first, second)) {
                    Ok(comparison) => comparison,
                    Err(why) => {
                        compared.without = Some(why.to_string());
                        return compared;
                    }
                };
                compared.pairs.extend(comparison.map(|comparison| ComparedPair {
                    first,
                    second,
                    p: comparison.permutation.p,
                    non_inferior: self.margin.map(|margin| {
                        non_inferior(&comparison.change, margin, metric.higher_is_better)
                    }),
                    comparison,
                }));
            }
        }
        if self.correction == Correction::Tukey && matches!(metric.kind, Kind::Mean) {
            corrected::by_tukey(&mut compared.pairs, &columns, groups.as_deref());
        }
        compared.means = corrected::means(&compared.pairs, columns.len());
        compared
    }

    /// Two of the systems; `None` without an example.
    fn pair(
        &self,
        metric: &Compared,
        systems: &Systems<'_>,
        (first, second): (usize, usize),
    ) -> Result<Option<Comparison>, NotCompared> {
        let column = PairedColumn {
            before: &systems.columns[first],
            after: &systems.columns[second],
            groups: systems.groups,
            higher_is_better: metric.higher_is_better,
            seed: self.seed,
            permutations: stats::PERMUTATIONS,
            most_permutations: self.most_permutations,
        };
        match &metric.kind {
            Kind::Mean | Kind::OfPlugin => Ok(stats::compare(&column)),
            Kind::Groups(finish) => {
                stats::compare_groups(&column, *finish)?.into_comparison().map(Some)
            }
            Kind::Pooled { metric, pooled, .. } => {
                let both = (&systems.statistics[first], &systems.statistics[second]);
                pooled::compare(metric, pooled, both, &column).map(Some)
            }
        }
    }
}

/// The numbers of the examples that all systems have, by system.
struct Systems<'a> {
    columns: &'a [Vec<f64>],
    statistics: &'a [pooled::Statistics],
    groups: Option<&'a [u32]>,
}
