//! BEIR's folders: `corpus.jsonl`, `queries.jsonl`, and `qrels/<split>.tsv` for each split.

use std::path::{Path, PathBuf};

use qeval_core::Example;

use crate::{
    Error, Problem, Record,
    fields::{CorpusFields, DatasetFields, Wanted},
    jsonl::JsonRows,
    qrels,
    record::Layout,
};

/// The split that is read where nobody names one.
pub(crate) const SPLIT: &str = "test";

/// The files of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeirFolder {
    /// The passages.
    pub corpus: PathBuf,
    /// The queries of all splits.
    pub queries: PathBuf,
    /// The judgments of the split.
    pub qrels: PathBuf,
}

impl BeirFolder {
    /// The files in this folder, packed or not.
    pub fn new(folder: &Path, split: Option<&str>) -> Self {
        let split = split.unwrap_or(SPLIT);
        let file = |name: &str| {
            let packed = [".gz", ".zst"].map(|ending| folder.join(format!("{name}{ending}")));
            packed.into_iter().find(|file| file.is_file()).unwrap_or_else(|| folder.join(name))
        };
        Self {
            corpus: file("corpus.jsonl"),
            queries: file("queries.jsonl"),
            qrels: file(&format!("qrels/{split}.tsv")),
        }
    }
}

/// The fields of a corpus.
pub(crate) fn corpus_fields() -> CorpusFields {
    CorpusFields { id: Some("_id".to_owned()), ..CorpusFields::default() }
}

/// The queries of a split: those that it judges, in the order of the file.
pub(crate) fn read(folder: &Path, split: &str, columns: &[String]) -> Result<Vec<Record>, Error> {
    let files = BeirFolder::new(folder, Some(split));
    let qrels = qrels(&files.qrels)?;
    let named = |name: &str| Some(name.to_owned());
    let fields =
        DatasetFields { id: named("_id"), question: named("text"), ..DatasetFields::default() };
    let mut wanted = Wanted::default();
    let layout = Layout::of_dataset(&fields, columns, &[], &mut wanted);
    let mut rows = JsonRows::open(&files.queries, wanted.with_fixed_names())?;
    let mut records = Vec::new();
    let mut record = Record::default();
    while rows.next(|row| layout.fill(&mut record, row))?.is_some() {
        let Record { example: Example { id, .. }, .. } = &record;
        if qrels.get(id).is_some() {
            records.push(std::mem::take(&mut record));
        }
    }
    if records.is_empty() {
        let message = format!("no query is judged in the split `{split}`");
        return Err(Problem::new(message).of_file(&files.queries));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use crate::{
        CorpusFormat, CorpusSource, DatasetFormat, DatasetSource, corpus, open, testing::Folder,
    };

    fn folder() -> Folder {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("qrels")).unwrap();
        folder.write(
            "queries.jsonl",
            "{\"_id\": \"3\", \"text\": \"who?\", \"metadata\": {\"n\": 1}}\n\
             {\"_id\": \"1\", \"text\": \"why?\", \"metadata\": {}}\n",
        );
        folder.write("corpus.jsonl", "{\"_id\": \"d\", \"title\": \"T\", \"text\": \"x\"}\n");
        folder.write("qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td\t2\n");
        folder.write("qrels/dev.tsv", "query-id\tcorpus-id\tscore\n3\td\t1\n1\td\t1\n");
        folder
    }

    fn ids(folder: &Folder, split: Option<&str>) -> Result<Vec<String>, String> {
        let mut source = DatasetSource::new(folder.path(""), DatasetFormat::Beir);
        source.split = split.map(str::to_owned);
        let records = open(&source).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let records = records.map_err(|error| folder.show(&error))?;
        Ok(records.into_iter().map(|record| record.example.id).collect())
    }

    #[test]
    fn a_split_has_the_queries_that_it_judges() {
        let folder = folder();
        assert_eq!(ids(&folder, None).unwrap(), ["1"]);
        assert_eq!(ids(&folder, Some("dev")).unwrap(), ["3", "1"]);
        let error = ids(&folder, Some("train")).unwrap_err();
        assert!(error.contains("train.tsv`: no such file"), "{error}");
        folder.write("qrels/test.tsv", "query-id\tcorpus-id\tscore\n9\td\t2\n");
        let error = ids(&folder, None).unwrap_err();
        assert_eq!(error, "`queries.jsonl`: no query is judged in the split `test`");
    }

    #[test]
    fn the_corpus_is_in_the_folder() {
        let folder = folder();
        let found = corpus(&CorpusSource::new(folder.path(""), CorpusFormat::Beir)).unwrap();
        assert_eq!((found[0].id.as_str(), found[0].title.as_str()), ("d", "T"));
    }
}
