//! TriviaQA's `triviaqa_evaluation.py`.

use std::{collections::BTreeMap, fmt::Write as _};

use qeval_core::{Case, Example, Prediction, metrics::normalize};
use qeval_dataset::verbatim::{
    self,
    triviaqa::{Answer, File, Page, Question},
};
use serde_json::{Map, Value};

use super::{
    Files, Output, Stop, metric, percent,
    python::{self, Printed},
    refused,
};

/// The version that the script was written for.
const VERSION: f64 = 1.0;

/// The dictionary of means and numbers, below the wrong answers, each with what is right. A
/// question without a prediction is named on stderr and scores 0.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let file: File = verbatim::json(files.dataset)?;
    let mut output = Output::default();
    let keyed = keyed(&file)?;
    warn_of_version(&file, &mut output.stderr)?;
    let predictions: Map<String, Value> = verbatim::json(files.predictions)?;
    let (exact_match, f1) = (metric("TriviaQA.EM"), metric("TriviaQA.F1"));
    let (mut exact_matches, mut f1s, mut common) = (Vec::new(), Vec::new(), 0_usize);
    for (key, answer) in &keyed {
        let Some(prediction) = predictions.get(key) else {
            let _ = writeln!(output.stderr, "Missed question {key} will receive score 0.");
            exact_matches.push(0.0);
            f1s.push(0.0);
            continue;
        };
        let Value::String(text) = prediction else {
            return Err(refused(format!("the prediction of `{key}` is no text")));
        };
        common += 1;
        let answers = accepted(answer);
        let references = answers.iter().map(|text| text.as_str().into()).collect();
        let (example, prediction) =
            (Example { references, ..Example::default() }, Prediction::answer(text.as_str()));
        let case = Case::new(&example).with_prediction(&prediction);
        let scores = exact_match.score(&case).and_then(|exact| Ok((exact, f1.score(&case)?)));
        let (exact, f1) = scores.map_err(|_| refused(format!("question `{key}` has no answer")))?;
        if exact == 0.0 {
            let _ = writeln!(output.stdout, "em=0: {text} {}", python::list(&answers));
        }
        exact_matches.push(exact);
        f1s.push(f1);
    }
    if keyed.is_empty() {
        return Err(refused("it divides by the number of questions, which is 0"));
    }
    let result = Printed::Dict(vec![
        ("exact_match", percent(&exact_matches).into()),
        ("f1", percent(&f1s).into()),
        ("common", common.into()),
        ("denominator", keyed.len().into()),
        ("pred_len", predictions.len().into()),
        ("gold_len", keyed.len().into()),
    ]);
    output.stdout.push_str(&result.line());
    Ok(output)
}

/// The aliases as they are, and the answers of people normalised.
fn accepted(answer: &Answer) -> Vec<String> {
    let human = answer.human_answers.iter().map(|text| normalize::triviaqa(text));
    answer.normalized_aliases.iter().cloned().chain(human).collect()
}

fn warn_of_version(file: &File, stderr: &mut String) -> Result<(), Stop> {
    let version = file.version.as_ref().ok_or_else(|| refused("the dataset has no `Version`"))?;
    if version.as_f64() != Some(VERSION) {
        let (expected, found) = (python::float(VERSION), python::text(version));
        let message = format!("Evaluation expects v-{expected} , but got dataset with v-{found}");
        let _ = writeln!(stderr, "{message}");
    }
    Ok(())
}

/// The accepted answers under their keys, in the order of the file. In a verified dataset only
/// verified questions count, and of the web only verified documents. A key that comes again keeps
/// its place and has the later answers.
fn keyed(file: &File) -> Result<Vec<(String, &Answer)>, Stop> {
    let missing = |what: &str| refused(format!("the dataset has no `{what}`"));
    let verified = file.verified_eval.ok_or_else(|| missing("VerifiedEval"))?;
    let wikipedia = file.domain == "Wikipedia";
    let mut keyed: Vec<(String, &Answer)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for question in &file.data {
        let id = &question.question_id;
        let missing = |what: &str| refused(format!("question `{id}` has no `{what}`"));
        if verified && !flag(question.question_part_of_verified_eval, id)? {
            continue;
        }
        let keys = if wikipedia {
            vec![id.clone()]
        } else {
            documents(question, verified && file.domain == "Web")?
        };
        for key in keys {
            let answer = question.answer.as_ref().ok_or_else(|| missing("Answer"))?;
            if let Some(&place) = places.get(&key) {
                keyed[place].1 = answer;
            } else {
                places.insert(key.clone(), keyed.len());
                keyed.push((key, answer));
            }
        }
    }
    Ok(keyed)
}

/// The keys of a question's documents.
fn documents(question: &Question, verified: bool) -> Result<Vec<String>, Stop> {
    let id = &question.question_id;
    let mut keys = Vec::new();
    for Page { filename, doc_part_of_verified_eval } in
        question.entity_pages.iter().chain(&question.search_results)
    {
        if verified && !flag(*doc_part_of_verified_eval, id)? {
            continue;
        }
        let Some(filename) = filename else {
            return Err(refused(format!("a document of question `{id}` has no `Filename`")));
        };
        keys.push(format!("{id}--{filename}"));
    }
    if verified && keys.is_empty() {
        return Err(refused(format!("question `{id}` has no verified document")));
    }
    Ok(keys)
}

fn flag(verified: Option<bool>, id: &str) -> Result<bool, Stop> {
    verified.ok_or_else(|| refused(format!("question `{id}` does not say what is verified")))
}
