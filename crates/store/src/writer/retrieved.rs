//! The columns of lists of passages: what was retrieved, and what should have been.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_schema::{ArrowError, DataType, FieldRef};

use super::{
    columns::{Booleans, Floats, ListEnds, SmallIntegers, TextColumn},
    record::{Hits, Relevant},
};
use crate::{Layout, RetrievalColumns};

/// The lists of hits.
#[derive(Debug)]
pub(super) struct HitColumn {
    element: FieldRef,
    lists: ListEnds,
    passage_id: TextColumn,
    rank: SmallIntegers,
    score: Floats,
    grade: SmallIntegers,
    seen: Booleans,
    /// Where the texts of the passages are known.
    texts: Option<HitTexts>,
}

/// What the text of a hit says.
#[derive(Debug)]
struct HitTexts {
    has_answer: Booleans,
    has_normalised_answer: Booleans,
    near_copy_of: SmallIntegers,
}

impl HitColumn {
    pub(super) fn new(layout: &Layout) -> Self {
        let texts = || HitTexts {
            has_answer: Booleans::new(),
            has_normalised_answer: Booleans::new(),
            near_copy_of: SmallIntegers::new(),
        };
        Self {
            element: layout.hit_element(),
            lists: ListEnds::new(),
            passage_id: TextColumn::new(),
            rank: SmallIntegers::new(),
            score: Floats::new(),
            grade: SmallIntegers::new(),
            seen: Booleans::new(),
            texts: (layout.retrieval == RetrievalColumns::Texts).then(texts),
        }
    }

    pub(super) fn append(&mut self, hits: Option<Hits<'_>>) {
        let Some(hits) = hits else {
            self.lists.push_null();
            return;
        };
        for (hit, rank) in hits.zip(1..) {
            self.passage_id.append(hit.passage_id);
            self.rank.append(rank);
            self.score.append_option(hit.score);
            self.grade.append_option(hit.grade);
            self.seen.append_option(hit.seen);
            if let Some(texts) = &mut self.texts {
                texts.has_answer.append_option(hit.answer.map(|answer| answer.exact));
                let normalised = hit.answer.map(|answer| answer.normalised);
                texts.has_normalised_answer.append_option(normalised);
                texts.near_copy_of.append_option(hit.near_copy_of);
            }
        }
        self.lists.push(self.passage_id.len());
    }

    pub(super) fn finish(&mut self) -> Result<ListArray, ArrowError> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.passage_id.finish()?),
            self.rank.finish(),
            self.score.finish(),
            self.grade.finish(),
            self.seen.finish(),
        ];
        if let Some(texts) = &mut self.texts {
            columns.extend([
                texts.has_answer.finish(),
                texts.has_normalised_answer.finish(),
                texts.near_copy_of.finish(),
            ]);
        }
        list(&self.element, columns, &mut self.lists)
    }
}

/// The lists of relevant passages.
#[derive(Debug)]
pub(super) struct RelevantColumn {
    element: FieldRef,
    lists: ListEnds,
    passage_id: TextColumn,
    grade: SmallIntegers,
    rank: SmallIntegers,
    /// Length and place of the answer, where the texts of the passages are known.
    texts: Option<(SmallIntegers, SmallIntegers)>,
}

impl RelevantColumn {
    pub(super) fn new(layout: &Layout) -> Self {
        Self {
            element: layout.relevant_element(),
            lists: ListEnds::new(),
            passage_id: TextColumn::new(),
            grade: SmallIntegers::new(),
            rank: SmallIntegers::new(),
            texts: (layout.retrieval == RetrievalColumns::Texts)
                .then(|| (SmallIntegers::new(), SmallIntegers::new())),
        }
    }

    pub(super) fn append(&mut self, relevant: Option<Relevant<'_>>) {
        let Some(relevant) = relevant else {
            self.lists.push_null();
            return;
        };
        for passage in relevant {
            self.passage_id.append(passage.passage_id);
            self.grade.append(passage.grade);
            self.rank.append_option(passage.rank);
            if let Some((length, answer_at)) = &mut self.texts {
                length.append_option(passage.length);
                answer_at.append_option(passage.answer_at);
            }
        }
        self.lists.push(self.passage_id.len());
    }

    pub(super) fn finish(&mut self) -> Result<ListArray, ArrowError> {
        let mut columns: Vec<ArrayRef> =
            vec![Arc::new(self.passage_id.finish()?), self.grade.finish(), self.rank.finish()];
        if let Some((length, answer_at)) = &mut self.texts {
            columns.extend([length.finish(), answer_at.finish()]);
        }
        list(&self.element, columns, &mut self.lists)
    }
}

/// Lists of structs of these columns.
fn list(
    element: &FieldRef,
    columns: Vec<ArrayRef>,
    lists: &mut ListEnds,
) -> Result<ListArray, ArrowError> {
    let (ends, valid) = lists.finish();
    let DataType::Struct(fields) = element.data_type() else {
        return Err(ArrowError::SchemaError(format!("`{element}` is no struct")));
    };
    let structs = StructArray::try_new(fields.clone(), columns, None)?;
    ListArray::try_new(FieldRef::clone(element), ends, Arc::new(structs), valid)
}
