//! Prices, and budgets in tokens and money.

use super::{BASE, Outcome, evaluate, folder, server::Server};

const PRICE: &str = "price = { input = 100.0, output = 200.0, currency = \"EUR\" }\n";

/// Of each answer of the server: 12 tokens in, 3 out.
const COST: f64 = 0.0018;

fn openai(url: &str, keys: &str) -> String {
    format!(
        "[reader]\ntype = \"openai\"\nname = \"r\"\nurl = \"{url}/v1\"\nmodel = \"m\"\n\
         prompt = \"{{question}}\"\nretries = 0\ntimeout_s = 5\n{keys}"
    )
}

fn ids(count: usize) -> Vec<String> {
    (10..10 + count).map(|number| format!("q{number}")).collect()
}

/// How many have an answer; the others lack it for want of money.
#[track_caller]
fn answered<'o>(outcomes: impl Iterator<Item = &'o Outcome>, message: &str) -> usize {
    let mut answered = 0;
    for outcome in outcomes {
        if outcome.em.is_some() {
            answered += 1;
            continue;
        }
        assert_eq!(outcome.kind.as_deref(), Some("budget spent"));
        let reason = outcome.reason.as_deref().unwrap();
        assert!(reason.contains(message), "{reason}");
    }
    answered
}

#[test]
fn the_cost_of_an_answer_is_that_of_its_tokens() {
    let server = Server::start();
    let folder = folder(&["a", "bare"]);
    let (_, first) = evaluate(&folder, &openai(&server.url, PRICE));
    assert_eq!((first["a"].cost, first["bare"].cost), (Some(COST), None));
    // An answer that is kept costs what it would at another price, and is another evaluation.
    let dear = PRICE.replace("200.0", "1100.0");
    let (_, again) = evaluate(&folder, &openai(&server.url, &dear));
    assert_eq!((again["a"].cost, server.count()), (Some(0.0045), 2));
    let (_, without) = evaluate(&folder, &openai(&server.url, ""));
    assert_eq!((without["a"].cost, server.count()), (None, 2));
}

#[test]
fn a_service_may_name_time_and_cost_itself() {
    let server = Server::start();
    let folder = folder(&["a", "itself", "negative"]);
    let reader = format!(
        "[reader]\ntype = \"http\"\nname = \"r\"\nurl = \"{}/answer\"\nretries = 0\n\
         max_concurrency = 1\nbudget = {{ cost = 0.2 }}\n{PRICE}",
        server.url
    );
    let (_, outcomes) = evaluate(&folder, &reader);
    let itself = &outcomes["itself"];
    assert_eq!((itself.latency_ms, itself.cost), (Some(7.5), Some(0.25)));
    assert_eq!(outcomes["a"].cost, Some(COST));
    let reason = outcomes["negative"].reason.as_deref().unwrap();
    assert!(reason.ends_with("the budget of 0.2 EUR is spent"), "{reason}");

    let (_, outcomes) = evaluate(&folder, &reader.replace("0.2 }", "1.0 }"));
    let reason = outcomes["negative"].reason.as_deref().unwrap();
    assert_eq!(reason, "value: `cost` is `-1`, expected a number from 0");
    assert_eq!(server.count(), 3);
}

#[test]
fn without_a_most_a_budget_is_overshot_by_what_is_under_way() {
    let server = Server::start();
    let ids = ids(40);
    let folder = folder(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let keys = "max_concurrency = 4\nbudget = { tokens = 100 }\n";
    let (output, outcomes) = evaluate(&folder, &openai(&server.url, keys));
    let answered = answered(outcomes.values(), "the budget of 100 tokens is spent");
    // Seven answers are 105 tokens; three others may be under way then.
    assert!((7..=10).contains(&answered), "{answered}");
    assert_eq!(server.count(), answered);
    let lines = output.stdout.lines().filter(|line| line.contains("budget spent"));
    assert_eq!(lines.count(), 1, "{}", output.stdout);
}

#[test]
fn with_a_most_a_budget_is_not_overshot() {
    let server = Server::start();
    let ids = ids(40);
    let folder = folder(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    // A body has less than 200 bytes: a request takes at most 0.02 and 0.001 more.
    let keys = format!("max_concurrency = 8\nmax_tokens = 5\nbudget = {{ cost = 0.04 }}\n{PRICE}");
    let (_, outcomes) = evaluate(&folder, &openai(&server.url, &keys));
    let answered = answered(outcomes.values(), "left of the budget of 0.04 EUR is too little");
    // 22 answers are 0.0396. What is left then is less than one more may cost; so it is from 0.019 on.
    assert!((11..=22).contains(&answered), "{answered}");
    assert_eq!(server.count(), answered);
}

#[test]
fn a_budget_counts_the_answers_of_earlier_runs_that_are_used() {
    let server = Server::start();
    let ids = ids(10);
    let folder = folder(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    // Without a price or a budget; of four questions.
    let part = openai(&server.url, "max_concurrency = 1\n");
    folder.write("e.toml", format!("{BASE}{part}"));
    folder.qeval(["run", "e.toml", "--limit", "4"]).succeed();
    assert_eq!(server.count(), 4);
    let keys = format!("max_concurrency = 1\nbudget = {{ cost = 0.0108 }}\n{PRICE}");
    let (_, outcomes) = evaluate(&folder, &openai(&server.url, &keys));
    assert_eq!(answered(outcomes.values(), "the budget of 0.0108 EUR is spent"), 6);
    assert_eq!(server.count(), 6);
    // With more of it, the evaluation is another one, and goes on.
    let (_, outcomes) =
        evaluate(&folder, &openai(&server.url, &keys.replace("cost = 0.0108", "tokens = 135")));
    assert_eq!(answered(outcomes.values(), "the budget of 135 tokens is spent"), 9);
    assert_eq!(server.count(), 9);
}

#[test]
fn prices_and_budgets_that_cannot_be_are_refused() {
    let folder = folder(&["a"]);
    for (keys, message) in [
        ("price = { input = -1.0, output = 1.0, currency = \"EUR\" }", "`price.input` is `-1`"),
        ("price = { input = 1.0, output = inf, currency = \"EUR\" }", "`price.output` is `inf`"),
        ("price = { input = 1.0, output = 1.0, currency = \" \" }", "`price.currency` is empty"),
        ("price = { input = 1.0, output = 1.0 }", "currency"),
        ("budget = { cost = 1.0 }", "`budget.cost` has no effect without prices"),
        ("budget = { cost = -1.0 }", "`budget.cost` is `-1`, expected a number from 0"),
        ("budget = { tokens = -1 }", "tokens"),
    ] {
        folder.write("e.toml", format!("{BASE}{}{keys}\n", openai("http://127.0.0.1:1", "")));
        let stderr = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
}
