//! Measures that count documents, judgments on subtopics, and queries that are passages too.

use serde_json::Value;

use crate::support::Folder;

/// Documents that are cut into chunks of two words, with judgments and gold passages that name
/// documents.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(
        "golden.jsonl",
        "{\"id\": \"1\", \"question\": \"heat\", \"references\": [\"of water\"], \"gold\": [\"b\"]}\n\
         {\"id\": \"2\", \"question\": \"plate\", \"references\": [\"none\"], \"gold\": [\"c\"]}\n",
    );
    folder.write("qrels.txt", "1 0 b 1\n1 0 a 0\n2 0 c 1\n");
    folder.write(
        "passages.jsonl",
        "{\"id\": \"a\", \"text\": \"heat heat heat heat\"}\n\
         {\"id\": \"b\", \"text\": \"heat of water here\"}\n\
         {\"id\": \"c\", \"text\": \"a plate\"}\n",
    );
    folder
}

fn config(dataset: &str, metrics: &[&str]) -> String {
    format!(
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n{dataset}\n\
         [corpus]\nformat = \"jsonl\"\npath = \"passages.jsonl\"\nchunks = {{ size = 2 }}\n\
         [retriever]\ntype = \"bm25\"\ndepth = 5\n[metrics]\nretrieval = {metrics:?}\n"
    )
}

/// The means of all metrics, by name.
fn means(report: &Value) -> Vec<(String, Option<f64>)> {
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    let mean = |summary: &Value| {
        (summary["metric"].as_str().unwrap().to_owned(), summary["mean"].as_f64())
    };
    summaries.iter().map(mean).collect()
}

#[test]
fn gold_documents_are_met_by_their_chunks() {
    let folder = folder();
    let metrics = [
        "Recall@5",
        "Recall(unit=document)@5",
        "MRR(unit=document)",
        "P(unit=document)@1",
        "Judged(unit=document)@2",
        "AnswerRecall@2",
        "AnswerMRR(unit=document)@5",
    ];
    for dataset in ["fields = { gold_passages = \"gold\" }", "qrels = \"qrels.txt\""] {
        folder.write("e.toml", config(dataset, &metrics));
        let output = folder.qeval(["run", "e.toml", "--format", "json"]).succeed();
        assert!(output.stdout.contains("2 examples have gold documents"), "{}", output.stdout);
        let means = means(&output.json());
        let mean = |name: &str| means.iter().find(|(column, _)| column == name).unwrap().1;
        // The chunks of `a` are before that of `b`: ranks 1 and 2, and 1 as documents.
        assert_eq!(mean("Recall@5"), Some(0.0), "{dataset}");
        assert_eq!(mean("Recall(unit=document)@5"), Some(1.0), "{dataset}");
        assert_eq!(mean("MRR(unit=document)"), Some(0.75), "{dataset}");
        assert_eq!(mean("P(unit=document)@1"), Some(0.5), "{dataset}");
        let judged = if dataset.starts_with("qrels") { 1.0 } else { 0.75 };
        assert_eq!(mean("Judged(unit=document)@2"), Some(judged), "{dataset}");
        assert_eq!(mean("AnswerRecall@2"), Some(0.0), "{dataset}");
        assert_eq!(mean("AnswerMRR(unit=document)@5"), Some(0.0), "{dataset}");
    }
}

/// By hand: the hits of `1` are the chunks `a#1`, `a#2` and `b#1` (rank 3), that of `2` is `c#1` (rank
/// 1). `b` and `c` are relevant, `a` is judged not to be; "of water" would be in `b`, but was cut.
#[test]
fn the_report_knows_chunks_by_their_documents() {
    let folder = folder();
    folder.write("qrels.txt", "1 0 b 1\n1 0 a 0\n2 0 c 1\n3 0 b 1\n");
    for metrics in [&["Recall(unit=document)@5"][..], &["Recall(unit=document)@5", "MRR"]] {
        folder.write("e.toml", config("qrels = \"qrels.txt\"", metrics));
        let output = folder.qeval(["run", "e.toml", "--fresh"]).succeed();
        for line in [
            "documents found@k           2  0.5000  0.5000  1.0000",
            "judged not relevant                0        2",
            "0 of 2 questions with relevant passages (0.0 %)",
            "2 examples have gold documents",
            "1 query of the judgments is not in the dataset and is ignored (3)",
        ] {
            assert!(output.stdout.contains(line), "{line}: {}", output.stdout);
        }
        for word in ["unjudged hit", "not in the corpus", "relevant, ", "length of the relevant"] {
            assert!(!output.stdout.contains(word), "{word}: {}", output.stdout);
        }
    }
    let report = folder.qeval(["report", "e", "--format", "json"]).succeed().json();
    let retrieval = &report["evaluations"][0]["retrieval"];
    assert_eq!(retrieval["relevant"], "documents");
    assert!(retrieval["disagreement"]["relevant_retrieved"].is_null(), "{retrieval}");
    let output = folder.qeval(["check", "e.toml"]).succeed();
    let found = format!("{}{}", output.stdout, output.stderr);
    assert!(found.contains("1 query of the judgments that is not in the dataset (3)"), "{found}");
    folder.write("qrels.txt", "01 0 b 1\n");
    let output = folder.qeval(["check", "e.toml"]).succeed();
    let found = format!("{}{}", output.stdout, output.stderr);
    assert!(found.contains("no example has judgments: the ids differ"), "{found}");
}

#[test]
fn an_unknown_hit_keeps_its_rank() {
    let folder = folder();
    folder.write("r.run", "1 Q0 zzz 1 9 r\n1 Q0 b 2 8 r\n");
    let file = "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n\
                [corpus]\nformat = \"jsonl\"\npath = \"passages.jsonl\"\n\
                [retriever]\ntype = \"replay\"\npath = \"r.run\"\n[metrics]\nretrieval = \
                [\"AnswerRecall@1\", \"AnswerMRR@5\", \"AnswerMRR(unit=document)@5\"]\n";
    folder.write("e.toml", file);
    let output = folder.qeval(["run", "e.toml", "--format", "json"]).succeed();
    // Nothing is found for the other one of the two.
    for (name, expected) in
        [("AnswerRecall@1", 0.0), ("AnswerMRR@5", 0.25), ("AnswerMRR(unit=document)@5", 0.25)]
    {
        let means = means(&output.json());
        let mean = means.iter().find(|(column, _)| column == name).unwrap().1;
        assert_eq!(mean, Some(expected), "{name}");
    }
    let output = folder.qeval(["report", "e"]).succeed();
    let line = "AnswerRecall@k              2  0.0000  0.5000";
    assert!(output.stdout.contains(line), "{}", output.stdout);
}

#[test]
fn a_passage_with_the_id_of_a_chunk_is_refused() {
    let folder = folder();
    folder.write(
        "passages.jsonl",
        "{\"id\": \"a\", \"text\": \"heat heat heat\"}\n{\"id\": \"a#2\", \"text\": \"water\"}\n",
    );
    folder.write("e.toml", config("qrels = \"qrels.txt\"", &["Recall(unit=document)@5"]));
    let output = folder.qeval(["run", "e.toml"]).ends_with(2);
    let message = "passage `a#2` has the id of a chunk of passage `a`";
    assert!(output.stderr.contains(message), "{}", output.stderr);
}

#[test]
fn documents_make_no_sense_where_nothing_is_ranked() {
    let folder = folder();
    folder.write("e.toml", config("qrels = \"qrels.txt\"", &["NumQ(unit=document)"]));
    let output = folder.qeval(["check", "e.toml"]).ends_with(2);
    assert!(output.stderr.contains("`NumQ` has no parameter `unit`"), "{}", output.stderr);
}

#[test]
fn ids_of_chunks_say_the_document_without_a_corpus() {
    let folder = Folder::new();
    folder.write("qrels.txt", "1 0 b 1\n2 0 c#7 1\n");
    folder.write(
        "run.txt",
        "1 Q0 a#1 1 9 r\n1 Q0 a#2 2 8 r\n1 Q0 b#9 3 7 r\n2 Q0 c#1 1 9 r\n2 Q0 x 2 8 r\n",
    );
    let args = ["score", "--qrels", "qrels.txt", "--run", "run.txt", "--format", "json"];
    let metrics = ["-m", "MRR", "-m", "MRR(unit=document)"];
    let output = folder.qeval(args.into_iter().chain(metrics)).succeed();
    assert_eq!(
        means(&output.json()),
        [("MRR".to_owned(), Some(0.0)), ("MRR(unit=document)".to_owned(), Some(0.75))]
    );
    let kept = ["score", "--qrels", "qrels.txt", "--run", "run.txt", "--results", "kept"];
    let output = folder.qeval(kept.into_iter().chain(metrics)).succeed();
    // `b` is met by `b#9` at rank 3, `c#7` is judged by itself and is not found.
    let line = "documents found@k  2  0.0000  0.0000  0.5000";
    assert!(output.stdout.contains(line), "{}", output.stdout);
}

#[test]
fn subtopics_are_read_for_the_metric_that_needs_them() {
    let folder = Folder::new();
    folder.write("qrels.txt", "1 1 a 1\n1 2 a 1\n1 1 b 1\n2 0 a 1\n3 1 a 0\n");
    folder.write("run.txt", "1 Q0 b 1 9 r\n1 Q0 a 2 8 r\n2 Q0 a 1 9 r\n3 Q0 a 1 9 r\n");
    let args = ["score", "--qrels", "qrels.txt", "--run", "run.txt"];
    let output = folder.qeval(args.into_iter().chain(["-m", "MRR"])).ends_with(2);
    assert!(output.stderr.contains("is judged twice"), "{}", output.stderr);
    let metrics = ["-m", "alpha_nDCG@5", "-m", "MRR", "--format", "json"];
    let output = folder.qeval(args.into_iter().chain(metrics)).succeed();
    let log3 = 3_f64.log2();
    let expected = (1.0 + 1.5 / log3) / (2.0 + 0.5 / log3);
    let means = means(&output.json());
    assert!((means[0].1.unwrap() - expected).abs() < 1e-12, "{means:?}");
    assert_eq!(means[1], ("MRR".to_owned(), Some(1.0)));
    let metrics = ["-m", "alpha_nDCG@5"];
    let output = folder.qeval(args.into_iter().chain(metrics)).succeed();
    assert!(output.stdout.contains("name no subtopics"), "{}", output.stdout);
    // Ties as in `ndeval -traditional`: c, b, a. pyndeval has a, b, c and 0.6131.
    folder.write("qrels.txt", "1 1 a 1\n1 1 b 0\n1 2 d 1\n");
    folder.write("run.txt", "1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n1 Q0 c 1 1 t\n");
    let output = folder.qeval(args.into_iter().chain(metrics)).succeed();
    assert!(output.stdout.contains("0.3066"), "{}", output.stdout);
}

#[test]
fn a_query_that_is_a_passage_is_taken_out() {
    let folder = folder();
    let mut golden = "{\"id\": \"a\", \"question\": \"heat\", \"gold\": [\"b\"]}\n".to_owned();
    folder.write("golden.jsonl", &golden);
    let of = |option: &str, depth: u32| {
        format!(
            "version = 1\n[evaluation]\n{option}\n[dataset]\nformat = \"jsonl\"\n\
             path = \"golden.jsonl\"\nfields = {{ gold_passages = \"gold\" }}\n\
             [corpus]\nformat = \"jsonl\"\npath = \"passages.jsonl\"\n\
             [retriever]\ntype = \"bm25\"\ndepth = {depth}\n[metrics]\nretrieval = [\"MRR\"]\n"
        )
    };
    for (option, depth, expected) in [
        ("", 5, 0.5),
        ("", 1, 0.0),
        ("ignore_identical_ids = true", 5, 1.0),
        ("ignore_identical_ids = true", 1, 1.0),
    ] {
        folder.write("e.toml", of(option, depth));
        let output = folder.qeval(["run", "e.toml", "--format", "json"]).succeed();
        assert_eq!(means(&output.json())[0].1, Some(expected), "{option} {depth}");
    }
    // It is another evaluation.
    assert_eq!(folder.evaluations("results").len(), 4);
    golden.clear();
    folder.write("qrels.txt", "a 0 b 1\n");
    folder.write("run.txt", "a Q0 a 1 9 r\na Q0 b 2 8 r\n");
    let args = ["score", "--qrels", "qrels.txt", "--run", "run.txt", "-m", "MRR"];
    let more = ["--ignore-identical-ids", "--format", "json"];
    let output = folder.qeval(args.into_iter().chain(more)).succeed();
    assert_eq!(means(&output.json())[0].1, Some(1.0));
}

#[test]
fn a_document_is_evidence_with_all_its_chunks() {
    let folder = folder();
    folder.write(
        "answers.jsonl",
        "{\"id\": \"1\", \"prediction\": \"of ice\", \"seen\": [\"b#2\"]}\n\
         {\"id\": \"2\", \"prediction\": \"ice\", \"seen\": [\"b#1\"]}\n",
    );
    let with = |reader: &str| {
        config("fields = { references = \"references\", gold_passages = \"gold\" }", &["MRR"])
            .replace("retrieval = [\"MRR\"]", "answer = [\"EM\"]")
            .replace("[metrics]", &format!("[reader]\n{reader}\n[metrics]"))
    };
    let replay = "type = \"replay\"\npath = \"answers.jsonl\"\nfields = { hits = \"seen\" }";
    folder.write("e.toml", with(replay));
    let output = folder.qeval(["run", "e.toml", "--format", "json"]).succeed();
    let evaluation = &output.json()["evaluations"][0];
    let causes = &evaluation["diagnosis"]["causes"];
    assert_eq!(causes["reading error"], 1, "{causes}");
    assert_eq!(causes["retrieval miss"], 1, "{causes}");
    assert!(!output.stdout.contains("unknown_gold_passages"), "{}", output.stdout);
}
