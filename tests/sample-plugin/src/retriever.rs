//! Finds passages by the words that they share with the question.

use std::{collections::HashSet, fs};

use qeval_sdk::{
    Descriptor, Failure, FailureKind, Query, Retriever,
    core::{Hits, Ranking, Ties},
};

use crate::Options;

/// The retriever. A question with `PANIC` makes it panic; one with `SILENT` gets nothing, one with
/// `FAIL` a failure, one with `TWICE` a passage twice, one with `INFINITE` a score that is no number, one
/// with `MANY` more hits than it may have; where one has `HALF`, half of the questions are answered.
#[derive(Debug)]
pub(crate) struct Overlap {
    passages: Vec<(String, HashSet<String>)>,
}

impl Overlap {
    pub(crate) fn new(options: &Options) -> Result<Self, Failure> {
        let refused = |message: String| Failure::new(FailureKind::Refused, message);
        let Some(path) = &options.corpus else {
            return Err(refused("the retriever needs the option `corpus`".to_owned()));
        };
        let text = fs::read_to_string(path)
            .map_err(|error| refused(format!("`{path}` cannot be read: {error}")))?;
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        let passages = lines.map(|(id, text)| (id.to_owned(), words(text))).collect();
        Ok(Self { passages })
    }

    fn search(&self, query: &Query<'_>, depth: usize) -> Result<Option<Ranking>, Failure> {
        let asks = |word: &str| query.text.contains(word);
        assert!(!asks("PANIC"), "no search today");
        if asks("FAIL") {
            return Err(Failure::new(FailureKind::Refused, "the index is closed"));
        }
        if asks("SILENT") {
            return Ok(None);
        }
        if asks("MANY") {
            let hits = (0..=depth).map(|number| (format!("p{number}"), 1.0));
            return Ranking::new(Hits::of(hits).map_err(wrong)?, Ties::Docno)
                .map(Some)
                .map_err(wrong);
        }
        if asks("TWICE") {
            return Ok(Some(Ranking::from_distinct(
                Hits::of([("p1", 2.0), ("p1", 1.0)]).map_err(wrong)?,
            )));
        }
        if asks("INFINITE") {
            // A ranking cannot have NaN, so it is the other value that is no number.
            let hits = Hits::of([("p1", f64::INFINITY)]).map_err(wrong)?;
            return Ok(Some(Ranking::from_distinct(hits)));
        }
        let asked = words(query.text);
        let score = |passage: &HashSet<String>| passage.intersection(&asked).count();
        let found = self.passages.iter().map(|(id, words)| (id, score(words)));
        let found = found.filter(|(_, score)| *score > 0);
        let hits = Hits::of(found.map(|(id, score)| (id, score as f64))).map_err(wrong)?;
        let mut ranking = Ranking::new(hits, Ties::Docno).map_err(wrong)?;
        ranking.truncate(depth);
        Ok(Some(ranking))
    }
}

impl Retriever for Overlap {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("overlap", "1", "passages with words of the question")
    }

    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        let half = queries.iter().any(|query| query.text.contains("HALF"));
        let answered = if half { queries.len() / 2 } else { queries.len() };
        queries[..answered].iter().map(|query| self.search(query, depth)).collect()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` calls takes a value")]
fn wrong(error: impl ToString) -> Failure {
    Failure::new(FailureKind::Value, error.to_string())
}

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(str::to_lowercase).collect()
}
