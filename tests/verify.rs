//! `qeval verify`: sound evaluations are called right, and what was changed is named.

use std::fs;

use crate::support::Folder;

fn evaluated() -> Folder {
    let folder = Folder::new();
    folder
        .write("golden.jsonl", "{\"id\": \"a\", \"references\": [\"x\"], \"prediction\": \"x\"}\n");
    folder.write(
        "one.toml",
        "version = 1\n[evaluation]\nlabel = \"one\"\nresults = \"results\"\n[dataset]\nformat = \
         \"jsonl\"\npath = \"golden.jsonl\"\nfields = { prediction = \"prediction\" }\n[reader]\n\
         type = \"replay\"\n[metrics]\nanswer = [\"EM\"]\n",
    );
    folder.qeval(["run", "one.toml"]).succeed();
    folder
}

#[test]
fn what_was_written_is_right() {
    let folder = evaluated();
    let said = folder.qeval(["verify", "one"]).succeed().stdout;
    assert!(said.ends_with(": right (3 files, 1 example)\n"), "{said}");
    let json = folder.qeval(["verify", "one", "--format", "json"]).succeed().json();
    assert!(json.to_string().contains("\"one-"), "{json}");
}

/// Intervals over groups are made again over groups.
#[test]
fn examples_of_groups_are_right_too() {
    let folder = Folder::new();
    let line = |n: usize| {
        let answer = ["x", "y", "x z"][n * 7 % 3];
        format!(
            "{{\"id\": \"q{n}\", \"gold\": [\"x\"], \"answer\": \"{answer}\", \"page\": \"p{}\"}}\n",
            n / 3
        )
    };
    folder.write("golden.jsonl", (0..40).map(line).collect::<String>());
    folder.write(
        "pages.toml",
        "version = 1\n[evaluation]\nlabel = \"pages\"\nresults = \"results\"\n[dataset]\nformat = \
         \"jsonl\"\npath = \"golden.jsonl\"\nfields = { references = \"gold\", prediction = \"answer\", \
         group = \"page\" }\n[reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\", \"F1\", \"HEQ-D\"]\n",
    );
    let report = folder.qeval(["run", "pages.toml", "--format", "json"]).succeed().json();
    let evaluation = &report["evaluations"][0];
    assert_eq!(evaluation["groups"]["groups"], 14);
    assert_eq!(evaluation["summaries"][1]["ci_method"], "expanded bca over groups");
    let said = folder.qeval(["verify", "pages"]).succeed().stdout;
    assert!(said.ends_with(": right (3 files, 40 examples)\n"), "{said}");
}

#[test]
fn a_changed_file_is_named() {
    let folder = evaluated();
    let stored = folder.evaluations("results").remove(0);
    let scores = stored.join("scores/part-00000.parquet");
    let mut bytes = fs::read(&scores).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&scores, bytes).unwrap();
    fs::write(stored.join("notes.txt"), "mine").unwrap();
    let output = folder.qeval(["verify", "one"]).ends_with(1);
    let said = output.stdout + &output.stderr;
    for file in ["scores/part-00000.parquet", "notes.txt"] {
        assert!(said.contains(file), "{said}");
    }
    let none = folder.qeval(["verify", "two"]).ends_with(2);
    assert!(none.stderr.contains("there is no evaluation `two`"), "{}", none.stderr);
}
