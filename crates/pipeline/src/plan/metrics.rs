//! The metrics of a plan: names to scorers, and what each of them needs.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use qeval_core::{
    Argument, Estimator, Family, METRICS, Metric, Need, Subject, column_name, metrics::verdict,
};
use qeval_loader::LoadedPlugin;
use qeval_sdk::{Asked, Input, MetricDescriptor, Scorer};
use qeval_store::ComponentInfo;
use serde_json::{Map, Value, json};
use toml::Spanned;

use super::{
    DatasetPlan, DiagnosisPlan, OnError, PlannedMetric,
    plugins::{self, Plugins, is_plugin_name},
};
use crate::{Config, Problem, builtin::metric::Metrics, problem::suggest};

/// Everything that computes scores.
#[derive(Default)]
#[expect(clippy::struct_field_names, reason = "the scorers are one part of it among others")]
pub(super) struct Scorers {
    pub(super) scorers: Vec<Arc<dyn Scorer>>,
    pub(super) components: Vec<ComponentInfo>,
    /// What a failure costs of a scorer of a plugin, by its index.
    pub(super) on_error: BTreeMap<usize, OnError>,
    pub(super) metrics: Vec<PlannedMetric>,
    /// What some of them pool.
    pub(super) statistics: Vec<PlannedMetric>,
    /// For each metric where the file names it, and what it needs.
    named: Vec<(Range<usize>, Vec<Need>)>,
    inputs: Vec<Input>,
}

/// The parts of a file that metrics may need.
pub(super) struct Parts<'a> {
    pub(super) datasets: &'a [DatasetPlan],
    pub(super) has_corpus: bool,
    pub(super) has_retriever: bool,
    /// How many hits the retriever with the fewest is asked for.
    pub(super) depth: Option<usize>,
    pub(super) has_reader: bool,
}

/// Finds a scorer for every metric of the file.
pub(super) fn scorers(config: &Config, plugins: &Plugins, problems: &mut Vec<Problem>) -> Scorers {
    let section = config.metrics.get_ref();
    let mut found = Scorers::default();
    for (names, subject) in
        [(&section.retrieval, Subject::Retrieval), (&section.answer, Subject::Answer)]
    {
        let mut builtin: Vec<Metric> = Vec::new();
        // Which of them only a family has named so far.
        let mut of_family = Vec::new();
        let mut order = Vec::new();
        for name in names {
            let plugin = name.get_ref().split_once('.').and_then(|(plugin, _)| plugins.get(plugin));
            if let Some(plugin) = plugin {
                let metric = plugin.as_ref().and_then(|plugin| {
                    Some((plugin, plugins::metric(name, plugin, subject, problems)?))
                });
                let named = |(plugin, asked)| Named::Plugin(name.span(), plugin, asked);
                order.extend(metric.map(named));
                continue;
            }
            let family = Family::named(name.get_ref()).is_some();
            for metric in builtin_metrics(name, subject, config, problems) {
                // A family may stand beside one of its metrics, which is computed once.
                match builtin.iter().position(|known| *known == metric) {
                    Some(known) if family || of_family[known] => {
                        of_family[known] &= family;
                        continue;
                    }
                    _ => {}
                }
                order.push(Named::BuiltIn(name.span(), builtin.len()));
                of_family.push(family);
                builtin.push(metric);
            }
        }
        found.add(config, builtin, order, problems);
    }
    if section.retrieval.is_empty() && section.answer.is_empty() {
        let problem = Problem::at(config.metrics.span(), "`[metrics]` names no metric");
        problems.push(problem.hint("for example `answer = [\"EM\", \"F1\"]`"));
    }
    found
}

/// A metric of the file before its scorer has an index.
enum Named<'a> {
    /// Where it is named, and its index among the built-in ones.
    BuiltIn(Range<usize>, usize),
    /// Where it is named, its plugin, and what that is asked for.
    Plugin(Range<usize>, &'a LoadedPlugin, Asked),
}

impl Scorers {
    fn add(
        &mut self,
        config: &Config,
        builtin: Vec<Metric>,
        order: Vec<Named<'_>>,
        problems: &mut Vec<Problem>,
    ) {
        let metrics = builtin.clone();
        let builtin_scorer = self.scorers.len();
        let builtin = Metrics::new(builtin);
        let places: Vec<usize> = (0..metrics.len()).map(|index| builtin.place(index)).collect();
        if !metrics.is_empty() {
            self.scorers.push(Arc::new(builtin));
        }
        let made = self.plugin_scorers(config, &order, problems);
        for named in order {
            let (span, scorer, index, parameters, needs, statistics) = match named {
                Named::BuiltIn(span, index) => {
                    let metric = &metrics[index];
                    let needs = metric.definition().needs.to_vec();
                    let statistics = metric.pooled().map_or(&[][..], |pooled| pooled.names);
                    let place = places[index];
                    (span, builtin_scorer, place, parameters(metric), needs, statistics)
                }
                Named::Plugin(span, plugin, asked) => {
                    // That one could not be made is said already.
                    let Some(&scorer) = made.get(plugin.name.as_str()) else { continue };
                    let needs = needs_of(&self.scorers[scorer].inputs());
                    let name = format!("{}.{}", plugin.name, asked.column);
                    let mut metrics = self.scorers[scorer].metrics().iter();
                    let index = metrics.position(|metric| metric.name == name);
                    let index = index.expect("it was made with this metric");
                    (span, scorer, index, plugins::parameters(&asked), needs, &[][..])
                }
            };
            let descriptor = self.scorers[scorer].metrics()[index].clone();
            let column = column_name(&descriptor.name);
            if self.metrics.iter().any(|metric| metric.column == column) {
                let message = format!("the metric `{}` is named twice", descriptor.name);
                problems.push(Problem::at(span, message).hint("name it once"));
                continue;
            }
            for (name, place) in statistics.iter().zip(index + 1..) {
                self.statistics.push(PlannedMetric {
                    column: format!("{column}_{name}"),
                    scorer,
                    index: place,
                    descriptor: self.scorers[scorer].metrics()[place].clone(),
                    statistic_of: Some(column.clone()),
                    parameters: Map::new(),
                    reads: reads(&needs),
                });
            }
            self.metrics.push(PlannedMetric {
                column,
                scorer,
                index,
                descriptor,
                statistic_of: None,
                parameters,
                reads: reads(&needs),
            });
            self.named.push((span, needs));
        }
    }

    /// Makes the scorers of plugins with all that is asked of them; for each plugin the index of its
    /// scorer.
    fn plugin_scorers<'a>(
        &mut self,
        config: &Config,
        order: &[Named<'a>],
        problems: &mut Vec<Problem>,
    ) -> BTreeMap<&'a str, usize> {
        let mut asked_of: BTreeMap<&str, (&Range<usize>, &LoadedPlugin, Vec<Asked>)> =
            BTreeMap::new();
        for named in order {
            let Named::Plugin(span, plugin, asked) = named else { continue };
            let all = asked_of.entry(&plugin.name).or_insert((span, plugin, Vec::new()));
            if all.2.iter().all(|other| other.column != asked.column) {
                all.2.push(asked.clone());
            }
        }
        let mut made = BTreeMap::new();
        for (name, (span, plugin, asked)) in asked_of {
            match plugin.scorer(asked) {
                Ok(scorer) => {
                    self.inputs.extend(scorer.inputs());
                    made.insert(name, self.scorers.len());
                    let section = plugins::section(config, name);
                    let on_error = plugins::on_error(section).unwrap_or_default();
                    self.on_error.insert(self.scorers.len(), on_error);
                    self.scorers.push(scorer);
                    let info = plugins::info(plugin, section);
                    if !self.components.contains(&info) {
                        self.components.push(info);
                    }
                }
                Err(error) => problems.push(Problem::at(span.clone(), error.to_string())),
            }
        }
        made
    }

    /// Columns of the dataset that metrics cannot do without, each once.
    pub(super) fn columns(&self) -> BTreeSet<String> {
        let of_plugins = self.inputs.iter().filter_map(|input| match input {
            Input::Column(name) => Some(name.clone()),
            _ => None,
        });
        let own = self.needs().filter_map(|need| match need {
            Need::Column(name) => Some((*name).to_owned()),
            _ => None,
        });
        of_plugins.chain(own).collect()
    }

    /// Columns of the dataset that metrics use where there are any.
    pub(super) fn optional_columns(&self) -> BTreeSet<String> {
        let optional = self.needs().filter_map(|need| match need {
            Need::OptionalColumn(name) => Some((*name).to_owned()),
            _ => None,
        });
        optional.collect()
    }

    /// Labels that metrics read from the predictions.
    pub(super) fn labels(&self) -> BTreeSet<String> {
        let labels = self.needs().filter_map(|need| match need {
            Need::Label(verdict::LABEL) => None,
            Need::Label(name) => Some((*name).to_owned()),
            _ => None,
        });
        labels.collect()
    }

    /// What metrics read beside the text of answers.
    pub(super) fn reads(&self) -> Vec<Need> {
        self.metrics.iter().flat_map(|metric| metric.reads.iter().copied()).collect()
    }

    fn needs(&self) -> impl Iterator<Item = &Need> {
        self.named.iter().flat_map(|(_, needs)| needs)
    }

    /// Whether any metric reads the subtopics of queries.
    pub(super) fn need_subtopics(&self) -> bool {
        self.needs().any(|need| *need == Need::Subtopics)
    }

    /// Whether any metric of judged passages counts units of this name.
    pub(super) fn count(&self, unit: &str) -> bool {
        let mut metrics = self.metrics.iter().zip(&self.named);
        metrics.any(|(metric, (_, needs))| {
            needs.contains(&Need::Judgments)
                && metric.parameters.get("unit").is_some_and(|value| value == unit)
        })
    }

    /// Whether any metric scores answers.
    pub(super) fn score_answers(&self) -> bool {
        self.metrics.iter().any(|metric| metric.descriptor.subject == Subject::Answer)
    }

    /// Refuses metrics whose needs the file does not meet.
    pub(super) fn check_needs(&self, parts: &Parts<'_>, problems: &mut Vec<Problem>) {
        for (metric, (span, needs)) in self.metrics.iter().zip(&self.named) {
            let name = &metric.descriptor.name;
            let mut refuse = |what: &str, hint: String| {
                let message = format!("`{name}` {what}");
                problems.push(Problem::at(span.clone(), message).hint(hint));
            };
            match metric.descriptor.subject {
                Subject::Retrieval if !parts.has_retriever => {
                    refuse("needs a retriever", "declare one as `[retriever]`".to_owned());
                    continue;
                }
                Subject::Answer if !parts.has_reader => {
                    refuse("needs a reader", "declare one as `[reader]`".to_owned());
                    continue;
                }
                _ => {}
            }
            if let Some(depth) = parts.depth.filter(|&depth| cutoff(name) > depth) {
                refuse(
                    &format!("looks at more hits than the {depth} that are requested"),
                    "raise `depth` in `[retriever]`".to_owned(),
                );
            }
            for need in needs {
                let unmet = |dataset| unmet(*need, dataset, parts, &metric.descriptor);
                if let Some((what, hint)) = parts.datasets.iter().find_map(unmet) {
                    refuse(&what, hint);
                }
            }
        }
    }

    /// The metric that says when an answer is right: the one that the file names, else `EM`.
    pub(super) fn diagnosis(
        &self,
        config: &Config,
        problems: &mut Vec<Problem>,
    ) -> Option<DiagnosisPlan> {
        let answers = || {
            let metrics = self.metrics.iter().enumerate();
            metrics.filter(|(_, metric)| metric.descriptor.subject == Subject::Answer)
        };
        let Some(section) = &config.diagnosis else {
            let (metric, _) = answers().find(|(_, metric)| metric.descriptor.name == "EM")?;
            return Some(DiagnosisPlan { metric, at_least: 1.0 });
        };
        let section = section.get_ref();
        let name = section.right.get_ref();
        let wanted = name.parse::<Metric>().map_or_else(|_| name.clone(), |m| m.to_string());
        let Some((metric, planned)) =
            answers().find(|(_, metric)| metric.descriptor.name == wanted)
        else {
            let message = format!("`right` is `{name}`, which is none of the answer metrics");
            let hint = suggest(
                name,
                answers().map(|(_, m)| m.descriptor.name.as_str()).collect::<Vec<_>>(),
            );
            problems.push(Problem::at(section.right.span(), message).maybe_hint(hint));
            return None;
        };
        if !planned.descriptor.higher_is_better
            || !matches!(planned.descriptor.estimator, Estimator::Mean)
        {
            let message = format!("`{name}` cannot say when one answer is right");
            problems.push(Problem::at(section.right.span(), message));
        }
        let at_least = section.at_least.as_ref().map_or(1.0, |value| *value.get_ref());
        let (low, high) = planned.descriptor.range;
        if !(at_least > low && at_least <= high) {
            let message = format!("`at_least` is `{at_least}`, which decides nothing");
            let hint = format!("`{name}` is from {low} to {high}");
            let span = section.at_least.as_ref().map_or(section.right.span(), Spanned::span);
            problems.push(Problem::at(span, message).hint(hint));
        }
        Some(DiagnosisPlan { metric, at_least })
    }
}

/// Those needs that are met by the answers.
fn reads(needs: &[Need]) -> Vec<Need> {
    let beside_text = |need: &&Need| matches!(need, Need::Label(_) | Need::Confidence);
    needs.iter().filter(beside_text).copied().collect()
}

/// The labels that any metric reads.
pub(super) fn known_labels() -> BTreeSet<&'static str> {
    let needs = METRICS.iter().flat_map(|metric| metric.needs);
    let labels = needs.filter_map(|need| match need {
        // It has a field of its own.
        Need::Label(verdict::LABEL) => None,
        Need::Label(name) => Some(*name),
        _ => None,
    });
    labels.collect()
}

/// The cutoff of a built-in metric; 0 for one without.
fn cutoff(name: &str) -> usize {
    let metric = name.parse::<Metric>().ok();
    metric.and_then(|metric| metric.cutoff()).map_or(0, |cutoff| cutoff as usize)
}

/// What one of the datasets lacks, and a hint.
fn unmet(
    need: Need,
    dataset: &DatasetPlan,
    parts: &Parts<'_>,
    metric: &MetricDescriptor,
) -> Option<(String, String)> {
    let lacks = |what: &str, lack: &str| match parts.datasets {
        [_] => format!("needs {what}, and the dataset {lack}"),
        _ => format!("needs {what}, and the dataset `{}` {lack}", dataset.name),
    };
    match need {
        Need::Judgments if !dataset.has_gold && dataset.qrels.is_none() => {
            let answer = answer_metric(&metric.name);
            Some((
                lacks("relevant passages", "names none"),
                format!(
                    "map them (`fields = {{ gold_passages = \"...\" }}`) or give `qrels` in \
                     `[dataset]`{answer}"
                ),
            ))
        }
        Need::Subtopics if dataset.qrels.is_none() => Some((
            lacks("judgments on subtopics", "has none"),
            "give them as `qrels` in `[dataset]`: lines `query subtopic passage grade`".to_owned(),
        )),
        Need::PassageTexts if !parts.has_corpus => Some((
            "needs the texts of the passages".to_owned(),
            "declare the passages as `[corpus]`".to_owned(),
        )),
        Need::Groups if !dataset.has_groups => Some((
            lacks("examples that belong to dialogs", "has none"),
            "map their column: `fields = { group = \"...\" }` in `[dataset]`".to_owned(),
        )),
        Need::References if !dataset.source.format.has_references() => Some((
            lacks("references", "has none"),
            format!("the format `{}` holds questions alone", dataset.source.format.name()),
        )),
        _ => None,
    }
}

/// What to use where a text says Recall@k and means whether the answer was retrieved.
fn answer_metric(name: &str) -> String {
    let Ok(metric) = name.parse::<Metric>() else { return String::new() };
    let cutoff = metric.cutoff().unwrap_or(100);
    match metric.definition().name {
        "Recall" | "Success" => {
            format!(
                "; without them `AnswerRecall@{cutoff}` asks whether a passage holds the answer"
            )
        }
        "MRR" => format!("; without them `AnswerMRR@{cutoff}` asks how early the answer comes"),
        _ => String::new(),
    }
}

fn needs_of(inputs: &[Input]) -> Vec<Need> {
    let needs = inputs.iter().filter_map(|input| match input {
        Input::References => Some(Need::References),
        Input::GoldPassages | Input::Grades => Some(Need::Judgments),
        Input::Passages => Some(Need::PassageTexts),
        _ => None,
    });
    needs.collect()
}

fn builtin_metrics(
    name: &Spanned<String>,
    subject: Subject,
    config: &Config,
    problems: &mut Vec<Problem>,
) -> Vec<Metric> {
    let metrics = match Metric::parse_list(name.get_ref()) {
        Ok(metrics) => metrics,
        Err(error) => {
            let hint = plugin_hint(name.get_ref(), config).or(error.hint);
            problems.push(Problem::at(name.span(), error.message).maybe_hint(hint));
            return Vec::new();
        }
    };
    if let Some(metric) = metrics.iter().find(|metric| metric.definition().subject != subject) {
        problems.push(misplaced(name, &metric.to_string(), subject));
        return Vec::new();
    }
    metrics
}

/// What to do about a name that looks like a metric of a plugin that is not declared.
fn plugin_hint(name: &str, config: &Config) -> Option<String> {
    let (prefix, _) = name.split_once('.')?;
    if !is_plugin_name(prefix) {
        return None;
    }
    let family = format!("{prefix}.");
    if METRICS.iter().any(|metric| metric.name.starts_with(&family)) {
        return None;
    }
    let plugins: Vec<&str> =
        config.plugins.iter().map(|plugin| plugin.get_ref().name.get_ref().as_str()).collect();
    let declare = || format!("declare it: `[[plugin]]` with `name = \"{prefix}\"`");
    let hint = suggest(prefix, plugins).unwrap_or_else(declare);
    Some(format!("no plugin has the name `{prefix}`: {hint}"))
}

pub(super) fn misplaced(name: &Spanned<String>, metric: &str, subject: Subject) -> Problem {
    let (scores, list) = match subject {
        Subject::Retrieval => ("answers", "answer"),
        Subject::Answer => ("rankings", "retrieval"),
    };
    Problem::at(name.span(), format!("`{metric}` scores {scores}"))
        .hint(format!("name it in the list `{list}` of `[metrics]`"))
}

fn parameters(metric: &Metric) -> Map<String, Value> {
    let arguments = metric.arguments().map(|(name, argument)| {
        let value = match argument {
            Argument::Integer(value) => json!(value),
            Argument::Number(value) => json!(value),
            Argument::Choice(value) => json!(value),
            Argument::Gains(value) => json!(value.to_string()),
        };
        (name.to_owned(), value)
    });
    arguments.chain(metric.cutoff().map(|cutoff| ("cutoff".to_owned(), json!(cutoff)))).collect()
}
