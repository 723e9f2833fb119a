//! Questions to hits: what goes to a retriever and comes back.
//!
//! A wrong hit is a failure of its question alone; a wrong form is one of all questions of the batch,
//! because nobody knows any more which list is whose.

use std::collections::HashSet;

use arrow_array::{
    Float64Array, RecordBatch, StringArray,
    builder::{Float64Builder, ListBuilder},
};
use arrow_schema::DataType;
use qeval_core::{Hits, Ranking, Ties};

use crate::{
    Failure, FailureKind, Query,
    batch::Table,
    cells::{self, Lists},
};

/// What a retriever gives for a question.
type Found = Result<Option<Ranking>, Failure>;

/// Writes questions as a record batch.
pub fn encode(queries: &[Query<'_>]) -> Result<RecordBatch, Failure> {
    let mut table = Table::default();
    table.texts("example_id", queries.iter().map(|query| Some(query.id)))?;
    table.texts("question", queries.iter().map(|query| Some(query.text)))?;
    table.texts("dataset", queries.iter().map(|query| query.dataset))?;
    table.into_batch()
}

/// Reads questions.
pub fn decode(batch: &RecordBatch) -> Result<Vec<Query<'_>>, Failure> {
    let ids = cells::full_texts(batch, "example_id")?;
    let texts = cells::full_texts(batch, "question")?;
    let datasets = cells::optional::<StringArray>(batch, "dataset", &DataType::Utf8)?;
    let query = |row| Query {
        id: ids.value(row),
        text: texts.value(row),
        dataset: cells::text(datasets, row),
    };
    Ok((0..batch.num_rows()).map(query).collect())
}

/// Writes what was found for so many questions.
pub fn encode_answer(found: &[Found], questions: usize) -> Result<RecordBatch, Failure> {
    if found.len() != questions {
        return Err(Failure::protocol(format!(
            "it gave {} rankings for {questions} questions",
            found.len()
        )));
    }
    let hits = || {
        let rankings = found.iter().map(|found| found.as_ref().ok().and_then(Option::as_ref));
        rankings.map(|ranking| ranking.map(Ranking::hits))
    };
    let mut scores = ListBuilder::new(Float64Builder::new());
    for hits in hits() {
        hits.into_iter()
            .flat_map(Hits::iter)
            .for_each(|hit| scores.values().append_value(hit.score));
        scores.append(hits.is_some());
    }
    let mut table = Table::default();
    table.lists("hit_ids", hits().map(|hits| Some(hits?.iter().map(|hit| hit.passage))))?;
    table.push("hit_scores", scores.finish());
    table.failures(found.iter().map(|found| found.as_ref().err()))?;
    table.into_batch()
}

/// Reads and checks what came back for so many questions, of which each may have `depth` hits.
pub fn decode_answer(
    batch: &RecordBatch,
    questions: usize,
    depth: usize,
    ties: Ties,
) -> Result<Vec<Found>, Failure> {
    cells::check_rows(batch, questions, "questions")?;
    let ids = Lists::<StringArray>::required(batch, "hit_ids", &DataType::Utf8)?;
    let scores = Lists::<Float64Array>::required(batch, "hit_scores", &DataType::Float64)?;
    let failures = cells::optional::<StringArray>(batch, "failure", &DataType::Utf8)?;
    let found = |row| {
        if let Some(message) = cells::text(failures, row) {
            return Err(Failure::new(FailureKind::Refused, message));
        }
        match (ids.row(row), scores.row(row)) {
            (None, None) => Ok(None),
            (Some(ids), Some(scores)) => ranking(&ids, &scores, depth, ties).map(Some),
            (None, Some(_)) => Err(Failure::protocol("there are scores of hits without their ids")),
            (Some(_), None) => Err(Failure::protocol("there are ids of hits without their scores")),
        }
    };
    Ok((0..questions).map(found).collect())
}

fn ranking(
    ids: &[Option<&str>],
    scores: &[Option<f64>],
    depth: usize,
    ties: Ties,
) -> Result<Ranking, Failure> {
    if ids.len() != scores.len() {
        let message = format!("there are {} ids of hits and {} scores", ids.len(), scores.len());
        return Err(Failure::protocol(message));
    }
    if ids.len() > depth {
        return Err(Failure::protocol(format!(
            "there are {} hits, expected at most {depth}",
            ids.len()
        )));
    }
    let value = |message| Failure::new(FailureKind::Value, message);
    let mut seen = HashSet::with_capacity(ids.len());
    let mut hits = Hits::default();
    for (id, score) in ids.iter().zip(scores) {
        let id = id.ok_or_else(|| Failure::protocol("the id of a hit is null"))?;
        let Some(score) = score.filter(|score| score.is_finite()) else {
            let shown = score.map_or("null".to_owned(), |score| score.to_string());
            return Err(value(format!("passage `{id}`: the score `{shown}` is not a number")));
        };
        if !seen.insert(id) {
            return Err(value(format!("passage `{id}` is among the hits twice")));
        }
        hits.push(id, score).map_err(|error| value(error.to_string()))?;
    }
    Ranking::new(hits, ties).map_err(|error| value(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Array, ArrayRef, ListArray, builder::StringBuilder};
    use proptest::prelude::*;

    use super::*;

    fn ids(rows: &[Option<&[Option<&str>]>]) -> ListArray {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for row in rows {
            row.iter().copied().flatten().for_each(|id| lists.values().append_option(*id));
            lists.append(row.is_some());
        }
        lists.finish()
    }

    fn scores(rows: &[Option<&[Option<f64>]>]) -> ListArray {
        let mut lists = ListBuilder::new(Float64Builder::new());
        for row in rows {
            row.iter().copied().flatten().for_each(|score| lists.values().append_option(*score));
            lists.append(row.is_some());
        }
        lists.finish()
    }

    fn read(
        ids: impl Array + 'static,
        scores: impl Array + 'static,
        questions: usize,
    ) -> Result<Vec<Found>, String> {
        let columns: [(&str, ArrayRef); 2] =
            [("hit_ids", Arc::new(ids)), ("hit_scores", Arc::new(scores))];
        let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(n, a)| (n, a, true)));
        decode_answer(&batch.unwrap(), questions, 2, Ties::Docno).map_err(|f| f.to_string())
    }

    /// The failure of the first question; that of the second is fine.
    fn failure(first_ids: Option<&[Option<&str>]>, first_scores: Option<&[Option<f64>]>) -> String {
        let ids = ids(&[first_ids, Some(&[Some("x")])]);
        let scores = scores(&[first_scores, Some(&[Some(1.0)])]);
        let found = read(ids, scores, 2).unwrap();
        assert_eq!(found[1].as_ref().unwrap().as_ref().unwrap().hits().len(), 1);
        found[0].as_ref().unwrap_err().to_string()
    }

    proptest! {
        #[test]
        fn questions_cross_unchanged(
            texts in prop::collection::vec(any::<(String, String, Option<String>)>(), 0..5),
        ) {
            let queries: Vec<Query<'_>> = texts
                .iter()
                .map(|(id, text, dataset)| Query { id, text, dataset: dataset.as_deref() })
                .collect();
            let batch = encode(&queries).unwrap();
            let got = decode(&batch).unwrap();
            prop_assert_eq!(got.len(), queries.len());
            for (got, query) in got.iter().zip(&queries) {
                prop_assert_eq!((got.id, got.text, got.dataset), (query.id, query.text, query.dataset));
            }
        }

        #[test]
        fn hits_cross_unchanged(
            found in prop::collection::vec(
                prop::result::maybe_ok(
                    prop::option::of(prop::collection::btree_map(any::<String>(), -1e9..1e9, 0..5)),
                    any::<String>(),
                ),
                0..5,
            ),
        ) {
            let found: Vec<Found> = found
                .into_iter()
                .map(|found| match found {
                    Ok(hits) => Ok(hits.map(|hits| {
                        Ranking::new(Hits::of(hits).unwrap(), Ties::Docno).unwrap()
                    })),
                    Err(message) => Err(Failure::new(FailureKind::Refused, message)),
                })
                .collect();
            let batch = encode_answer(&found, found.len()).unwrap();
            prop_assert_eq!(decode_answer(&batch, found.len(), 5, Ties::Docno), Ok(found));
        }
    }

    #[test]
    fn a_wrong_hit_fails_its_question_alone() {
        let (a, b) = (Some("a"), Some("b"));
        let one = Some(1.0);
        for (ids, scores, message) in [
            (
                Some(&[a, a][..]),
                Some(&[one, Some(2.0)][..]),
                "value: passage `a` is among the hits twice",
            ),
            (
                Some(&[a]),
                Some(&[Some(f64::NAN)]),
                "value: passage `a`: the score `NaN` is not a number",
            ),
            (
                Some(&[a]),
                Some(&[Some(f64::INFINITY)]),
                "value: passage `a`: the score `inf` is not a number",
            ),
            (Some(&[a]), Some(&[None]), "value: passage `a`: the score `null` is not a number"),
            (Some(&[None]), Some(&[one]), "protocol: the id of a hit is null"),
            (Some(&[a, b]), Some(&[one]), "protocol: there are 2 ids of hits and 1 scores"),
            (Some(&[a]), None, "protocol: there are ids of hits without their scores"),
            (None, Some(&[one]), "protocol: there are scores of hits without their ids"),
            (
                Some(&[a, b, Some("c")]),
                Some(&[one, one, one]),
                "protocol: there are 3 hits, expected at most 2",
            ),
        ] {
            assert_eq!(failure(ids, scores), message);
        }
    }

    #[test]
    fn hits_are_ordered_and_null_is_nothing() {
        let ids = ids(&[Some(&[Some("a"), Some("b")]), None, Some(&[])]);
        let scores = scores(&[Some(&[Some(1.0), Some(1.0)]), None, Some(&[])]);
        let found = read(ids, scores, 3).unwrap();
        let order: Vec<Option<Vec<&str>>> = found
            .iter()
            .map(|found| {
                let ranking = found.as_ref().unwrap().as_ref()?;
                Some(ranking.hits().iter().map(|hit| hit.passage).collect())
            })
            .collect();
        assert_eq!(order, [Some(vec!["b", "a"]), None, Some(vec![])]);
    }

    #[test]
    fn a_wrong_form_fails_all_questions() {
        assert_eq!(
            read(ids(&[None]), scores(&[None]), 2).unwrap_err(),
            "protocol: it gave 1 rows for 2 questions"
        );
        assert_eq!(
            read(ids(&[None]), ids(&[None]), 1).unwrap_err(),
            "protocol: the column `hit_scores` is of type List(Utf8), expected a list of Float64"
        );
        let batch = encode_answer(&[Ok(None)], 2).unwrap_err();
        assert_eq!(batch.to_string(), "protocol: it gave 1 rankings for 2 questions");
    }
}
