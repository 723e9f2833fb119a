//! What forbids to compare two evaluations: a difference between their numbers would not be one
//! between the systems.

use serde_json::Value;

use crate::{Evaluation, Manifest, MetricColumn, Pairing, ReadError};

/// Why two evaluations are not to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// A word that obstacles can be grouped by: `references`, `corpus`, `judgments`, `ties`.
    pub kind: &'static str,
    /// What differs, as a fragment of a sentence.
    pub text: String,
}

/// The keys of a dataset in the plan that say what is asked and expected; the others say where the
/// answers of the system are.
const ASKED: [&str; 3] = ["format", "topic_ids", "split"];

/// What forbids to compare two evaluations, which are the given places of a pairing.
///
/// Files that differ are no obstacle by themselves: the answers of a system may lie in the file of
/// the dataset, and one file may have a part of the examples of the other. Then questions,
/// references and gold passages of the shared examples decide, as they are stored.
///
/// # Errors
///
/// When the cases of an evaluation cannot be read.
pub fn obstacles(
    (first, second): (&Evaluation, &Evaluation),
    pairing: &Pairing,
    (place, other): (usize, usize),
) -> Result<Vec<Obstacle>, ReadError> {
    let (a, b) = (first.manifest(), second.manifest());
    let mut found = Vec::new();
    let bare = [first, second].into_iter().find(|evaluation| !evaluation.has_texts());
    if same_questions(a, b) {
        // Nothing needs to be looked at.
    } else if let Some(bare) = bare {
        let text = format!(
            "the datasets differ, and `{}` is without the texts that would tell whether the shared \
             examples do",
            bare.manifest().evaluation_id
        );
        found.push(Obstacle { kind: "references", text });
    } else {
        let (asked, expected) = (first.asked()?, second.asked()?);
        let pairs = pairing.rows(place).iter().zip(pairing.rows(other));
        let differs = |&(&a, &b): &(&u32, &u32)| asked[a as usize] != expected[b as usize];
        let rows: Vec<usize> = pairs.filter(differs).map(|(&row, _)| row as usize).collect();
        if let Some(&row) = rows.first() {
            let example = &first.cases(&[row])?[0].example_id;
            let (count, all) = (rows.len(), pairing.len());
            let text = format!(
                "the question, references or gold passages of {count} of the {all} shared examples \
                 differ, first those of `{example}`"
            );
            found.push(Obstacle { kind: "references", text });
        }
    }
    let corpora = a.corpus.as_ref().zip(b.corpus.as_ref());
    if let Some((a, b)) = corpora.filter(|(a, b)| a.digest != b.digest) {
        let text = format!(
            "the corpora differ: one has {} passages, the other {}",
            a.passages, b.passages
        );
        found.push(Obstacle { kind: "corpus", text });
    }
    // Without judgments there is no score that they could change.
    let mut judged = judgments(a).into_iter().zip(judgments(b));
    if judged.any(|(a, b)| !a.is_null() && !b.is_null() && a != b) {
        let text = "the relevance judgments differ".to_owned();
        found.push(Obstacle { kind: "judgments", text });
    }
    let ties = |manifest: &Manifest| manifest.plan["ties"].clone();
    if ties(a) != ties(b) && ties(a).is_string() && ties(b).is_string() {
        let text = format!("ties are broken by {} and by {}", ties(a), ties(b));
        found.push(Obstacle { kind: "ties", text });
    }
    Ok(found)
}

/// What forbids to compare a metric column of two evaluations; `None` where nothing does.
pub fn obstacle_of_column(
    (a, first): (&Manifest, &MetricColumn),
    (b, second): (&Manifest, &MetricColumn),
) -> Option<String> {
    if first.name != second.name {
        return Some(format!("it is `{}` in one and `{}` in the other", first.name, second.name));
    }
    if first.version != second.version || first.parameters != second.parameters {
        let (a, b) = (&first.version, &second.version);
        return Some(format!("its versions or parameters differ ({a} and {b})"));
    }
    if plugin_of(a, &first.name) != plugin_of(b, &second.name) {
        return Some("its plugins differ in version, content or options".to_owned());
    }
    let when = |manifest: &Manifest| {
        let metrics = manifest.plan["metrics"].as_array();
        let own = metrics.and_then(|all| all.iter().find(|one| one["name"] == first.name.as_str()));
        own.map(|own| own["when"].clone())
    };
    let (a, b) = (when(a).unwrap_or_default(), when(b).unwrap_or_default());
    (a != b).then(|| format!("it is scored on a condition that differs ({a} and {b})"))
}

/// Whether the same is asked and expected, as far as the plans say.
fn same_questions(a: &Manifest, b: &Manifest) -> bool {
    let digests = |manifest: &Manifest| -> Vec<String> {
        manifest.datasets.iter().map(|dataset| dataset.digest.clone()).collect()
    };
    let asked = |manifest: &Manifest| -> Vec<Value> {
        let described = datasets(manifest);
        described.iter().map(|dataset| of_asked(dataset)).collect()
    };
    digests(a) == digests(b) && !digests(a).is_empty() && asked(a) == asked(b)
}

fn of_asked(dataset: &Value) -> Value {
    let fields = &dataset["fields"];
    let own = ASKED.iter().map(|&key| dataset[key].clone());
    let mapped = ["id", "question", "references", "context", "gold_passages", "group", "turn"];
    own.chain(mapped.iter().map(|&key| fields[key].clone())).collect()
}

fn judgments(manifest: &Manifest) -> Vec<Value> {
    datasets(manifest).iter().map(|dataset| dataset["qrels"].clone()).collect()
}

/// The datasets of a plan, in their order.
fn datasets(manifest: &Manifest) -> Vec<&Value> {
    match &manifest.plan["dataset"] {
        Value::Array(several) => several.iter().collect(),
        Value::Null => Vec::new(),
        only => vec![only],
    }
}

/// What is recorded of the plugin that a metric is from: its name is before the dot.
fn plugin_of<'m>(manifest: &'m Manifest, metric: &str) -> Option<&'m Value> {
    let (plugin, _) = metric.split_once('.')?;
    manifest.plan["plugins"].as_array()?.iter().find(|found| found["name"] == plugin)
}
