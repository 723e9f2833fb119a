//! Corpora of every format, whole and damaged.

use super::*;
use crate::testing::read;

fn load(
    format: CorpusFormat,
    content: &str,
    configure: impl Fn(&mut CorpusSource),
) -> Result<Vec<Passage>, String> {
    read(content.as_bytes(), |path| {
        let mut source = CorpusSource::new(path, format);
        configure(&mut source);
        corpus(&source)
    })
}

#[test]
fn lines_have_the_mapped_fields_and_the_metadata() {
    let lines = "{\"_id\": 1, \"text\": \"a\", \"title\": \"T\", \"n\": 3}\n\
                 {\"_id\": 2, \"text\": \"\", \"policy\": \"P\", \"superseded_by\": 1}\n";
    let found = load(CorpusFormat::Jsonl, lines, |source| {
        source.fields.id = Some("_id".to_owned());
        source.fields.document = Some("policy".to_owned());
        source.metadata = vec!["n".to_owned()];
    });
    let [first, second] = found.unwrap().try_into().unwrap();
    assert_eq!((first.id.as_str(), first.title.as_str(), first.text.as_str()), ("1", "T", "a"));
    assert_eq!(first.metadata["n"], Value::Integer(3));
    assert_eq!((first.document.as_deref(), first.superseded()), (None, false));
    assert_eq!(second.document.as_deref(), Some("P"));
    assert_eq!((second.superseded_by.as_deref(), second.text.as_str()), (Some("1"), ""));
}

#[test]
fn tables_have_the_mapped_columns_and_the_metadata() {
    let configure = |source: &mut CorpusSource| {
        source.fields.id = Some("nr".to_owned());
        source.fields.superseded_by = Some("by".to_owned());
        source.metadata = vec!["year".to_owned()];
    };
    let header = "nr,text,title,by,year\n";
    let table = format!("{header}1,\"a, \"\"b\"\"\",T,,1999\n2,,,1,\n");
    let found = load(CorpusFormat::Csv, &table, configure).unwrap();
    assert_eq!((found[0].text.as_str(), found[0].title.as_str()), ("a, \"b\"", "T"));
    assert_eq!(found[0].metadata["year"], Value::Text("1999".to_owned()));
    assert_eq!(found[1].superseded_by.as_deref(), Some("1"));
    let refused = |rows: &str, expected: &str| {
        let table = format!("{header}{rows}");
        assert_eq!(load(CorpusFormat::Csv, &table, configure).unwrap_err(), expected);
    };
    refused(
        "1,a,,,\n1,b,,,\n",
        "`file`, line 3: id `1` is given twice, on lines 2 and 3\n\
         hint: ids must be unique: results are joined on them",
    );
    refused(
        "1,a,,7,\n",
        "`file`, line 2: passage `1` is superseded by `7`, which is not in the corpus",
    );
    let folder = crate::testing::Folder::new();
    let text = |values: [Option<&str>; 2]| -> arrow_array::ArrayRef {
        std::sync::Arc::new(arrow_array::StringArray::from(values.to_vec()))
    };
    let parquet = |ids: [&str; 2]| {
        let columns = [
            ("nr", text(ids.map(Some))),
            ("text", text([Some("a, \"b\""), None])),
            ("title", text([Some("T"), None])),
            ("by", text([None, Some("1")])),
            ("year", text([Some("1999"), None])),
        ];
        let batch = arrow_array::RecordBatch::try_from_iter(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let path = folder.write("file", bytes);
        let mut source = CorpusSource::new(path, CorpusFormat::Parquet);
        configure(&mut source);
        corpus(&source).map_err(|error| folder.show(&error))
    };
    assert_eq!(parquet(["1", "2"]), Ok(found));
    let twice = "`file`, record 2: id `1` is given twice, in records 1 and 2\n\
                 hint: ids must be unique: results are joined on them";
    assert_eq!(parquet(["1", "1"]).unwrap_err(), twice);
}

#[test]
fn a_chunk_has_an_id_of_its_own() {
    let cut = |lines: &str| {
        let chunks = Chunks::new(1, 0, crate::ChunkUnit::Words).ok();
        load(CorpusFormat::Jsonl, lines, |source| source.chunks = chunks)
    };
    let lines = "{\"id\": \"a\", \"text\": \"one two\"}\n{\"id\": \"a#2\", \"text\": \"x\"}\n";
    let message = cut(lines).unwrap_err();
    assert!(message.contains("passage `a#2` has the id of a chunk of passage `a`"), "{message}");
    assert_eq!(cut(&lines.replace("a#2", "a#3")).unwrap().len(), 3);
}

#[test]
fn a_stream_has_the_elements_of_its_documents() {
    let stream = "<doc>\n<docno>1</docno>\n<title>a\nb .</title>\n<author>R&amp;D</author>\n\
                  <text>a\nb .\n  c < d</text>\n</doc>\n\
                  <DOC>\n<DOCNO> FT-2 </DOCNO>\n<TEXT>\n</TEXT></DOC>\n";
    let found = load(CorpusFormat::Trec, stream, |source| {
        source.metadata = vec!["author".to_owned()];
    });
    let [first, second] = found.unwrap().try_into().unwrap();
    assert_eq!((first.title.as_str(), first.text.as_str()), ("a\nb .", "a\nb .\n  c < d"));
    assert_eq!(first.metadata["author"], Value::Text("R&D".to_owned()));
    assert_eq!((second.id.as_str(), second.text.as_str()), ("FT-2", ""));
    let found = load(CorpusFormat::Trec, stream, |source| {
        source.fields.text = Some("title".to_owned());
    });
    assert_eq!(found.unwrap_err(), "`file`, line 10: the `<doc>` has no `<title>`");
}

#[test]
fn smart_and_ms_marco_have_passages_too() {
    let stream = ".I 1\n.T\na title .\n.A\nx.\n.B\nj. 1\n.W\nthe\ntext .\n.I 2\n.W\n";
    let found = load(CorpusFormat::Trec, stream, |source| {
        source.metadata = vec!["author".to_owned()];
    });
    let [first, second] = found.unwrap().try_into().unwrap();
    assert_eq!((first.title.as_str(), first.text.as_str()), ("a title .", "the\ntext ."));
    assert_eq!(first.metadata["author"], Value::Text("x.".to_owned()));
    assert_eq!((second.id.as_str(), second.text.as_str()), ("2", ""));

    let found = load(CorpusFormat::Msmarco, "7\ta b\r\nD1\thttp://x\tT\tbody\n", |_| {});
    let [first, second] = found.unwrap().try_into().unwrap();
    assert_eq!((first.id.as_str(), first.text.as_str()), ("7", "a b"));
    assert_eq!((second.title.as_str(), second.text.as_str()), ("T", "body"));
    assert_eq!(
        load(CorpusFormat::Msmarco, "7 a\n", |_| {}).unwrap_err(),
        "`file`, line 1: the line has 1 cells or no id, expected `id TAB text` or \
         `id TAB url TAB title TAB text`"
    );
}

#[test]
fn errors_say_where_and_what() {
    let check = |format: CorpusFormat, content: &str, expected: &str| {
        assert_eq!(load(format, content, |_| {}).unwrap_err(), expected);
    };
    let (jsonl, trec) = (CorpusFormat::Jsonl, CorpusFormat::Trec);
    check(jsonl, "", "`file`: the file is empty: there is nothing to evaluate");
    check(trec, "\n", "`file`: the file is empty: there is nothing to evaluate");
    check(trec, "abc", "`file`: the file has no `<doc>` element");
    check(trec, "<doc><docno>1</docno></doc>", "`file`, line 1: the `<doc>` has no `<text>`");
    check(trec, "\n<doc><text>a</text></doc>", "`file`, line 2: the `<doc>` has no `<docno>`");
    check(
        trec,
        "<doc>\n<docno>1</docno><text>a</text>\n<doc></doc>",
        "`file`, line 1: `<doc>` has no `</doc>`\nhint: the file may be truncated",
    );
    check(
        jsonl,
        "{\"id\": 1, \"text\": \"a\"}\n{\"id\": \"1\", \"text\": \"a\"}",
        "`file`, line 2: id `1` is given twice, on lines 1 and 2\n\
         hint: ids must be unique: results are joined on them",
    );
    check(
        jsonl,
        r#"{"id": 1, "contents": "a"}"#,
        "`file`, line 1: field `text` is missing; the record has `id`, `contents`\n\
         hint: name the right field: `fields = { text = \"contents\" }`",
    );
    check(
        jsonl,
        "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 2, \"text\": \"a\", \"superseded_by\": 3}",
        "`file`, line 2: passage `2` is superseded by `3`, which is not in the corpus",
    );
    check(
        jsonl,
        r#"{"id": 1, "text": "a", "superseded_by": 1}"#,
        "`file`, line 1: passage `1` is superseded by itself",
    );
    let line = r#"{"id": 1, "text": "a", "replaced_by": null}"#;
    let found = load(jsonl, line, |source| {
        source.fields.superseded_by = Some("replaced".to_owned());
    });
    let expected = "`file`: no record has the field `replaced`; \
                    the first has `id`, `text`, `replaced_by`\n\
                    hint: name the right field: `fields = { superseded_by = \"replaced_by\" }`";
    assert_eq!(found.unwrap_err(), expected);
}
