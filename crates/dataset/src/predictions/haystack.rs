//! The answers in a table that Haystack 1.x saved.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{Candidate, Prediction};

use super::Loading;
use crate::{
    Error, Problem,
    verbatim::haystack::{self, Answer},
};

/// The answers of a reader to each query: those that it gave on what was retrieved, or on the gold
/// documents. A table says of its queries no more than their texts, which are their ids here.
pub(super) fn rows(path: &Path, isolated: bool, loading: &mut Loading) -> Result<(), Error> {
    let node = haystack::node(path)?;
    let wanted = if isolated { "isolated" } else { "integrated" };
    let mut queries: Vec<(String, Vec<Answer>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for answer in node.answers {
        if answer.place.eval_mode.as_deref().unwrap_or("integrated") != wanted {
            continue;
        }
        let id = answer.place.multilabel_id.clone();
        let place = *places.entry(id).or_insert_with(|| {
            queries.push((answer.place.query.clone(), Vec::new()));
            queries.len() - 1
        });
        queries[place].1.push(answer);
    }
    if queries.is_empty() {
        let message = format!("no row has an answer whose `eval_mode` is `{wanted}`");
        return Err(Problem::new(message).of_file(path));
    }
    for (number, (query, mut answers)) in (1..).zip(queries) {
        answers.sort_by_key(|answer| answer.place.rank);
        let candidates = answers.into_iter().map(candidate).collect();
        let added = loading.add(query, Prediction::first_of(candidates), ("record", number));
        added.map_err(|problem| problem.of_file(path))?;
    }
    Ok(())
}

fn candidate(answer: Answer) -> Candidate {
    let Answer { answer: text, document_ids, .. } = answer;
    Candidate { text, passage: document_ids.into_iter().next(), ..Candidate::default() }
}

#[cfg(test)]
mod tests {
    use qeval_core::{Candidate, Prediction};

    use crate::{PredictionSource, predictions, testing::read};

    type Found = Result<Vec<(String, Prediction)>, String>;

    fn load(rows: &str, isolated: bool) -> Found {
        let header = "\"index\",\"answer\",\"document_ids\",\"rank\",\"type\",\"multilabel_id\",\"query\",\"eval_mode\"\n";
        read(format!("{header}{rows}").as_bytes(), |path| {
            let source = PredictionSource { isolated, ..PredictionSource::new(path) };
            let found = predictions(&source)?;
            Ok(found.iter().map(|(id, found)| (id.to_owned(), found.clone())).collect())
        })
    }

    #[test]
    fn the_rows_of_a_query_are_its_candidates() {
        let rows = "0,\"x\",\"['d']\",2.0,\"answer\",\"m1\",\"Who?\",\"integrated\"\n\
                    1,\"\",\"\",1.0,\"answer\",\"m2\",\"Why?\",\"integrated\"\n\
                    2,\"y\",\"['g']\",1.0,\"answer\",\"m1\",\"Who?\",\"isolated\"\n\
                    3,\"Bo\",\"['e', 'd']\",1.0,\"answer\",\"m1\",\"Who?\",\"integrated\"\n";
        let candidate =
            |text: &str, id: &str| Candidate { passage: Some(id.to_owned()), ..text.into() };
        let expected = vec![
            (
                "Who?".to_owned(),
                Prediction::first_of(vec![candidate("Bo", "e"), candidate("x", "d")]),
            ),
            ("Why?".to_owned(), Prediction::first_of(vec![Candidate::default()])),
        ];
        assert_eq!(load(rows, false), Ok(expected));
        let isolated = vec![("Who?".to_owned(), Prediction::first_of(vec![candidate("y", "g")]))];
        assert_eq!(load(rows, true), Ok(isolated));
        let one = &rows[..=rows.find('\n').unwrap()];
        let expected = "`file`: no row has an answer whose `eval_mode` is `isolated`";
        assert_eq!(load(one, true).unwrap_err(), expected);
        let twice = format!("{one}{}", one.replace("m1", "m2"));
        assert_eq!(
            load(&twice, false).unwrap_err(),
            "`file`: id `Who?` is given twice, in records 1 and 2\n\
             hint: ids must be unique: results are joined on them"
        );
    }
}
