//! The metrics: each says of some things whether they are as they should be, and its score is the
//! share of those that are.

use std::collections::HashSet;

use qeval_sdk::core::{Case, Named, Passage, Unscored};

use crate::{normalize::Searchable, quotes::quotes};

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Citations that the corpus has.
    Exists,
    /// Citations that were retrieved.
    Retrieved,
    /// Gold passages that are cited.
    Recall,
    /// Citations that are gold.
    Precision,
    /// The same over all answers together.
    CorpusPrecision,
    /// Quotes that stand in a cited passage.
    Support {
        /// Words that a quote has at least.
        min_words: usize,
    },
}

/// What is found of one citation, gold passage or quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The id or the quote.
    pub about: String,
    /// Whether it is as it should be.
    pub good: bool,
    /// `ok`, or what is wrong.
    pub label: &'static str,
}

impl Kind {
    /// The verdicts on a case, of which there is one at least.
    pub fn score(self, case: &Case<'_>) -> Result<Vec<Verdict>, Unscored> {
        let verdicts = match self {
            Self::Exists => exists(case)?,
            Self::Retrieved => retrieved(case)?,
            Self::Recall => recall(case)?,
            Self::Precision | Self::CorpusPrecision => precision(case)?,
            Self::Support { min_words } => support(case, min_words)?,
        };
        debug_assert!(!verdicts.is_empty(), "a share of nothing");
        Ok(verdicts)
    }
}

fn verdict(about: &str, good: bool, otherwise: &'static str) -> Verdict {
    Verdict { about: about.to_owned(), good, label: if good { "ok" } else { otherwise } }
}

/// The citations, each once, in their order; a reason where there is none.
fn citations<'a>(case: &Case<'a>) -> Result<Vec<&'a str>, Unscored> {
    let mut seen = HashSet::new();
    let all = case.prediction.into_iter().flat_map(|prediction| &prediction.citations);
    let distinct: Vec<&str> = all.map(String::as_str).filter(|id| seen.insert(*id)).collect();
    if distinct.is_empty() {
        return Err(Unscored::NotApplicable("the answer cites nothing".to_owned()));
    }
    Ok(distinct)
}

fn exists(case: &Case<'_>) -> Result<Vec<Verdict>, Unscored> {
    let known: HashSet<&str> = cited_passages(case).map(|passage| passage.id.as_str()).collect();
    let citations = citations(case)?.into_iter();
    Ok(citations.map(|id| verdict(id, known.contains(id), "missing")).collect())
}

fn retrieved(case: &Case<'_>) -> Result<Vec<Verdict>, Unscored> {
    let citations = citations(case)?.into_iter();
    let Some(hits) = case.hits else {
        let reason = "nobody knows what was retrieved for the answer";
        return Err(Unscored::NotApplicable(reason.to_owned()));
    };
    let hits: HashSet<&str> = hits.iter().map(|hit| hit.passage).collect();
    Ok(citations.map(|id| verdict(id, hits.contains(id), "not retrieved")).collect())
}

fn recall(case: &Case<'_>) -> Result<Vec<Verdict>, Unscored> {
    let cited: HashSet<&str> = citations(case).unwrap_or_default().into_iter().collect();
    let gold = gold(case)?.into_iter();
    Ok(gold.map(|id| verdict(id, cited.contains(id), "not cited")).collect())
}

fn precision(case: &Case<'_>) -> Result<Vec<Verdict>, Unscored> {
    let gold: HashSet<&str> = gold(case)?.into_iter().collect();
    let citations = citations(case)?.into_iter();
    Ok(citations.map(|id| verdict(id, gold.contains(id), "not gold")).collect())
}

/// The gold passages, each once.
fn gold<'a>(case: &Case<'a>) -> Result<Vec<&'a str>, Unscored> {
    let mut seen = HashSet::new();
    let all = case.example.gold_passages.iter().map(String::as_str);
    let distinct: Vec<&str> = all.filter(|id| seen.insert(*id)).collect();
    if distinct.is_empty() { Err(Unscored::NoRelevantPassage) } else { Ok(distinct) }
}

fn support(case: &Case<'_>, min_words: usize) -> Result<Vec<Verdict>, Unscored> {
    let quotes = quotes(case.prediction_text(), min_words);
    if quotes.is_empty() {
        return Err(Unscored::NotApplicable("the answer quotes nothing".to_owned()));
    }
    let title_and_text = |passage: &Passage| format!("{}\n{}", passage.title, passage.text);
    let passages: Vec<Searchable> =
        cited_passages(case).map(|passage| Searchable::new(&title_and_text(passage))).collect();
    let stands = |quote: &str| passages.iter().any(|passage| passage.holds(quote));
    Ok(quotes.into_iter().map(|quote| verdict(quote, stands(quote), "not found")).collect())
}

/// The cited passages that the corpus has.
fn cited_passages<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Passage> {
    let cited: &[Named<'a>] = case.cited.unwrap_or_default();
    cited.iter().filter_map(|named| named.passage)
}
