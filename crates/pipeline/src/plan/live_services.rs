//! The readers of a plan that are services.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toml::Spanned;

use super::{PlannedReader, Surroundings, asking::asked, prices, readers, retrievers, services};
use crate::{
    Config, Problem,
    builtin::{
        answer,
        http_reader::HttpReader,
        live::Live,
        openai::{self, OpenAiReader},
        peer::service,
        price::{ReadUsage, TokenMeter},
    },
    config::{HttpReaderSection, OpenAiSection, Service},
    prompt::{Mistake, OfMessage, Places, Prompt, Template},
};

/// What is behind the address of an endpoint.
const COMPLETIONS: &str = "/chat/completions";

/// Keys of a request that the reader has itself.
const OWN_KEYS: [&str; 7] =
    ["model", "messages", "temperature", "top_p", "max_tokens", "seed", "stop"];

/// Keys of a request that ask for something else than one whole answer.
const SINGLE_ANSWER: [&str; 2] = ["n", "stream"];

/// How a passage is written where the file does not say.
const PASSAGE: &str = "[{number}] {title}\n{text}";

/// How an earlier question of a dialog is written where the file does not say.
const EXCHANGE: &str = "Question: {question}\nAnswer: {answer}";

pub(super) fn plan_http(
    config: &Config,
    surroundings: &Surroundings,
    section: &HttpReaderSection,
    problems: &mut Vec<Problem>,
) -> Option<PlannedReader> {
    let passages = section.passages.as_ref();
    let passages = retrievers::positive(passages, readers::PASSAGES, "passages", problems);
    let name = section.name.as_ref().map_or("http", |name| name.get_ref()).to_owned();
    let price = prices::price(section.price.as_ref(), problems);
    prices::check_budget(&section.budget, price.as_ref(), true, problems);
    let (read, max_tokens) = (answer::usage as ReadUsage, None);
    let meter = Arc::new(TokenMeter { read, price: price.clone(), max_tokens });
    let service = Service { meter, ..section.service(&section.url) };
    let called = format!("reader `{name}`");
    let endpoint = services::endpoint(config, surroundings, &called, &service, problems);
    let (endpoint, passages) = (endpoint?, passages?);
    let mut options = json!({
        "url": services::recorded(section.url.get_ref()),
        "passages": passages,
    });
    prices::record(&mut options, price.as_ref(), &section.budget);
    let (history, repeats) = (section.history.as_ref(), section.repeats.as_ref());
    let asked = asked(history, repeats, &mut options, problems)?;
    let identity = json!({"url": options["url"]});
    let service = service::Service::new(endpoint.clone()).priced(price.clone());
    let reader = |repeat| -> Arc<dyn Live> { Arc::new(HttpReader::new(service.clone(), repeat)) };
    let others = (1..asked.repeats).map(reader).collect();
    let described = (passages, readers::info("http", "1", options));
    let identity = move || identity.clone();
    let mut planned = readers::kept(name, reader(0), described, section.resume, identity);
    planned.service = Some(endpoint);
    Some(readers::priced(asked.of(planned, others), price))
}

pub(super) fn plan_openai(
    config: &Config,
    surroundings: &Surroundings,
    section: &OpenAiSection,
    problems: &mut Vec<Problem>,
) -> Option<PlannedReader> {
    let name = section.name.as_ref().map_or("openai", |name| name.get_ref()).to_owned();
    let prompt = prompt(config, section, problems);
    let sees_passages = prompt.as_ref().is_none_or(|prompt| prompt.has(OfMessage::Passages));
    let passages = section.passages.as_ref();
    let passages = retrievers::positive(passages, readers::PASSAGES, "passages", problems);
    let settings = settings(section, problems);
    let url = Spanned::new(section.url.span(), completions(section.url.get_ref()));
    let price = prices::price(section.price.as_ref(), problems);
    prices::check_budget(&section.budget, price.as_ref(), false, problems);
    let max_tokens = settings.as_ref().and_then(max_tokens);
    let meter = Arc::new(TokenMeter { read: openai::usage, price: price.clone(), max_tokens });
    let service = Service { meter, ..section.service(&url) };
    let called = format!("reader `{name}`");
    let endpoint = services::endpoint(config, surroundings, &called, &service, problems);
    let (endpoint, prompt, passages, settings) = (endpoint?, prompt?, passages?, settings?);
    // A model that is shown no passages has seen none.
    let passages = if sees_passages { passages } else { 0 };
    let text = |text: &Option<Spanned<String>>| text.as_ref().map(|text| text.get_ref().clone());
    let mut options = json!({
        "url": services::recorded(url.get_ref()),
        "request": settings,
        "prompt": section.prompt.get_ref(),
        "system": text(&section.system),
        "passage": text(&section.passage).unwrap_or_else(|| PASSAGE.to_owned()),
        "exchange": text(&section.exchange).unwrap_or_else(|| EXCHANGE.to_owned()),
        "passages": passages,
    });
    prices::record(&mut options, price.as_ref(), &section.budget);
    let (history, repeats) = (section.history.as_ref(), section.repeats.as_ref());
    let asked = asked(history, repeats, &mut options, problems)?;
    let sees_context = prompt.has(OfMessage::Context);
    // Model, settings and prompt are in the questions.
    let identity = json!({"url": options["url"]});
    let service = service::Service::new(endpoint.clone()).priced(price.clone());
    let reader = |repeat| -> Arc<dyn Live> {
        Arc::new(OpenAiReader::new(service.clone(), prompt.clone(), settings.clone(), repeat))
    };
    let others = (1..asked.repeats).map(reader).collect();
    let described = (passages, readers::info("openai", "1", options));
    let identity = move || identity.clone();
    let planned = readers::kept(name, reader(0), described, section.resume, identity);
    let mut planned = asked.of(planned, others);
    planned.service = Some(endpoint);
    if !sees_passages && !sees_context {
        // On gold passages it would be asked the same once more.
        planned.isolated = None;
    }
    Some(readers::priced(planned, price))
}

/// The address of the completions: a query stays at the end.
fn completions(url: &str) -> String {
    let (address, query) =
        url.split_once('?').map_or((url, None), |(url, query)| (url, Some(query)));
    let address = address.trim_end_matches('/');
    let address = address.strip_suffix(COMPLETIONS).unwrap_or(address);
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    format!("{address}{COMPLETIONS}{query}")
}

/// What each request says beside the messages.
fn settings(section: &OpenAiSection, problems: &mut Vec<Problem>) -> Option<Map<String, Value>> {
    let before = problems.len();
    let mut settings = Map::new();
    let model = section.model.get_ref();
    if model.trim().is_empty() {
        problems.push(Problem::at(section.model.span(), "`model` is empty"));
    }
    settings.insert("model".to_owned(), model.as_str().into());
    // What the file does not say is not sent: some models refuse what others need.
    let numbers = [
        ("temperature", &section.temperature, 0.0..=2.0, "a number from 0 to 2"),
        ("top_p", &section.top_p, f64::MIN_POSITIVE..=1.0, "a number above 0 and up to 1"),
    ];
    for (key, number, range, expected) in numbers {
        let Some(number) = number else { continue };
        let (span, number) = (number.span(), *number.get_ref());
        if !range.contains(&number) {
            let message = format!("`{key}` is `{number}`, expected {expected}");
            problems.push(Problem::at(span, message));
        }
        settings.insert(key.to_owned(), number.into());
    }
    if let Some(tokens) = &section.max_tokens {
        let tokens = retrievers::positive(Some(tokens), 1, "max_tokens", problems)?;
        settings.insert("max_tokens".to_owned(), tokens.into());
    }
    if let Some(seed) = section.seed {
        settings.insert("seed".to_owned(), seed.into());
    }
    if !section.stop.is_empty() {
        settings.insert("stop".to_owned(), section.stop.clone().into());
    }
    if let Some(extra) = &section.extra {
        add_extra(extra, &mut settings, problems);
    }
    (problems.len() == before).then_some(settings)
}

/// Adds the keys of a request that only the endpoint knows.
fn add_extra(
    extra: &Spanned<toml::Table>,
    settings: &mut Map<String, Value>,
    problems: &mut Vec<Problem>,
) {
    for (key, value) in extra.get_ref() {
        let problem = |message: String| Problem::at(extra.span(), message);
        if OWN_KEYS.contains(&key.as_str()) {
            let message = format!("`extra` has `{key}`, which is a key of the reader itself");
            problems.push(problem(message));
        } else if SINGLE_ANSWER.contains(&key.as_str()) {
            let message = format!("`extra` has `{key}`, but one whole answer is read");
            problems.push(problem(message));
        } else if let Some(value) = json_of(value) {
            settings.insert(key.clone(), value);
        } else {
            problems.push(problem(format!("the value of `{key}` in `extra` cannot be JSON")));
        }
    }
}

/// A value as JSON, which has no dates and no infinity.
fn json_of(value: &toml::Value) -> Option<Value> {
    Some(match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => serde_json::Number::from_f64(*number)?.into(),
        toml::Value::Boolean(value) => (*value).into(),
        toml::Value::Array(values) => values.iter().map(json_of).collect::<Option<Value>>()?,
        toml::Value::Table(table) => {
            let pairs = table.iter().map(|(key, value)| Some((key.clone(), json_of(value)?)));
            pairs.collect::<Option<Map<String, Value>>>()?.into()
        }
        toml::Value::Datetime(_) => return None,
    })
}

/// The most tokens of an answer that requests ask for.
fn max_tokens(settings: &Map<String, Value>) -> Option<u64> {
    // Some models know it under another name alone.
    let mut found = ["max_tokens", "max_completion_tokens"].into_iter();
    found.find_map(|key| settings.get(key).and_then(Value::as_u64))
}

fn prompt(config: &Config, section: &OpenAiSection, problems: &mut Vec<Problem>) -> Option<Prompt> {
    let user = template(config, &section.prompt, problems);
    let system = section.system.as_ref().map(|text| template(config, text, problems));
    let (passage, exchange) = (section.passage.as_ref(), section.exchange.as_ref());
    let default = |text: &str| Spanned::new(0..0, text.to_owned());
    let passage_text = passage.cloned().unwrap_or_else(|| default(PASSAGE));
    let exchange_text = exchange.cloned().unwrap_or_else(|| default(EXCHANGE));
    let of_passage = template(config, &passage_text, problems);
    let of_exchange = template(config, &exchange_text, problems);
    let system = match system {
        None => None,
        Some(system) => Some(system?),
    };
    let prompt = Prompt { system, user: user?, passage: of_passage?, exchange: of_exchange? };
    if !prompt.has(OfMessage::Question) {
        let problem = Problem::at(section.prompt.span(), "the prompt does not ask the question");
        problems.push(problem.hint("`{question}` stands for it"));
        return None;
    }
    let number = section.passages.as_ref().map(Spanned::span);
    for (key, span, place, text) in [
        ("passage", passage.map(Spanned::span), OfMessage::Passages, "{passages}"),
        ("passages", number, OfMessage::Passages, "{passages}"),
        ("exchange", exchange.map(Spanned::span), OfMessage::History, "{history}"),
        ("history", section.history.as_ref().map(Spanned::span), OfMessage::History, "{history}"),
    ] {
        if let Some(span) = span.filter(|_| !prompt.has(place)) {
            let message = format!("`{key}` has no effect: no message has `{text}`");
            problems.push(Problem::at(span, message));
            return None;
        }
    }
    Some(prompt)
}

fn template<P: Places>(
    config: &Config,
    text: &Spanned<String>,
    problems: &mut Vec<Problem>,
) -> Option<Template<P>> {
    let report = |mistake: Mistake| {
        let written = &text.get_ref()[mistake.at.clone()];
        let span = place(config, text, written, &text.get_ref()[..mistake.at.start]);
        Problem::at(span, mistake.message).hint(mistake.hint)
    };
    Template::parse(text.get_ref()).map_err(|mistake| problems.push(report(mistake))).ok()
}

/// Where a part of a text stands in the file. Escapes and variables may have changed what is before it,
/// so it is counted: the part is the same one of its likes in both.
fn place(
    config: &Config,
    text: &Spanned<String>,
    part: &str,
    before: &str,
) -> std::ops::Range<usize> {
    let span = text.span();
    let Some(source) = config.sources.text(&span) else { return span };
    let likes = before.matches(part).count();
    if source.matches(part).count() != text.get_ref().matches(part).count() {
        return span;
    }
    match source.match_indices(part).nth(likes) {
        Some((start, part)) => span.start + start..span.start + start + part.len(),
        None => span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_have_a_query() {
        for (url, expected) in [
            ("http://h/v1", "http://h/v1/chat/completions"),
            ("http://h/v1/", "http://h/v1/chat/completions"),
            ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
            ("http://h/d?api-version=1", "http://h/d/chat/completions?api-version=1"),
        ] {
            assert_eq!(completions(url), expected);
        }
    }
}
