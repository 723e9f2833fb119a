//! Runs in all their forms.

use proptest::prelude::*;
use qeval_core::Ranking;

use super::{held::open_with, *};
use crate::testing::read;

fn ids(content: &str) -> Result<Vec<(String, Vec<String>)>, String> {
    let run = read(content.as_bytes(), |path| run(path, Ties::Docno))?;
    let ids = |ranking: Ranking| ranking.hits().iter().map(|hit| hit.passage.to_owned()).collect();
    Ok(run.into_iter().map(|(query, ranking)| (query, ids(ranking))).collect())
}

#[test]
fn the_order_is_that_of_the_scores_and_queries_may_be_scattered() {
    let content = "q2 Q0 d1 1 0.5 a\r\nq1\tQ0\td1\t1\t-1e-3\ta b c\n\n# half time\n\
                   q2 Q0 d2 2 0.75 a\nq1 Q0 d2 9 inf a\n q2 Q0 d3 3 .5 a";
    let found = ids(content).unwrap();
    let expected = [("q1", vec!["d2", "d1"]), ("q2", vec!["d2", "d3", "d1"])];
    let expected = expected.map(|(query, ids)| {
        (query.to_owned(), ids.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    assert_eq!(found, expected);
}

#[test]
fn bad_lines_are_errors() {
    let check = |content: &str, expected: &str| {
        assert_eq!(ids(content).unwrap_err(), expected);
    };
    check(
        "q1 Q0 d1 1 0.5\n",
        "`file`, line 1: the line has 5 columns, expected 6: `query Q0 passage rank score tag`",
    );
    check(
        "q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 NaN a\n",
        "`file`, line 2: the score of passage `d2` is `NaN`, expected a number",
    );
    check(
        "q1 Q0 d1 1 high a\n",
        "`file`, line 1: the score of passage `d1` is `high`, expected a number",
    );
    check(
        "#\nq1 Q0 d1 1 2 a\nq2 Q0 d1 1 2 a\nq1 Q0 d1 2 1 a\n",
        "`file`, line 4: query `q1`: passage `d1` is retrieved twice, on lines 2 and 4",
    );
    check("", "`file`: the file is empty: there is nothing to evaluate");
}

#[test]
fn formats_are_recognised_and_mean_the_same() {
    let expected = [("q1", vec![("d2", 0.5), ("d1", 0.25)]), ("q2", vec![("d1", 1.0)])];
    let check = |content: &str| {
        let run = read(content.as_bytes(), |path| run(path, Ties::Docno)).unwrap();
        let found: Vec<(&str, Vec<(&str, f64)>)> = run
            .iter()
            .map(|(query, ranking)| {
                let hits = ranking.hits().iter().map(|hit| (hit.passage, hit.score));
                (query.as_str(), hits.collect())
            })
            .collect();
        assert_eq!(found, expected, "{content}");
    };
    check("q1 Q0 d1 1 0.25 t\nq1 Q0 d2 2 0.5 t\nq2 Q0 d1 1 1 t\n");
    check("{\"q1\": {\"d1\": 0.25, \"d2\": 0.5},\n \"q2\": {\"d1\": 1}}");
    check("{\n\"q1\":\n{\"d1\": 0.25, \"d2\": 0.5}, \"q2\": {\"d1\": 1}, \"q3\": {}}");
    check(
        "{\"qid\": \"q1\", \"docid\": \"d1\", \"score\": 0.25}\n\n\
           {\"qid\": \"q1\", \"docid\": \"d2\", \"score\": 0.5, \"rank\": 7}\n\
           {\"qid\": \"q2\", \"docid\": \"d1\", \"score\": 1}\n",
    );
    check("rank\tquery_id\tpid\tscore\n1\tq1\td1\t0.25\n2\tq1\td2\t.5\n1\tq2\td1\t1e0\n");
    check("query-id,corpus-id,score\r\nq1,d1,0.25\r\nq1,\"d2\",0.5\r\nq2,d1,1\r\n");
}

#[test]
fn ranks_become_scores_that_fall() {
    let ranked = |content: &str| ids(content).unwrap().remove(0).1;
    assert_eq!(ranked("7\t30\t2\n7\t4\t1\n7\t5\t1000\n"), ["4", "30", "5"]);
    assert_eq!(
        ranked("{\"qid\": 7, \"pid\": 30, \"rank\": 2}\n{\"qid\": 7, \"pid\": 4, \"rank\": 1}"),
        ["4", "30"]
    );
    let kilt = "{\"id\": \"7\", \"output\": [{\"answer\": \"x\", \"provenance\": \
                [{\"wikipedia_id\": \"5\"}, {\"wikipedia_id\": 9}]}]}\n";
    assert_eq!(ranked(kilt), ["5", "9"]);
}

#[test]
fn what_is_wrong_in_other_formats_is_named_too() {
    let check = |content: &str, expected: &str| {
        assert_eq!(ids(content).unwrap_err(), expected, "{content}");
    };
    check(
        "1\t2\t0\n",
        "`file`, line 1: the rank of passage `2` is `0`, expected a whole number from 1",
    );
    check(
        "7\t30\t2\n7\t30\t1\n",
        "`file`, line 2: query `7`: passage `30` is retrieved twice, on lines 1 and 2",
    );
    check(
        "{\"q1\": {\"d1\": 1, \"d1\": 2}}",
        "`file`, record 1: query `q1`: passage `d1` is retrieved twice",
    );
    check(
        "{\"qid\": 1, \"passage\": 2, \"score\": 1}",
        "`file`, line 1: field `passage_id` is missing; the record has `qid`, `passage`, `score`\n\
         hint: name the right field: `fields = { passage_id = \"passage\" }`",
    );
    check(
        "qid,docid,score\n1,2,high\n",
        "`file`, line 2: field `score` is `high`, expected a number",
    );
    check(
        "qid,docid,rank\n1,2,-1\n",
        "`file`, line 2: field `rank` is `-1`, expected a whole number from 0",
    );
}

#[test]
fn columns_can_be_named_and_so_can_the_format() {
    let folder = crate::testing::Folder::new();
    let path = folder.write("file", "question,hit,points,score\nq,d,2,9\nq,e,3,1\n");
    let mut source = RunSource::new(&path);
    source.fields.query_id = Some("question".to_owned());
    source.fields.passage_id = Some("hit".to_owned());
    source.fields.score = Some("points".to_owned());
    let first = |source: &RunSource| {
        let run = run(source.clone(), Ties::Docno)?;
        Ok(run["q"].hits().iter().next().map(|hit| hit.passage.to_owned()))
    };
    assert_eq!(first(&source), Ok(Some("e".to_owned())));
    source.format = Some(RunFormat::Trec);
    let error: Error = first(&source).unwrap_err();
    assert_eq!(error.message, "the fields of format `trec` have fixed names");
    source.fields = RunFields::default();
    let error = first(&source).unwrap_err();
    assert!(error.message.starts_with("the line has 1 column"), "{error}");
    for format in RunFormat::ALL {
        assert_eq!(RunFormat::from_name(format.name()), Some(format));
    }
}

/// Some hits: query, passage and score, no passage twice for a query.
fn hits() -> impl Strategy<Value = Vec<(u8, u8, f64)>> {
    let scores = prop::sample::select(&[0.0, -0.0, 1.5, 1.5, 2.0, -7.25, f64::INFINITY][..]);
    prop::collection::btree_map((0..4_u8, 0..30_u8), scores, 1..60).prop_map(|hits| {
        hits.into_iter().map(|((query, passage), score)| (query, passage, score)).collect()
    })
}

fn written(hits: &[(u8, u8, f64)], name: impl Fn(u8) -> String) -> String {
    let line = |&(query, passage, score): &(u8, u8, f64)| {
        format!("q{query} Q0 {} 0 {score} tag\n", name(passage))
    };
    hits.iter().map(line).collect()
}

proptest! {
    #[test]
    fn the_order_of_the_lines_changes_nothing(
        (hits, shuffled) in hits().prop_flat_map(|hits| (Just(hits.clone()), Just(hits).prop_shuffle()))
    ) {
        let name = |passage: u8| format!("d{passage}");
        let first = read(written(&hits, name).as_bytes(), |path| run(path, Ties::Docno));
        let second = read(written(&shuffled, name).as_bytes(), |path| run(path, Ties::Docno));
        prop_assert_eq!(first, second);
    }

    /// Score descending, then id descending by bytes: new names that sort as the old ones change
    /// nothing but the names, and names that sort the other way turn equal scores around.
    #[test]
    fn names_matter_only_where_scores_are_equal(hits in hits()) {
        let ranked = |name: fn(u8) -> String| {
            let run = read(written(&hits, name).as_bytes(), |path| run(path, Ties::Docno)).unwrap();
            let places = |ranking: &Ranking| -> Vec<(u8, f64)> {
                let place = |id: &str| (0..30).find(|&passage| name(passage) == id).unwrap();
                ranking.hits().iter().map(|hit| (place(hit.passage), hit.score)).collect()
            };
            run.values().map(places).collect::<Vec<_>>()
        };
        let ascending = ranked(|passage| format!("d{passage:02}"));
        prop_assert_eq!(&ascending, &ranked(|passage| format!("é-{passage:02}-longer")));
        let descending = ranked(|passage| format!("d{:02}", 99 - passage));
        for (up, down) in ascending.iter().zip(&descending) {
            let mut turned = down.clone();
            turned.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap().then(b.0.cmp(&a.0)));
            prop_assert_eq!(up, &turned);
            let ordered = |a: &(u8, f64), b: &(u8, f64)| a.1 > b.1 || (a.1 >= b.1 && a.0 < b.0);
            prop_assert!(down.is_sorted_by(ordered));
        }
    }

    #[test]
    fn a_run_on_disk_is_the_one_in_memory(
        hits in hits(), blank in prop::sample::select(&["", "# remark\n", "\n", " \t\r\n"][..])
    ) {
        let folder = crate::testing::Folder::new();
        let text = written(&hits, |passage| format!("d{passage}")).replace('\n', &format!("\n{blank}"));
        let source = RunSource::new(folder.write("run", format!("{blank}{text}")));
        for ties in [Ties::Docno, Ties::Input] {
            let (disk, memory) = (open_with(&source, ties, 0), open_with(&source, ties, u64::MAX));
            let (disk, memory) = (disk.unwrap(), memory.unwrap());
            prop_assert_eq!(disk.queries(), memory.queries());
            for place in 0..disk.queries().len() {
                prop_assert_eq!(disk.ranking(place, 3).unwrap(), memory.ranking(place, 3).unwrap());
            }
        }
    }
}

#[test]
fn a_run_on_disk_has_the_same_errors_and_may_not_change() {
    let folder = crate::testing::Folder::new();
    let check = |content: &str| {
        let source = RunSource::new(folder.write("run", content));
        let error = |large| open_with(&source, Ties::Docno, large).err();
        assert!(error(0).is_some(), "{content}");
        assert_eq!(error(0), error(u64::MAX), "{content}");
    };
    check("q Q0 d 1 1 t\nq Q0 e 1 t\n");
    check("q Q0 d 1 1 t\nq Q0 e 1 nan t");
    check("\nq Q0 d 1 1 t\n#\nq Q0 d 1 2 t\np Q0 d 1 1 t\n");
    check("q Q0 d 1 1 t\np Q0 d 1 1 t\np Q0 d 1 1 t\n");
    check("# nothing\n");
    let path = folder.write("run", "q Q0 d 1 1 t\np Q0 d 1 1 t\n");
    let held = open_with(&RunSource::new(&path), Ties::Docno, 0).unwrap();
    assert_eq!((held.place("p"), held.place("q"), held.place("r")), (Some(0), Some(1), None));
    std::fs::write(&path, "p Q0 d 1 1 t\n").unwrap();
    let error = held.ranking(0, 9).unwrap_err();
    assert!(error.message.contains("the file has changed since it was checked"), "{error}");
}
