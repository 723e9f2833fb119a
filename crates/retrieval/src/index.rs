//! An index over passages: built once, then read by any number of searches.
//!
//! The passages are added in the order in which ties are broken, by id descending, and end in one
//! segment. A number that tantivy gives to a passage is thus its place in that order: ties are
//! decided by comparing numbers, and the way back to the passage is one look into a table, where
//! a field with ids would cost more than the search itself.

use std::sync::Arc;

use qeval_core::Passage;
use tantivy::{
    DocId, IndexWriter, InvertedIndexReader, Searcher, TERMINATED, TantivyDocument, TantivyError,
    indexer::{IndexWriterOptions, NoMergePolicy},
    schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::TextAnalyzer,
};

use crate::Analyzer;

/// An index in memory over a corpus.
///
/// A passage is found by the words of its title and its text, which count alike.
pub struct Index {
    passages: Arc<Vec<Passage>>,
    analyzer: Analyzer,
    /// The place in `passages` of each indexed passage.
    places: Vec<u32>,
    body: Field,
    /// `None` when there is no passage.
    segment: Option<Segment>,
}

/// What searches read.
pub(crate) struct Segment {
    pub(crate) searcher: Searcher,
    pub(crate) postings: Arc<InvertedIndexReader>,
    /// The lengths of the passages in terms, each rounded down to one of 256 as in Lucene.
    pub(crate) length_codes: Vec<u8>,
}

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Two passages have the same id.
    #[error("passage `{0}` is in the corpus twice; hint: a passage id must be unique")]
    Duplicate(String),
    /// There are more passages than an index can number.
    #[error("the corpus has `{0}` passages, expected at most `{max}`", max = TERMINATED)]
    TooMany(usize),
    /// The index could not be written.
    #[error("the index cannot be built")]
    Engine(#[source] TantivyError),
}

/// The least and the most memory for what is not yet in a segment. A corpus that needs more is
/// written in several segments, which are joined at the end.
const WRITER_BYTES: (usize, usize) = (16 << 20, 256 << 20);

const BODY: &str = "body";
const NUMBER: &str = "number";

impl Index {
    /// Indexes the passages. What is built doesn't depend on their order.
    pub fn build(passages: Arc<Vec<Passage>>, analyzer: Analyzer) -> Result<Self, IndexError> {
        let places = by_id_descending(&passages)?;
        let (index, fields) = empty(analyzer);
        let segment = write(&index, fields, &passages, &places)
            .and_then(|searcher| Segment::open(searcher, fields.body))
            .map_err(IndexError::Engine)?;
        Ok(Self { passages, analyzer, places, body: fields.body, segment })
    }

    /// The passages that it was built from, in their own order.
    pub fn passages(&self) -> &Arc<Vec<Passage>> {
        &self.passages
    }

    /// How their texts became terms.
    pub fn analyzer(&self) -> Analyzer {
        self.analyzer
    }

    /// The passage with this number.
    pub(crate) fn passage(&self, doc: DocId) -> &Passage {
        &self.passages[self.places[doc as usize] as usize]
    }

    pub(crate) fn segment(&self) -> Option<&Segment> {
        self.segment.as_ref()
    }

    pub(crate) fn tokenizer(&self) -> TextAnalyzer {
        self.analyzer.tokenizer()
    }

    /// The term as it is looked up.
    pub(crate) fn term(&self, text: &str) -> tantivy::Term {
        tantivy::Term::from_field_text(self.body, text)
    }
}

impl Segment {
    fn open(searcher: Searcher, body: Field) -> Result<Option<Self>, TantivyError> {
        let Some(reader) = searcher.segment_readers().first() else { return Ok(None) };
        let postings = reader.inverted_index(body)?;
        let lengths = reader.get_fieldnorms_reader(body)?;
        let length_codes = (0..reader.max_doc()).map(|doc| lengths.fieldnorm_id(doc)).collect();
        Ok(Some(Self { searcher, postings, length_codes }))
    }

    /// How many passages there are; at least one.
    pub(crate) fn len(&self) -> u32 {
        self.searcher.segment_readers()[0].max_doc()
    }

    /// The mean number of terms in a passage.
    pub(crate) fn average_length(&self) -> f64 {
        self.postings.total_num_tokens() as f64 / f64::from(self.len())
    }
}

/// The places of the passages, in the order of their ids as bytes, the greatest first.
fn by_id_descending(passages: &[Passage]) -> Result<Vec<u32>, IndexError> {
    let count = u32::try_from(passages.len())
        .ok()
        .filter(|&count| count <= TERMINATED)
        .ok_or(IndexError::TooMany(passages.len()))?;
    let id = |place: u32| passages[place as usize].id.as_str();

    let mut places: Vec<u32> = (0..count).collect();
    places.sort_unstable_by(|&a, &b| id(b).cmp(id(a)));
    match places.windows(2).find(|pair| id(pair[0]) == id(pair[1])) {
        Some(pair) => Err(IndexError::Duplicate(id(pair[0]).to_owned())),
        None => Ok(places),
    }
}

#[derive(Clone, Copy)]
struct Fields {
    body: Field,
    /// The number of the passage, which says how to join segments.
    number: Field,
}

fn empty(analyzer: Analyzer) -> (tantivy::Index, Fields) {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(BODY)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let mut schema = Schema::builder();
    let body = schema.add_text_field(BODY, TextOptions::default().set_indexing_options(indexing));
    let number = schema.add_u64_field(NUMBER, FAST);
    let index = tantivy::Index::create_in_ram(schema.build());
    index.tokenizers().register(BODY, analyzer.tokenizer());
    (index, Fields { body, number })
}

/// Writes the passages, in the order of `places`, into one segment.
fn write(
    index: &tantivy::Index,
    fields: Fields,
    passages: &[Passage],
    places: &[u32],
) -> Result<Searcher, TantivyError> {
    let bytes: usize =
        passages.iter().map(|passage| passage.title.len() + passage.text.len()).sum();
    let (least, most) = WRITER_BYTES;
    let mut writer = writer(index, bytes.saturating_mul(2).clamp(least, most))?;
    for (number, &place) in (0..).zip(places) {
        add(&writer, fields, number, &passages[place as usize])?;
    }
    writer.commit()?;
    join(index, writer)
}

/// One thread, and no joining of segments on its own: that would put them in any order.
fn writer(index: &tantivy::Index, bytes: usize) -> Result<IndexWriter, TantivyError> {
    let options = IndexWriterOptions::builder()
        .memory_budget_per_thread(bytes)
        .num_worker_threads(1)
        .num_merge_threads(1)
        .build();
    let writer = index.writer_with_options(options)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    Ok(writer)
}

fn add(
    writer: &IndexWriter,
    fields: Fields,
    number: u64,
    passage: &Passage,
) -> Result<(), TantivyError> {
    let body = match passage.title.as_str() {
        "" => passage.text.clone(),
        title => format!("{title}\n\n{}", passage.text),
    };
    let mut document = TantivyDocument::new();
    document.add_text(fields.body, body);
    document.add_u64(fields.number, number);
    writer.add_document(document)?;
    Ok(())
}

/// Joins what has been committed into one segment, ordered by number.
fn join(index: &tantivy::Index, mut writer: IndexWriter) -> Result<Searcher, TantivyError> {
    let reader = index.reader()?;
    let mut segments = Vec::new();
    for segment in reader.searcher().segment_readers() {
        let first = segment.fast_fields().u64(NUMBER)?.first(0);
        segments.push((first, segment.segment_id()));
    }
    if segments.len() > 1 {
        segments.sort_unstable();
        let ids: Vec<_> = segments.into_iter().map(|(_, id)| id).collect();
        writer.merge(&ids).wait()?;
        reader.reload()?;
    }
    writer.wait_merging_threads()?;
    Ok(reader.searcher())
}

#[cfg(test)]
mod tests {
    use tantivy::{DocSet, postings::Postings};

    use super::*;

    fn passage(id: &str, title: &str, text: &str) -> Passage {
        Passage {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            ..Passage::default()
        }
    }

    fn build(passages: Vec<Passage>) -> Result<Index, IndexError> {
        Index::build(Arc::new(passages), Analyzer::Standard)
    }

    /// The ids of the passages with a term, and how often they have it.
    fn with_term(index: &Index, term: &str) -> Vec<(String, u32)> {
        let Some(segment) = index.segment() else { return Vec::new() };
        let info = segment.postings.get_term_info(&index.term(term)).unwrap();
        let Some(info) = info else { return Vec::new() };
        let mut postings = segment
            .postings
            .read_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)
            .unwrap();
        let mut found = Vec::new();
        while postings.doc() != TERMINATED {
            found.push((index.passage(postings.doc()).id.clone(), postings.term_freq()));
            postings.advance();
        }
        found
    }

    #[test]
    fn title_and_text_are_one_body() {
        let index = build(vec![
            passage("a", "Leave", "No leave without notice"),
            passage("b", "", "Leave"),
            passage("c", "Travel", ""),
            passage("d", "", ""),
        ]);
        let index = index.unwrap();
        assert_eq!(with_term(&index, "leave"), [("b".to_owned(), 1), ("a".to_owned(), 2)]);
        assert_eq!(with_term(&index, "travel"), [("c".to_owned(), 1)]);
        assert_eq!(with_term(&index, "nothing"), []);
        let segment = index.segment().unwrap();
        assert_eq!(segment.len(), 4);
        assert!((segment.average_length() - 7.0 / 4.0).abs() < 1e-12);
    }

    #[test]
    fn an_id_may_occur_once_only() {
        let twice = [passage("p1", "", "x"), passage("p2", "", "y"), passage("p1", "", "z")];
        assert_eq!(
            build(twice.to_vec()).err().unwrap().to_string(),
            "passage `p1` is in the corpus twice; hint: a passage id must be unique"
        );
    }

    #[test]
    fn a_corpus_may_be_empty() {
        assert!(build(Vec::new()).unwrap().segment().is_none());
    }

    #[test]
    fn several_segments_become_one_in_the_order_of_the_ids() {
        let text = |number: usize| "all ".repeat(1 + number % 60) + &format!("only{number}");
        let passages: Vec<_> =
            (0..500).map(|number| passage(&format!("{number:03}"), "", &text(number))).collect();
        let whole = build(passages.clone()).unwrap();

        let (index, fields) = empty(Analyzer::Standard);
        let mut writer = writer(&index, WRITER_BYTES.0).unwrap();
        for (number, passage) in (0..).zip(passages.iter().rev()) {
            add(&writer, fields, number, passage).unwrap();
            if number % 30 == 0 {
                writer.commit().unwrap();
            }
        }
        writer.commit().unwrap();
        assert_eq!(index.searchable_segments().unwrap().len(), 18);
        let searcher = join(&index, writer).unwrap();
        assert_eq!(searcher.segment_readers().len(), 1);
        let parts = Segment::open(searcher, fields.body).unwrap();
        let parts = Index { segment: parts, ..build(passages).unwrap() };

        assert_eq!(with_term(&parts, "all").len(), 500);
        assert_eq!(with_term(&parts, "all"), with_term(&whole, "all"));
        assert_eq!(with_term(&parts, "only123"), [("123".to_owned(), 1)]);
        let (parts, whole) = (parts.segment().unwrap(), whole.segment().unwrap());
        assert_eq!(parts.average_length().to_bits(), whole.average_length().to_bits());
        assert_eq!(parts.length_codes, whole.length_codes);
    }
}
