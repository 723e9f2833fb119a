//! The lexical baseline of the reading-comprehension literature: no model, no training.
//!
//! The answer is the window of a passage whose words overlap most with the question's, each
//! word weighted by how rare it is in the passages (the sliding window of Richardson et al.,
//! "`MCTest`", 2013). It is a floor: a reader that does not beat it reads nothing.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use qeval_sdk::{
    Descriptor, Failure, Reader, Request,
    core::{Prediction, metrics::normalize},
};

/// Words in a window: about the length of a short answer with its surroundings.
const WINDOW: usize = 8;

pub(crate) struct SlidingWindow;

impl Reader for SlidingWindow {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "sliding-window".to_owned(),
            version: "1".to_owned(),
            summary: "the passage window with the highest weighted word overlap".to_owned(),
        }
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        requests.iter().map(|request| Ok(Some(answer(request)))).collect()
    }
}

/// The best window over all passages; the first one where several are equally good.
fn answer(request: &Request<'_>) -> Prediction {
    let texts: Vec<Words<'_>> =
        request.passages.iter().map(|passage| Words::new(&passage.text)).collect();
    let weights = Weights::new(&texts);
    let question: HashSet<String> =
        Words::new(&request.example.question).lower.into_iter().collect();

    let mut best: Option<(f64, usize, Range<usize>)> = None;
    for (index, text) in texts.iter().enumerate() {
        for start in 0..text.lower.len().saturating_sub(WINDOW - 1).max(1) {
            let window = start..(start + WINDOW).min(text.lower.len());
            let score = weights.overlap(&text.lower[window.clone()], &question);
            if score > best.as_ref().map_or(0.0, |(score, ..)| *score) {
                best = Some((score, index, window));
            }
        }
    }
    let Some((score, index, window)) = best else { return Prediction::abstention() };
    let text = &texts[index];
    let bytes = text.places[window.start].start..text.places[window.end - 1].end;
    Prediction {
        confidence: Some(score / (score + 1.0)),
        citations: vec![request.passages[index].id.clone()],
        ..Prediction::answer(&text.text[bytes])
    }
}

/// The words of a text, lower-cased, with their places.
struct Words<'a> {
    text: &'a str,
    places: Vec<Range<usize>>,
    lower: Vec<String>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let mut places: Vec<Range<usize>> = Vec::new();
        for (at, c) in text.char_indices().filter(|&(_, c)| normalize::is_word(c)) {
            let end = at + c.len_utf8();
            match places.last_mut() {
                Some(place) if place.end == at => place.end = end,
                _ => places.push(at..end),
            }
        }
        let lower = places.iter().map(|place| text[place.clone()].to_lowercase()).collect();
        Self { text, places, lower }
    }
}

/// Inverse counts of the words in the passages: ln(1 + 1 / count).
struct Weights(HashMap<String, f64>);

impl Weights {
    fn new(texts: &[Words<'_>]) -> Self {
        let mut counts: HashMap<String, f64> = HashMap::new();
        for word in texts.iter().flat_map(|text| &text.lower) {
            *counts.entry(word.clone()).or_default() += 1.0;
        }
        Self(counts.into_iter().map(|(word, count)| (word, (1.0 / count).ln_1p())).collect())
    }

    fn overlap(&self, window: &[String], question: &HashSet<String>) -> f64 {
        window.iter().filter(|word| question.contains(*word)).map(|word| self.0[word]).sum()
    }
}

#[cfg(test)]
mod tests {
    use qeval_sdk::core::{Example, Passage};

    use super::*;

    fn read(question: &str, texts: &[&str]) -> Prediction {
        let example = Example { question: question.to_owned(), ..Example::default() };
        let passages: Vec<Passage> = (0..)
            .zip(texts)
            .map(|(i, &text)| Passage {
                id: format!("p{i}"),
                text: text.to_owned(),
                ..Passage::default()
            })
            .collect();
        let passages: Vec<&Passage> = passages.iter().collect();
        answer(&Request { example: &example, passages: &passages })
    }

    #[test]
    fn the_window_with_the_rarest_common_words_wins() {
        let found = read(
            "How many days of sick leave are paid?",
            &[
                "The office closes at six. Lunch is free on Fridays for all of us.",
                "Up to ten days of sick leave are paid each year, if a doctor's note is sent.",
            ],
        );
        assert_eq!(found.text, "to ten days of sick leave are paid");
        assert_eq!(found.citations, ["p1"]);
        assert!(found.confidence.is_some_and(|p| (0.0..1.0).contains(&p)));
    }

    #[test]
    fn nothing_in_common_is_an_abstention() {
        assert!(read("Größe?", &["nothing here"]).abstained);
        assert!(read("Größe?", &[]).abstained);
        assert!(read("", &["", "!!"]).abstained);
        assert_eq!(read("größe", &["Die Größe: ß"]).text, "Die Größe: ß");
    }
}
