//! Phrases and boolean expressions: which passages match, and with what score.
//!
//! A word or phrase that matches scores like a term of BM25, with the sum of the weights of its
//! words and the number of times that it occurs; a passage gets the sum over all that matches in
//! it, as in Lucene. What is excluded adds nothing.

use std::io;

use tantivy::{
    DocId, DocSet, TERMINATED,
    postings::{Postings, SegmentPostings},
    schema::IndexRecordOption,
};

use super::{formula::Formula, term::Term, top::Scored};
use crate::index::Segment;

/// What a passage must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// These words, each so many places behind the first one. At least one.
    Words(Vec<(u32, String)>),
    /// All of the first, none of the second. At least one of the first.
    All(Vec<Node>, Vec<Node>),
    /// Any of them. At least one.
    Any(Vec<Node>),
}

impl Node {
    /// The terms of a text, one after the other; `None` where it has none.
    pub(super) fn phrase(mut terms: Vec<(u32, String)>) -> Option<Self> {
        let &(first, _) = terms.first()?;
        for (place, _) in &mut terms {
            *place -= first;
        }
        Some(Self::Words(terms))
    }
}

/// The passages that match, by their numbers.
pub(super) fn matches(
    node: &Node,
    segment: &Segment,
    formula: &Formula,
) -> io::Result<Vec<Scored>> {
    match node {
        Node::Words(words) => {
            let mut found = Vec::new();
            for field in 0..formula.fields.len() {
                found = either(found, phrase(words, field, segment, formula)?);
            }
            Ok(found)
        }
        Node::Any(nodes) => nodes.iter().try_fold(Vec::new(), |found, node| {
            Ok(either(found, matches(node, segment, formula)?))
        }),
        Node::All(wanted, excluded) => {
            let mut found: Option<Vec<Scored>> = None;
            for node in wanted {
                let also = matches(node, segment, formula)?;
                found = Some(match found {
                    None => also,
                    Some(found) => both(found, &also),
                });
            }
            excluded.iter().try_fold(found.unwrap_or_default(), |found, node| {
                Ok(without(found, &matches(node, segment, formula)?))
            })
        }
    }
}

/// The passages that have these words in a field in their places.
fn phrase(
    words: &[(u32, String)],
    field: usize,
    segment: &Segment,
    formula: &Formula,
) -> io::Result<Vec<Scored>> {
    let mut terms = Vec::with_capacity(words.len());
    for (_, word) in words {
        match Term::new(word, 1, field, segment, formula)? {
            Some(term) => terms.push(term),
            None => return Ok(Vec::new()),
        }
    }
    let weight: f64 = terms.iter().map(|term| term.weight).sum();
    let place = terms[0].place(segment, formula);
    let what = match words {
        [_] => IndexRecordOption::WithFreqs,
        _ => IndexRecordOption::WithFreqsAndPositions,
    };
    let lists: io::Result<Vec<SegmentPostings>> =
        terms.iter().map(|term| term.postings(place, what)).collect();
    let mut occurrences = Occurrences::new(words, lists?);

    let mut found = Vec::new();
    while let Some((doc, frequency)) = occurrences.next() {
        let code = place.length_codes[doc as usize];
        let score = weight * formula.norms(field).saturation(frequency, code);
        found.push(Scored { doc, score });
    }
    Ok(found)
}

/// Goes through the passages that have a phrase.
struct Occurrences {
    /// The words, the rarest first, each with what is added to its place to get the place where
    /// the last word of the phrase would stand.
    lists: Vec<(u32, SegmentPostings)>,
    /// Where the phrase may end, and where the next word says so too.
    ends: Vec<u32>,
    others: Vec<u32>,
}

impl Occurrences {
    fn new(words: &[(u32, String)], lists: Vec<SegmentPostings>) -> Self {
        let last = words.iter().map(|&(place, _)| place).max().unwrap_or(0);
        let mut lists: Vec<_> = words.iter().map(|&(place, _)| last - place).zip(lists).collect();
        lists.sort_by_key(|(_, list)| list.doc_freq());
        Self { lists, ends: Vec::new(), others: Vec::new() }
    }

    /// The next passage, and how often it has the phrase.
    fn next(&mut self) -> Option<(DocId, u32)> {
        loop {
            let doc = self.with_all()?;
            let frequency = self.frequency();
            self.lists[0].1.advance();
            if frequency > 0 {
                return Some((doc, frequency));
            }
        }
    }

    /// The next passage that has all of the words, from where the first list stands.
    fn with_all(&mut self) -> Option<DocId> {
        let mut doc = self.lists[0].1.doc();
        'next: while doc != TERMINATED {
            for (_, list) in &mut self.lists {
                let found = if list.doc() < doc { list.seek(doc) } else { list.doc() };
                if found > doc {
                    doc = found;
                    continue 'next;
                }
            }
            return Some(doc);
        }
        None
    }

    /// How often the words stand in their places in the passage where all lists are.
    fn frequency(&mut self) -> u32 {
        let Self { lists, ends, others } = self;
        if let [(_, list)] = lists.as_slice() {
            return list.term_freq();
        }
        for (number, (offset, list)) in lists.iter_mut().enumerate() {
            if number == 0 {
                list.positions_with_offset(*offset, ends);
            } else {
                list.positions_with_offset(*offset, others);
                ends.retain(|end| others.binary_search(end).is_ok());
            }
        }
        u32::try_from(ends.len()).unwrap_or(u32::MAX)
    }
}

/// The passages of either list; one that is in both has the sum of its scores.
fn either(a: Vec<Scored>, b: Vec<Scored>) -> Vec<Scored> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        merged.push(match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x.doc == y.doc => {
                let sum = Scored { doc: x.doc, score: x.score + y.score };
                a.next();
                b.next();
                sum
            }
            (Some(x), Some(y)) if x.doc > y.doc => {
                let least = *y;
                b.next();
                least
            }
            (Some(x), _) => {
                let least = *x;
                a.next();
                least
            }
            (None, Some(_)) => {
                merged.extend(b);
                return merged;
            }
            (None, None) => return merged,
        });
    }
}

/// The passages of both lists, with the sums of their scores.
fn both(mut a: Vec<Scored>, b: &[Scored]) -> Vec<Scored> {
    a.retain_mut(|scored| match b.binary_search_by_key(&scored.doc, |other| other.doc) {
        Ok(place) => {
            scored.score += b[place].score;
            true
        }
        Err(_) => false,
    });
    a
}

/// The passages of the first list that are not in the second.
fn without(mut a: Vec<Scored>, b: &[Scored]) -> Vec<Scored> {
    a.retain(|scored| b.binary_search_by_key(&scored.doc, |other| other.doc).is_err());
    a
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use qeval_core::Passage;
    use qeval_sdk::{Query, Retriever};

    use crate::{Analyzer, Bm25, Boosts, Options, QueryMode};

    fn bm25(passages: &[(&str, &str, &str)], options: Options) -> Bm25 {
        let passage = |&(id, title, text): &(&str, &str, &str)| Passage {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            ..Passage::default()
        };
        Bm25::build(Arc::new(passages.iter().map(passage).collect()), options).unwrap()
    }

    fn hits(bm25: &Bm25, text: &str) -> Result<Vec<(String, f64)>, String> {
        let mut rankings = bm25.retrieve(&[Query { id: "q", text, dataset: None }], 10);
        let ranking = rankings.remove(0).map_err(|failure| failure.message)?.unwrap();
        Ok(ranking.hits().iter().map(|hit| (hit.passage.to_owned(), hit.score)).collect())
    }

    fn ids(bm25: &Bm25, text: &str) -> Vec<String> {
        hits(bm25, text).unwrap().into_iter().map(|(id, _)| id).collect()
    }

    const CORPUS: [(&str, &str, &str); 5] = [
        ("1", "heat", "the transfer of heat transfer to a plate"),
        ("2", "", "transfer heat"),
        ("3", "", "heat transfer"),
        ("4", "heat", "transfer"),
        ("5", "", "cold plate"),
    ];

    fn mode(query: QueryMode) -> Options {
        Options { query, ..Options::default() }
    }

    #[test]
    fn a_phrase_needs_its_words_in_their_order_within_a_field() {
        let phrases = bm25(&CORPUS, mode(QueryMode::Phrase));
        assert_eq!(ids(&phrases, "Heat transfer!"), ["3", "1"]);
        assert_eq!(ids(&phrases, "transfer heat"), ["2"]);
        assert_eq!(ids(&phrases, "plate"), ["5", "1"]);
        assert_eq!(ids(&phrases, "heat heat"), [""; 0]);
        assert_eq!(ids(&phrases, ""), [""; 0]);
        // N = 5, 4 with either word: 2 ln(1 + 1.5 / 4.5), once in 2 of 4 words on average.
        let lengths: f64 = [9.0_f64, 2.0, 2.0, 2.0, 2.0].iter().sum::<f64>() / 5.0;
        let expected =
            2.0 * (1.0_f64 + 1.5 / 4.5).ln() / (1.0 + 1.2 * (0.25 + 0.75 * 2.0 / lengths));
        let found = hits(&phrases, "heat transfer").unwrap();
        assert!((found[0].1 - expected).abs() < 1e-12, "{found:?}");
        // A word that is left out keeps its place.
        let english = Options { analyzer: Analyzer::ENGLISH, ..mode(QueryMode::Phrase) };
        let english = bm25(&CORPUS, english);
        assert_eq!(ids(&english, "transfer of heat"), ["1"]);
        assert_eq!(ids(&english, "transfer heat"), ["2"]);
    }

    #[test]
    fn expressions_decide_what_is_found_and_its_words_how_well() {
        let boolean = bm25(&CORPUS, mode(QueryMode::Boolean));
        assert_eq!(ids(&boolean, "heat plate"), ["1"]);
        assert_eq!(ids(&boolean, "cold OR \"transfer heat\""), ["5", "2"]);
        assert_eq!(ids(&boolean, "transfer NOT \"heat transfer\""), ["4", "2"]);
        assert_eq!(ids(&boolean, "plate AND NOT (heat OR cold)"), [""; 0]);
        let terms = bm25(&CORPUS, Options::default());
        assert_eq!(hits(&boolean, "cold OR plate"), hits(&terms, "cold plate"));
        assert_eq!(
            hits(&boolean, "(heat").unwrap_err(),
            "the query is no boolean expression: `(` is not closed"
        );
    }

    #[test]
    fn boosts_weigh_title_and_text() {
        let with = |title, text| {
            let boosts = Some(Boosts { title, text });
            bm25(&CORPUS, Options { boosts, ..Options::default() })
        };
        assert_eq!(ids(&with(5.0, 1.0), "heat")[..2], ["1", "4"]);
        assert_eq!(ids(&with(1.0, 0.0), "heat"), ["4", "1"]);
        assert_eq!(ids(&with(0.0, 1.0), "heat"), ["3", "2", "1"]);
        // Twice the boosts, twice the scores.
        let [once, twice] =
            [(2.0, 1.0), (4.0, 2.0)].map(|(t, x)| hits(&with(t, x), "heat").unwrap());
        for (once, twice) in once.iter().zip(&twice) {
            assert_eq!((&once.0, once.1 * 2.0), (&twice.0, twice.1));
        }
        let boosts = Some(Boosts { title: 1.0, text: 1.0 });
        let all = bm25(&CORPUS, Options { boosts, ..mode(QueryMode::Boolean) });
        // A passage may have one word in its title and another one in its text.
        assert_eq!(ids(&all, "heat AND transfer").len(), 4);
        assert_eq!(ids(&all, "\"heat transfer\""), ["3", "1"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn phrases_are_found_where_a_reader_finds_them(
            texts in prop::collection::vec("[a-c]( [a-c]){0,9}", 1..12),
            phrase in "[a-c]( [a-c]){0,3}",
        ) {
            let numbers: Vec<String> = (0..texts.len()).map(|n| n.to_string()).collect();
            let passages: Vec<_> =
                numbers.iter().zip(&texts).map(|(id, text)| (id.as_str(), "", text.as_str())).collect();
            let found = bm25(&passages, mode(QueryMode::Phrase));
            let mut found: Vec<_> =
                hits(&found, &phrase).unwrap().into_iter().map(|(id, _)| id).collect();
            found.sort();
            let padded = |text: &str| format!(" {text} ");
            let mut expected: Vec<_> = numbers.iter().zip(&texts)
                .filter(|(_, text)| padded(text).contains(&padded(&phrase)))
                .map(|(id, _)| id.clone())
                .collect();
            expected.sort();
            expected.truncate(10);
            if expected.len() < 10 {
                prop_assert_eq!(found, expected);
            }
        }
    }
}
