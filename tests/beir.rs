//! BEIR folders, from the folder to the measures.

use crate::support::Folder;

const QUERIES: &str = "{\"_id\": \"1\", \"text\": \"lazy dog\"}\n\
                       {\"_id\": \"2\", \"text\": \"quick fox\"}\n\
                       {\"_id\": \"3\", \"text\": \"of another split\"}\n";
const CORPUS: &str = "{\"_id\": \"a\", \"title\": \"\", \"text\": \"a lazy dog sleeps\"}\n\
                      {\"_id\": \"b\", \"title\": \"fox\", \"text\": \"the quick animal\"}\n";
const QRELS: &str = "query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t1\n2\ta\t0\n";

#[test]
fn a_folder_needs_no_further_lines() {
    let folder = Folder::new();
    folder.write("tiny/queries.jsonl", QUERIES);
    folder.write("tiny/corpus.jsonl", CORPUS);
    folder.write("tiny/qrels/test.tsv", QRELS);
    folder.write("tiny/qrels/dev.tsv", "query-id\tcorpus-id\tscore\n3\ta\t1\n");
    let config = |split: &str| {
        format!(
            "version = 1\n[dataset]\nformat = \"beir\"\npath = \"tiny\"\n{split}\
             [retriever]\ntype = \"bm25\"\ndepth = 10\n[metrics]\nretrieval = [\"MRR\"]\n"
        )
    };
    let mean = |split: &str| {
        folder.write("file.toml", config(split));
        let report = folder.qeval(["run", "file.toml", "--format", "json"]).succeed().json();
        report.to_string()
    };
    let test = mean("");
    assert!(test.contains("\"examples\":2"), "{test}");
    let dev = mean("split = \"dev\"\n");
    assert!(dev.contains("\"examples\":1"), "{dev}");
    folder.write("file.toml", config("split = \"train\"\n"));
    let missing = folder.qeval(["check", "file.toml"]).ends_with(2).transcript();
    assert!(missing.contains("train.tsv`: no such file"), "{missing}");
}

#[test]
fn runs_and_judgments_have_any_form() {
    let folder = Folder::new();
    folder.write("qrels.tsv", QRELS);
    folder.write("run.json", "{\"1\": {\"b\": 2, \"a\": 1}, \"2\": {\"b\": 0.5}}");
    folder.write("run.tsv", "1\tb\t1\n1\ta\t2\n2\tb\t1\n");
    let score = |run: &str| {
        let args = ["score", "--qrels", "qrels.tsv", "--run", run, "-m", "MRR", "--format", "json"];
        folder.qeval(args).succeed().json().to_string()
    };
    for run in ["run.json", "run.tsv"] {
        assert!(score(run).contains("0.75"), "{}", score(run));
    }
    let args = ["score", "--qrels", "-", "--run", "-", "-m", "MRR"];
    let twice = folder.qeval(args).ends_with(2).transcript();
    assert!(twice.contains("there is one standard input"), "{twice}");
}
