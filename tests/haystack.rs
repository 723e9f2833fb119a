//! What Haystack 1.x saved, in place of its own evaluation and by our metrics.

use crate::support::{Folder, assert_transcript};

/// Answers, some of them on the gold documents.
const READER: &str = r#""index","answer","document_ids","rank","gold_answers","exact_match","f1","type","node","multilabel_id","query","eval_mode"
0,"x","['d3']",1.0,"['Ada', 'Bo']",0.0,0.0,"answer","Reader","m1","Who?","integrated"
1,"the Bo","['d2']",2.0,"['Ada', 'Bo']",1.0,1.0,"answer","Reader","m1","Who?","integrated"
2,"Ada","['d1']",1.0,"['Ada', 'Bo']",1.0,1.0,"answer","Reader","m1","Who?","isolated"
3,"1843 it","['d1']",1.0,"['in 1843']",0.0,0.5,"answer","Reader","m2","When, ""exactly""?","integrated"
4,"","",2.0,"['in 1843']",0.0,0.0,"answer","Reader","m2","When, ""exactly""?","integrated"
5,"1843","['d1']",1.0,"['in 1843']",0.0,0.6666666666666666,"answer","Reader","m2","When, ""exactly""?","isolated"
6,"river","['d3']",1.0,"['']",0.0,0.0,"answer","Reader","m3","Why?","integrated"
7,"","",2.0,"['']",1.0,1.0,"answer","Reader","m3","Why?","integrated"
8,"","",1.0,"['']",1.0,1.0,"answer","Reader","m3","Why?","isolated"
9,"","",1.0,"['Ebro']",0.0,0.0,"answer","Reader","m4","Where?","integrated"
10,"The Ebro!","['d3']",1.0,"['Ebro']",1.0,1.0,"answer","Reader","m4","Where?","isolated"
"#;

/// Documents; a line in a cell, and a query for which nothing was found.
const RETRIEVER: &str = r#""index","type","multilabel_id","query","eval_mode","context","document_id","gold_document_ids","gold_documents_id_match","gold_answers_match","rank"
0,"document","m1","Who?","integrated","The Ebro is a river","d3","['d1', 'd2']","[0.0, 0.0]","[0.0, 0.0]",1.0
1,"document","m1","Who?","integrated","It's ""Bo"",
they say \ here.","d2","['d1', 'd2']","[0.0, 1.0]","[0.0, 1.0]",2.0
2,"document","m1","Who?","integrated","Ada wrote it in 1843, the café's owner said.","d1","['d1', 'd2']","[1.0, 0.0]","[1.0, 0.0]",3.0
3,"document","m2","When, ""exactly""?","integrated","It's ""Bo"",
they say \ here.","d2","['d1']","[0.0]","[0.0]",1.0
4,"document","m2","When, ""exactly""?","integrated","Ada wrote it in 1843, the café's owner said.","d1","['d1']","[1.0]","[1.0]",2.0
5,"document","m3","Why?","integrated","Ada wrote it in 1843, the café's owner said.","d1","[]","[]","[0.0]",1.0
6,"document","m4","Where?","integrated","","","['d3']","[0.0]","[0.0]",1.0
"#;

const GOLDEN: &str = r#"{"id": "m1", "question": "Who?", "references": ["Ada", "Bo"], "gold_passages": ["d1", "d2"]}
{"id": "m2", "question": "When, \"exactly\"?", "references": ["in 1843"], "gold_passages": ["d1"]}
{"id": "m3", "question": "Why?", "references": []}
{"id": "m4", "question": "Where?", "references": ["Ebro"], "gold_passages": ["d3"]}
"#;

fn saved() -> Folder {
    let folder = Folder::new();
    folder.write("saved/Reader.csv", READER);
    folder.write("saved/Retriever.csv", RETRIEVER);
    folder.write("golden.jsonl", GOLDEN);
    folder
}

#[test]
fn the_metrics_of_a_saved_evaluation_are_printed() {
    let folder = saved();
    let run =
        |arguments: &[&str]| folder.qeval(["score", "--official"].iter().chain(arguments)).run();
    assert_transcript!("haystack__folder", run(&["haystack", "--predictions", "saved"]));
    assert_transcript!("haystack__table", run(&["haystack", "--predictions", "saved/Reader.csv"]));
    let both = ["haystack", "--predictions", "saved", "--dataset", "golden.jsonl"];
    assert_transcript!("haystack__dataset", run(&both));
    assert_transcript!("haystack__no_dataset", run(&["squad2", "--predictions", "saved"]));
    folder.write("old/Retriever.csv", RETRIEVER.replace("gold_answers_match", "other"));
    assert_transcript!("haystack__old", run(&["haystack", "--predictions", "old"]));
}

/// The means are those of the test above, and those of `eval_mode="isolated"`.
#[test]
fn saved_answers_are_predictions() {
    let folder = saved();
    folder.write(
        "e.toml",
        r#"version = 1
[dataset]
format = "jsonl"
path = "golden.jsonl"
fields = { id = "question" }
[reader]
type = "replay"
path = "saved/Reader.csv"
isolated_path = "saved/Reader.csv"
[metrics]
answer = ["Top-EM", "Top-F1", "F1"]
"#,
    );
    assert_transcript!("haystack__answers", folder.qeval(["run", "e.toml"]).run());
}

/// The means are those of the first test.
#[test]
fn documents_are_scored_by_the_rules_of_haystack() {
    let folder = saved();
    folder.write(
        "passages.jsonl",
        r#"{"id": "d1", "text": "Ada wrote it in 1843, the café's owner said."}
{"id": "d2", "text": "It's \"Bo\",\nthey say \\ here."}
{"id": "d3", "text": "The Ebro is a river"}
"#,
    );
    folder.write("run.txt", "m1 0 d3 1 3 t\nm1 0 d2 2 2 t\nm1 0 d1 3 1 t\nm2 0 d2 1 2 t\nm2 0 d1 2 1 t\nm3 0 d1 1 1 t\n");
    folder.write(
        "e.toml",
        r#"version = 1
[dataset]
format = "jsonl"
path = "golden.jsonl"
[corpus]
format = "jsonl"
path = "passages.jsonl"
[retriever]
type = "replay"
path = "run.txt"
[metrics]
retrieval = ["Haystack0", "Haystack1", "Haystack1.Recall(scope=id)@2"]
"#,
    );
    assert_transcript!("haystack__documents", folder.qeval(["run", "e.toml"]).run());
}
