//! An index of passages and its search, with ours and with a bare loop over the same engine.
//!
//! The bare loop is what somebody would write with tantivy in an afternoon: one thread that writes,
//! the tokenizer of its own, a number in each document that leads to the id. It promises nothing of
//! what [`qeval_retrieval`] does about ties and repeatable scores.

use std::{fs, hint::black_box, sync::Arc, time::Instant};

use qeval_core::Passage;
use qeval_retrieval::{Bm25, Options};
use qeval_sdk::{Query, Retriever};
use rayon::ThreadPoolBuilder;
use serde::Deserialize;
use tantivy::{
    Index, Searcher, TantivyDocument, Term,
    collector::TopDocs,
    columnar::Column,
    query::{BooleanQuery, Occur, Query as EngineQuery, TermQuery},
    schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::TextAnalyzer,
};

use crate::{Error, cpu};

/// How often each side searches for all queries; the fastest counts.
const ROUNDS: usize = 3;

/// How many hits are asked for.
const DEPTHS: [usize; 3] = [10, 100, 1000];

/// Memory of the bare loop's writer.
const WRITER_BYTES: usize = 200_000_000;

#[derive(Deserialize)]
struct Text {
    id: String,
    text: String,
}

/// Prints a line for each kind of work: its name, our CPU seconds, those of the bare loop, and what
/// two threads take of our wall time of one.
pub(crate) fn run(corpus: &str, queries: &str) -> Result<(), Error> {
    let corpus = texts(corpus)?;
    let queries = texts(queries)?;
    let passage = |Text { id, text }: &Text| Passage {
        id: id.clone(),
        text: text.clone(),
        ..Passage::default()
    };
    let passages: Arc<Vec<Passage>> = Arc::new(corpus.iter().map(passage).collect());
    let pools = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let [one, two] = pools;
    let (one, two) = (one?, two?);

    let build = || Bm25::build(Arc::clone(&passages), Options::default());
    let (mut ours, mut theirs, mut walls) = (f64::INFINITY, f64::INFINITY, [f64::INFINITY; 2]);
    for _ in 0..2 {
        let start = cpu()?;
        drop(Bare::build(&corpus)?);
        theirs = theirs.min(cpu()? - start);
        let (start, clock) = (cpu()?, Instant::now());
        drop(one.install(build)?);
        ours = ours.min(cpu()? - start);
        walls[0] = walls[0].min(clock.elapsed().as_secs_f64());
        let clock = Instant::now();
        drop(two.install(build)?);
        walls[1] = walls[1].min(clock.elapsed().as_secs_f64());
    }
    println!("index {ours} {theirs} {}", walls[1] / walls[0]);

    let bm25 = one.install(build)?;
    let bare = Bare::build(&corpus)?;
    let asked: Vec<Query<'_>> =
        queries.iter().map(|Text { id, text }| Query { id, text, dataset: None }).collect();
    for depth in DEPTHS {
        let search = || -> Result<f64, Error> {
            let mut sum = 0.0;
            for ranking in bm25.retrieve(&asked, depth) {
                let ranking = ranking?.ok_or("there is no ranking")?;
                sum += black_box(&ranking).hits().iter().map(|hit| hit.score).sum::<f64>();
            }
            Ok(sum)
        };
        let (mut fastest, mut walls, mut sums) = ([f64::INFINITY; 2], [f64::INFINITY; 2], [0.0; 2]);
        for _ in 0..ROUNDS {
            let (start, clock) = (cpu()?, Instant::now());
            sums[0] = one.install(|| search().map_err(|error| error.to_string()))?;
            fastest[0] = fastest[0].min(cpu()? - start);
            walls[0] = walls[0].min(clock.elapsed().as_secs_f64());
            let start = cpu()?;
            sums[1] = queries
                .iter()
                .map(|query| bare.search(&query.text, depth))
                .sum::<Result<f64, _>>()?;
            fastest[1] = fastest[1].min(cpu()? - start);
            let clock = Instant::now();
            two.install(|| search().map_err(|error| error.to_string()))?;
            walls[1] = walls[1].min(clock.elapsed().as_secs_f64());
        }
        // What is measured must be the same work. Lucene has left the factor k1 + 1 out since its
        // version 8, as we do; the engine has it.
        sums[0] *= 1.0 + Options::default().k1;
        if (sums[0] - sums[1]).abs() > 1e-4 * sums[0].abs() {
            return Err(format!("the scores differ: {} and {}", sums[0], sums[1]).into());
        }
        println!("k={depth} {} {} {}", fastest[0], fastest[1], walls[1] / walls[0]);
    }
    Ok(())
}

fn texts(path: &str) -> Result<Vec<Text>, Error> {
    let text = fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// The bare loop.
struct Bare<'a> {
    corpus: &'a [Text],
    searcher: Searcher,
    /// Of each segment, the place of each document in the corpus.
    places: Vec<Column<u64>>,
    text: Field,
    tokenizer: TextAnalyzer,
}

impl<'a> Bare<'a> {
    fn build(corpus: &'a [Text]) -> Result<Self, Error> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("default")
            .set_index_option(IndexRecordOption::WithFreqs);
        let text =
            schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let place = schema.add_u64_field("place", FAST);
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        for (number, passage) in (0..).zip(corpus) {
            let mut document = TantivyDocument::new();
            document.add_text(text, &passage.text);
            document.add_u64(place, number);
            writer.add_document(document)?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        let tokenizer = index.tokenizers().get("default").ok_or("there is no such tokenizer")?;
        let searcher = index.reader()?.searcher();
        let segments = searcher.segment_readers().iter();
        let places =
            segments.map(|segment| segment.fast_fields().u64("place")).collect::<Result<_, _>>()?;
        Ok(Self { corpus, searcher, places, text, tokenizer })
    }

    /// The sum of the scores of the best hits, whose ids are looked up.
    fn search(&self, query: &str, depth: usize) -> Result<f64, Error> {
        let mut tokenizer = self.tokenizer.clone();
        let mut terms: Vec<(Occur, Box<dyn EngineQuery>)> = Vec::new();
        tokenizer.token_stream(query).process(&mut |token| {
            let term = Term::from_field_text(self.text, &token.text);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            terms.push((Occur::Should, Box::new(query)));
        });
        let query = BooleanQuery::new(terms);
        let best = TopDocs::with_limit(depth).order_by_score();
        let mut sum = 0.0;
        for (score, address) in self.searcher.search(&query, &best)? {
            let place = self.places[address.segment_ord as usize]
                .first(address.doc_id)
                .ok_or("a document has no number")?;
            black_box(self.corpus[usize::try_from(place)?].id.as_str());
            sum += f64::from(score);
        }
        Ok(sum)
    }
}
