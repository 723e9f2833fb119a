//! The checked thing that is executed.
//!
//! A [`Plan`] cannot be invalid: names, options, paths, plugins and the output folder are checked
//! while it is made, all at once, before the first example is read. What a plan holds is
//! resolved: defaults are filled in, files that are small beside the dataset are read, and
//! components are built.

mod arguments;
mod asking;
mod bm25;
mod carriage;
mod columns;
mod conditional;
mod evaluation;
mod files;
mod gates;
mod identity;
mod inputs;
mod live_services;
mod metrics;
mod naming;
mod needs;
mod normalizers;
mod offers;
mod paths;
mod plugins;
mod predictions;
mod prices;
mod programs;
mod readers;
mod records;
mod remote;
mod rescoring;
mod retrievers;
mod searches;
mod services;
mod surroundings;
mod systems;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use qeval_core::{Need, Qrels, Stage, Ties, stats::Intervals};
use qeval_dataset::DatasetSource;
use qeval_endpoint::Endpoint;
use qeval_loader::LoadedPlugin;
use qeval_sdk::{MetricDescriptor, Reader, Scorer};
use qeval_store::{ComponentInfo, EvaluationId, GateInfo, Layout, MetricColumn, RetrievalColumns};
use toml::Spanned;

pub(crate) use asking::Asking;
use columns::stage_column;
pub(crate) use conditional::When;
pub(crate) use files::Groups;
pub(crate) use files::field_names;
pub(crate) use identity::{digest_of, resolve};
pub(crate) use inputs::Inputs;
pub use metrics::DiagnosisPlan;
pub use plugins::OnError;
pub use searches::Search;
pub use surroundings::Surroundings;

use crate::{
    Config, Part, Problem, Problems,
    builtin::{journaled::Journaled, spilled::SpilledReplay},
    config::Swept,
    corpus::Corpus,
    index::IndexPlan,
};

/// A checked evaluation, ready to run.
pub struct Plan {
    /// Name of the evaluation.
    pub label: String,
    /// Folder of the evaluations.
    pub results: PathBuf,
    /// Whether somebody keeps them.
    pub kept: bool,
    /// How the intervals of means are made, and the seed of all that is drawn by lot.
    pub intervals: Intervals,
    /// Examples that are evaluated at once.
    pub batch: usize,
    /// The order of hits with equal scores.
    pub ties: Ties,
    /// Where the examples come from, in the order of the file; at least one.
    pub datasets: Vec<DatasetPlan>,
    /// Columns to group by: those of all datasets.
    pub slices: Vec<String>,
    /// The passages, by id.
    pub corpus: Option<Arc<Corpus>>,
    /// The retrievers.
    pub retrievers: Vec<PlannedRetriever>,
    /// The readers.
    pub readers: Vec<PlannedReader>,
    /// Every retriever with every reader: each is stored as an evaluation of its own.
    pub systems: Vec<System>,
    /// What the metrics of judged passages count.
    pub counted: Counted,
    /// Whether a hit with the id of the query is taken out.
    pub ignores_identical_ids: bool,
    /// Which examples of each dataset are evaluated, if not all.
    pub part: Option<Part>,
    /// Which combination of a sweep it is.
    pub swept: Option<Swept>,
    /// The id that the evaluations of this execution have in common.
    pub group: String,
    /// Names of the environment variables that the file names.
    pub variables: Vec<String>,
    /// The files that are evaluated, as they were before they were read.
    pub(crate) inputs: Inputs,
    /// What computes the scores.
    pub scorers: Vec<Arc<dyn Scorer>>,
    /// Where those of them are asked that have a condition, by their indexes.
    pub(crate) when: BTreeMap<usize, When>,
    /// Their indexes in the order in which they are asked.
    pub(crate) order: Vec<usize>,
    /// What a failure costs of those of them that are of plugins, by their indexes.
    pub on_error: BTreeMap<usize, OnError>,
    /// Plugins and programs that scores depend on, for the record.
    pub scorer_components: Vec<ComponentInfo>,
    /// The metrics, in the order of the file.
    pub metrics: Vec<PlannedMetric>,
    /// When an answer is right; `None` without a metric that says so.
    pub diagnosis: Option<DiagnosisPlan>,
    /// What the numbers are held against.
    pub gates: Vec<GateInfo>,
    /// Digest of everything that is evaluated: the same for all systems of one execution.
    pub digest: String,
    /// The file with its defaults filled in.
    pub resolved: serde_json::Value,
}

/// What the metrics of judged passages count.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Whether one counts documents, so that rankings are made of them too.
    pub documents: bool,
    /// Whether one counts passages.
    pub passages: bool,
}

/// Where the examples come from.
pub struct DatasetPlan {
    /// Name in the results.
    pub name: String,
    /// The file and its format.
    pub source: DatasetSource,
    /// SHA-256 of the file, in hexadecimal.
    pub digest: String,
    /// Judgments, where a file of them is given.
    pub qrels: Option<Qrels>,
    /// SHA-256 of that file, in hexadecimal.
    pub qrels_digest: Option<String>,
    /// Whether the examples are the queries of the qrels, with no text.
    pub queries_of_qrels: bool,
    /// Whether the dataset itself says which passages are relevant.
    pub has_gold: bool,
    /// Whether examples have a text of their own that holds the answer.
    pub has_context: bool,
    /// Where examples belong to dialogs or documents: the field that says so, if one is named, or
    /// the format.
    pub(crate) groups: Option<Groups>,
    /// How many of the first examples have a context that another one has too.
    pub sharing_contexts: u64,
    /// Columns to group by.
    pub slices: Vec<String>,
}

/// A retriever with its depth.
pub struct PlannedRetriever {
    /// Name in the file.
    pub name: String,
    /// How many hits are requested.
    pub depth: usize,
    /// Where its hits come from.
    pub search: Search,
    /// Its index, where it has one.
    pub index: Option<IndexPlan>,
    /// What a failure costs.
    pub on_error: OnError,
    /// For the record.
    pub info: ComponentInfo,
    /// The service that it is, where it is one.
    pub(crate) service: Option<Endpoint>,
}

/// A reader and where its answers come from.
pub struct PlannedReader {
    /// Name in the file.
    pub name: String,
    /// Answers of the whole system.
    pub integrated: Answers,
    /// Answers on the gold passages.
    pub isolated: Option<Answers>,
    /// How many hits a live reader sees; `None` for a replay.
    pub passages: Option<usize>,
    /// Whether a replay says of any answer which passages the reader saw.
    pub knows_seen: bool,
    /// What metrics read beside the text of answers and no answer of a replay has: for each dataset
    /// in the integrated and in the isolated stage. Empty for another reader.
    pub lacks: Vec<[Vec<Need>; 2]>,
    /// What a failure costs.
    pub on_error: OnError,
    /// For the record.
    pub info: ComponentInfo,
    /// The service that it is, where it is one.
    pub(crate) service: Option<Endpoint>,
    /// The same reader as that which gives the answers, where a run keeps them.
    pub(crate) journaled: Option<Arc<Journaled>>,
    /// How it is asked.
    pub(crate) asking: Asking,
}

/// Where answers come from.
#[derive(Clone)]
pub enum Answers {
    /// A component gives them.
    Component(Arc<dyn Reader>),
    /// They stand in the dataset.
    Dataset,
    /// They stand in predictions files that are too large for memory.
    Spilled(Arc<SpilledReplay>),
}

/// One retriever with one reader.
pub struct System {
    /// Name that tells the systems of one execution apart.
    pub name: String,
    /// Its name in the other combinations of a sweep; empty without one.
    pub unswept: String,
    /// Index of the retriever.
    pub retriever: Option<usize>,
    /// Index of the reader.
    pub reader: Option<usize>,
    /// The stages that are evaluated.
    pub stages: Vec<Stage>,
    /// Name of its folder.
    pub id: EvaluationId,
    /// Digest of the plan of this system alone.
    pub digest: String,
}

/// A metric of the file: which scorer computes it, and as which of its columns.
#[derive(Clone, Debug)]
pub struct PlannedMetric {
    /// Column in the results, without the prefix of a stage.
    pub column: String,
    /// Index of the scorer.
    pub scorer: usize,
    /// Index among the scorer's metrics.
    pub index: usize,
    /// What the scorer says of it.
    pub descriptor: MetricDescriptor,
    /// For a statistic, the column of the metric that pools it.
    pub statistic_of: Option<String>,
    /// For a statistic that a plugin gives beside the scores of the metric at `index`, which of them
    /// it is.
    pub statistic: Option<usize>,
    /// Its parameters, defaults included.
    pub parameters: serde_json::Map<String, serde_json::Value>,
    /// What it reads beside the text of an answer.
    pub reads: Vec<Need>,
}

impl Plan {
    /// Checks a file and makes its plan; all problems at once.
    pub fn new(config: &Config, surroundings: &Surroundings) -> Result<Self, Box<Problems>> {
        let mut problems = config.problems.clone();
        match build(config, surroundings, &mut problems) {
            Some(plan) if problems.is_empty() => Ok(plan),
            _ => Err(Box::new(config.refused(problems))),
        }
    }

    /// The columns of scores of a system, stage by stage: the stage, the index of the metric, and
    /// the name.
    pub fn columns(&self, system: &System) -> Vec<(Stage, usize, String)> {
        let mut columns: Vec<(Stage, usize, String)> = Vec::new();
        for (index, metric) in self.metrics.iter().enumerate() {
            let named = metric.columns(system).into_iter();
            columns.extend(named.map(|(stage, name)| (stage, index, name)));
        }
        columns.sort_by_key(|&(stage, index, _)| (stage, index));
        columns
    }

    /// What the store keeps of a system.
    pub fn layout(&self, system: &System) -> Layout {
        let column = |(stage, index, column): (Stage, usize, String)| {
            let metric = &self.metrics[index];
            let descriptor = &metric.descriptor;
            let bound = |value: f64| value.is_finite().then_some(value);
            MetricColumn {
                column,
                name: descriptor.name.clone(),
                stage,
                higher_is_better: descriptor.higher_is_better,
                min: bound(descriptor.range.0),
                max: bound(descriptor.range.1),
                parameters: metric.parameters.clone(),
                version: descriptor.version.clone(),
                statistic_of: metric.statistic_of.as_deref().map(|of| stage_column(stage, of)),
                pools: if metric.statistic.is_none() { metric.pools(stage) } else { Vec::new() },
            }
        };
        Layout {
            plan_digest: system.digest.clone(),
            metrics: self.columns(system).into_iter().map(column).collect(),
            slices: self.slices.clone(),
            datasets: match self.datasets.as_slice() {
                [_] => Vec::new(),
                several => several.iter().map(|dataset| dataset.name.clone()).collect(),
            },
            groups: self.datasets.iter().any(|dataset| dataset.groups.is_some()),
            diagnosis: self.diagnoses(system),
            retrieval: match &self.corpus {
                _ if !self.kept || !system.retrieves() => RetrievalColumns::None,
                None => RetrievalColumns::Ranks,
                Some(_) => RetrievalColumns::Texts,
            },
        }
    }

    /// Whether errors of a system are put down to causes: something must say when an answer is
    /// right, and there must be passages to look for the evidence in.
    pub fn diagnoses(&self, system: &System) -> bool {
        let reader = system.reader.map(|index| &self.readers[index]);
        self.diagnosis.is_some()
            && system.has(Stage::Integrated)
            && (system.retriever.is_some() || reader.is_some_and(|reader| reader.knows_seen))
    }

    /// How many answers the live readers give for each example.
    pub fn live_answers(&self) -> usize {
        let answered = |stage: &&Stage| **stage != Stage::Retrieval;
        let of_system = |system: &System| {
            let reader = &self.readers[system.reader?];
            let times = 1 + reader.asking.again.len();
            reader.passages.map(|_| times * system.stages.iter().filter(answered).count())
        };
        self.systems.iter().filter_map(of_system).sum()
    }
}

impl System {
    /// Whether the stage is evaluated.
    pub fn has(&self, stage: Stage) -> bool {
        self.stages.contains(&stage)
    }

    /// Whether what it retrieves is evaluated.
    pub fn retrieves(&self) -> bool {
        self.retriever.is_some() && self.has(Stage::Retrieval)
    }
}

/// Loads the plugins of a file, whether or not a metric of theirs is named.
pub fn plugins(
    config: &Config,
    surroundings: &Surroundings,
) -> Result<Vec<LoadedPlugin>, Box<Problems>> {
    let mut problems = config.problems.clone();
    let plugins = plugins::plugins(config, surroundings, &mut problems);
    if problems.is_empty() {
        return Ok(plugins.into_values().flatten().map(|declared| declared.plugin).collect());
    }
    Err(Box::new(config.refused(problems)))
}

fn build(
    config: &Config,
    surroundings: &Surroundings,
    problems: &mut Vec<Problem>,
) -> Option<Plan> {
    let inputs = Inputs::of(config);
    let ties = evaluation::ties(config, problems);
    let label = label(config, problems);
    let stages = systems::stages(config, problems);
    let results = files::results(config, problems);
    let corpus = files::corpus(config, problems);
    let plugins = plugins::plugins(config, surroundings, problems);
    let scorers = metrics::scorers(config, &plugins, problems);
    let datasets = files::datasets(config, &scorers, problems);
    let texts = corpus.as_ref();
    let retrievers = retrievers::retrievers(config, surroundings, texts, ties, &plugins, problems);
    let folder = results.as_deref();
    let readers = readers::readers(config, &scorers, surroundings, folder, &plugins, problems);
    let nothing = config.retrievers.is_empty() && config.readers.is_empty();
    if nothing {
        let problem = Problem::of_file("the file declares neither a retriever nor a reader");
        problems
            .push(problem.hint("a predictions file is a reader: `[reader]`, `type = \"replay\"`"));
    }

    let parts = needs::Parts {
        datasets: datasets.as_deref().unwrap_or_default(),
        has_corpus: files::corpus_section(config).is_some(),
        has_retriever: !config.retrievers.is_empty(),
        depth: retrievers.iter().flatten().map(|retriever| retriever.depth).min(),
        has_reader: !config.readers.is_empty(),
        knows_hits: !config.retrievers.is_empty()
            || readers.iter().flatten().any(|reader| reader.knows_seen),
    };
    // Where nothing is evaluated, that each metric lacks something is said already.
    if !nothing {
        scorers.check_needs(&parts, problems);
    }
    let diagnosis = scorers.diagnosis(config, problems);
    if !problems.is_empty() {
        return None;
    }
    let (datasets, retrievers, readers) = (datasets?, retrievers?, readers?);
    let corpus = corpus?;
    let gates = gates::gates(config, &scorers.metrics, &datasets, problems);

    let mut systems = systems::systems(
        stages.as_deref(),
        &datasets,
        corpus.is_some(),
        &retrievers,
        &readers,
        problems,
    );
    rescoring::choose(config, &retrievers, &mut systems, problems);
    systems::name_apart(&mut systems, config.swept.as_ref());
    let mut plan = Plan {
        label,
        results: results?,
        kept: config.kept,
        intervals: evaluation::intervals(config, problems),
        batch: plugins::batch(&plugins),
        ties,
        slices: files::slices(&datasets),
        datasets,
        corpus,
        retrievers,
        readers,
        systems: Vec::new(),
        counted: Counted {
            documents: scorers.count("document"),
            passages: scorers.count("passage"),
        },
        ignores_identical_ids: config.evaluation.ignore_identical_ids,
        part: config.part,
        swept: config.swept.clone(),
        group: String::new(),
        variables: config.variables.clone(),
        inputs,
        scorers: scorers.scorers,
        when: scorers.when,
        order: scorers.order,
        on_error: scorers.on_error,
        scorer_components: scorers.components,
        metrics: [scorers.metrics, scorers.statistics].concat(),
        diagnosis,
        gates,
        digest: String::new(),
        resolved: serde_json::Value::Null,
    };
    systems::check_measured(&plan, &systems, config, problems);
    for system in &mut systems {
        identity::identify(&plan, system);
        if let Err(error) = plan.layout(system).check() {
            let mut slices = config.datasets.iter().flat_map(|dataset| &dataset.get_ref().slices);
            let span = slices.next().map_or(config.datasets[0].span(), Spanned::span);
            problems.push(Problem::at(span, error.to_string()));
        }
    }
    rescoring::check(config, &plan, &systems, problems);
    plan.systems = systems;
    conditional::check(&plan, config, problems);
    asking::check(&plan, problems);
    identity::identify_group(&mut plan);
    Some(plan)
}

fn label(config: &Config, problems: &mut Vec<Problem>) -> String {
    match &config.evaluation.label {
        Some(label) => {
            naming::check_name("label", &Spanned::new(label.span(), label.get_ref()), problems);
            label.get_ref().clone()
        }
        None => config
            .path
            .file_stem()
            .map_or_else(|| "evaluation".to_owned(), |stem| stem.to_string_lossy().into_owned()),
    }
}
