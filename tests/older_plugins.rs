//! Plugins that were built with an earlier version of the kit go on working: the rules of
//! `docs/plugin-interface.md` for versions, tried with binaries that are kept.

use std::process::Command;

use crate::support::{Folder, root};

/// The library that the kit of interface 1.0 made; its source is in the README beside it.
const FIRST: &str = "tests/fixtures/plugins/sdk-0.1.0-x86_64-linux.so.gz";

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn a_plugin_of_the_first_interface_still_works() {
    for isolation in ["process", "in-process"] {
        let folder = Folder::new();
        let unpacked = Command::new("gzip").arg("-dc").arg(root().join(FIRST)).output().unwrap();
        assert!(unpacked.status.success());
        folder.write("libprevious.so", unpacked.stdout);
        folder.write(
            "answers.jsonl",
            "{\"id\": \"1\", \"question\": \"q\", \"answers\": [\"in the old town\"], \"prediction\": \"the old town\"}\n\
             {\"id\": \"2\", \"question\": \"q\", \"answers\": [\"noon\"], \"prediction\": \"at noon\"}\n\
             {\"id\": \"3\", \"question\": \"q\", \"answers\": [], \"prediction\": \"nobody knows\"}\n",
        );
        let config = |metric: &str, keys: &str| {
            format!(
                "version = 1\n\
                 [dataset]\nformat = \"jsonl\"\npath = \"answers.jsonl\"\n\
                 fields = {{ references = \"answers\", prediction = \"prediction\" }}\n\
                 [reader]\ntype = \"replay\"\n\
                 [metrics]\nanswer = [\"EM\", \"{metric}\"]\n\
                 [[plugin]]\nname = \"old\"\npath = \"libprevious.so\"\n\
                 isolation = \"{isolation}\"\n{keys}\n"
            )
        };
        folder.write("old.toml", config("old.overlap", ""));
        let report = folder.qeval(["run", "old.toml", "--format", "json"]).succeed().json();
        let overlap = &report["evaluations"][0]["summaries"][1];
        assert_eq!(overlap["metric"], "old.overlap");
        assert_eq!((&overlap["n"], &overlap["unscored"]), (&2.into(), &1.into()));
        // All words of the first answer are in its reference, and one of two of the second.
        assert_eq!(overlap["mean"], 0.75);

        folder.write("new.toml", config("old.overlap", "options = { limit = 3 }"));
        let refused = folder.qeval(["check", "new.toml"]).ends_with(2).transcript();
        assert!(refused.contains("the plugin takes no options, but `limit` is given"), "{refused}");
        folder.write("parameter.toml", config("old.overlap(limit=3)", ""));
        let refused = folder.qeval(["check", "parameter.toml"]).ends_with(2).transcript();
        assert!(refused.contains("it has no parameter `limit`"), "{refused}");
    }
}
