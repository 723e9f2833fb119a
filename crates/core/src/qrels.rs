//! Relevance judgments: which passages are relevant to which question, and how much.

use std::collections::BTreeMap;

/// All relevance judgments, by query.
#[derive(Clone, Debug, Default)]
pub struct Qrels {
    /// Where the judgments of each query stand.
    places: BTreeMap<String, usize>,
    judgments: Vec<Judgments>,
    /// The query of the judgment before and its place: those of a query mostly come together.
    current: Option<(String, usize)>,
}

/// The judgments of one query: passage id to grade.
///
/// A passage that is absent is *unjudged*; one with grade 0 was judged and is not relevant; a
/// negative grade marks a passage that was in the pool and never judged (trec_eval's convention).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgments {
    grades: BTreeMap<String, i32>,
    /// The grades by passage and subtopic, where the judgments are on subtopics.
    subtopics: BTreeMap<String, BTreeMap<String, i32>>,
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
        let judged = self.of_query(query).grades.insert(passage.to_owned(), grade);
        once(query, passage, judged)
    }

    /// Adds a judgment on one subtopic of a query. The grade of the passage is the highest of those
    /// that it has for any subtopic.
    pub fn insert_on(
        &mut self,
        query: &str,
        subtopic: &str,
        passage: &str,
        grade: i32,
    ) -> Result<(), JudgedTwice> {
        let judgments = self.of_query(query);
        judgments.raise(passage, grade);
        let grades = judgments.subtopics.entry(passage.to_owned()).or_default();
        once(query, passage, grades.insert(subtopic.to_owned(), grade))
    }

    fn of_query(&mut self, query: &str) -> &mut Judgments {
        let place = match &self.current {
            Some((current, place)) if current == query => *place,
            _ => self.go_to(query),
        };
        &mut self.judgments[place]
    }

    fn go_to(&mut self, query: &str) -> usize {
        let place = self.places.get(query).copied().unwrap_or(self.judgments.len());
        if place == self.judgments.len() {
            self.judgments.push(Judgments::default());
            self.places.insert(query.to_owned(), place);
        }
        self.current = Some((query.to_owned(), place));
        place
    }

    /// The judgments of one query; `None` where it has none.
    pub fn get(&self, query: &str) -> Option<&Judgments> {
        self.places.get(query).map(|&place| &self.judgments[place])
    }

    /// All queries with their judgments, in byte order of the query ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Judgments)> {
        self.places.iter().map(|(query, &place)| (query.as_str(), &self.judgments[place]))
    }

    /// How many queries have judgments.
    pub fn len(&self) -> usize {
        self.judgments.len()
    }

    /// Whether there is no judgment at all.
    pub fn is_empty(&self) -> bool {
        self.judgments.is_empty()
    }
}

impl PartialEq for Qrels {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// Fails where a passage was judged before.
fn once(query: &str, passage: &str, before: Option<i32>) -> Result<(), JudgedTwice> {
    match before {
        None => Ok(()),
        Some(_) => Err(JudgedTwice { query: query.to_owned(), passage: passage.to_owned() }),
    }
}

impl Judgments {
    /// Judgments in which each of these passages is relevant with grade 1: what a dataset's gold
    /// passages say. A passage named twice counts once.
    pub fn from_gold<'a>(passages: impl IntoIterator<Item = &'a str>) -> Self {
        let grades = passages.into_iter().map(|id| (id.to_owned(), 1)).collect();
        Self { grades, subtopics: BTreeMap::new() }
    }

    /// The judgments of documents: each passage is put down to the document that `document` names,
    /// which has the highest grade of its passages.
    #[must_use]
    pub fn by_document<'a>(&'a self, document: impl Fn(&'a str) -> &'a str) -> Self {
        let mut judgments = Self::default();
        for (passage, grade) in self.iter() {
            judgments.raise(document(passage), grade);
        }
        for (passage, subtopic, grade) in self.subtopics() {
            let grades = judgments.subtopics.entry(document(passage).to_owned()).or_default();
            let highest = grades.entry(subtopic.to_owned()).or_insert(grade);
            *highest = grade.max(*highest);
        }
        judgments
    }

    /// Gives a passage at least this grade.
    fn raise(&mut self, passage: &str, grade: i32) {
        match self.grades.get_mut(passage) {
            Some(highest) => *highest = grade.max(*highest),
            None => drop(self.grades.insert(passage.to_owned(), grade)),
        }
    }

    /// Whether the query has subtopics. Judgments that know none write `0` or `Q0` in their place.
    pub fn has_subtopics(&self) -> bool {
        self.subtopics().any(|(_, subtopic, _)| !matches!(subtopic, "0" | "Q0"))
    }

    /// All judgments on subtopics: the passage, the subtopic and the grade, in descending byte order
    /// of the passages.
    pub fn subtopics(&self) -> impl Iterator<Item = (&str, &str, i32)> {
        self.subtopics.iter().rev().flat_map(|(passage, grades)| {
            grades
                .iter()
                .map(move |(subtopic, &grade)| (passage.as_str(), subtopic.as_str(), grade))
        })
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
