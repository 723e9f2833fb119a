//! What the answers of readers took: time, tokens and money.

use qeval_core::Stage;
use serde_json::{Value, json};

use crate::{Report, table::Table};

/// What the answers of one reader took in one stage. Each number is over the answers that say it, of
/// which there are `n`.
#[derive(Clone, Debug)]
pub struct UsageReport {
    /// Name of the reader.
    pub reader: String,
    /// The stage.
    pub stage: Stage,
    /// Answers that there are.
    pub answers: u64,
    /// How many of the reader's answers in this stage are those of earlier runs; `None` where its
    /// answers are not kept.
    pub replayed: Option<u64>,
    /// Milliseconds: how many answers say them, and their 50th, 90th and 99th percentile.
    pub latency_ms: Option<(u64, [f64; 3])>,
    /// Tokens sent: how many answers say them, and their sum.
    pub tokens_in: Option<(u64, u64)>,
    /// Tokens received, likewise.
    pub tokens_out: Option<(u64, u64)>,
    /// Money: how many answers have a cost, and their sum.
    pub cost: Option<(u64, f64)>,
    /// What the cost is paid in, where that is known.
    pub currency: Option<String>,
}

/// The percentiles of latencies.
const PERCENTILES: [&str; 3] = ["p50", "p90", "p99"];

/// A title and a table of all that is measured; `None` where nothing is.
pub(crate) fn render(report: &Report) -> Option<(String, String)> {
    let used = |found: &&UsageReport| {
        found.latency_ms.is_some()
            || found.tokens_in.is_some()
            || found.tokens_out.is_some()
            || found.cost.is_some()
    };
    let all = || {
        let of = |evaluation| -> (&str, &[UsageReport]) {
            let evaluation: &crate::EvaluationReport = evaluation;
            (&evaluation.system, &evaluation.usage)
        };
        let each = report.evaluations.iter().map(of);
        each.flat_map(|(system, usage)| usage.iter().filter(used).map(move |found| (system, found)))
    };
    all().next()?;
    let mut table = Table::default();
    let mut header = vec![String::new(), "answers".to_owned(), "of earlier runs".to_owned()];
    header.extend(PERCENTILES.map(|name| format!("{name} ms")));
    header.extend(["tokens in", "tokens out", "cost"].map(str::to_owned));
    table.row(header);
    let missing = || "-".to_owned();
    for (system, found) in all() {
        let mut row = vec![format!("{system} · {}", found.stage.name()), found.answers.to_string()];
        row.push(found.replayed.map_or_else(missing, |count| count.to_string()));
        match found.latency_ms {
            Some((_, percentiles)) => row.extend(percentiles.map(|ms| format!("{ms:.0}"))),
            None => row.extend(PERCENTILES.map(|_| missing())),
        }
        for tokens in [found.tokens_in, found.tokens_out] {
            row.push(tokens.map_or_else(missing, |(_, sum)| sum.to_string()));
        }
        let currency = found.currency.as_deref().unwrap_or_default();
        let cost = |(_, sum): (u64, f64)| format!("{} {currency}", money(sum));
        row.push(found.cost.map_or_else(missing, |cost_of| cost(cost_of).trim_end().to_owned()));
        table.row(row);
    }
    Some(("what the answers took".to_owned(), table.render()))
}

/// An amount with as many digits as a small one needs.
fn money(amount: f64) -> String {
    if amount == 0.0 || amount >= 1.0 { format!("{amount:.2}") } else { format!("{amount:.6}") }
}

pub(crate) fn json(usage: &UsageReport) -> Value {
    let latency = usage
        .latency_ms
        .map(|(n, [p50, p90, p99])| json!({"n": n, "p50": p50, "p90": p90, "p99": p99}));
    let sum = |tokens: Option<(u64, u64)>| tokens.map(|(n, sum)| json!({"n": n, "sum": sum}));
    json!({
        "reader": usage.reader,
        "stage": usage.stage.name(),
        "answers": usage.answers,
        "replayed": usage.replayed,
        "latency_ms": latency,
        "tokens_in": sum(usage.tokens_in),
        "tokens_out": sum(usage.tokens_out),
        "cost": usage.cost.map(|(n, sum)| {
            json!({"n": n, "sum": sum, "currency": usage.currency})
        }),
    })
}
