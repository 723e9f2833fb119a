//! One question as it counts: whether there is an answer, whether one is given, whether it is right.

use super::label::Label;

/// How many annotators must give an answer for the question to have one.
pub const ENOUGH: usize = 2;

/// One question as it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Whether enough annotators gave an answer.
    pub has_gold: bool,
    /// Whether the system did.
    pub has_prediction: bool,
    /// Whether it is one of theirs.
    pub correct: bool,
    /// How sure the system is.
    pub score: f64,
}

/// A prediction with both yes or no and spans, which the script refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has both yes or no and short answers")]
pub struct BothKinds;

/// The long answer: right if it is the span of one annotator.
pub fn long_answer(gold: &[Label], prediction: &Label, score: f64) -> Outcome {
    let spans = || gold.iter().map(|label| label.long).filter(|span| !span.is_null());
    let has_gold = spans().count() >= ENOUGH;
    let has_prediction = !prediction.long.is_null();
    let correct = has_gold && has_prediction && spans().any(|span| span.matches(prediction.long));
    Outcome { has_gold, has_prediction, correct, score }
}

/// The short answer: right if it is the yes or no of one annotator, or else all spans of one.
pub fn short_answer(gold: &[Label], prediction: &Label, score: f64) -> Result<Outcome, BothKinds> {
    if prediction.yes_no.is_some() && prediction.spans().next().is_some() {
        return Err(BothKinds);
    }
    let has_gold = gold.iter().filter(|label| label.has_short()).count() >= ENOUGH;
    let has_prediction = prediction.has_short();
    let same = |label: &Label| match prediction.yes_no {
        Some(answer) => label.yes_no == Some(answer),
        None => same_spans(label, prediction),
    };
    let correct = has_gold && has_prediction && gold.iter().any(same);
    Ok(Outcome { has_gold, has_prediction, correct, score })
}

/// Whether each span of either side has its equal on the other.
fn same_spans(gold: &Label, prediction: &Label) -> bool {
    let all_in = |these: &Label, those: &Label| {
        these.spans().all(|this| those.spans().any(|that| this.matches(that)))
    };
    all_in(prediction, gold) && all_in(gold, prediction)
}

#[cfg(test)]
mod tests {
    use super::{
        super::label::{Span, YesNo},
        *,
    };

    fn label(long: (i64, i64), short: &[(i64, i64)], yes_no: Option<YesNo>) -> Label {
        let span = |tokens| Span::new(NOWHERE, tokens).unwrap();
        Label { long: span(long), short: short.iter().copied().map(span).collect(), yes_no }
    }

    const NOWHERE: (i64, i64) = (-1, -1);

    #[test]
    fn two_annotators_must_give_an_answer() {
        let answered = label((1, 5), &[(1, 2), (4, 5)], None);
        let nothing = label(NOWHERE, &[NOWHERE], None);
        let long = |gold: &[Label]| long_answer(gold, &answered, 0.5);
        assert!(!long(&[answered.clone(), nothing.clone()]).has_gold);
        assert!(long(&[answered.clone(), label((7, 8), &[], None)]).correct);
        let short =
            |gold: &[Label], prediction: &Label| short_answer(gold, prediction, 0.5).unwrap();
        let yes = label((1, 5), &[], Some(YesNo::Yes));
        let gold = [answered.clone(), yes.clone(), nothing.clone()];
        assert!(short(&gold, &answered).correct && short(&gold, &yes).correct);
        assert!(!short(&gold, &label(NOWHERE, &[(1, 2)], None)).correct);
        assert!(!short(&gold, &label(NOWHERE, &[], Some(YesNo::No))).correct);
        assert!(!short(&gold, &nothing).has_prediction);
        let both = label(NOWHERE, &[(1, 2)], Some(YesNo::No));
        assert_eq!(short_answer(&gold, &both, 0.5), Err(BothKinds));
    }
}
