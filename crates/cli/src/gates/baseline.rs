//! The evaluation that a gate is held against, and what both have in common.

use std::path::Path;

use anyhow::{Result, anyhow};
use qeval_core::stats::{Unit, units};
use qeval_report::GateExample;
use qeval_store::{Evaluation, Manifest, MetricColumn, Pairing, obstacle_of_column, obstacles};

use super::examples::{self, Selection};

/// The evaluation that a selector stands for: a folder, an id, or of a label the newest evaluation that
/// is not this one, of the same system if there is one. An evaluation that was carried here as a baseline
/// is its own, where there is no other: the run that found it whole has changed nothing.
///
/// # Errors
///
/// When there is none: a gate that has nothing to compare with has not passed.
pub(super) fn find(results: &Path, selector: &str, own: &Evaluation) -> Result<Evaluation> {
    let (folder, this) = (Path::new(selector), own.manifest());
    // What was carried here was made before: nothing that is evaluated has changed since.
    let carried = this.without_texts;
    let other = |found: Evaluation| {
        let itself = found.manifest().evaluation_id == this.evaluation_id && !carried;
        if itself { Err(anyhow!("`{selector}` is the evaluation itself")) } else { Ok(found) }
    };
    if folder.components().count() > 1 && folder.is_dir() {
        return other(Evaluation::open(folder)?);
    }
    let listing = qeval_store::list(results)?;
    let known = listing.evaluations;
    let id = |other: &Evaluation| other.manifest().evaluation_id == selector;
    if let Some(place) = known.iter().position(id) {
        return other(known[place].clone());
    }
    // Systems of one execution are not what an earlier one was.
    let earlier = |other: &&Evaluation| {
        let other = other.manifest();
        other.evaluation_id != this.evaluation_id
            && !(other.group == this.group && other.system != this.system)
            // The first examples, or a sample, stand for no label, but for the same part again.
            && (other.part().is_none() || other.part() == this.part())
    };
    let (label, system) = label(selector, &known);
    let labelled: Vec<&Evaluation> =
        known.iter().filter(earlier).filter(|other| other.manifest().label == label).collect();
    let of_system = |name: &str| {
        labelled.iter().find(|other| other.manifest().system == name).map(|&found| found.clone())
    };
    let found = match system {
        Some(system) => of_system(system),
        None => of_system(&this.system).or_else(|| only_system(&labelled)),
    };
    let of_itself = || carried && this.label == label && system.is_none_or(|s| s == this.system);
    found.or_else(|| of_itself().then(|| own.clone())).ok_or_else(|| {
        let message = match labelled.as_slice() {
            [] => format!("there is no other evaluation `{selector}` to compare with"),
            _ => format!("`{selector}` has several systems, and none is `{}`", this.system),
        };
        anyhow!(
            "{message} (hint: evaluate it first, or bring it with `qeval baseline import`; one system \
             of several is `label:system`)"
        )
    })
}

/// A selector as label and system, where it has both.
fn label<'s>(selector: &'s str, known: &[Evaluation]) -> (&'s str, Option<&'s str>) {
    let is_label = |label: &str| known.iter().any(|other| other.manifest().label == label);
    if is_label(selector) {
        return (selector, None);
    }
    let mut colons =
        selector.match_indices(':').map(|(at, _)| (&selector[..at], &selector[at + 1..]));
    match colons.find(|(label, _)| is_label(label)) {
        Some((label, system)) => (label, Some(system)),
        None => (selector, None),
    }
}

/// The newest evaluation, where its execution had no other system.
fn only_system(labelled: &[&Evaluation]) -> Option<Evaluation> {
    let newest = labelled.first()?;
    let group = |other: &&&Evaluation| other.manifest().group == newest.manifest().group;
    let mut systems = labelled.iter().filter(group).map(|other| &other.manifest().system);
    systems.all(|system| *system == newest.manifest().system).then(|| (*newest).clone())
}

/// The examples of a gate that both evaluations have scored.
pub(super) struct Pairs {
    /// For each the row in the evaluation, its unit, and both scores.
    rows: Vec<(usize, u32, [f64; 2])>,
    higher_is_better: bool,
    /// Examples of the baseline that the evaluation does not have at all.
    pub(super) missing: u64,
    /// Examples of the evaluation that the baseline does not have.
    pub(super) new: u64,
}

impl Pairs {
    pub(super) fn of(
        baseline: &Evaluation,
        evaluation: &Evaluation,
        column: &MetricColumn,
        selection: &Selection,
    ) -> Result<Self> {
        let other = own(baseline.manifest(), &column.column).ok_or_else(|| {
            anyhow!("`{}` does not measure `{}`", baseline.manifest().evaluation_id, column.column)
        })?;
        let pairing = Pairing::of(&[baseline, evaluation])?;
        let mut differing: Vec<String> = obstacles((baseline, evaluation), &pairing, (0, 1))?
            .into_iter()
            .map(|obstacle| obstacle.text)
            .collect();
        let manifests = (baseline.manifest(), evaluation.manifest());
        differing.extend(obstacle_of_column((manifests.0, other), (manifests.1, column)));
        if !differing.is_empty() {
            let id = &baseline.manifest().evaluation_id;
            return Err(anyhow!(
                "it is not comparable with `{id}`: {} (hint: evaluate the baseline on the same data with \
                 the same metrics)",
                differing.join("; ")
            ));
        }
        let (before, after) =
            (baseline.column(&column.column)?, evaluation.column(&column.column)?);
        let rows = pairing.rows(0).iter().zip(pairing.rows(1)).enumerate();
        let pairs = rows.filter_map(|(place, (&first, &second))| {
            let (first, second) = (first as usize, second as usize);
            let scores = [before[first], after[second]];
            let unit = match pairing.groups() {
                Some(groups) => groups[place],
                None => u32::try_from(place).ok()?,
            };
            let scored = !scores.iter().any(|score| score.is_nan()) && selection.has(second);
            scored.then_some((second, unit, scores))
        });
        Ok(Self {
            rows: pairs.collect(),
            higher_is_better: column.higher_is_better,
            missing: pairing.examples(0) - pairing.len() as u64,
            new: pairing.examples(1) - pairing.len() as u64,
        })
    }

    /// The independent units.
    pub(super) fn units(&self) -> Vec<Unit> {
        let scores = |place: usize| self.rows.iter().map(|(.., scores)| scores[place]).collect();
        let (before, after): (Vec<f64>, Vec<f64>) = (scores(0), scores(1));
        let of_pairs: Vec<u32> = self.rows.iter().map(|&(_, unit, _)| unit).collect();
        units(&before, &after, Some(&of_pairs))
    }

    /// The examples that lost most.
    pub(super) fn lost_most(
        &self,
        evaluation: &Evaluation,
        column: &MetricColumn,
        most: usize,
    ) -> Result<Vec<GateExample>> {
        let sign = if self.higher_is_better { 1.0 } else { -1.0 };
        let gain = |[before, after]: [f64; 2]| sign * (after - before);
        let mut lost: Vec<&(usize, u32, [f64; 2])> =
            self.rows.iter().filter(|(.., scores)| gain(*scores) < 0.0).collect();
        lost.sort_by(|a, b| gain(a.2).total_cmp(&gain(b.2)));
        let found: Vec<(usize, f64, Option<f64>)> = lost
            .into_iter()
            .take(most)
            .map(|&(row, _, [before, after])| (row, after, Some(before)))
            .collect();
        examples::described(evaluation, column.stage, &found)
    }
}

fn own<'m>(manifest: &'m Manifest, column: &str) -> Option<&'m MetricColumn> {
    manifest.metrics.iter().find(|own| own.column == column)
}
