//! trec_eval's own tests, of both versions: every printed digit of every measure that we have, from a
//! report and as the program prints it.

mod printed;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, ensure};

use super::{Setting, check::Check, qeval};

/// One of its tests.
struct Test {
    /// The file with what it prints.
    printed: &'static str,
    qrels: &'static str,
    run: &'static str,
    /// From which grade on a passage is relevant, its option `-l`.
    level: u32,
}

/// Its tests of measures that we have. The ones with `-c` count queries without a ranking as zero,
/// which is our rule; the others have a ranking for each query.
const TESTS: [Test; 5] = [
    Test { printed: "out.test", qrels: "qrels.test", run: "results.test", level: 1 },
    Test { printed: "out.test.a", qrels: "qrels.test", run: "results.test", level: 1 },
    Test { printed: "out.test.aq", qrels: "qrels.test", run: "results.test", level: 1 },
    Test { printed: "out.test.aqc", qrels: "qrels.test", run: "results.trunc", level: 1 },
    Test { printed: "out.test.aql", qrels: "qrels.rel_level", run: "results.test", level: 2 },
];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    let folder = setting.shared.join("reference/trec_eval");
    for version in ["v9.0.8", "v10.0"] {
        for test in &TESTS {
            one(setting, check, &folder, version, test)
                .with_context(|| format!("{version} {}", test.printed))?;
        }
    }
    printed::run(setting, check)
}

fn one(
    setting: &Setting,
    check: &mut Check,
    folder: &Path,
    version: &str,
    test: &Test,
) -> Result<()> {
    let path = folder.join(version).join(test.printed);
    let printed =
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let values = values(&printed, test.level);
    let metrics: BTreeSet<&String> = values.iter().map(|value| &value.metric).collect();
    ensure!(!metrics.is_empty(), "there is no measure that we have");
    let metrics: Vec<String> = metrics.into_iter().cloned().collect();
    let results = setting.folder(&format!("{version}-{}", test.printed))?;
    let mut score = qeval::score(setting, &metrics, &results);
    // The inputs of both versions are the same.
    score.arg("--qrels").arg(folder.join("v10.0").join(test.qrels));
    score.arg("--run").arg(folder.join("v10.0").join(test.run));
    let evaluation = qeval::run(setting, &mut score, &results)?;
    let scores = evaluation.scores(setting)?;
    let empty = BTreeMap::new();
    for value in values {
        let ours = match value.query {
            "all" => Some(evaluation.mean(&value.metric, None)?),
            query => {
                let column = scores.get(&column(&value.metric)).unwrap_or(&empty);
                column.get(query).copied().flatten()
            }
        };
        let what = format!("{version} {} {} {}", test.printed, value.query, value.metric);
        check.digits(&what, ours, value.value);
    }
    Ok(())
}

/// A line of its output.
#[derive(Debug, PartialEq)]
struct Printed<'a> {
    /// Our name.
    metric: String,
    query: &'a str,
    value: &'a str,
}

/// The lines whose measure we have.
fn values(text: &str, level: u32) -> Vec<Printed<'_>> {
    let read = |line| {
        let mut words = str::split_whitespace(line);
        let (measure, query, value) = (words.next()?, words.next()?, words.next()?);
        Some(Printed { metric: metric(measure, level)?, query, value })
    };
    text.lines().filter_map(read).collect()
}

/// Our name of its measure; graded measures know no level.
fn metric(measure: &str, level: u32) -> Option<String> {
    let (base, cutoff) = match measure.rsplit_once('_') {
        Some((base, cutoff)) if cutoff.bytes().all(|byte| byte.is_ascii_digit()) => {
            (base, format!("@{cutoff}"))
        }
        _ => (measure, String::new()),
    };
    let (name, graded) = match (base, cutoff.is_empty()) {
        ("map", true) | ("map_cut", false) => ("MAP", false),
        ("recip_rank", true) => ("MRR", false),
        ("P", false) => ("P", false),
        ("recall", false) => ("Recall", false),
        ("success", false) => ("Success", false),
        ("ndcg", true) | ("ndcg_cut", false) => ("nDCG", true),
        _ => return None,
    };
    let parameter = if graded || level == 1 { String::new() } else { format!("(rel={level})") };
    Some(format!("{name}{parameter}{cutoff}"))
}

/// The column of a metric in our results: lower snake case, `@` spelled out.
fn column(metric: &str) -> String {
    let words = metric.replace('@', "_at_");
    let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_measures_have_our_names() {
        for (measure, level, ours) in [
            ("map", 1, Some("MAP")),
            ("map", 2, Some("MAP(rel=2)")),
            ("map_cut_15", 2, Some("MAP(rel=2)@15")),
            ("ndcg_cut_10", 2, Some("nDCG@10")),
            ("P_5", 1, Some("P@5")),
            ("recip_rank", 1, Some("MRR")),
            ("gm_map", 1, None),
            ("iprec_at_recall_0.10", 1, None),
            ("num_q", 1, None),
        ] {
            assert_eq!(metric(measure, level).as_deref(), ours, "{measure}");
        }
        assert_eq!(column("P(rel=2)@5"), "p_rel_2_at_5");
    }

    #[test]
    fn lines_are_read_with_their_query() {
        let text = "runid                 \tall\tSTANDARD\nmap                   \t301\t0.0324\n";
        let expected = Printed { metric: "MAP".to_owned(), query: "301", value: "0.0324" };
        assert_eq!(values(text, 1), [expected]);
    }
}
