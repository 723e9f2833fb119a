//! Relevance judgments: which passages are relevant to which question, and how much.

use std::collections::BTreeMap;

/// All relevance judgments, by query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels {
    queries: BTreeMap<String, Judgments>,
}

/// The judgments of one query: passage id to grade.
///
/// A passage that is absent is *unjudged*; one with grade 0 was judged and is not relevant; a
/// negative grade marks a passage that was in the pool and never judged (trec_eval's convention).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgments {
    grades: BTreeMap<String, i32>,
}

/// The same passage was judged twice for one query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("passage `{passage}` is judged twice for query `{query}`")]
pub struct JudgedTwice {
    /// The query.
    pub query: String,
    /// The passage.
    pub passage: String,
}

impl Qrels {
    /// Adds a judgment.
    pub fn insert(&mut self, query: &str, passage: &str, grade: i32) -> Result<(), JudgedTwice> {
        let judgments = match self.queries.get_mut(query) {
            Some(judgments) => judgments,
            None => self.queries.entry(query.to_owned()).or_default(),
        };
        if judgments.grades.insert(passage.to_owned(), grade).is_some() {
            return Err(JudgedTwice { query: query.to_owned(), passage: passage.to_owned() });
        }
        Ok(())
    }

    /// The judgments of one query; `None` where it has none.
    pub fn get(&self, query: &str) -> Option<&Judgments> {
        self.queries.get(query)
    }

    /// All queries with their judgments, in byte order of the query ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Judgments)> {
        self.queries.iter().map(|(query, judgments)| (query.as_str(), judgments))
    }

    /// How many queries have judgments.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there is no judgment at all.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }
}

impl Judgments {
    /// Judgments in which each of these passages is relevant with grade 1: what a dataset's gold
    /// passages say. A passage named twice counts once.
    pub fn from_gold<'a>(passages: impl IntoIterator<Item = &'a str>) -> Self {
        Self { grades: passages.into_iter().map(|id| (id.to_owned(), 1)).collect() }
    }

    /// Grade of a passage; `None` when it is unjudged.
    pub fn grade(&self, passage: &str) -> Option<i32> {
        self.grades.get(passage).copied()
    }

    /// How many passages are judged.
    pub fn len(&self) -> usize {
        self.grades.len()
    }

    /// Whether no passage is judged.
    pub fn is_empty(&self) -> bool {
        self.grades.is_empty()
    }

    /// All judged passages with their grades, in byte order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i32)> {
        self.grades.iter().map(|(id, &grade)| (id.as_str(), grade))
    }

    /// The positive grades, best first: the ranking that no system can beat.
    pub fn ideal_grades(&self) -> Vec<i32> {
        let mut grades: Vec<i32> = self.grades.values().copied().filter(|&g| g > 0).collect();
        grades.sort_unstable_by(|a, b| b.cmp(a));
        grades
    }
}
