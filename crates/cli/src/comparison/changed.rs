//! The examples on which systems differ most, with their texts.

use anyhow::Result;
use qeval_core::Stage;
use qeval_report::{ChangedExample, ChangedExamples};
use qeval_store::{Evaluation, Pairing, StoredCase};

use super::columns::Compared;

/// For each system but the first: the examples that lost most against the first one, then those that
/// gained most, `most` of each. Of equal differences the example with the lower id comes first.
pub(super) fn examples(
    evaluations: &[Evaluation],
    pairing: &Pairing,
    metric: &Compared,
    values: &[Vec<f64>],
    most: usize,
) -> Result<Vec<ChangedExamples>> {
    let of = |second: usize| -> Result<ChangedExamples> {
        let (before, after) = (&values[0], &values[second]);
        let sign = if metric.higher_is_better { 1.0 } else { -1.0 };
        let gain = |&example: &usize| sign * (after[example] - before[example]);
        let mut differing: Vec<usize> =
            (0..before.len()).filter(|example| gain(example).abs() > 0.0).collect();
        differing.sort_by(|a, b| gain(a).total_cmp(&gain(b)));
        let lost: Vec<usize> = differing
            .iter()
            .copied()
            .take_while(|example| gain(example) < 0.0)
            .take(most)
            .collect();
        // The other end, best first; the sort was stable, so equal ones are turned back.
        differing.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
        let gained = differing.iter().copied().take_while(|example| gain(example) > 0.0).take(most);
        let chosen: Vec<usize> = lost.into_iter().chain(gained).collect();
        let cases = |place: usize| {
            let rows: Vec<usize> =
                chosen.iter().map(|&example| pairing.rows(place)[example] as usize).collect();
            evaluations[place].cases(&rows)
        };
        let (asked, other) = (cases(0)?, cases(second)?);
        let shown =
            chosen.iter().zip(asked.into_iter().zip(other)).map(|(&example, (first, second))| {
                ChangedExample {
                    scores: [before[example], after[example]],
                    answers: [answer(&first, metric.stage), answer(&second, metric.stage)],
                    id: first.example_id,
                    dataset: first.dataset,
                    question: first.question,
                    references: first.references,
                }
            });
        let examples = shown.collect();
        Ok(ChangedExamples { metric: metric.name.clone(), first: 0, second, examples })
    };
    let all = (1..evaluations.len()).map(of).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().filter(|changed| !changed.examples.is_empty()).collect())
}

/// What was answered in a stage; nothing is answered in retrieval.
fn answer(case: &StoredCase, stage: Stage) -> Option<String> {
    match stage {
        Stage::Retrieval => None,
        Stage::Isolated => case.isolated_prediction.clone(),
        Stage::Integrated => case.prediction.as_ref().map(|prediction| prediction.text.clone()),
    }
}
