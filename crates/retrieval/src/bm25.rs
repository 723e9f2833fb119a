//! The BM25 retriever.

mod boolean;
mod exhaustive;
mod formula;
mod list;
mod matching;
mod pruned;
mod term;
mod top;

use std::sync::Arc;

use qeval_core::{Hits, Passage, Ranking};
use qeval_sdk::{Descriptor, Failure, FailureKind, Query, Retriever};
use rayon::prelude::*;
use tantivy::{TantivyError, tokenizer::TextAnalyzer};

use self::{
    formula::Formula,
    matching::Node,
    top::{Scored, Top},
};
use crate::{
    Index, IndexError, IndexOptions, InvalidOptions, Options, QueryMode, analyzer, index::Segment,
};

/// BM25 over an [`Index`].
///
/// A query goes through the analyzer of the index. What it asks for is a matter of the options
/// ([`QueryMode`]); by default it is free text, with no syntax, and a passage is a hit when it has
/// any of the terms. A term that occurs twice in the query counts twice, as in Lucene. A query
/// without terms has an empty ranking.
///
/// Scores are BM25 as in Lucene, computed in 64 bits; hits with equal scores are ordered by
/// passage id, descending, and that also decides which of them are the last within the depth.
pub struct Bm25 {
    index: Arc<Index>,
    options: Options,
}

/// Why there is no retriever.
#[derive(Debug, thiserror::Error)]
pub enum Bm25Error {
    /// An option has a value that it cannot have.
    #[error(transparent)]
    Options(#[from] InvalidOptions),
    /// The passages cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The index holds something else than the options need.
    #[error("the index holds `{index:?}`, expected `{options:?}`; hint: build it again")]
    Other {
        /// What the index holds.
        index: IndexOptions,
        /// What the options need.
        options: IndexOptions,
    },
}

impl Bm25 {
    /// Indexes the passages, and searches them.
    pub fn build(passages: Arc<Vec<Passage>>, options: Options) -> Result<Self, Bm25Error> {
        options.validate()?;
        let index = Index::build(passages, options.index())?;
        Self::new(Arc::new(index), options)
    }

    /// Searches an index that there is already.
    pub fn new(index: Arc<Index>, options: Options) -> Result<Self, Bm25Error> {
        options.validate()?;
        if index.options() != options.index() {
            let (index, options) = (index.options(), options.index());
            return Err(Bm25Error::Other { index, options });
        }
        Ok(Self { index, options })
    }

    /// What is searched.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    fn search(
        &self,
        query: &str,
        depth: usize,
        searched: &Searched<'_>,
        tokenizer: &mut TextAnalyzer,
    ) -> Result<Vec<Scored>, Failure> {
        let Searched { segment, formula } = searched;
        let node = match self.options.query {
            QueryMode::Terms => {
                let terms = term::look_up(query, tokenizer, segment, formula);
                let terms = terms.map_err(|error| unreadable(&error.into()))?;
                if terms.is_empty() || depth == 0 {
                    return Ok(Vec::new());
                }
                let search = match terms.len() {
                    ..=pruned::MOST_TERMS => pruned::search,
                    _ => exhaustive::search,
                };
                return search(segment, formula, &terms, depth)
                    .map_err(|error| unreadable(&error.into()));
            }
            QueryMode::Phrase => Node::phrase(analyzer::terms_in_place(tokenizer, query)),
            QueryMode::Boolean => boolean::parse(query, tokenizer).map_err(|error| {
                let message = format!("the query is no boolean expression: {error}");
                Failure::new(FailureKind::Refused, message)
            })?,
        };
        let (Some(node), 1..) = (node, depth) else { return Ok(Vec::new()) };
        let found = matching::matches(&node, segment, formula)
            .map_err(|error| unreadable(&error.into()))?;
        let mut top = Top::new(depth, 0.0);
        for scored in found {
            top.push(scored);
        }
        Ok(top.into_ordered())
    }

    fn ranking(&self, scored: &[Scored]) -> Ranking {
        let hits = scored.iter().map(|&Scored { doc, score }| (self.index.id(doc), score));
        let hits = Hits::of(hits).expect("scores are numbers");
        Ranking::from_distinct(hits)
    }
}

/// Searches a batch with the threads of the current rayon pool.
impl Retriever for Bm25 {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "bm25".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "BM25 over an index of the corpus".to_owned(),
        }
    }

    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        let Some(segment) = self.index.segment() else {
            return queries.iter().map(|_| Ok(Some(Ranking::default()))).collect();
        };
        let searched = Searched::new(segment, &self.options);
        let tokenizer = self.index.tokenizer();
        queries
            .par_iter()
            .map_init(
                || tokenizer.clone(),
                |tokenizer, query| {
                    let scored = self.search(query.text, depth, &searched, tokenizer)?;
                    Ok(Some(self.ranking(&scored)))
                },
            )
            .collect()
    }
}

/// What the queries of a batch have in common.
struct Searched<'a> {
    segment: &'a Segment,
    formula: Formula,
}

impl<'a> Searched<'a> {
    fn new(segment: &'a Segment, options: &Options) -> Self {
        let formula = Formula::new(options, segment);
        Self { segment, formula }
    }
}

fn unreadable(error: &TantivyError) -> Failure {
    Failure::new(FailureKind::Refused, format!("the index cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Analyzer, Boosts};

    fn passages<I: ToString, T: ToString>(texts: impl IntoIterator<Item = (I, T)>) -> Vec<Passage> {
        let passage = |(id, text): (I, T)| Passage {
            id: id.to_string(),
            text: text.to_string(),
            ..Passage::default()
        };
        texts.into_iter().map(passage).collect()
    }

    fn bm25(passages: Vec<Passage>, options: Options) -> Bm25 {
        Bm25::build(Arc::new(passages), options).unwrap()
    }

    /// Ids and scores of the first `depth` hits.
    fn hits(bm25: &Bm25, text: &str, depth: usize) -> Vec<(String, f64)> {
        let mut rankings = bm25.retrieve(&[Query { id: "q", text, dataset: None }], depth);
        assert_eq!(rankings.len(), 1);
        let ranking = rankings.remove(0).unwrap().unwrap();
        ranking.hits().iter().map(|hit| (hit.passage.to_owned(), hit.score)).collect()
    }

    fn ids(bm25: &Bm25, text: &str, depth: usize) -> Vec<String> {
        hits(bm25, text, depth).into_iter().map(|(id, _)| id).collect()
    }

    fn check(bm25: &Bm25, text: &str, expected: &[(&str, f64)]) {
        let found = hits(bm25, text, 10);
        let close = found.len() == expected.len()
            && found.iter().zip(expected).all(|((id, score), &(expected_id, expected_score))| {
                id == expected_id && (score - expected_score).abs() < 1e-9
            });
        assert!(close, "`{text}`: found {found:?}, expected {expected:?}");
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let corpus =
            || passages([("a", "red fish"), ("b", "red red bird"), ("c", "blue bird sings loud")]);
        let usual = bm25(corpus(), Options::default());
        // N = 3, average = 3. red: ln(1 + 1.5 / 2.5) = 0.470003629; in b 2 / (2 + 1.2),
        // in a 1 / (1 + 1.2 (0.25 + 0.75 · 2 / 3)) = 1 / 1.9.
        check(&usual, "red", &[("b", 0.293_752_268_28), ("a", 0.247_370_331_18)]);
        // fish: ln(1 + 2.5 / 1.5) = 0.980829253, again times 1 / 1.9.
        check(&usual, "Fish!", &[("a", 0.516_225_922_64)]);
        check(&usual, "red fish", &[("a", 0.763_596_253_82), ("b", 0.293_752_268_28)]);
        // Once for each time that the query has it.
        check(&usual, "red, red; RED", &[("b", 0.881_256_804_84), ("a", 0.742_110_993_55)]);
        check(&usual, "green", &[]);

        // k1 = 0 counts passages only; b = 0 ignores lengths: 2 / (2 + 0.9), 1 / (1 + 0.9).
        let options = |k1, b| Options { k1, b, ..Options::default() };
        let binary = bm25(corpus(), options(0.0, 0.75));
        check(&binary, "red", &[("b", 0.470_003_629_25), ("a", 0.470_003_629_25)]);
        let flat = bm25(corpus(), options(0.9, 0.0));
        check(&flat, "red", &[("b", 0.324_140_433_96), ("a", 0.247_370_331_18)]);
    }

    #[test]
    fn passages_without_a_field_do_not_count_there() {
        let texts = [("a", "fish swims"), ("b", "blue"), ("c", "red fish"), ("d", ""), ("e", "?!")];
        let mut corpus = passages(texts);
        for (passage, title) in corpus.iter_mut().zip(["Red", "Red bird", "", "", "..."]) {
            title.clone_into(&mut passage.title);
        }
        let boosts = Some(Boosts { title: 2.0, text: 1.0 });
        let two = bm25(corpus, Options { boosts, ..Options::default() });
        // Titles: N = 2, average = 1.5; red: ln(1 + 0.5 / 2.5) = 0.182321557, twice for the boost;
        // in a 1 / (1 + 1.2 (0.25 + 0.75 · 1 / 1.5)) = 1 / 1.9, in b 1 / 2.5.
        // Texts: N = 3, average = 5 / 3; red: ln(1 + 2.5 / 1.5) = 0.980829253;
        // in c 1 / (1 + 1.2 (0.25 + 0.75 · 2 · 3 / 5)) = 1 / 2.38.
        let expected = [("c", 0.412_113_131_52), ("a", 0.191_917_428_20), ("b", 0.145_857_245_44)];
        check(&two, "red", &expected);

        // In one body it is the same: N = 3, average = 3, as without the empty ones.
        let texts = [("a", "red fish"), ("b", "red red bird"), ("c", "blue bird sings loud")];
        let one =
            bm25(passages(texts.into_iter().chain([("d", ""), ("e", "?!")])), Options::default());
        check(&one, "red", &[("b", 0.293_752_268_28), ("a", 0.247_370_331_18)]);
    }

    #[test]
    fn long_passages_have_rounded_lengths() {
        let words = |count| "w ".repeat(count);
        let bm25 = bm25(passages([("42", words(42)), ("43", words(43))]), Options::default());
        let found = hits(&bm25, "w", 10);
        // ln(1 + 0.5 / 2.5) · 43 / (43 + 1.2 (0.25 + 0.75 · 42 / 42.5)).
        assert!((found[0].1 - 0.177_414_150_34).abs() < 1e-9, "{found:?}");
        assert_eq!(found[0].0, "43");
    }

    #[test]
    fn ties_go_to_the_greatest_ids_at_any_depth() {
        for options in [Options::default(), Options { k1: 0.9, b: 0.4, ..Options::default() }] {
            let tied = (0..1000).map(|number| (number * 7 % 1000, "one two three"));
            let better = [(5000, "one two two"), (5001, "one one two")];
            let bm25 = bm25(passages(tied.chain(better)), options);
            let mut expected: Vec<_> = (0..1000).map(|number| number.to_string()).collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(ids(&bm25, "three", 2000), expected);
            for depth in [1, 2, 10, 99, 200] {
                assert_eq!(ids(&bm25, "three", depth), expected[..depth]);
                let both = ids(&bm25, "two one", depth + 2);
                assert_eq!(both[..2], ["5001", "5000"]);
                assert_eq!(both[2..], expected[..depth]);
            }
        }
    }

    #[test]
    fn any_text_is_a_query() {
        let texts = [
            ("plain", "cats and dogs"),
            ("copy", "cats and dogs"),
            ("empty", ""),
            ("blank", " \n "),
            ("signs", "?! — 👍"),
            ("accents", "L'école d'été à Zürich"),
            ("han", "東京都"),
        ];
        let bm25 = bm25(passages(texts), Options::default());
        for nothing in ["", " \t\n", "?!", "\"", ":", "👍🏽", "\u{0}", "+-(){}[]^~*", "unknown"]
        {
            assert!(hits(&bm25, nothing, 10).is_empty(), "{nothing:?}");
        }
        for cats in
            ["cats AND dogs", "title: cats", "\"cats", "-cats", "cats^9 OR", "[cats TO", "cats*"]
        {
            assert_eq!(ids(&bm25, cats, 10), ["plain", "copy"], "{cats:?}");
        }
        assert_eq!(ids(&bm25, "L'ÉCOLE", 10), ["accents"]);
        assert_eq!(ids(&bm25, "京", 10), ["han"]);
        assert!(hits(&bm25, "cats", 0).is_empty());
        assert_eq!(ids(&bm25, "cats", usize::MAX), ["plain", "copy"]);

        let many: Vec<_> = (0..10_000).map(|number| format!("word{number}")).collect();
        assert_eq!(ids(&bm25, &(many.join(" ") + " cats"), 10), ["plain", "copy"]);
        assert_eq!(ids(&bm25, &"cats ".repeat(10_000), 10), ["plain", "copy"]);
        assert!(hits(&bm25, &"x".repeat(1_000_000), 10).is_empty());
    }

    #[test]
    fn an_empty_corpus_gives_empty_rankings() {
        let queries =
            [("1", "cats"), ("2", "")].map(|(id, text)| Query { id, text, dataset: None });
        for corpus in [passages::<&str, &str>([]), passages([("a", ""), ("b", "")])] {
            let found = bm25(corpus, Options::default()).retrieve(&queries, 10);
            assert_eq!(found, [Ok(Some(Ranking::default())), Ok(Some(Ranking::default()))]);
        }
    }

    #[test]
    fn the_analyzer_is_that_of_the_index() {
        let options = Options { analyzer: Analyzer::ENGLISH, ..Options::default() };
        let corpus = Arc::new(passages([("a", "the flying machines")]));
        let index = Arc::new(Index::build(corpus, options.index()).unwrap());
        let bm25 = Bm25::new(Arc::clone(&index), options).unwrap();
        assert_eq!(ids(&bm25, "Machine", 10), ["a"]);
        assert!(hits(&bm25, "the", 10).is_empty());
        assert!(matches!(Bm25::new(index, Options::default()), Err(Bm25Error::Other { .. })));
    }

    /// Texts of a few words, some of them in most texts and some rare, from a fixed sequence.
    fn texts(count: u64) -> Vec<String> {
        let mut state = 7_u64;
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut word = move || {
            let bound = 1 + next(200);
            format!("w{} ", next(bound))
        };
        (0..count).map(|number| (0..3 + number % 17).map(|_| word()).collect()).collect()
    }

    #[test]
    fn the_first_hits_are_the_same_at_every_depth_and_with_any_threads() {
        let bm25 = bm25(passages(texts(3000).into_iter().enumerate()), Options::default());
        let queries: Vec<_> = texts(20).into_iter().map(|text| text + "w0 w1").collect();
        let queries: Vec<_> =
            queries.iter().map(|text| Query { id: "q", text, dataset: None }).collect();
        let retrieve = |threads, depth| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bm25.retrieve(&queries, depth))
        };
        let whole = retrieve(1, 3000);
        for depth in [1, 10, 100, 700] {
            for threads in [1, 3] {
                for (found, whole) in retrieve(threads, depth).into_iter().zip(&whole) {
                    let mut expected = whole.clone().unwrap().unwrap();
                    expected.truncate(depth);
                    assert_eq!(found, Ok(Some(expected)), "depth {depth}, {threads} threads");
                }
            }
        }
    }

    /// What both ways of searching find for the first terms of the query; scores as bits.
    fn both_ways(bm25: &Bm25, query: &str, depth: usize) -> [Vec<(u32, u64)>; 2] {
        let segment = bm25.index.segment().unwrap();
        let Searched { formula, .. } = Searched::new(segment, &bm25.options);
        let tokenizer = &mut bm25.index.tokenizer();
        let mut terms = term::look_up(query, tokenizer, segment, &formula).unwrap();
        terms.truncate(pruned::MOST_TERMS);
        [
            pruned::search(segment, &formula, &terms, depth).unwrap(),
            exhaustive::search(segment, &formula, &terms, depth).unwrap(),
        ]
        .map(|scored| scored.into_iter().map(|s| (s.doc, s.score.to_bits())).collect())
    }

    #[test]
    fn skipping_finds_the_same_over_many_windows() {
        let mut corpus = passages(texts(8000).into_iter().enumerate());
        for (number, passage) in corpus.iter_mut().enumerate() {
            // Some have a title of words that are rare in titles, some of common ones, some nothing.
            match number % 7 {
                0 => passage.text.clear(),
                1 => passage.title.clone_from(&passage.text),
                2 => "w0 w1".clone_into(&mut passage.title),
                _ => {}
            }
        }
        let queries = texts(34);
        for boosts in [None, Some(Boosts { title: 3.0, text: 0.5 })] {
            // With k1 = 0 most passages are tied.
            for (k1, b) in [(1.2, 0.75), (0.0, 0.0), (2.5, 1.0)] {
                let bm25 = bm25(corpus.clone(), Options { k1, b, boosts, ..Options::default() });
                for (query, depth) in queries.iter().zip([1, 10, 100, 1000].into_iter().cycle()) {
                    let [pruned, exhaustive] = both_ways(&bm25, query, depth);
                    assert_eq!(pruned, exhaustive, "{query} at {depth}, k1 {k1}, b {b}");
                }
            }
        }
    }

    #[test]
    fn equal_passages_are_found_whatever_the_order_of_additions() {
        // Which terms are looked up depends on the passages before, so that those of equal passages
        // come in different orders, and a sum in that order could differ in its last bits.
        let query: Vec<_> = (0..8).map(|word| format!("w{word}")).collect();
        let query = query.join(" ");
        let text = |(number, random): (usize, String)| match number % 3 {
            0 => query.clone() + " w0 w1 w2 w2 w3",
            _ => random,
        };
        let texts = texts(1500).into_iter().enumerate().map(text);
        let bm25 = bm25(passages(texts.enumerate()), Options::default());
        for depth in (1..200).step_by(7) {
            let [pruned, exhaustive] = both_ways(&bm25, &query, depth);
            assert_eq!(pruned, exhaustive, "depth {depth}");
        }
    }

    fn words(most: usize) -> impl Strategy<Value = String> {
        let word = prop_oneof![4 => "[a-c]", 2 => "[d-k]", 1 => "[é東\"👍 :]"];
        prop::collection::vec(word, 0..most).prop_map(|words| words.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn rankings_are_valid_and_do_not_depend_on_the_order_of_passages(
            texts in prop::collection::vec(words(12), 1..60),
            query in words(8),
            depth in 0_usize..30,
            turn in 0_usize..60,
        ) {
            let corpus = passages(texts.iter().enumerate());
            let mut turned = corpus.clone();
            turned.rotate_left(turn % corpus.len());
            turned.reverse();
            let terms = Analyzer::STANDARD.terms(&query);
            let matching = texts.iter().filter(|text| {
                Analyzer::STANDARD.terms(text).iter().any(|term| terms.contains(term))
            });
            let matching = matching.count();

            let found = hits(&bm25(corpus, Options::default()), &query, depth);
            prop_assert_eq!(found.len(), depth.min(matching));
            prop_assert!(found.iter().all(|(_, score)| score.is_finite() && *score > 0.0));
            prop_assert!(found.is_sorted_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)).is_lt()));
            prop_assert_eq!(&found, &hits(&bm25(turned, Options::default()), &query, depth));
        }

        #[test]
        fn skipping_finds_what_scoring_everything_finds(
            texts in prop::collection::vec(words(6), 1..40),
            copies in prop_oneof![3 => 1_usize..9, 1 => 100_usize..120],
            query in words(8),
            depth in 1_usize..50,
            k1 in prop_oneof![Just(1.2), 0.0..3.0_f64],
            b in prop_oneof![Just(0.75), 0.0..=1.0_f64],
            title in prop_oneof![2 => Just(None), 1 => (0.01..5.0_f64).prop_map(Some)],
            titled in 1_usize..5,
        ) {
            // Copies are ties, and fill whole blocks of the index and more than one window.
            let titles = texts.iter().rev().cloned();
            let texts = texts.iter().cycle().take(texts.len() * copies);
            let mut corpus = passages(texts.enumerate());
            for (passage, title) in corpus.iter_mut().step_by(titled).zip(titles.cycle()) {
                passage.title = title;
            }
            let boosts = title.map(|title| Boosts { title, text: 1.0 });
            let bm25 = bm25(corpus, Options { k1, b, boosts, ..Options::default() });
            let [pruned, exhaustive] = both_ways(&bm25, &query, depth);
            prop_assert_eq!(pruned, exhaustive);
        }
    }
}
