//! An index over passages: built once, then read by any number of searches.
//!
//! The passages are added in the order in which ties are broken, by id descending, and end in one
//! segment. A number that tantivy gives to a passage is thus its place in that order: ties are
//! decided by comparing numbers, and the way back to the passage is one look into a table, where
//! a field with ids would cost more than the search itself.

mod folder;
mod ids;
mod write;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use qeval_core::Passage;
use tantivy::{
    DocId, InvertedIndexReader, ReloadPolicy, Searcher, TERMINATED, TantivyError,
    schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::TextAnalyzer,
};

use crate::Analyzer;

use self::ids::Ids;
pub use folder::{Stored, StoredState};

/// An index over a corpus, in memory or in a folder.
///
/// A passage is found by the words of its title and its text.
pub struct Index {
    passages: Arc<Vec<Passage>>,
    options: IndexOptions,
    ids: Ids,
    /// `None` when there is no passage.
    segment: Option<Segment>,
}

/// What an index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexOptions {
    /// How text becomes terms.
    pub analyzer: Analyzer,
    /// Whether title and text are two fields, and not one body in which their words count alike.
    pub separate: bool,
    /// Whether it knows where in a passage a term stands, as phrases need it.
    pub positions: bool,
}

/// What searches read.
pub(crate) struct Segment {
    pub(crate) searcher: Searcher,
    pub(crate) fields: Vec<SegmentField>,
}

/// A field of all passages.
pub(crate) struct SegmentField {
    field: Field,
    pub(crate) postings: Arc<InvertedIndexReader>,
    /// The lengths in terms, each rounded down to one of 256 as in Lucene.
    pub(crate) length_codes: Vec<u8>,
    /// The greatest of them.
    pub(crate) longest: u8,
    /// How many passages have it: at least one term.
    pub(crate) passages: u32,
    /// The mean number of terms of the passages that have it.
    pub(crate) average_length: f64,
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
    /// The index could not be written or read.
    #[error("the index cannot be built: {0}")]
    Engine(#[source] TantivyError),
    /// Its folder could not be written or read.
    #[error("the folder of the index `{}` cannot be used: {source}", path.display())]
    Folder {
        /// The folder, or a file in it.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
}

impl Index {
    /// Indexes the passages in memory, with the threads of the current rayon pool. What is built
    /// depends neither on their order nor on the number of threads.
    pub fn build(passages: Arc<Vec<Passage>>, options: IndexOptions) -> Result<Self, IndexError> {
        let places = by_id_descending(&passages)?;
        let segment = write::in_memory(&passages, &places, options)
            .and_then(|index| index.map(|index| Segment::open(&index)).transpose())
            .map_err(IndexError::Engine)?;
        let ids = Ids::new(&passages, &places);
        Ok(Self { passages, options, ids, segment })
    }

    /// Takes the index of these passages from a folder, or builds it there first.
    pub fn open_or_build(
        passages: Arc<Vec<Passage>>,
        options: IndexOptions,
        folder: &Path,
    ) -> Result<(Self, Stored), IndexError> {
        let places = by_id_descending(&passages)?;
        let (segment, stored) = folder::open_or_build(&passages, &places, options, folder)?;
        let ids = Ids::new(&passages, &places);
        Ok((Self { passages, options, ids, segment: Some(segment) }, stored))
    }

    /// The passages that it was built from, in their own order.
    pub fn passages(&self) -> &Arc<Vec<Passage>> {
        &self.passages
    }

    /// What it holds.
    pub fn options(&self) -> IndexOptions {
        self.options
    }

    /// The id of the passage with this number.
    pub(crate) fn id(&self, doc: DocId) -> &str {
        self.ids.get(doc)
    }

    pub(crate) fn segment(&self) -> Option<&Segment> {
        self.segment.as_ref()
    }

    pub(crate) fn tokenizer(&self) -> TextAnalyzer {
        self.options.analyzer.tokenizer()
    }
}

impl Segment {
    /// Opens an index of at least one passage.
    fn open(index: &tantivy::Index) -> Result<Self, TantivyError> {
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let segment = searcher.segment_reader(0);
        let fields = index.schema().fields().map(|(field, _)| field).collect::<Vec<_>>();
        let fields: Result<Vec<_>, TantivyError> = fields
            .into_iter()
            .map(|field| {
                let postings = segment.inverted_index(field)?;
                let lengths = segment.get_fieldnorms_reader(field)?;
                let length_codes: Vec<u8> =
                    (0..segment.max_doc()).map(|doc| lengths.fieldnorm_id(doc)).collect();
                // Short lengths are exact: only that of nothing has the code 0.
                let passages = length_codes.iter().map(|&code| u32::from(code > 0)).sum::<u32>();
                Ok(SegmentField {
                    passages,
                    average_length: postings.total_num_tokens() as f64 / f64::from(passages.max(1)),
                    field,
                    postings,
                    longest: length_codes.iter().copied().max().unwrap_or_default(),
                    length_codes,
                })
            })
            .collect();
        let fields = fields?;
        Ok(Self { searcher, fields })
    }

    /// How many passages there are; at least one.
    pub(crate) fn len(&self) -> u32 {
        self.searcher.segment_reader(0).max_doc()
    }
}

impl SegmentField {
    /// The term as it is looked up.
    pub(crate) fn term(&self, text: &str) -> tantivy::Term {
        tantivy::Term::from_field_text(self.field, text)
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

/// The name under which the fields know their analyzer.
const ANALYZER: &str = "analyzer";

fn schema(options: IndexOptions) -> Schema {
    let what = if options.positions {
        IndexRecordOption::WithFreqsAndPositions
    } else {
        IndexRecordOption::WithFreqs
    };
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(ANALYZER)
        .set_index_option(what)
        .set_fieldnorms(true);
    let text = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    if options.separate {
        schema.add_text_field("title", text.clone());
        schema.add_text_field("text", text);
    } else {
        schema.add_text_field("body", text);
    }
    schema.build()
}

#[cfg(test)]
mod tests {
    use tantivy::{DocSet, postings::Postings};

    use super::*;

    pub(super) fn passage(id: &str, title: &str, text: &str) -> Passage {
        Passage {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            ..Passage::default()
        }
    }

    fn build(passages: Vec<Passage>) -> Result<Index, IndexError> {
        Index::build(Arc::new(passages), IndexOptions::default())
    }

    /// The ids of the passages with a term in a field, and how often they have it.
    pub(super) fn with_term(index: &Index, field: usize, term: &str) -> Vec<(String, u32)> {
        let Some(segment) = index.segment() else { return Vec::new() };
        let field = &segment.fields[field];
        let info = field.postings.get_term_info(&field.term(term)).unwrap();
        let Some(info) = info else { return Vec::new() };
        let mut postings = field
            .postings
            .read_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)
            .unwrap();
        let mut found = Vec::new();
        while postings.doc() != TERMINATED {
            found.push((index.id(postings.doc()).to_owned(), postings.term_freq()));
            postings.advance();
        }
        found
    }

    #[test]
    fn title_and_text_are_one_body_or_two_fields() {
        let passages = vec![
            passage("a", "Leave", "No leave without notice"),
            passage("b", "", "Leave"),
            passage("c", "Travel", ""),
            passage("d", "", ""),
        ];
        let index = build(passages.clone()).unwrap();
        assert_eq!(with_term(&index, 0, "leave"), [("b".to_owned(), 1), ("a".to_owned(), 2)]);
        assert_eq!(with_term(&index, 0, "travel"), [("c".to_owned(), 1)]);
        assert_eq!(with_term(&index, 0, "nothing"), []);
        let segment = index.segment().unwrap();
        assert_eq!(segment.len(), 4);
        assert_eq!(segment.fields[0].passages, 3);
        assert!((segment.fields[0].average_length - 7.0 / 3.0).abs() < 1e-12);

        let options = IndexOptions { separate: true, ..IndexOptions::default() };
        let index = Index::build(Arc::new(passages), options).unwrap();
        assert_eq!(with_term(&index, 0, "leave"), [("a".to_owned(), 1)]);
        assert_eq!(with_term(&index, 1, "leave"), [("b".to_owned(), 1), ("a".to_owned(), 1)]);
        let averages: Vec<_> =
            index.segment().unwrap().fields.iter().map(|field| field.average_length).collect();
        assert_eq!(averages, [1.0, 2.5]);
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
}
