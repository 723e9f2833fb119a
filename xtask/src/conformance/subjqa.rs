//! SubjQA: rows and rows without an answer in each domain, and its spans in the reviews.

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Setting, check::Check, qeval};

/// Rows and rows without an answer of the two published parts of each domain.
const COUNTS: [(&str, &str, u64, u64); 8] = [
    ("books", "dev", 265, 172),
    ("books", "test", 692, 452),
    ("electronics", "dev", 261, 162),
    ("electronics", "test", 718, 387),
    ("movies", "dev", 278, 176),
    ("movies", "test", 582, 384),
    ("tripadvisor", "dev", 240, 94),
    ("tripadvisor", "test", 1040, 428),
];

const COLUMNS: [&str; 6] =
    ["--column", "domain", "--column", "annotators", "--column", "annotators_without_answer"];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    for (domain, part, rows, without) in COUNTS {
        let path = setting.shared.join(format!("data/subjqa/{domain}/{part}.csv.gz"));
        let records = qeval::convert(setting, &path, "subjqa", &COLUMNS)?;
        let name = format!("{domain} {part}");
        let count = |field: &str| records.iter().filter_map(|r| r[field].as_u64()).sum::<u64>();
        let text = |number: u64| number.to_string();
        check.same(&format!("{name} rows"), &text(count("annotators")), &text(rows));
        let unanswered = count("annotators_without_answer");
        check.same(&format!("{name} rows without an answer"), &text(unanswered), &text(without));
        let of_domain = records.iter().all(|record| record["domain"] == domain);
        check.holds(&format!("{name}: all are of the domain"), of_domain);
        let stand = records.iter().map(spans_stand).collect::<Result<Vec<bool>>>()?;
        check.holds(&format!("{name}: spans are at their offsets"), stand.into_iter().all(|s| s));
        grouped(setting, check, &name, &path)?;
    }
    Ok(())
}

/// Whether the references with an offset stand there in the context.
fn spans_stand(record: &Value) -> Result<bool> {
    let context: Vec<char> = record["context"].as_str().context("no context")?.chars().collect();
    let references = record["references"].as_array().context("no references")?;
    let stands = |reference: &Value| {
        let Some(start) = reference["answer_start"].as_u64() else { return true };
        let text: Vec<char> = reference["text"].as_str().unwrap_or_default().chars().collect();
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        context.get(start..).is_some_and(|rest| rest.starts_with(&text))
    };
    Ok(references.iter().all(stands))
}

/// SQuAD's JSON by product has the same examples as the table.
fn grouped(setting: &Setting, check: &mut Check, name: &str, path: &std::path::Path) -> Result<()> {
    let folder = setting.folder(&format!("subjqa {name}"))?;
    let squad = folder.join("squad.json");
    qeval::convert_to(setting, path, &squad, "subjqa", "squad", &[])?;
    let group = ["--field", "group=title"];
    let mut through = lines(&qeval::convert(setting, &squad, "squad", &group)?);
    let mut direct = lines(&qeval::convert(setting, path, "subjqa", &[])?);
    through.sort_unstable();
    direct.sort_unstable();
    check.holds(&format!("{name}: the same through SQuAD's JSON"), through == direct);
    Ok(())
}

fn lines(records: &[Value]) -> Vec<String> {
    records.iter().map(Value::to_string).collect()
}
