//! Building an index: parts of the corpus side by side, joined in their order.
//!
//! Where a part ends depends on the passages alone, so that the number of threads changes nothing
//! in what is built. A part is small enough for the cache of a processor to be of use, and bounds
//! the memory that a thread needs.

use std::{fs, ops::Range, path::Path};

use qeval_core::Passage;
use rayon::prelude::*;
use tantivy::{
    Directory, IndexSettings, TantivyDocument, TantivyError,
    directory::{MmapDirectory, RamDirectory},
    indexer::merge_filtered_segments,
    schema::Field,
    tokenizer::TokenizerManager,
};

use super::{ANALYZER, IndexOptions, schema};

/// Bytes of text in a part, about.
const PART_BYTES: usize = 16 << 20;

/// The least and the most memory that a part begins with; it takes more where it needs more.
const WRITER_BYTES: (usize, usize) = (1 << 20, 4 * PART_BYTES);

/// Indexes the passages in memory, in the order of `places`; `None` where there is none.
pub(super) fn in_memory(
    passages: &[Passage],
    places: &[u32],
    options: IndexOptions,
) -> Result<Option<tantivy::Index>, TantivyError> {
    let parts = parts(passages, places, PART_BYTES);
    write(passages, places, options, &parts, |_| Ok(RamDirectory::create().into()))
}

/// Indexes the passages in a folder that is empty. There is at least one.
pub(super) fn in_folder(
    passages: &[Passage],
    places: &[u32],
    options: IndexOptions,
    folder: &Path,
) -> Result<(), TantivyError> {
    let parts = parts(passages, places, PART_BYTES);
    let pieces = folder.join("parts");
    let directory = |part: Option<usize>| -> Result<Box<dyn Directory>, TantivyError> {
        let place = match part {
            None => folder.to_owned(),
            Some(part) => pieces.join(part.to_string()),
        };
        fs::create_dir_all(&place)?;
        Ok(Box::new(MmapDirectory::open(place)?))
    };
    write(passages, places, options, &parts, directory)?;
    if pieces.exists() {
        fs::remove_dir_all(&pieces)?;
    }
    Ok(())
}

/// Writes the parts, each into a directory of its own, and joins them in the directory `None`.
fn write(
    passages: &[Passage],
    places: &[u32],
    options: IndexOptions,
    parts: &[Range<usize>],
    directory: impl Fn(Option<usize>) -> Result<Box<dyn Directory>, TantivyError> + Sync,
) -> Result<Option<tantivy::Index>, TantivyError> {
    if let [] | [_] = parts {
        return parts
            .first()
            .map(|part| write_part(passages, &places[part.clone()], options, directory(None)?))
            .transpose();
    }
    let written: Result<Vec<tantivy::Index>, TantivyError> = parts
        .par_iter()
        .enumerate()
        .map(|(number, part)| {
            write_part(passages, &places[part.clone()], options, directory(Some(number))?)
        })
        .collect();
    let mut segments = Vec::with_capacity(parts.len());
    for index in written? {
        segments.extend(index.searchable_segments()?);
    }
    let all = segments.iter().map(|_| None).collect();
    merge_filtered_segments(&segments, IndexSettings::default(), all, directory(None)?).map(Some)
}

/// Cuts the corpus into parts of about so many bytes.
fn parts(passages: &[Passage], places: &[u32], bytes: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut filled) = (0, 0);
    for (number, &place) in places.iter().enumerate() {
        filled += length(&passages[place as usize]);
        if filled >= bytes {
            parts.push(start..number + 1);
            (start, filled) = (number + 1, 0);
        }
    }
    if start < places.len() {
        parts.push(start..places.len());
    }
    parts
}

fn length(passage: &Passage) -> usize {
    passage.title.len() + passage.text.len()
}

fn write_part(
    passages: &[Passage],
    places: &[u32],
    options: IndexOptions,
    directory: Box<dyn Directory>,
) -> Result<tantivy::Index, TantivyError> {
    let schema = schema(options);
    let fields: Vec<Field> = schema.fields().map(|(field, _)| field).collect();
    let tokenizers = TokenizerManager::new();
    tokenizers.register(ANALYZER, options.analyzer.tokenizer());
    let bytes: usize = places.iter().map(|&place| length(&passages[place as usize])).sum();
    let (least, most) = WRITER_BYTES;
    let mut writer = tantivy::IndexBuilder::new()
        .schema(schema)
        .tokenizers(tokenizers)
        .single_segment_index_writer(directory, bytes.saturating_mul(4).clamp(least, most))?;
    for &place in places {
        writer.add_document(document(&fields, &passages[place as usize]))?;
    }
    writer.finalize()
}

/// In one body, title and text are two values of the field, so that no phrase begins in one and
/// ends in the other.
fn document(fields: &[Field], passage: &Passage) -> TantivyDocument {
    let (title, text) = match fields {
        [title, text] => (*title, *text),
        _ => (fields[0], fields[0]),
    };
    let mut document = TantivyDocument::new();
    for (field, value) in [(title, &passage.title), (text, &passage.text)] {
        if !value.is_empty() {
            document.add_text(field, value);
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::index::{
        Ids, Index, Segment,
        tests::{passage, with_term},
    };

    #[test]
    fn several_parts_become_one_segment_in_the_order_of_the_ids() {
        let text = |number: usize| "all ".repeat(1 + number % 60) + &format!("only{number}");
        let passages: Vec<_> =
            (0..500).map(|number| passage(&format!("{number:03}"), "", &text(number))).collect();
        let options = IndexOptions { positions: true, ..IndexOptions::default() };
        let whole = Index::build(Arc::new(passages.clone()), options).unwrap();

        let places: Vec<u32> = (0..500).rev().collect();
        let cut = parts(&passages, &places, 2000);
        assert_eq!((cut.len(), cut[0].start, cut.last().unwrap().end), (31, 0, 500));
        assert!(cut.windows(2).all(|pair| pair[0].end == pair[1].start));
        let ram = |_: Option<usize>| Ok(RamDirectory::create().into());
        let joined = write(&passages, &places, options, &cut, ram).unwrap().unwrap();
        let segment = Some(Segment::open(&joined).unwrap());
        let ids = Ids::new(&passages, &places);
        let parts = Index { passages: Arc::new(passages), options, ids, segment };

        assert_eq!(with_term(&parts, 0, "all").len(), 500);
        assert_eq!(with_term(&parts, 0, "all"), with_term(&whole, 0, "all"));
        assert_eq!(with_term(&parts, 0, "only123"), [("123".to_owned(), 1)]);
        let (parts, whole) = (parts.segment().unwrap(), whole.segment().unwrap());
        assert_eq!(parts.searcher.segment_readers().len(), 1);
        let (parts, whole) = (&parts.fields[0], &whole.fields[0]);
        assert_eq!(parts.average_length.to_bits(), whole.average_length.to_bits());
        assert_eq!(parts.length_codes, whole.length_codes);
    }
}
