//! SQuAD 2.0's `evaluate-v2.0.py`.

use std::collections::BTreeMap;

use qeval_core::families::squad2::{Best, Measure, Question, best_threshold, curve};
use qeval_dataset::{DatasetFormat, verbatim};
use serde_json::{Map, Value};

use super::{
    Files, Output, Stop, Texts, percent,
    python::{self, Printed},
    refused,
};

/// The probability above which a question counts as not answered.
const THRESHOLD: f64 = 1.0;

/// Indented JSON, also for questions with and without an answer. It cannot do without a prediction,
/// nor without a probability where there are any.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let records = files.records(DatasetFormat::Squad, &[])?;
    let predictions = Texts::read(files)?;
    let probabilities = files.options.na_prob_file.as_deref().map(Probabilities::read);
    let probabilities = probabilities.transpose()?;
    let mut questions: BTreeMap<&str, Question> = BTreeMap::new();
    let mut in_order = Vec::with_capacity(records.len());
    let mut unanswered = Vec::new();
    for record in &records {
        let id = record.example.id.as_str();
        let missing = |what: &str| refused(format!("question `{id}` has no {what}"));
        let Some(prediction) = predictions.get(id)? else {
            unanswered.push(id);
            continue;
        };
        let no_answer = probabilities.as_ref().map_or(Some(0.0), |given| given.get(id));
        let no_answer = no_answer.ok_or_else(|| missing("probability of no answer"))?;
        let question = Question::new(&record.example, &prediction, no_answer);
        in_order.push(question);
        questions.insert(id, question);
    }
    // The script names each question without a prediction, goes on, and stops later.
    if in_order.is_empty() {
        return Err(refused("it divides by the number of answered questions, which is 0"));
    }
    match unanswered.as_slice() {
        [] => {}
        [id] => return Err(refused(format!("question `{id}` has no prediction"))),
        [id, others @ ..] => {
            let (others, more) = (others.len(), if others.len() == 1 { "" } else { "s" });
            let questions = format!("`{id}` and {others} more question{more}");
            return Err(refused(format!("{questions} have no prediction")));
        }
    }
    let mut members = classes(&in_order, files.options.na_prob_thresh.unwrap_or(THRESHOLD));
    if let Some(probabilities) = probabilities {
        members.extend(probabilities.thresholds(&questions));
        if files.options.pr_curves {
            members.extend(probabilities.curves(&questions)?);
        }
    }
    Ok(Output { stdout: Printed::Dict(members).indented_json(), stderr: String::new() })
}

type Members = Vec<(&'static str, Printed)>;

/// Means of all questions and of the two classes, as they count at a threshold.
fn classes(questions: &[Question], threshold: f64) -> Members {
    let mut members = Vec::new();
    for ([exact, f1, total], wanted) in [
        (["exact", "f1", "total"], None),
        (["HasAns_exact", "HasAns_f1", "HasAns_total"], Some(true)),
        (["NoAns_exact", "NoAns_f1", "NoAns_total"], Some(false)),
    ] {
        let own = questions.iter().filter(|q| wanted.is_none_or(|wanted| q.answerable == wanted));
        let own: Vec<Question> = own.map(|question| question.at_threshold(threshold)).collect();
        if !own.is_empty() {
            let mean = |score: fn(&Question) -> f64| {
                percent(&own.iter().map(score).collect::<Vec<f64>>()).into()
            };
            members.push((exact, mean(|question| question.exact)));
            members.push((f1, mean(|question| question.f1)));
            members.push((total, own.len().into()));
        }
    }
    members
}

/// How probable it is that a question has no answer, in the order of the file, which decides
/// between equal ones.
struct Probabilities(Map<String, Value>);

impl Probabilities {
    fn read(path: &std::path::Path) -> Result<Self, Stop> {
        let given: Map<String, Value> = verbatim::json(path)?;
        match given.iter().find(|(_, value)| !value.is_number()) {
            None => Ok(Self(given)),
            Some((id, _)) => Err(refused(format!("the probability of `{id}` is no number"))),
        }
    }

    fn get(&self, id: &str) -> Option<f64> {
        self.0.get(id).and_then(Value::as_f64)
    }

    /// The questions in this order. A probability of no question of the dataset has none.
    fn questions(&self, questions: &BTreeMap<&str, Question>) -> Vec<Question> {
        self.0.keys().filter_map(|id| questions.get(id.as_str()).copied()).collect()
    }

    fn thresholds(&self, questions: &BTreeMap<&str, Question>) -> Members {
        let questions = self.questions(questions);
        let nothing = questions.iter().filter(|question| !question.answerable).count() as f64;
        let mut members = Vec::new();
        for ([score, threshold], measure) in [
            (["best_exact", "best_exact_thresh"], Measure::Exact),
            (["best_f1", "best_f1_thresh"], Measure::F1),
        ] {
            if let Some(best) = best_threshold(&questions, measure) {
                members.push((score, (100.0 * best.sum / questions.len() as f64).into()));
                members.push((threshold, Printed::Number(self.as_written(best, nothing))));
            }
        }
        members
    }

    /// A threshold as its file has it: a whole number has no fraction. Where answering nothing is
    /// best, it is the script's own 0.
    fn as_written(&self, best: Best, nothing: f64) -> String {
        let is = |value: &&Value| value.as_f64() == Some(best.threshold);
        let given = self.0.values().find(is).filter(|_| best.sum > nothing);
        given.map_or_else(|| python::float(best.threshold), python::text)
    }

    fn curves(&self, questions: &BTreeMap<&str, Question>) -> Result<Members, Stop> {
        if !questions.values().any(|question| question.answerable) {
            return Ok(Vec::new());
        }
        if let Some(id) = self.0.keys().find(|id| !questions.contains_key(id.as_str())) {
            return Err(refused(format!("there is a probability of `{id}` and no such question")));
        }
        let questions = self.questions(questions);
        let curves = [
            ("pr_exact_ap", Measure::Exact),
            ("pr_f1_ap", Measure::F1),
            ("pr_oracle_ap", Measure::Oracle),
        ];
        let area = |measure| Some(100.0 * curve(&questions, measure)?.average_precision);
        let curves = curves.into_iter();
        Ok(curves.filter_map(|(name, measure)| Some((name, area(measure)?.into()))).collect())
    }
}
