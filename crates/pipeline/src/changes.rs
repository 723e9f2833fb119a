//! What differs between two resolved plans, in words.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Longest value that is shown, in characters: digests and texts are only named.
const SHOWN: usize = 40;

/// What differs in the second plan, one phrase for each: `metrics + ROUGE-L`, `dataset digest`,
/// `reader passages 5 -> 10`. Both are of one system, as manifests have them.
pub fn changes(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    differences(&mut Vec::new(), old, new, &mut found);
    found
}

fn differences(path: &mut Vec<String>, old: &Value, new: &Value, found: &mut Vec<String>) {
    if old == new {
        return;
    }
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let of = |object: &Map<String, Value>| object.get(key).cloned().unwrap_or_default();
                path.push(key.clone());
                differences(path, &of(old), &of(new), found);
                path.pop();
            }
        }
        (Value::Array(old), Value::Array(new)) if named(old) && named(new) => {
            let mut words = vec![place(path)];
            let without = |list: &[Value], other: &[Value], sign: &str| -> Vec<String> {
                let names = list.iter().map(name);
                let missing = names.filter(|wanted| !other.iter().any(|o| name(o) == *wanted));
                missing.map(|name| format!("{sign} {name}")).collect()
            };
            words.extend(without(new, old, "+"));
            words.extend(without(old, new, "-"));
            if words.len() > 1 {
                found.push(words.join(" "));
            }
            for new in new {
                let Some(old) = old.iter().find(|old| name(old) == name(new)) else { continue };
                path.push(name(new).to_owned());
                differences(path, old, new, found);
                path.pop();
            }
            let order =
                |list: &[Value]| list.iter().map(|v| name(v).to_owned()).collect::<Vec<_>>();
            if words.len() == 1 && order(old) != order(new) {
                found.push(format!("{} in another order", place(path)));
            }
        }
        _ => match (shown(old), shown(new)) {
            (Some(old), Some(new)) => found.push(format!("{} {old} -> {new}", place(path))),
            _ => found.push(place(path)),
        },
    }
}

/// The way to a value in words: what the keys of all components are called says nothing.
fn place(path: &[String]) -> String {
    let said: Vec<&str> = path.iter().map(String::as_str).filter(|key| *key != "options").collect();
    said.join(" ")
}

/// Whether these are objects with names.
fn named(list: &[Value]) -> bool {
    list.iter().all(|value| value["name"].is_string())
}

fn name(value: &Value) -> &str {
    value["name"].as_str().unwrap_or_default()
}

/// A short value; `None` for one that only a program reads.
fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(shown).collect::<Option<Vec<_>>>()?.join(", "),
        Value::Object(_) => return None,
        other => other.to_string(),
    };
    let text = if text.is_empty() { "nothing".to_owned() } else { text };
    (text.chars().count() <= SHOWN && !text.chars().any(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_is_said_in_words() {
        let digest = |digit: &str| digit.repeat(64);
        let old = json!({
            "seed": 0,
            "stages": ["integrated"],
            "dataset": {"name": "d", "digest": digest("a"), "fields": {"id": null}, "slices": []},
            "reader": {"type": "openai", "options": {"passages": 5, "prompt": digest("a")}},
            "retriever": null,
            "metrics": [{"name": "EM", "version": "1"}, {"name": "F1", "version": "1"}],
        });
        assert_eq!(changes(&old, &old), [""; 0]);
        let mut new = old.clone();
        new["metrics"] =
            json!([{"name": "EM", "version": "2"}, {"name": "ROUGE-L", "version": "1"}]);
        new["dataset"]["digest"] = json!(digest("b"));
        new["dataset"]["fields"]["id"] = json!("key");
        new["dataset"]["slices"] = json!(["topic"]);
        new["reader"]["options"] = json!({"passages": 10, "prompt": digest("b")});
        new["retriever"] = json!({"type": "bm25"});
        new["limit"] = json!(10);
        new["stages"] = json!(["retrieval", "integrated"]);
        assert_eq!(
            changes(&old, &new),
            [
                "dataset digest",
                "dataset fields id none -> key",
                "dataset slices nothing -> topic",
                "limit none -> 10",
                "metrics + ROUGE-L - F1",
                "metrics EM version 1 -> 2",
                "reader passages 5 -> 10",
                "reader prompt",
                "retriever",
                "stages integrated -> retrieval, integrated",
            ]
        );
        let mut turned = old.clone();
        turned["metrics"] = json!([old["metrics"][1], old["metrics"][0]]);
        assert_eq!(changes(&old, &turned), ["metrics in another order"]);
    }
}
