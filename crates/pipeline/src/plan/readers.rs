//! The readers of a plan.

use std::{iter, path::Path, sync::Arc, time::Duration};

use qeval_core::{Need, Stage};
use qeval_dataset::PredictionFields;
use qeval_sdk::Reader;
use qeval_store::ComponentInfo;
use serde_json::{Value, json};
use toml::Spanned;

use super::{
    Answers, OnError, PlannedReader, Surroundings,
    asking::{Asking, asked},
    files, live_services,
    metrics::Scorers,
    naming, offers,
    plugins::Plugins,
    predictions::{Held, Replay, mapped, predictions},
    prices, programs, retrievers,
};
use crate::{
    Config, Problem,
    builtin::{
        command::CommandReader,
        journaled::{InStage, Journaled},
        live::Live,
        price::{Price, Priced},
        sliding_window::SlidingWindow,
    },
    config::{
        CommandSection, ReaderBudgetOptions, ReaderType, ReplayReaderSection, SlidingWindowSection,
    },
};

/// Hits that a live reader sees where the file does not say.
pub(super) const PASSAGES: u32 = 5;

/// Seconds that an answer may take where the file does not say.
const TIMEOUT_S: f64 = 60.0;

/// The most seconds of any limit: 30 years.
const LONGEST_S: f64 = 1e9;

impl PlannedReader {
    /// What no answer for a dataset, by its index, has in a stage, although metrics read it.
    pub fn lacks(&self, stage: Stage, dataset: usize) -> &[Need] {
        let Some([integrated, isolated]) = self.lacks.get(dataset) else { return &[] };
        if stage == Stage::Isolated { isolated } else { integrated }
    }
}

pub(super) fn readers(
    config: &Config,
    scorers: &Scorers,
    surroundings: &Surroundings,
    results: Option<&Path>,
    plugins: &Plugins,
    problems: &mut Vec<Problem>,
) -> Option<Vec<PlannedReader>> {
    fn name(planned: &PlannedReader) -> &str {
        &planned.name
    }
    if let Some(answers) = &config.answers {
        return Some(vec![answers.planned(&scorers.reads(), config.datasets.len())]);
    }
    let held = Held::new(surroundings, results);
    naming::plan_each("reader", &config.readers, name, problems, |section, problems| match &section
        .get_ref()
        .what
    {
        ReaderType::Replay(replay) => {
            plan_replay(config, scorers, section.span(), replay, held, problems)
        }
        ReaderType::Command(command) => plan_command(config, surroundings, command, problems),
        ReaderType::Http(section) => {
            live_services::plan_http(config, surroundings, section, problems)
        }
        ReaderType::OpenAi(section) => {
            live_services::plan_openai(config, surroundings, section, problems)
        }
        ReaderType::SlidingWindow(window) => plan_sliding_window(window, problems),
        ReaderType::Plugin(section) => offers::plan_reader(section, plugins, problems),
    })
}

fn plan_replay(
    config: &Config,
    scorers: &Scorers,
    span: std::ops::Range<usize>,
    section: &ReplayReaderSection,
    held: Held<'_>,
    problems: &mut Vec<Problem>,
) -> Option<PlannedReader> {
    let name = section.name.as_ref().map_or("replay", |name| name.get_ref()).to_owned();
    files::check_labels(&section.fields.labels, problems);
    let isolated = match &section.isolated_path {
        None => None,
        Some(path) => {
            // What the reader saw is known here: the gold passages.
            let fields =
                PredictionFields { hits: None, citations: None, ..mapped(&section.fields) };
            Some(predictions(config, scorers, &fields, (path, true), held, problems)?)
        }
    };
    let lacking = |reader: &Replay, dataset: usize| -> Vec<Need> {
        scorers.reads().into_iter().filter(|need| !reader.has(*need, dataset)).collect()
    };
    let of_dataset = |dataset: usize| {
        let isolated = isolated.as_ref();
        [Vec::new(), isolated.map_or_else(Vec::new, |(reader, _)| lacking(reader, dataset))]
    };
    let mut lacks: Vec<[Vec<Need>; 2]> = (0..config.datasets.len()).map(of_dataset).collect();
    let knows_seen;
    let (integrated, digest) = match &section.path {
        Some(path) => {
            let fields = mapped(&section.fields);
            let (reader, digest) =
                predictions(config, scorers, &fields, (path, false), held, problems)?;
            knows_seen = reader.knows_seen();
            for (dataset, [integrated, _]) in lacks.iter_mut().enumerate() {
                *integrated = lacking(&reader, dataset);
            }
            (reader.answers(), digest)
        }
        None if config.datasets.iter().all(|d| d.get_ref().fields.prediction.is_some()) => {
            knows_seen = config.datasets.iter().any(|d| d.get_ref().fields.hits.is_some());
            (Answers::Dataset, json!("in the dataset"))
        }
        None => {
            let problem = Problem::at(span, "`[reader]` of type `replay` needs the key `path`");
            let hint = "or, where the dataset holds the predictions, map them: \
                        `fields = { prediction = \"...\" }` in `[dataset]`";
            problems.push(problem.hint(hint));
            return None;
        }
    };
    let mut options = json!({
        "predictions": digest,
        "isolated": isolated.as_ref().map(|(_, digest)| digest),
    });
    // The same file with other fields has other answers. Named where they are given, so that the
    // ids of plans without them stay as they were.
    let fields = mapped(&section.fields);
    if fields != PredictionFields::default() {
        options["fields"] = json!(fields);
    }
    Some(PlannedReader {
        name,
        integrated,
        isolated: isolated.map(|(reader, _)| reader.answers()),
        passages: None,
        knows_seen,
        lacks,
        on_error: OnError::Null,
        info: info("replay", "1", options),
        service: None,
        journaled: None,
        asking: Asking::default(),
    })
}

fn plan_command(
    config: &Config,
    surroundings: &Surroundings,
    section: &CommandSection,
    problems: &mut Vec<Problem>,
) -> Option<PlannedReader> {
    let passages = retrievers::positive(section.passages.as_ref(), PASSAGES, "passages", problems);
    let deadline = timeout(section.timeout_s.as_ref(), problems);
    let name = section.name.as_ref().map_or("command", |name| name.get_ref()).to_owned();
    let called = format!("reader `{name}`");
    let (written, granted) = (&section.command, &section.environment);
    let command = programs::command(config, surroundings, called, written, granted, problems);
    let price = prices::price(section.price.as_ref(), problems);
    let (command, passages, deadline) = (command?, passages?, deadline?);
    let reader = Arc::new(CommandReader::new(command, deadline, surroundings.runtime.clone()));
    let mut options = json!({
        "command": section.command.get_ref(),
        "passages": passages,
        "environment": section.environment,
    });
    programs::record(config, written, &mut options, problems);
    prices::record(&mut options, price.as_ref(), &ReaderBudgetOptions::default());
    let asked = asked(section.history.as_ref(), None, &mut options, problems)?;
    let (words, environment) = (section.command.get_ref().clone(), section.environment.clone());
    let folder = config.sources.folder(&section.command.span()).to_owned();
    let identity = move || {
        let files: Vec<Value> = words.iter().map(|word| programs::content(&folder, word)).collect();
        json!({"command": words, "files": files, "environment": environment})
    };
    let info = info("command", "1", options);
    let planned = kept(name, reader, (passages, info), section.resume, identity);
    Some(priced(asked.of(planned, Vec::new()), price))
}

fn plan_sliding_window(
    section: &SlidingWindowSection,
    problems: &mut Vec<Problem>,
) -> Option<PlannedReader> {
    let passages = retrievers::positive(section.passages.as_ref(), PASSAGES, "passages", problems)?;
    let name = section.name.as_ref().map_or("sliding-window", |name| name.get_ref()).to_owned();
    let info = info("sliding-window", "1", json!({"passages": passages}));
    Some(live(name, Arc::new(SlidingWindow), passages, info))
}

/// A reader that is asked on what was retrieved and on the gold passages.
pub(super) fn live(
    name: String,
    reader: Arc<dyn Reader>,
    passages: u32,
    info: ComponentInfo,
) -> PlannedReader {
    PlannedReader {
        name,
        integrated: Answers::Component(Arc::clone(&reader)),
        isolated: Some(Answers::Component(reader)),
        passages: Some(passages as usize),
        knows_seen: true,
        lacks: Vec::new(),
        on_error: OnError::Null,
        info,
        service: None,
        journaled: None,
        asking: Asking::default(),
    }
}

/// The same for a reader whose answers are kept, unless the file says otherwise. `identity` is all that
/// they depend on beside the questions.
pub(super) fn kept(
    name: String,
    reader: Arc<dyn Live>,
    (passages, info): (u32, ComponentInfo),
    resume: Option<bool>,
    identity: impl Fn() -> Value + Send + Sync + 'static,
) -> PlannedReader {
    if resume == Some(false) {
        return live(name, reader, passages, info);
    }
    let (kind, version) = (info.name.clone(), info.version.clone());
    let identity = move || json!({"type": kind, "version": version, "reader": identity()});
    let journaled = Arc::new(Journaled::new(Box::new(identity)));
    let [integrated, isolated] = [0, 1].map(|place| -> Arc<dyn Reader> {
        let (journaled, live) = (Arc::clone(&journaled), Arc::clone(&reader));
        Arc::new(InStage { journaled, live, place })
    });
    let planned = live(name, integrated, passages, info);
    let isolated = Some(Answers::Component(isolated));
    PlannedReader { isolated, journaled: Some(journaled), ..planned }
}

/// The same with a price list, where there is one.
pub(super) fn priced(mut planned: PlannedReader, price: Option<Price>) -> PlannedReader {
    let Some(price) = price else { return planned };
    let first = iter::once(&mut planned.integrated).chain(&mut planned.isolated);
    for answers in first.chain(planned.asking.again.iter_mut().flatten()) {
        if let Answers::Component(reader) = answers {
            *reader = Arc::new(Priced { reader: Arc::clone(reader), price: price.clone() });
        }
    }
    planned
}

/// A number of seconds above zero.
pub(super) fn timeout(
    value: Option<&Spanned<f64>>,
    problems: &mut Vec<Problem>,
) -> Option<Duration> {
    seconds("timeout_s", value, TIMEOUT_S, problems)
}

/// The same for a key of another name.
pub(super) fn seconds(
    key: &str,
    value: Option<&Spanned<f64>>,
    usual: f64,
    problems: &mut Vec<Problem>,
) -> Option<Duration> {
    let seconds = value.map_or(usual, |value| *value.get_ref());
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() && seconds <= LONGEST_S => Some(duration),
        _ => {
            let message = if seconds > LONGEST_S {
                format!("`{key}` is `{seconds:e}`, expected at most {LONGEST_S:e}")
            } else {
                format!("`{key}` is `{seconds}`, expected a number above 0")
            };
            problems.push(Problem { span: value.map(Spanned::span), message, hint: None });
            None
        }
    }
}

pub(super) fn info(name: &str, version: &str, options: Value) -> ComponentInfo {
    ComponentInfo {
        name: name.to_owned(),
        version: version.to_owned(),
        kind: "reader".to_owned(),
        options,
    }
}
