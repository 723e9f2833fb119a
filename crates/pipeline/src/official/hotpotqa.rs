//! HotpotQA's `hotpot_evaluate_v1.py`.

use std::fmt::Write as _;

use qeval_core::{Case, Example, Metric, Prediction};
use qeval_dataset::verbatim::{
    self,
    hotpotqa::{Predictions, Question},
};
use serde_json::Value;

use super::{Files, Output, Stop, metric, python::Printed, refused};

/// What is summed: its name, its metric, and whether it needs the answer and the facts.
const SUMS: [(&str, &str, (bool, bool)); 12] = [
    ("em", "HotpotQA.EM", (true, false)),
    ("f1", "HotpotQA.F1", (true, false)),
    ("prec", "HotpotQA.Precision", (true, false)),
    ("recall", "HotpotQA.Recall", (true, false)),
    ("sp_em", "HotpotQA.SP-EM", (false, true)),
    ("sp_f1", "HotpotQA.SP-F1", (false, true)),
    ("sp_prec", "HotpotQA.SP-Precision", (false, true)),
    ("sp_recall", "HotpotQA.SP-Recall", (false, true)),
    ("joint_em", "HotpotQA.Joint-EM", (true, true)),
    ("joint_f1", "HotpotQA.Joint-F1", (true, true)),
    ("joint_prec", "HotpotQA.Joint-Precision", (true, true)),
    ("joint_recall", "HotpotQA.Joint-Recall", (true, true)),
];

/// The dictionary of means. Answers and facts that are missing are named and score 0.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let Predictions { answer: answers, sp } = verbatim::json(files.predictions)?;
    let gold: Vec<Question> = verbatim::json(files.dataset)?;
    let missing = |what: &str| refused(format!("the predictions have no `{what}`"));
    let answers = answers.ok_or_else(|| missing("answer"))?;
    let facts = sp.ok_or_else(|| missing("sp"))?;
    if gold.is_empty() {
        return Err(refused("it divides by the number of questions, which is 0"));
    }
    let metrics = SUMS.map(|(_, name, _)| metric(name));
    let mut sums = [0.0; SUMS.len()];
    let mut stdout = String::new();
    for question in &gold {
        let id = &question.id;
        let (answer, facts) = (answers.get(id), facts.get(id));
        for (what, missing) in [("answer", answer.is_none()), ("sp fact", facts.is_none())] {
            if missing {
                let _ = writeln!(stdout, "missing {what} {id}");
            }
        }
        let example = example(question, answer.is_some(), facts.is_some())?;
        let prediction = prediction(id, answer, facts.map_or(&[], Vec::as_slice))?;
        let case = Case::new(&example).with_prediction(&prediction);
        for ((sum, metric), (_, _, needs)) in sums.iter_mut().zip(&metrics).zip(SUMS) {
            if (!needs.0 || answer.is_some()) && (!needs.1 || facts.is_some()) {
                *sum += score(metric, &case)?;
            }
        }
    }
    let means = SUMS.iter().zip(sums).map(|(&(name, ..), sum)| (name, sum / gold.len() as f64));
    stdout.push_str(&Printed::of_floats(means).line());
    Ok(Output { stdout, stderr: String::new() })
}

fn score(metric: &Metric, case: &Case<'_>) -> Result<f64, Stop> {
    let id = &case.example.id;
    metric.score(case).map_err(|reason| refused(format!("question `{id}`: {reason}")))
}

/// What is right, of which only what is compared must be there.
fn example(question: &Question, answer: bool, facts: bool) -> Result<Example, Stop> {
    let Question { id, answer: gold, supporting_facts } = question;
    let missing = |what: &str| refused(format!("question `{id}` has no `{what}`"));
    if answer && gold.is_none() {
        return Err(missing("answer"));
    }
    if facts && supporting_facts.is_none() {
        return Err(missing("supporting_facts"));
    }
    Ok(Example {
        id: id.clone(),
        references: gold.as_deref().map(Into::into).into_iter().collect(),
        gold_passages: written(supporting_facts.iter().flatten()),
        ..Example::default()
    })
}

fn prediction(id: &str, answer: Option<&Value>, facts: &[Value]) -> Result<Prediction, Stop> {
    let text = match answer {
        None => "",
        Some(Value::String(text)) => text,
        Some(_) => return Err(refused(format!("the answer of `{id}` is no text"))),
    };
    Ok(Prediction { citations: written(facts.iter()), ..Prediction::answer(text) })
}

/// Facts as JSON, which is as good as any name for them: they are only compared.
fn written<'a>(facts: impl Iterator<Item = &'a Value>) -> Vec<String> {
    facts.map(Value::to_string).collect()
}
