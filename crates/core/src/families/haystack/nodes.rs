//! The evaluation nodes of Haystack 0.10: `EvalDocuments` and `EvalAnswers`.
//!
//! The first counts whether a retriever found the answer, the second compares the reader's answers;
//! with `skip_incorrect_retrieval` the second leaves out what the first found wrong, so that its
//! numbers are conditional. All are shares from 0 to 1.

use crate::metrics::{exact_match, squad::Answers, token_f1};

/// One query that went through the pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query<'a> {
    /// Whether the labels say that there is no answer.
    pub no_answer: bool,
    /// The answers of the labels.
    pub answers: Vec<&'a str>,
    /// The documents of the labels.
    pub gold_ids: Vec<&'a str>,
    /// Ids and texts of the retrieved documents, best first.
    pub documents: Vec<(&'a str, &'a str)>,
    /// The reader's answers, best first; `None` is "no answer".
    pub predictions: Vec<Option<&'a str>>,
}

/// How the nodes are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether a document is right if it contains an answer; else if it has a label's id.
    pub open_domain: bool,
    /// How many documents are looked at.
    pub top_k: usize,
    /// Whether queries with wrong documents are left out of the reader's numbers.
    pub skip_incorrect_retrieval: bool,
}

/// What both nodes say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// `EvalDocuments`.
    pub documents: Documents,
    /// `EvalAnswers`.
    pub answers: Answered,
}

/// Counts and sums of `EvalDocuments`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Documents {
    /// All queries.
    pub queries: usize,
    /// Queries with an answer.
    pub has_answer: usize,
    /// Queries without one; they are always right, with a reciprocal rank of 1.
    pub no_answer: usize,
    /// Queries with an answer that are right.
    pub has_answer_correct: usize,
    /// Sum of reciprocal ranks of queries with an answer.
    pub has_answer_ranks: f64,
    /// Sum of all reciprocal ranks, in the order of the queries.
    pub ranks: f64,
}

impl Documents {
    /// Queries that are right.
    pub fn correct(&self) -> usize {
        self.has_answer_correct + self.no_answer
    }

    /// Share of queries that are right; 0 without a query.
    pub fn recall(&self) -> f64 {
        share(self.correct() as f64, self.queries)
    }

    /// Mean reciprocal rank; 0 without a query.
    pub fn mean_reciprocal_rank(&self) -> f64 {
        share(self.ranks, self.queries)
    }

    /// Share of queries with an answer that are right; 0 without one.
    pub fn has_answer_recall(&self) -> f64 {
        share(self.has_answer_correct as f64, self.has_answer)
    }

    /// Mean reciprocal rank of queries with an answer; 0 without one.
    pub fn has_answer_mean_reciprocal_rank(&self) -> f64 {
        share(self.has_answer_ranks, self.has_answer)
    }
}

/// Counts and sums of `EvalAnswers`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answered {
    /// All queries, also those left out.
    pub queries: usize,
    /// Queries that count: with answers of the reader, and not left out.
    pub counted: usize,
    /// Those with an answer.
    pub has_answer: usize,
    /// Those without one.
    pub no_answer: usize,
    /// Those without one for which the first answer says so.
    pub top_1_no_answer: usize,
    /// Sums over queries with an answer.
    pub sums: Scores,
}

/// Scores of the first answer and the best of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// Exact match of the first answer.
    pub top_1_em: f64,
    /// Exact match of any answer.
    pub top_k_em: f64,
    /// F1 of the first answer.
    pub top_1_f1: f64,
    /// Best F1 of any answer.
    pub top_k_f1: f64,
}

impl Answered {
    /// The reader's numbers: means over the counted queries with an answer; 0 without one.
    pub fn reader(&self) -> Scores {
        self.sums.map(|sum| share(sum, self.has_answer))
    }

    /// Share of the counted queries without an answer for which the first answer says so; 0 without
    /// one.
    pub fn top_1_no_answer(&self) -> f64 {
        share(self.top_1_no_answer as f64, self.no_answer)
    }

    /// The numbers of the pipeline: over all queries, those left out scoring 0. Every counted query
    /// without an answer is right among the first k, whatever the reader said.
    pub fn pipeline(&self) -> Scores {
        let (first, any) = (self.top_1_no_answer as f64, self.no_answer as f64);
        let Scores { top_1_em, top_k_em, top_1_f1, top_k_f1 } = self.sums;
        let sums = Scores {
            top_1_em: top_1_em + first,
            top_k_em: top_k_em + any,
            top_1_f1: top_1_f1 + first,
            top_k_f1: top_k_f1 + any,
        };
        sums.map(|sum| share(sum, self.queries))
    }
}

impl Scores {
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self {
            top_1_em: f(self.top_1_em),
            top_k_em: f(self.top_k_em),
            top_1_f1: f(self.top_1_f1),
            top_k_f1: f(self.top_k_f1),
        }
    }

    fn add(&mut self, other: Self) {
        self.top_1_em += other.top_1_em;
        self.top_k_em += other.top_k_em;
        self.top_1_f1 += other.top_1_f1;
        self.top_k_f1 += other.top_k_f1;
    }
}

fn share(sum: f64, n: usize) -> f64 {
    if n == 0 { 0.0 } else { sum / n as f64 }
}

/// A query with an answer for which the reader gave "no answer" alone, or that has no label;
/// Haystack stops there with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("query {0} has no answer text to compare")]
pub struct NothingToCompare(pub usize);

/// Runs both nodes over the queries, in their order.
pub fn evaluate(queries: &[Query<'_>], settings: Settings) -> Result<Report, NothingToCompare> {
    let mut report = Report::default();
    for (index, query) in queries.iter().enumerate() {
        let rank = report.documents.add(query, settings);
        let skip = settings.skip_incorrect_retrieval && rank == 0.0;
        report.answers.queries += 1;
        if !skip && !query.predictions.is_empty() {
            report.answers.add(query).ok_or(NothingToCompare(index))?;
        }
    }
    Ok(report)
}

impl Documents {
    /// Counts a query; its reciprocal rank.
    fn add(&mut self, query: &Query<'_>, settings: Settings) -> f64 {
        self.queries += 1;
        let rank = if query.no_answer {
            self.no_answer += 1;
            1.0
        } else {
            let rank = reciprocal_rank(query, settings);
            self.has_answer += 1;
            self.has_answer_correct += usize::from(rank > 0.0);
            self.has_answer_ranks += rank;
            rank
        };
        self.ranks += rank;
        rank
    }
}

fn reciprocal_rank(query: &Query<'_>, settings: Settings) -> f64 {
    let documents = &query.documents[..query.documents.len().min(settings.top_k)];
    let index = if settings.open_domain {
        let texts = documents.iter().map(|&(_, text)| text);
        position_of_answer(query.answers.iter().copied(), texts)
    } else {
        documents.iter().position(|(id, _)| query.gold_ids.contains(id))
    };
    index.map_or(0.0, |index| 1.0 / (index + 1) as f64)
}

/// Index of the document that is right in the open domain: the first one with the first answer that
/// stands in any of them, which is not always the first one with an answer.
pub fn position_of_answer<'a>(
    answers: impl Iterator<Item = &'a str>,
    documents: impl Iterator<Item = &'a str>,
) -> Option<usize> {
    let texts: Vec<String> = documents.map(str::to_lowercase).collect();
    answers.map(str::to_lowercase).find_map(|answer| texts.iter().position(|t| t.contains(&answer)))
}

impl Answered {
    fn add(&mut self, query: &Query<'_>) -> Option<()> {
        self.counted += 1;
        if query.no_answer {
            self.no_answer += 1;
            self.top_1_no_answer += usize::from(query.predictions.first() == Some(&None));
            return Some(());
        }
        self.has_answer += 1;
        let texts = query.predictions.iter().flatten().filter(|text| !text.is_empty());
        let scores = texts.map(|text| compare(text, &query.answers));
        let scores: Vec<(f64, f64)> = scores.collect::<Option<_>>()?;
        let &(top_1_em, top_1_f1) = scores.first()?;
        let (top_k_em, top_k_f1) = scores
            .into_iter()
            .fold((0.0, 0.0), |best: (f64, f64), (em, f1)| (best.0.max(em), best.1.max(f1)));
        self.sums.add(Scores { top_1_em, top_k_em, top_1_f1, top_k_f1 });
        Some(())
    }
}

/// Exact match and F1, the best over the answers; every answer counts, also an empty one.
fn compare(prediction: &str, answers: &[&str]) -> Option<(f64, f64)> {
    let scores = answers.iter().map(|&answer| {
        let answers = Answers::new(prediction, [answer].into_iter());
        (f64::from(exact_match::matches(&answers)), token_f1::best_f1(&answers))
    });
    scores.reduce(|best, (em, f1)| (best.0.max(em), best.1.max(f1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Settings =
        Settings { open_domain: true, top_k: 10, skip_incorrect_retrieval: true };

    fn query<'a>(predictions: &[Option<&'a str>]) -> Query<'a> {
        Query {
            answers: vec!["Tajo", "Ebro"],
            gold_ids: vec!["d2"],
            documents: vec![("d1", "the EBRO"), ("d2", "the Tajo")],
            predictions: predictions.to_vec(),
            ..Query::default()
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn the_first_label_that_is_found_decides() {
        let queries = [query(&[Some("river Tajo"), Some("Ebro")])];
        let report = evaluate(&queries, OPEN).unwrap();
        assert_eq!(report.documents.mean_reciprocal_rank(), 0.5);
        let reader = report.answers.reader();
        assert_eq!((reader.top_1_em, reader.top_k_em, reader.top_k_f1), (0.0, 1.0, 1.0));
        assert!((reader.top_1_f1 - 2.0 / 3.0).abs() < 1e-15);
        let closed = Settings { open_domain: false, top_k: 1, ..OPEN };
        let report = evaluate(&queries, closed).unwrap();
        assert_eq!((report.documents.recall(), report.answers.counted), (0.0, 0));
        assert_eq!(report.answers.pipeline(), Scores::default());
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn a_query_without_an_answer_is_right_among_the_first_k() {
        let no_answer = Query { no_answer: true, ..query(&[Some("x")]) };
        let report = evaluate(&[no_answer], OPEN).unwrap();
        assert_eq!(report.answers.top_1_no_answer(), 0.0);
        let pipeline = report.answers.pipeline();
        assert_eq!((pipeline.top_1_em, pipeline.top_k_em), (0.0, 1.0));
    }

    #[test]
    fn no_answer_alone_cannot_be_compared() {
        assert_eq!(evaluate(&[query(&[None, Some("")])], OPEN), Err(NothingToCompare(0)));
        assert_eq!(evaluate(&[query(&[])], OPEN).unwrap().answers.counted, 0);
    }
}
