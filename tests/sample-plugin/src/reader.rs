//! Answers with the first sentence of the best passage.

use qeval_sdk::{Descriptor, Failure, FailureKind, Reader, Request, core::Prediction};

/// The reader. A question with `PANIC` makes it panic; one with `SILENT` gets nothing, one with
/// `FAIL` a failure, and one with `UNSURE` a confidence that is no number.
#[derive(Debug)]
pub(crate) struct FirstSentence;

impl Reader for FirstSentence {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("first-sentence", "1", "the first sentence of the best passage")
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        requests.iter().map(answer).collect()
    }
}

fn answer(request: &Request<'_>) -> Result<Option<Prediction>, Failure> {
    let question = request.example.question.as_str();
    assert!(!question.contains("PANIC"), "no answer today");
    if question.contains("FAIL") {
        return Err(Failure::new(FailureKind::Refused, "this is too hard"));
    }
    if question.contains("SILENT") {
        return Ok(None);
    }
    let Some(best) = request.passages.first() else { return Ok(Some(Prediction::abstention())) };
    let sentence = best.text.split_inclusive(['.', '!', '?']).next().unwrap_or_default();
    let confidence = if question.contains("UNSURE") { f64::NAN } else { 0.75 };
    Ok(Some(Prediction {
        confidence: Some(confidence),
        citations: vec![best.id.clone()],
        ..Prediction::answer(sentence.trim_end_matches('.'))
    }))
}
