//! A ranking joined once with its judgments, so that every retrieval metric is arithmetic.

use hashbrown::HashMap;

use crate::{Judgments, Ranking};

/// What retrieval metrics are computed on: the grade at each rank, and the judgments behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgedRanking {
    /// Grade of the hit at each rank, best hit first; `None` for an unjudged passage.
    pub grades: Vec<Option<i32>>,
    /// The positive grades of all judged passages, best first.
    pub ideal: Vec<i32>,
    /// How many passages were judged with grade 0, retrieved or not; `None` where nobody knows, as
    /// behind the boundary of plugins.
    pub zeros: Option<usize>,
    /// What the judgments say of the subtopics of the query, where they do.
    pub subtopics: Option<Subtopics>,
}

/// Which passages serve which subtopics of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subtopics {
    /// How many subtopics there are.
    pub count: usize,
    /// For each judged passage, by id descending, its grade for each subtopic that it is judged for;
    /// subtopics are numbered from 0.
    pub judged: Vec<Vec<(usize, i32)>>,
    /// For the hit at each rank its place in `judged`; `None` for an unjudged passage.
    pub hits: Vec<Option<usize>>,
}

impl JudgedRanking {
    /// Looks each hit up in the judgments.
    pub fn new(ranking: &Ranking, judgments: &Judgments) -> Self {
        let hits = ranking.hits();
        let grades = if hits.len() < judgments.len() {
            hits.iter().map(|hit| judgments.grade(hit.passage)).collect()
        } else {
            let by_id: HashMap<&str, i32> = judgments.iter().collect();
            hits.iter().map(|hit| by_id.get(hit.passage).copied()).collect()
        };
        let zeros = judgments.iter().filter(|&(_, grade)| grade == 0).count();
        let subtopics = judgments.has_subtopics().then(|| Subtopics::new(ranking, judgments));
        Self { grades, ideal: judgments.ideal_grades(), zeros: Some(zeros), subtopics }
    }

    /// How many judged passages have at least this grade, retrieved or not: R.
    pub fn relevant(&self, level: i32) -> usize {
        self.ideal.iter().take_while(|&&grade| grade >= level).count()
    }

    /// For each rank, whether the hit has at least this grade.
    pub fn hits(&self, level: i32) -> impl ExactSizeIterator<Item = bool> {
        self.grades.iter().map(move |grade| grade.is_some_and(|grade| grade >= level))
    }

    /// How many passages were judged and have less than this grade, retrieved or not: N.
    pub fn nonrelevant(&self, level: i32) -> Option<usize> {
        Some(self.zeros? + self.ideal.len() - self.relevant(level))
    }

    /// The gain at each rank: the grade; 0 for an unjudged passage and for a negative grade.
    pub fn gains(&self) -> impl ExactSizeIterator<Item = i32> {
        self.grades.iter().map(|grade| grade.unwrap_or(0).max(0))
    }

    /// The ranking without the hits that nobody judged: a condensed list.
    #[must_use]
    pub fn judged_only(&self) -> Self {
        let judged = |grade: &Option<i32>| grade.is_some_and(|grade| grade >= 0);
        let mut condensed = self.clone();
        condensed.grades.retain(judged);
        if let Some(subtopics) = &mut condensed.subtopics {
            let mut grades = self.grades.iter();
            subtopics.hits.retain(|_| grades.next().is_some_and(judged));
        }
        condensed
    }

    /// Share of the first `cutoff` hits that somebody judged; 0 where there is no hit. A negative
    /// grade is no judgment.
    pub fn judged_share(&self, cutoff: usize) -> f64 {
        let among = cutoff.min(self.grades.len());
        let judged = self.hits(0).take(among).filter(|&judged| judged).count();
        if among == 0 { 0.0 } else { judged as f64 / among as f64 }
    }

    /// How many of the first `cutoff` hits have at least this grade.
    pub fn relevant_retrieved(&self, level: i32, cutoff: usize) -> usize {
        self.hits(level).take(cutoff).filter(|&hit| hit).count()
    }
}

impl Subtopics {
    fn new(ranking: &Ranking, judgments: &Judgments) -> Self {
        let mut names: Vec<&str> = judgments.subtopics().map(|(_, name, _)| name).collect();
        // Numbers by their value.
        names.sort_unstable_by_key(|name| (name.len(), *name));
        names.dedup();
        let numbers: HashMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut judged: Vec<Vec<(usize, i32)>> = Vec::new();
        for (passage, name, grade) in judgments.subtopics() {
            let place = *places.entry(passage).or_insert(judged.len());
            if place == judged.len() {
                judged.push(Vec::new());
            }
            judged[place].push((numbers[name], grade));
        }
        for grades in &mut judged {
            grades.sort_unstable();
        }
        let hits = ranking.hits().iter().map(|hit| places.get(hit.passage).copied());
        Self { count: names.len(), hits: hits.collect(), judged }
    }
}
