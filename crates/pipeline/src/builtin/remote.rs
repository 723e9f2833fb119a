//! A retriever of one's own: a program or a service that is sent queries and gives hits.

use std::collections::HashSet;

use qeval_sdk::{
    Descriptor, Failure, FailureKind, Query, Retriever,
    core::{Hits, Ranking, Ties},
};
use serde_json::{Value, json};

use super::peer::Peer;

/// Asks a peer for the hits of some queries at a time.
///
/// It is sent `{"queries": [{"id", "text"}], "depth": 100}` and answers `{"hits": [[{"id", "score"}]]}`
/// with a list for each query, in their order. A wrong hit is a failure of its query alone; a wrong
/// form is one of all queries of the request, because nobody knows any more which list is whose.
pub(crate) struct Remote {
    kind: &'static str,
    peer: Box<dyn Peer>,
    batch: usize,
    ties: Ties,
}

impl Remote {
    /// `batch` is how many queries are sent at a time.
    pub(crate) fn new(kind: &'static str, peer: Box<dyn Peer>, batch: usize, ties: Ties) -> Self {
        Self { kind, peer, batch, ties }
    }

    fn ranking(&self, hits: &Value, depth: usize) -> Result<Option<Ranking>, Failure> {
        let failed = |kind, message| Failure::new(kind, format!("{}: {message}", self.peer.name()));
        let Value::Array(hits) = hits else {
            return match hits {
                Value::Null => Ok(None),
                other => {
                    let message = format!("the hits of the query are {}, not a list", shown(other));
                    Err(failed(FailureKind::Protocol, message))
                }
            };
        };
        let hits: Vec<(&str, f64)> = hits
            .iter()
            .map(|hit| read_hit(hit).map_err(|(kind, message)| failed(kind, message)))
            .collect::<Result<_, _>>()?;
        let mut seen = HashSet::new();
        if let Some((passage, _)) = hits.iter().find(|(passage, _)| !seen.insert(*passage)) {
            let message = format!("passage `{passage}` is among the hits twice");
            return Err(failed(FailureKind::Value, message));
        }
        let mut ranking = Hits::of(hits)
            .and_then(|hits| Ranking::new(hits, self.ties))
            .map_err(|error| failed(FailureKind::Value, error.to_string()))?;
        ranking.truncate(depth);
        Ok(Some(ranking))
    }
}

impl Retriever for Remote {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: self.kind.to_owned(),
            version: "1".to_owned(),
            summary: "hits of a program or a service".to_owned(),
        }
    }

    fn asks_in_order(&self) -> bool {
        self.peer.asks_in_order()
    }

    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        let batches: Vec<&[Query<'_>]> = queries.chunks(self.batch).collect();
        let request = |batch: &&[Query<'_>]| {
            let query = |query: &Query<'_>| json!({"id": query.id, "text": query.text});
            json!({"queries": batch.iter().map(query).collect::<Vec<_>>(), "depth": depth})
        };
        let requests: Vec<Value> = batches.iter().map(request).collect();
        let check =
            |index: usize, answer: &Value| lists(answer, "hits", batches[index].len()).map(|_| ());
        let answers = self.peer.ask(&requests, &check);
        let mut rankings = Vec::with_capacity(queries.len());
        for ((batch, request), answer) in batches.iter().zip(&requests).zip(answers) {
            match answer {
                Err(failure) => rankings.extend(batch.iter().map(|_| Err(failure.clone()))),
                Ok(answer) => {
                    let hits = answer["hits"].as_array().into_iter().flatten();
                    let first = rankings.len();
                    rankings.extend(hits.map(|hits| self.ranking(hits, depth)));
                    refuse(&*self.peer, request, rankings[first..].iter_mut());
                }
            }
        }
        rankings
    }
}

/// Refuses an answer if anything that was read from it failed.
pub(super) fn refuse<'r>(
    peer: &dyn Peer,
    request: &Value,
    read: impl Iterator<Item = &'r mut Result<Option<Ranking>, Failure>>,
) {
    let mut failures: Vec<&mut Failure> = read.filter_map(|read| read.as_mut().err()).collect();
    if !failures.is_empty()
        && let Err(message) = peer.refuse(request)
    {
        for failure in &mut failures {
            failure.message = format!("{}; {message}", failure.message);
        }
    }
}

/// The list of that name in an answer, which must have so many entries.
pub(super) fn lists<'a>(
    answer: &'a Value,
    key: &str,
    expected: usize,
) -> Result<&'a [Value], String> {
    match answer.get(key) {
        Some(Value::Array(lists)) if lists.len() == expected => Ok(lists),
        Some(Value::Array(lists)) => {
            Err(format!("`{key}` has {} entries for {expected} queries", lists.len()))
        }
        Some(other) => Err(format!("`{key}` is {}, not a list", shown(other))),
        None => Err(format!("it answered {} without `{key}`", shown(answer))),
    }
}

/// A score, which must be a finite number.
pub(super) fn score(value: &Value) -> Result<f64, String> {
    match value.as_f64() {
        Some(score) if score.is_finite() => Ok(score),
        _ => Err(format!("the score {} is not a number", shown(value))),
    }
}

fn read_hit(hit: &Value) -> Result<(&str, f64), (FailureKind, String)> {
    let Some(id) = hit.get("id").and_then(Value::as_str) else {
        return Err((FailureKind::Protocol, format!("the hit {} has no text `id`", shown(hit))));
    };
    let score = score(hit.get("score").unwrap_or(&Value::Null))
        .map_err(|message| (FailureKind::Value, format!("passage `{id}`: {message}")))?;
    Ok((id, score))
}

/// The beginning of a value, for a message.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    let begin: String = text.chars().take(100).collect();
    if begin.len() < text.len() { format!("`{begin}...`") } else { format!("`{begin}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::builtin::peer::Check;

    /// Answers every request with the next of its answers.
    struct Scripted(std::sync::Mutex<Vec<Value>>);

    impl Peer for Scripted {
        fn name(&self) -> &'static str {
            "retriever `r`"
        }

        fn ask(&self, requests: &[Value], check: &Check<'_>) -> Vec<Result<Value, Failure>> {
            let mut answers = self.0.lock().unwrap();
            let answer = |index| {
                let answer = answers.remove(0);
                check(index, &answer)
                    .map_err(|message| Failure::new(FailureKind::Protocol, message))?;
                Ok(answer)
            };
            (0..requests.len()).map(answer).collect()
        }

        fn refuse(&self, _: &Value) -> Result<(), String> {
            Ok(())
        }

        fn asks_in_order(&self) -> bool {
            true
        }
    }

    /// What two queries a request become.
    fn retrieved(queries: usize, answers: &[Value]) -> Vec<Result<Vec<String>, String>> {
        let peer = Scripted(std::sync::Mutex::new(answers.to_vec()));
        let remote = Remote::new("command", Box::new(peer), 2, Ties::Docno);
        let queries = vec![Query::default(); queries];
        let ids = |ranking: Option<Ranking>| {
            let ranking = ranking.unwrap_or_default();
            ranking.hits().iter().map(|hit| hit.passage.to_owned()).collect()
        };
        let rankings = remote.retrieve(&queries, 2).into_iter();
        rankings.map(|r| r.map(ids).map_err(|failure| failure.to_string())).collect()
    }

    #[test]
    fn hits_are_ordered_and_cut() {
        let hits = json!({"hits": [
            [{"id": "a", "score": 1}, {"id": "b", "score": 1.0}, {"id": "c", "score": 2}],
            null,
        ]});
        assert_eq!(retrieved(2, &[hits]), [Ok(vec!["c".to_owned(), "b".to_owned()]), Ok(vec![])]);
    }

    #[test]
    fn a_wrong_hit_fails_its_query_alone() {
        let good = json!([{"id": "a", "score": 1}]);
        for (wrong, message) in [
            (
                json!([{"id": "a", "score": "NaN"}]),
                "value: retriever `r`: passage `a`: the score `\"NaN\"` is not a number",
            ),
            (
                json!([{"id": "a", "score": null}]),
                "value: retriever `r`: passage `a`: the score `null` is not a number",
            ),
            (
                json!([{"id": "a", "score": 1}, {"id": "a", "score": 2}]),
                "value: retriever `r`: passage `a` is among the hits twice",
            ),
            (json!([7]), "protocol: retriever `r`: the hit `7` has no text `id`"),
            (json!(7), "protocol: retriever `r`: the hits of the query are `7`, not a list"),
        ] {
            assert_eq!(
                retrieved(2, &[json!({"hits": [wrong, good]})]),
                [Err(message.to_owned()), Ok(vec!["a".to_owned()])]
            );
        }
    }

    #[test]
    fn a_wrong_form_fails_its_request_alone() {
        let wrong = [json!({"hits": [[]]}), json!({"hits": 1}), json!([])];
        for (wrong, message) in wrong.into_iter().zip([
            "protocol: `hits` has 1 entries for 2 queries",
            "protocol: `hits` is `1`, not a list",
            "protocol: it answered `[]` without `hits`",
        ]) {
            let failed = Err(message.to_owned());
            assert_eq!(
                retrieved(3, &[wrong, json!({"hits": [[]]})]),
                [failed.clone(), failed, Ok(vec![])]
            );
        }
    }
}
