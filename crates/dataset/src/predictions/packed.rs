//! Predictions as bytes, for a temporary file of this process.

use std::{collections::BTreeMap, ops::Range};

use qeval_core::{Candidate, Prediction, Usage, Value};

use crate::spill::{put_bytes, put_number, take_bytes, take_number};

/// What a prediction has beside its text: most have little of it.
const ABSTAINED: u64 = 1;
const ITEMS: u64 = 1 << 1;
const CANDIDATES: u64 = 1 << 2;
const SPAN: u64 = 1 << 3;
const LABELS: u64 = 1 << 4;
const COLUMNS: u64 = 1 << 5;
const CONFIDENCE: u64 = 1 << 6;
const CITATIONS: u64 = 1 << 7;
const SEEN: u64 = 1 << 8;
const USAGE: u64 = 1 << 9;

/// Appends a prediction.
pub(super) fn pack(prediction: &Prediction, out: &mut Vec<u8>) {
    let Prediction {
        text,
        abstained,
        items,
        candidates,
        span,
        labels,
        columns,
        confidence,
        citations,
        seen,
        usage,
    } = prediction;
    let parts = [
        (ABSTAINED, *abstained),
        (ITEMS, !items.is_empty()),
        (CANDIDATES, !candidates.is_empty()),
        (SPAN, span.is_some()),
        (LABELS, !labels.is_empty()),
        (COLUMNS, !columns.is_empty()),
        (CONFIDENCE, confidence.is_some()),
        (CITATIONS, !citations.is_empty()),
        (SEEN, seen.is_some()),
        (USAGE, *usage != Usage::default()),
    ];
    let has = parts.iter().filter(|(_, there)| *there).fold(0, |has, (part, _)| has | part);
    put_number(out, has);
    put_bytes(out, text.as_bytes());
    if has & ITEMS != 0 {
        put_texts(out, items);
    }
    if has & CANDIDATES != 0 {
        put_number(out, candidates.len() as u64);
        for candidate in candidates {
            put_candidate(out, candidate);
        }
    }
    if let Some(span) = span {
        put_range(out, span);
    }
    if has & LABELS != 0 {
        put_number(out, labels.len() as u64);
        for (name, label) in labels {
            put_bytes(out, name.as_bytes());
            put_bytes(out, label.as_bytes());
        }
    }
    if has & COLUMNS != 0 {
        put_number(out, columns.len() as u64);
        for (name, value) in columns {
            put_bytes(out, name.as_bytes());
            put_value(out, value);
        }
    }
    if let Some(confidence) = confidence {
        put_float(out, *confidence);
    }
    if has & CITATIONS != 0 {
        put_texts(out, citations);
    }
    if let Some(seen) = seen {
        put_texts(out, seen);
    }
    if has & USAGE != 0 {
        let Usage { latency_ms, tokens_in, tokens_out, cost } = usage;
        put_option(out, latency_ms.as_ref(), |out, &number| put_float(out, number));
        put_option(out, tokens_in.as_ref(), |out, &number| put_number(out, number));
        put_option(out, tokens_out.as_ref(), |out, &number| put_number(out, number));
        put_option(out, cost.as_ref(), |out, &number| put_float(out, number));
    }
}

/// The prediction that [`pack`] wrote; `None` where the bytes are none.
pub(super) fn unpack(mut bytes: &[u8]) -> Option<Prediction> {
    let from = &mut bytes;
    let has = take_number(from)?;
    let mut prediction = Prediction {
        text: take_text(from)?,
        abstained: has & ABSTAINED != 0,
        ..Prediction::default()
    };
    if has & ITEMS != 0 {
        prediction.items = take_list(from, take_text)?;
    }
    if has & CANDIDATES != 0 {
        prediction.candidates = take_list(from, take_candidate)?;
    }
    if has & SPAN != 0 {
        prediction.span = Some(take_range(from)?);
    }
    if has & LABELS != 0 {
        prediction.labels = take_map(from, take_text)?;
    }
    if has & COLUMNS != 0 {
        prediction.columns = take_map(from, take_value)?;
    }
    if has & CONFIDENCE != 0 {
        prediction.confidence = Some(take_float(from)?);
    }
    if has & CITATIONS != 0 {
        prediction.citations = take_list(from, take_text)?;
    }
    if has & SEEN != 0 {
        prediction.seen = Some(take_list(from, take_text)?);
    }
    if has & USAGE != 0 {
        let usage = &mut prediction.usage;
        fill(&mut usage.latency_ms, from, take_float)?;
        fill(&mut usage.tokens_in, from, take_number)?;
        fill(&mut usage.tokens_out, from, take_number)?;
        fill(&mut usage.cost, from, take_float)?;
    }
    from.is_empty().then_some(prediction)
}

fn put_float(out: &mut Vec<u8>, number: f64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    put_number(out, texts.len() as u64);
    for text in texts {
        put_bytes(out, text.as_bytes());
    }
}

fn put_range(out: &mut Vec<u8>, range: &Range<usize>) {
    put_number(out, range.start as u64);
    put_number(out, range.end as u64);
}

fn put_option<T>(out: &mut Vec<u8>, value: Option<&T>, put: impl FnOnce(&mut Vec<u8>, &T)) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        put(out, value);
    }
}

fn put_candidate(out: &mut Vec<u8>, candidate: &Candidate) {
    let Candidate { text, confidence, span, passage } = candidate;
    put_bytes(out, text.as_bytes());
    put_option(out, confidence.as_ref(), |out, &number| put_float(out, number));
    put_option(out, span.as_ref(), put_range);
    put_option(out, passage.as_ref(), |out, id| put_bytes(out, id.as_bytes()));
}

fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Text(text) => {
            out.push(0);
            put_bytes(out, text.as_bytes());
        }
        Value::Integer(number) => {
            out.push(1);
            put_number(out, number.cast_unsigned());
        }
        Value::Number(number) => {
            out.push(2);
            put_float(out, *number);
        }
        Value::Bool(truth) => out.extend([3, u8::from(*truth)]),
        Value::List(values) => {
            out.push(4);
            put_number(out, values.len() as u64);
            for value in values {
                put_value(out, value);
            }
        }
    }
}

fn take_byte(from: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = from.split_first()?;
    *from = rest;
    Some(byte)
}

fn take_text(from: &mut &[u8]) -> Option<String> {
    std::str::from_utf8(take_bytes(from)?).ok().map(str::to_owned)
}

fn take_float(from: &mut &[u8]) -> Option<f64> {
    let (bytes, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(f64::from_le_bytes(*bytes))
}

fn take_size(from: &mut &[u8]) -> Option<usize> {
    usize::try_from(take_number(from)?).ok()
}

fn take_range(from: &mut &[u8]) -> Option<Range<usize>> {
    Some(take_size(from)?..take_size(from)?)
}

/// Takes what may be there; `None` where neither it is nor that it is not.
fn fill<T>(
    value: &mut Option<T>,
    from: &mut &[u8],
    take: impl FnOnce(&mut &[u8]) -> Option<T>,
) -> Option<()> {
    if take_byte(from)? != 0 {
        *value = Some(take(from)?);
    }
    Some(())
}

fn take_list<T>(from: &mut &[u8], take: impl Fn(&mut &[u8]) -> Option<T>) -> Option<Vec<T>> {
    (0..take_number(from)?).map(|_| take(from)).collect()
}

fn take_map<T>(
    from: &mut &[u8],
    take: impl Fn(&mut &[u8]) -> Option<T>,
) -> Option<BTreeMap<String, T>> {
    (0..take_number(from)?).map(|_| Some((take_text(from)?, take(from)?))).collect()
}

fn take_candidate(from: &mut &[u8]) -> Option<Candidate> {
    let mut candidate = Candidate { text: take_text(from)?, ..Candidate::default() };
    fill(&mut candidate.confidence, from, take_float)?;
    fill(&mut candidate.span, from, take_range)?;
    fill(&mut candidate.passage, from, take_text)?;
    Some(candidate)
}

fn take_value(from: &mut &[u8]) -> Option<Value> {
    Some(match take_byte(from)? {
        0 => Value::Text(take_text(from)?),
        1 => Value::Integer(take_number(from)?.cast_signed()),
        2 => Value::Number(take_float(from)?),
        3 => Value::Bool(take_byte(from)? != 0),
        4 => Value::List(take_list(from, take_value)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            ".*".prop_map(Value::Text),
            any::<i64>().prop_map(Value::Integer),
            (-1e300..1e300).prop_map(Value::Number),
            any::<bool>().prop_map(Value::Bool),
        ];
        leaf.prop_recursive(2, 8, 4, |inner| {
            prop::collection::vec(inner, 0..4).prop_map(Value::List)
        })
    }

    fn texts() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec(".*", 0..3)
    }

    fn range() -> impl Strategy<Value = Range<usize>> {
        (any::<u32>(), any::<u32>()).prop_map(|(start, end)| start as usize..end as usize)
    }

    fn number() -> impl Strategy<Value = Option<f64>> {
        prop::option::of(-1e9..1e9)
    }

    fn candidate() -> impl Strategy<Value = Candidate> {
        let parts = (".*", number(), prop::option::of(range()), prop::option::of(".*"));
        parts.prop_map(|(text, confidence, span, passage)| Candidate {
            text,
            confidence,
            span,
            passage,
        })
    }

    fn prediction() -> impl Strategy<Value = Prediction> {
        let counts = (prop::option::of(any::<u64>()), prop::option::of(any::<u64>()));
        let usage = (number(), counts, number());
        let usage = usage.prop_map(|(latency_ms, (tokens_in, tokens_out), cost)| Usage {
            latency_ms,
            tokens_in,
            tokens_out,
            cost,
        });
        let first = (".*", any::<bool>(), texts(), prop::collection::vec(candidate(), 0..3));
        let maps = (
            prop::collection::btree_map(".*", ".*", 0..3),
            prop::collection::btree_map(".*", value(), 0..3),
        );
        let last = (number(), texts(), prop::option::of(texts()), usage);
        let all = (first, prop::option::of(range()), maps, last);
        all.prop_map(|(first, span, (labels, columns), (confidence, citations, seen, usage))| {
            let (text, abstained, items, candidates) = first;
            Prediction {
                text,
                abstained,
                items,
                candidates,
                span,
                labels,
                columns,
                confidence,
                citations,
                seen,
                usage,
            }
        })
    }

    proptest! {
        #[test]
        fn a_prediction_comes_back(prediction in prediction(), cut in any::<prop::sample::Index>()) {
            let mut bytes = Vec::new();
            pack(&prediction, &mut bytes);
            // What is cut off is noticed, and nothing panics.
            prop_assert_eq!(unpack(&bytes[..cut.index(bytes.len())]), None);
            prop_assert_eq!(unpack(&bytes), Some(prediction));
        }
    }
}
