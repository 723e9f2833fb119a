//! The diagnosis in one sentence that cites the numbers it rests on.

use qeval_core::{
    Interval,
    diagnosis::{Cause, Counts, share},
};

/// Which part of the system is the weak one, and the counts that say so; the interval takes examples as
/// independent.
pub fn verdict(counts: &Counts) -> String {
    let main = counts.main_cause().and_then(|(_, count)| share(count, counts.errors()));
    verdict_with(counts, main.map(|(_, interval)| interval))
}

/// The same, with the interval of the share that the main cause has of the errors.
pub(crate) fn verdict_with(counts: &Counts, interval: Option<Interval>) -> String {
    let errors = counts.errors();
    let Some((cause, count)) = counts.main_cause() else {
        return match counts.total() {
            0 => "nothing was diagnosed".to_owned(),
            1 => "the only answer is right".to_owned(),
            total => format!("all {total} answers are right"),
        };
    };
    let part = percent(count as f64 / errors as f64);
    let of = match interval {
        Some(interval) => format!(
            "{count} of {errors} wrong answers ({part}, 95 % interval {} to {})",
            percent(interval.low),
            percent(interval.high)
        ),
        None => format!("{count} of {errors} wrong answers ({part})"),
    };
    match cause {
        Cause::StaleSource => format!(
            "the sources are out of date: {of} stand word for word in a superseded passage that the \
             reader saw or cited"
        ),
        Cause::WrongSource => format!(
            "the reader copies from the wrong passages: {of} stand word for word in a passage that it \
             saw or cited and that is no evidence"
        ),
        Cause::Distraction => format!(
            "the reader is distracted: {of} were given although the reader saw the evidence and is \
             right where it sees nothing else"
        ),
        Cause::StaleOrWrongSource => format!(
            "the sources are the weak part: {of} stand word for word in a superseded or non-gold \
             passage that the reader saw or cited"
        ),
        Cause::RetrievalMiss => format!(
            "retrieval is the weak part: {of} were given without the evidence among the passages \
             that the reader saw"
        ),
        Cause::ReadingError => format!(
            "reading is the weak part: {of} were given although the reader saw the evidence"
        ),
        Cause::AbstainedWrongly => format!(
            "abstention is the weak part: {of} are missing although the reader saw the evidence"
        ),
        Cause::AnsweredUnanswerable => {
            format!("abstention is the weak part: {of} answer a question that has no answer")
        }
        Cause::NoPrediction => {
            format!("the predictions are incomplete: {of} are for questions without a prediction")
        }
        Cause::Unknown | Cause::Right | Cause::RightWithoutEvidence => {
            format!("the weak part is unknown: for {of} nobody knows which passages the reader saw")
        }
    }
}

/// A share in percent with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use qeval_core::diagnosis::Finding;

    use super::*;

    #[test]
    fn the_sentence_cites_its_numbers() {
        let mut counts = Counts::default();
        assert_eq!(verdict(&counts), "nothing was diagnosed");
        counts.add(Finding { evidence_seen: Some(true), cause: Cause::Right });
        assert_eq!(verdict(&counts), "the only answer is right");
        for _ in 0..9 {
            counts.add(Finding { evidence_seen: Some(false), cause: Cause::StaleOrWrongSource });
        }
        counts.add(Finding { evidence_seen: Some(true), cause: Cause::ReadingError });
        assert_eq!(
            verdict(&counts),
            "the sources are the weak part: 9 of 10 wrong answers (90.0 %, 95 % interval 59.6 % \
             to 98.2 %) stand word for word in a superseded or non-gold passage that the reader \
             saw or cited"
        );
    }
}
