//! What a file says of prices and budgets of readers.

use serde_json::{Value, json};
use toml::Spanned;

use crate::{
    Problem,
    builtin::price::Price,
    config::{PriceOptions, ReaderBudgetOptions},
};

/// The price list of a reader, where it has one without mistakes.
pub(super) fn price(
    section: Option<&Spanned<PriceOptions>>,
    problems: &mut Vec<Problem>,
) -> Option<Price> {
    let section = section?;
    let PriceOptions { input, output, currency } = section.get_ref();
    for (key, price) in [("input", input), ("output", output)] {
        if !price.is_finite() || *price < 0.0 {
            let message = format!("`price.{key}` is `{price}`, expected a number from 0");
            problems.push(Problem::at(section.span(), message));
            return None;
        }
    }
    if currency.trim().is_empty() {
        problems.push(Problem::at(section.span(), "`price.currency` is empty"));
        return None;
    }
    Some(Price { input: *input, output: *output, currency: currency.clone() })
}

/// Checks the budget of a reader. `says_cost` is whether answers may name their own cost.
pub(super) fn check_budget(
    budget: &ReaderBudgetOptions,
    price: Option<&Price>,
    says_cost: bool,
    problems: &mut Vec<Problem>,
) {
    let Some(cost) = &budget.cost else { return };
    let amount = cost.get_ref();
    if !amount.is_finite() || *amount < 0.0 {
        let message = format!("`budget.cost` is `{amount}`, expected a number from 0");
        problems.push(Problem::at(cost.span(), message));
    } else if price.is_none() && !says_cost {
        let problem = Problem::at(cost.span(), "`budget.cost` has no effect without prices");
        let hint = "`price = { input = ..., output = ..., currency = \"...\" }` has those of a \
                    million tokens";
        problems.push(problem.hint(hint));
    }
}

/// Adds to the options what is given: prices decide what is stored as cost, and a budget decides what
/// is asked.
pub(super) fn record(options: &mut Value, price: Option<&Price>, budget: &ReaderBudgetOptions) {
    if let Some(Price { input, output, currency }) = price {
        options["price"] = json!({"input": input, "output": output, "currency": currency});
    }
    let ReaderBudgetOptions { calls, bytes, tokens, cost } = budget;
    let mut given = serde_json::Map::new();
    for (key, limit) in [("calls", calls), ("bytes", bytes), ("tokens", tokens)] {
        given.extend(limit.map(|limit| (key.to_owned(), limit.into())));
    }
    given.extend(cost.as_ref().map(|cost| ("cost".to_owned(), (*cost.get_ref()).into())));
    if !given.is_empty() {
        options["budget"] = given.into();
    }
}
