//! One stored example, explained.

mod rebuilt;

use std::collections::BTreeMap;

use anyhow::Result;
use qeval_core::{
    Metric, Need, Stage,
    explain::{self, Step},
    metrics::words,
};
use qeval_report::{
    ExampleExplanation, ExplainedHit, ExplainedMetric, ExplainedPart, ExplainedStage,
};
use qeval_store::{Detail, Evaluation, MetricColumn, Scores, StoredCase};

use crate::{args::Explain, exit_code::BadRequest};
use rebuilt::Rebuilt;

/// Characters that are shown on each side of an answer.
const AROUND: usize = 100;

/// Reads all that is stored of the example, and takes each metric's steps again.
pub(crate) fn explain(
    evaluation: &Evaluation,
    args: &Explain,
    texts: Option<&BTreeMap<String, String>>,
) -> Result<ExampleExplanation> {
    let manifest = evaluation.manifest();
    let metrics = wanted(evaluation, args)?;
    let columns: Vec<&str> = metrics.iter().map(|metric| metric.column.as_str()).collect();
    let scores = evaluation.scores(&columns)?;
    let row = row(&scores, args)?;
    let dataset = scores.datasets.as_ref().and_then(|datasets| datasets.get(row));
    let mut found = ExampleExplanation {
        evaluation_id: manifest.evaluation_id.clone(),
        label: manifest.label.clone(),
        system: manifest.system.clone(),
        dataset: dataset.map(str::to_owned),
        example_id: args.example.clone(),
        group: scores.groups.as_ref().and_then(|groups| groups.get(row)).map(str::to_owned),
        slices: scores
            .slices
            .iter()
            .map(|(name, labels)| (name.clone(), labels.get(row).map(str::to_owned)))
            .collect(),
        cause: scores.causes.as_ref().and_then(|causes| causes.get(row)).map(str::to_owned),
        evidence_seen: scores.evidence_seen.as_ref().and_then(|seen| seen[row]),
        ..ExampleExplanation::default()
    };
    let case = if evaluation.has_texts() {
        evaluation.cases(&[row])?.into_iter().next()
    } else {
        found.notes.push(
            "the evaluation is here without its texts: scores are all that is known".to_owned(),
        );
        None
    };
    let details = evaluation.details_of(dataset, &args.example)?;
    let rebuilt = case.as_ref().map(Rebuilt::of);
    for stage in [Stage::Retrieval, Stage::Isolated, Stage::Integrated] {
        let own: Vec<&MetricColumn> =
            metrics.iter().copied().filter(|metric| metric.stage == stage).collect();
        if own.is_empty() {
            continue;
        }
        let explained = own.into_iter().map(|metric| {
            let score = scores.metric(&metric.column).and_then(|column| column[row]);
            explained(metric, score, &details, rebuilt.as_ref())
        });
        let metrics = explained.collect();
        found.stages.push(of_stage(stage, case.as_ref(), metrics));
    }
    if let Some(case) = case {
        passages(&mut found, &case, texts);
        found.question = case.question;
        found.references = Some(case.references);
        if found.hits.is_some() && texts.is_none() {
            let text = "no evaluation stores the texts of passages: `--corpus FILE` shows where the \
                        answer stands";
            found.notes.push(text.to_owned());
        }
    }
    Ok(found)
}

/// The metric columns that are asked for; statistics belong to their metrics.
fn wanted<'a>(evaluation: &'a Evaluation, args: &Explain) -> Result<Vec<&'a MetricColumn>> {
    let all = || evaluation.manifest().metrics.iter().filter(|m| m.statistic_of.is_none());
    let stage = match &args.stage {
        None => None,
        Some(name) => Some(Stage::from_name(name).ok_or_else(|| BadRequest {
            message: format!("there is no stage `{name}`"),
            hint: Some("stages are retrieval, isolated and integrated".to_owned()),
        })?),
    };
    let is = |metric: &MetricColumn, name: &String| metric.name == *name || metric.column == *name;
    for name in &args.metrics {
        if !all().any(|metric| is(metric, name)) {
            let mut known: Vec<&str> = all().map(|metric| metric.name.as_str()).collect();
            known.dedup();
            let message = format!("the evaluation has no metric `{name}`");
            let hint = Some(format!("it has {}", known.join(", ")));
            return Err(BadRequest { message, hint }.into());
        }
    }
    let of_name = |metric: &MetricColumn| {
        args.metrics.is_empty() || args.metrics.iter().any(|name| is(metric, name))
    };
    let found: Vec<&MetricColumn> =
        all().filter(|m| of_name(m) && stage.is_none_or(|stage| m.stage == stage)).collect();
    if found.is_empty() {
        let message =
            format!("no metric is of the stage `{}`", args.stage.as_deref().unwrap_or(""));
        return Err(BadRequest { message, hint: None }.into());
    }
    Ok(found)
}

/// The row of the example.
fn row(scores: &Scores, args: &Explain) -> Result<usize> {
    let id = &args.example;
    let refuse = |message: String, hint: Option<String>| Err(BadRequest { message, hint }.into());
    let names: Vec<Option<&str>> = match (&scores.datasets, &args.dataset) {
        (None, None) => vec![None],
        (Some(datasets), None) => {
            datasets.values().iter().map(|name| Some(name.as_str())).collect()
        }
        (Some(datasets), Some(name)) if datasets.values().contains(name) => vec![Some(name)],
        (Some(datasets), Some(name)) => {
            let hint = format!("there are {}", datasets.values().join(", "));
            return refuse(format!("there is no dataset `{name}`"), Some(hint));
        }
        (None, Some(_)) => {
            return refuse(
                "the evaluation has one dataset".to_owned(),
                Some("leave `--dataset` out".to_owned()),
            );
        }
    };
    let rows: Vec<(Option<&str>, usize)> =
        names.into_iter().filter_map(|name| Some((name, scores.row(name, id)?))).collect();
    match rows.as_slice() {
        [(_, row)] => Ok(*row),
        [] => {
            let hint = scores.nearest(id).map(|other| format!("did you mean `{other}`?"));
            refuse(format!("the evaluation has no example `{id}`"), hint)
        }
        several => {
            let names: Vec<&str> = several.iter().filter_map(|(name, _)| *name).collect();
            let hint = format!("choose one with `--dataset`: {}", names.join(", "));
            refuse(format!("several datasets have an example `{id}`"), Some(hint))
        }
    }
}

fn of_stage(
    stage: Stage,
    case: Option<&StoredCase>,
    metrics: Vec<ExplainedMetric>,
) -> ExplainedStage {
    let (answer, abstained, error) = match (stage, case) {
        (Stage::Integrated, Some(case)) => {
            let prediction = case.prediction.as_ref();
            let abstained = prediction.is_some_and(|prediction| prediction.abstained);
            (prediction.map(|prediction| prediction.text.clone()), abstained, case.error.clone())
        }
        (Stage::Isolated, Some(case)) => {
            (case.isolated_prediction.clone(), case.isolated_abstained, case.isolated_error.clone())
        }
        _ => (None, false, None),
    };
    ExplainedStage { stage, answer, abstained, error, metrics }
}

fn explained(
    metric: &MetricColumn,
    score: Option<f64>,
    details: &[Detail],
    rebuilt: Option<&Rebuilt>,
) -> ExplainedMetric {
    let own = || details.iter().filter(|detail| detail.metric == metric.column);
    let parts =
        own().filter(|detail| detail.kind == "part" && detail.value.is_some_and(f64::is_finite));
    let said = own().filter(|detail| detail.kind == "part" && detail.value.is_none());
    let part = |detail: &Detail| ExplainedPart {
        label: detail.label.clone(),
        value: detail.value,
        text: detail.text.clone(),
    };
    let unscored = score.is_none().then(|| {
        let reason = own().find_map(Detail::unscored);
        reason.map(|reason| reason.to_string())
    });
    // A metric of a plugin is not built in; its parts say what they say.
    let again = metric.name.parse::<Metric>().ok().zip(score).zip(rebuilt);
    let (steps, note) = match again {
        Some(((own, score), rebuilt)) => steps(&own, metric.stage, score, rebuilt),
        None => (Vec::new(), None),
    };
    ExplainedMetric {
        name: metric.name.clone(),
        column: metric.column.clone(),
        score,
        unscored: unscored.flatten(),
        steps,
        parts: parts.chain(said).map(part).collect(),
        note,
    }
}

/// The steps to a stored score, or why there are none.
fn steps(
    metric: &Metric,
    stage: Stage,
    score: f64,
    rebuilt: &Rebuilt,
) -> (Vec<Step>, Option<String>) {
    if let Some(why) = unstored(metric) {
        return (Vec::new(), Some(why.to_owned()));
    }
    let found = rebuilt.with(stage, |case| explain::explain(metric, case));
    let again = found.score.as_ref().ok().copied();
    if again.is_some_and(|again| (score - again).abs() < 1e-9) {
        return (found.steps, None);
    }
    let again = again.map_or_else(|| "none".to_owned(), |again| format!("{again:.4}"));
    let note = format!(
        "no steps: from what is stored it would be {again}; it was made of more than that, such as \
         spans, labels, documents or columns of the dataset, or by another version"
    );
    (Vec::new(), Some(note))
}

/// What a metric is made of that no evaluation stores.
fn unstored(metric: &Metric) -> Option<&'static str> {
    metric.definition().needs.iter().find_map(|need| match need {
        Need::PassageTexts => Some("made of the texts of passages: see `has answer` below"),
        Need::Subtopics => Some("no steps: judgments by subtopic are not stored"),
        Need::Column(_) => Some("no steps: the columns of the dataset are not stored"),
        Need::Label(_) => Some("no steps: the labels of answers are not stored"),
        Need::Confidence
        | Need::References
        | Need::Judgments
        | Need::Hits
        | Need::Groups
        | Need::OptionalColumn(_) => None,
    })
}

/// What was retrieved, and what should have been.
fn passages(
    found: &mut ExampleExplanation,
    case: &StoredCase,
    texts: Option<&BTreeMap<String, String>>,
) {
    let answer = case.prediction.as_ref().map(|prediction| prediction.text.as_str());
    let gold = |id: &String| case.gold_passages.contains(id);
    let snippet = |id: &String| {
        let text = texts?.get(id)?;
        let wanted = case.references.iter().map(String::as_str).chain(answer);
        let marked = wanted
            .filter(|wanted| !wanted.is_empty())
            .find_map(|wanted| words::snippet(text, wanted, AROUND));
        // Evidence is shown also where the answer stands in other words.
        let begins = || text.chars().take(2 * AROUND).collect::<String>();
        marked.or_else(|| gold(id).then(begins))
    };
    // Where nobody looked while it was evaluated, the corpus tells now.
    let holds_reference = |id: &String| {
        let text = texts?.get(id)?;
        let mut references = case.references.iter();
        (!case.references.is_empty())
            .then(|| references.any(|reference| words::snippet(text, reference, 0).is_some()))
    };
    let hits = case.hits.as_ref().map(|hits| {
        let hit = |hit: &qeval_store::StoredHit| ExplainedHit {
            rank: Some(hit.rank),
            passage_id: hit.passage_id.clone(),
            score: hit.score,
            grade: hit.grade,
            gold: gold(&hit.passage_id),
            seen: hit.seen,
            has_answer: hit
                .answer
                .map(|answer| answer.normalised)
                .or_else(|| holds_reference(&hit.passage_id)),
            snippet: snippet(&hit.passage_id),
        };
        hits.iter().map(hit).collect::<Vec<_>>()
    });
    let known: Vec<&String> = case.hits.iter().flatten().map(|hit| &hit.passage_id).collect();
    let relevant = case.relevant.iter().flatten();
    let mut missed: BTreeMap<&String, Option<i32>> =
        relevant.map(|passage| (&passage.passage_id, Some(passage.grade))).collect();
    for id in &case.gold_passages {
        missed.entry(id).or_insert(None);
    }
    let missed = missed.into_iter().filter(|(id, _)| !known.contains(id));
    found.missed = missed
        .map(|(id, grade)| ExplainedHit {
            passage_id: id.clone(),
            grade,
            gold: gold(id),
            snippet: snippet(id),
            ..ExplainedHit::default()
        })
        .collect();
    found.hits = hits;
}
