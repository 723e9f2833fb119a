//! Datasets, predictions, corpora and runs in several files.

use qeval_core::Ties;

use crate::{
    CorpusFormat, CorpusSource, DatasetFormat, DatasetSource, Error, PredictionSource, RunSource,
    corpus, digest, digest_of_all, open, predictions, run, spill_predictions,
    testing::{Folder, gzip},
};

/// Writes files with names in their order.
fn write(folder: &Folder, contents: &[&str]) -> Vec<std::path::PathBuf> {
    let named = contents.iter().enumerate();
    named.map(|(number, content)| folder.write(&format!("part-{number}"), content)).collect()
}

/// The ids of a dataset in such files, or the error.
fn ids(
    format: DatasetFormat,
    contents: &[&str],
    configure: impl Fn(&mut DatasetSource),
) -> Result<Vec<String>, String> {
    let folder = Folder::new();
    let files = write(&folder, contents);
    let mut source = DatasetSource::new(&files[0], format);
    source.further = files[1..].to_vec();
    configure(&mut source);
    let records: Result<Vec<_>, Error> = open(&source).and_then(Iterator::collect);
    let records = records.map_err(|error| folder.show(&error))?;
    Ok(records.into_iter().map(|record| record.example.id).collect())
}

#[test]
fn a_dataset_goes_on_in_the_next_file() {
    let lines = ["{\"id\": 3}\n{\"id\": 1}", "", "\n\n{\"id\": 2}\n"];
    assert_eq!(ids(DatasetFormat::Jsonl, &lines, |_| {}).unwrap(), ["3", "1", "2"]);
    // Columns stand where the header of each file says.
    let tables = ["id,topic\n1,a\n", "topic,more,id\nb,x,2\nc,y,3\n", "id,topic\n"];
    let topics = |source: &mut DatasetSource| source.columns = vec!["topic".to_owned()];
    assert_eq!(ids(DatasetFormat::Csv, &tables, topics).unwrap(), ["1", "2", "3"]);
    let lacking = ids(DatasetFormat::Csv, &["id,topic\n1,a\n", "id,topics\n2,b\n"], topics);
    assert_eq!(
        lacking.unwrap_err(),
        "`part-1`, line 1: field `topic` is missing; the header has `id`, `topics`\n\
         hint: did you mean `topics`?"
    );
    let documents = ["q1", "q2"].map(|id| {
        format!(
            r#"{{"data": [{{"title": "t", "paragraphs": [{{"context": "c", "qas": [{{"id": "{id}", "question": "?", "answers": []}}]}}]}}]}}"#
        )
    });
    let documents = documents.each_ref().map(String::as_str);
    assert_eq!(ids(DatasetFormat::Squad, &documents, |_| {}).unwrap(), ["q1", "q2"]);
    assert_eq!(
        ids(DatasetFormat::Squad, &[documents[0], documents[0]], |_| {}).unwrap_err(),
        "`part-1`, record 1: id `q1` is given twice, first in record 1 of `part-0`\n\
         hint: ids must be unique: results are joined on them"
    );
    assert_eq!(
        ids(DatasetFormat::Beir, &["", ""], |_| {}).unwrap_err(),
        "`part-0`: a dataset of format `beir` is one folder, not several"
    );
    assert_eq!(
        ids(DatasetFormat::Jsonl, &["", "\n"], |_| {}).unwrap_err(),
        "`part-0`: the file is empty: there is nothing to evaluate"
    );
}

#[test]
fn places_are_those_of_the_file() {
    let refused = |contents: &[&str], expected: &str| {
        let found = ids(DatasetFormat::Jsonl, contents, |source| {
            source.columns = vec!["topic".to_owned()];
        });
        assert_eq!(found.unwrap_err(), expected, "{contents:?}");
    };
    let unique = "\nhint: ids must be unique: results are joined on them";
    let topic = "{\"id\": 1, \"topic\": \"t\"}\n";
    refused(
        &[topic, "{\"id\": 2}\n\n{\"id\": 1}\n"],
        &format!("`part-1`, line 3: id `1` is given twice, first on line 1 of `part-0`{unique}"),
    );
    refused(
        &[topic, "{\"id\": 2}\n\n{\"id\": 2}\n"],
        &format!("`part-1`, line 3: id `2` is given twice, on lines 1 and 3{unique}"),
    );
    refused(
        &[topic, "{\"id\": 2}\n{\"id\": 3, \"question\": 5}\n"],
        "`part-1`, line 2: field `question` is a number, expected a text",
    );
    // A column must be in one of the files.
    assert!(
        ids(DatasetFormat::Jsonl, &["{\"id\": 2}", topic, "{\"id\": 3}"], |source| {
            source.columns = vec!["topic".to_owned()];
        })
        .is_ok()
    );
    refused(
        &["{\"id\": 1, \"topics\": 1}\n", "{\"id\": 2}\n"],
        "`part-1`: no record has the field `topic`; the first has `id`, `topics`\n\
         hint: did you mean `topics`?",
    );
}

/// The answers in such files, the same in memory and on disk, or the error.
fn answers(contents: &[&str]) -> Result<Vec<(String, String)>, String> {
    let folder = Folder::new();
    let files = write(&folder, contents);
    let mut source = PredictionSource::new(&files[0]);
    source.further = files[1..].to_vec();
    let found = predictions(&source);
    let spilled = spill_predictions(&source, files[0].parent().unwrap());
    assert_eq!(spilled.err().as_ref(), found.as_ref().err());
    let found = found.map_err(|error| folder.show(&error))?;
    Ok(found.iter().map(|(id, found)| (id.to_owned(), found.text.clone())).collect())
}

#[test]
fn predictions_go_on_in_the_next_file() {
    let pairs = |ids: &[&str]| ids.iter().map(|id| ((*id).to_owned(), "x".to_owned())).collect();
    let line = |id: &str| format!("{{\"id\": \"{id}\", \"prediction\": \"x\"}}\n");
    let (a, b) = (line("a") + &line("c"), line("b"));
    assert_eq!(answers(&[&a, "", &b]), Ok(pairs(&["a", "c", "b"])));
    assert_eq!(answers(&["id,prediction\na,x\n", "prediction,id\nx,b\n"]), Ok(pairs(&["a", "b"])));
    assert_eq!(answers(&[r#"{"a": "x"}"#, r#"{"b": "x"}"#]), Ok(pairs(&["a", "b"])));
    let facts = [r#"{"answer": {"a": "x"}}"#, r#"{"answer": {"b": "x"}, "sp": {"b": []}}"#];
    assert_eq!(answers(&facts), Ok(pairs(&["a", "b"])));
    let unique = "hint: ids must be unique: results are joined on them";
    assert_eq!(
        answers(&[&a, &b, &line("c")]).unwrap_err(),
        format!("`part-2`, line 1: id `c` is given twice, first on line 2 of `part-0`\n{unique}")
    );
    assert_eq!(
        answers(&[r#"{"a": "x", "b": "x"}"#, "{\"c\": \"x\",\n\"b\": \"x\"}"]).unwrap_err(),
        format!(
            "`part-1`, line 2, column 9: id `b` is given twice, first in record 2 of `part-0`\n\
             {unique}"
        )
    );
    assert_eq!(
        answers(&[&a, "id,prediction\nd,x\n"]).unwrap_err(),
        "`part-1`: is of the format `csv`, and `part-0` is `jsonl`\n\
         hint: all files of a reader have one format"
    );
}

#[test]
fn passages_and_rankings_go_on_in_the_next_file() {
    let folder = Folder::new();
    let of_corpus = |format, contents: &[&str]| {
        let files = write(&folder, contents);
        let mut source = CorpusSource::new(&files[0], format);
        source.further = files[1..].to_vec();
        let found = corpus(&source).map_err(|error| folder.show(&error))?;
        Ok(found.into_iter().map(|passage| passage.id).collect::<Vec<_>>())
    };
    let superseded = "{\"id\": 1, \"text\": \"\", \"superseded_by\": 2}";
    let found = of_corpus(CorpusFormat::Jsonl, &[superseded, "{\"id\": 2, \"text\": \"\"}"]);
    assert_eq!(found.unwrap(), ["1", "2"]);
    let found: Result<_, String> = of_corpus(
        CorpusFormat::Jsonl,
        &["{\"id\": 2, \"text\": \"\"}", &superseded.replace(": 2", ": 3")],
    );
    let expected = "`part-1`, line 1: passage `1` is superseded by `3`, which is not in the corpus";
    assert_eq!(found.unwrap_err(), expected);
    let unique = "hint: ids must be unique: results are joined on them";
    assert_eq!(
        of_corpus(CorpusFormat::Msmarco, &["1\ta\n", "2\tb\n1\tc\n"]).unwrap_err(),
        format!("`part-1`, line 2: id `1` is given twice, first on line 1 of `part-0`\n{unique}")
    );
    let doc = |id: u32| format!("<doc><docno>{id}</docno><text>a</text></doc>\n");
    assert_eq!(of_corpus(CorpusFormat::Trec, &[&doc(1), &doc(2)]).unwrap(), ["1", "2"]);

    let of_run = |contents: &[&str]| {
        let files = write(&folder, contents);
        let mut source = RunSource::new(&files[0]);
        source.further = files[1..].to_vec();
        let found = run(source, Ties::default()).map_err(|error| folder.show(&error))?;
        Ok(found
            .iter()
            .map(|(query, hits)| (query.to_owned(), hits.hits().len()))
            .collect::<Vec<_>>())
    };
    let found = of_run(&["1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n", "1 Q0 b 1 3 t\n"]);
    assert_eq!(found, Ok(vec![("1".to_owned(), 2), ("2".to_owned(), 1)]));
    let found: Result<_, String> = of_run(&["1 Q0 a 1 2 t\n", "2 Q0 a 1 2 t\n1 Q0 a 1 3 t\n"]);
    let expected = "`part-1`, line 2: query `1`: passage `a` is retrieved twice, first on line 1 of \
                    `part-0`";
    assert_eq!(found.unwrap_err(), expected);
    let found: Result<_, String> = of_run(&["1 Q0 a 1 2 t\n", "1\ta\t1\n"]);
    let expected = "`part-1`: is of the format `msmarco`, and `part-0` is `trec`\n\
                    hint: all files of a run have one format; `format` names it";
    assert_eq!(found.unwrap_err(), expected);
}

#[test]
fn the_digest_of_several_files_is_that_of_their_contents_in_order() {
    let folder = Folder::new();
    let [a, b] = [folder.write("a", "one"), folder.write("b", gzip(b"two"))];
    assert_eq!(digest_of_all(std::slice::from_ref(&a)), digest(&a));
    let both = digest_of_all(&[a.clone(), b.clone()]).unwrap();
    assert_ne!(both, digest_of_all(&[b.clone(), a]).unwrap());
    assert_eq!(both, digest_of_all(&[folder.write("c", "one"), b]).unwrap());
}
