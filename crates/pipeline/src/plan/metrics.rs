//! The metrics of a plan: names to scorers, and what each of them needs.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use qeval_core::{Family, METRICS, Metric, Need, Subject, column_name, metrics::verdict};
use qeval_sdk::{Asked, Input, MetricDescriptor, Scorer, is_name};
use qeval_store::ComponentInfo;
use serde_json::Map;
use toml::Spanned;

use super::{
    OnError, PlannedMetric, arguments,
    columns::statistic_column,
    conditional::{self, Pending, When},
    needs::{Parts, needs_of, reads, unmet},
    plugins::{self, Declared, Plugins},
};
use crate::{Config, Problem, problem::suggest};

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
    /// Where a scorer is asked, by its index; without a condition everywhere.
    pub(super) when: BTreeMap<usize, When>,
    /// The scorers in the order in which they are asked.
    pub(super) order: Vec<usize>,
    /// For each metric where the file names it, and what it needs.
    named: Vec<(Range<usize>, Vec<Need>)>,
    inputs: Vec<Input>,
}

/// Finds a scorer for every metric of the file.
pub(super) fn scorers(config: &Config, plugins: &Plugins, problems: &mut Vec<Problem>) -> Scorers {
    let section = config.metrics.get_ref();
    let mut found = Scorers::default();
    for (names, subject) in
        [(&section.retrieval, Subject::Retrieval), (&section.answer, Subject::Answer)]
    {
        let (builtin, order) = ordered(names, subject, config, plugins, problems);
        found.add(&builtin, order, plugins, problems);
    }
    let mut pending = Vec::new();
    for section in &config.scorers {
        let names = std::slice::from_ref(&section.get_ref().metric);
        let (first, mut tried) = (found.scorers.len(), Vec::new());
        let of_rankings = ordered(names, Subject::Retrieval, config, plugins, &mut tried);
        let (builtin, order) = if tried.is_empty() && !of_rankings.1.is_empty() {
            of_rankings
        } else {
            ordered(names, Subject::Answer, config, plugins, problems)
        };
        found.add(&builtin, order, plugins, problems);
        let scorers = first..found.scorers.len();
        pending.extend(section.get_ref().when.as_ref().map(|when| Pending { scorers, when }));
    }
    conditional::conditions(&mut found, config, &pending, problems);
    if section.retrieval.is_empty() && section.answer.is_empty() && config.scorers.is_empty() {
        let problem = Problem::at(config.metrics.span(), "`[metrics]` names no metric");
        problems.push(problem.hint("for example `answer = [\"EM\", \"F1\"]`"));
    }
    found
}

/// The metrics of a list, in its order, with the built-in ones among them.
fn ordered<'a>(
    names: &[Spanned<String>],
    subject: Subject,
    config: &Config,
    plugins: &'a Plugins,
    problems: &mut Vec<Problem>,
) -> (Vec<Metric>, Vec<Named<'a>>) {
    let mut builtin: Vec<Metric> = Vec::new();
    // Which of them only a family has named so far.
    let mut of_family = Vec::new();
    let mut order = Vec::new();
    for name in names {
        let plugin = name.get_ref().split_once('.').and_then(|(plugin, _)| plugins.get(plugin));
        if let Some(plugin) = plugin {
            let metric = plugin.as_ref().and_then(|plugin| {
                Some((plugin, plugins::metric(name, &plugin.plugin, subject, problems)?))
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
    (builtin, order)
}

/// A metric of the file before its scorer has an index.
enum Named<'a> {
    /// Where it is named, and its index among the built-in ones.
    BuiltIn(Range<usize>, usize),
    /// Where it is named, its plugin, and what that is asked for.
    Plugin(Range<usize>, &'a Declared, Asked),
}

impl Named<'_> {
    /// Where a built-in metric is named.
    fn built_in(&self) -> Option<&Range<usize>> {
        match self {
            Self::BuiltIn(span, _) => Some(span),
            Self::Plugin(..) => None,
        }
    }
}

impl Scorers {
    fn add(
        &mut self,
        metrics: &[Metric],
        order: Vec<Named<'_>>,
        plugins: &Plugins,
        problems: &mut Vec<Problem>,
    ) {
        let spans: Vec<&Range<usize>> = order.iter().filter_map(Named::built_in).collect();
        let places = self.built_in_scorers(metrics, &spans, plugins, problems);
        let made = self.plugin_scorers(&order, problems);
        for named in order {
            let (span, scorer, index, parameters, needs, statistics) = match named {
                Named::BuiltIn(span, index) => {
                    let metric = &metrics[index];
                    // That its normalizer could not be made is said already.
                    let Some((scorer, place)) = places[index] else { continue };
                    let needs = metric.definition().needs.to_vec();
                    let statistics = metric.pooled().map_or(&[][..], |pooled| pooled.names);
                    (span, scorer, place, arguments::built_in(metric), needs, statistics)
                }
                Named::Plugin(span, plugin, asked) => {
                    // That one could not be made is said already.
                    let Some(&scorer) = made.get(plugin.plugin.name.as_str()) else { continue };
                    let all = self.scorers[scorer].inputs();
                    let name = format!("{}.{}", plugin.plugin.name, asked.column);
                    let mut metrics = self.scorers[scorer].metrics().iter();
                    let index = metrics.position(|metric| metric.name == name);
                    let index = index.expect("it was made with this metric");
                    let own = &self.scorers[scorer].metrics()[index].inputs;
                    let needs = needs_of(if own.is_empty() { &all } else { own });
                    (span, scorer, index, arguments::of_plugin(&asked), needs, &[][..])
                }
            };
            let descriptor = self.scorers[scorer].metrics()[index].clone();
            let column = column_name(&descriptor.name);
            if self.metrics.iter().any(|metric| metric.column == column) {
                let message = format!("the metric `{}` is named twice", descriptor.name);
                problems.push(Problem::at(span, message).hint("name it once"));
                continue;
            }
            self.plugin_statistics(scorer, index, &column, &descriptor, &needs);
            for (name, place) in statistics.iter().zip(index + 1..) {
                self.statistics.push(PlannedMetric {
                    column: format!("{column}_{name}"),
                    scorer,
                    index: place,
                    descriptor: self.scorers[scorer].metrics()[place].clone(),
                    statistic_of: Some(column.clone()),
                    statistic: None,
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
                statistic: None,
                parameters,
                reads: reads(&needs),
            });
            self.named.push((span, needs));
        }
    }

    /// The columns of what a metric of a plugin pools.
    fn plugin_statistics(
        &mut self,
        scorer: usize,
        index: usize,
        column: &str,
        metric: &MetricDescriptor,
        needs: &[Need],
    ) {
        let statistics = metric.statistics.iter().enumerate();
        self.statistics.extend(statistics.map(|(place, statistic)| PlannedMetric {
            column: statistic_column(column, &statistic.name),
            scorer,
            index,
            descriptor: MetricDescriptor {
                name: format!("{}, {}", metric.name, statistic.name),
                summary: format!("a statistic of {}", metric.name),
                range: (f64::NEG_INFINITY, f64::INFINITY),
                statistics: Vec::new(),
                ..metric.clone()
            },
            statistic_of: Some(column.to_owned()),
            statistic: Some(place),
            parameters: Map::new(),
            reads: reads(needs),
        }));
    }

    /// Makes the scorers of plugins with all that is asked of them; for each plugin the index of its
    /// scorer.
    fn plugin_scorers<'a>(
        &mut self,
        order: &[Named<'a>],
        problems: &mut Vec<Problem>,
    ) -> BTreeMap<&'a str, usize> {
        let mut asked_of: BTreeMap<&str, (&Range<usize>, &Declared, Vec<Asked>)> = BTreeMap::new();
        for named in order {
            let Named::Plugin(span, plugin, asked) = named else { continue };
            let all = asked_of.entry(&plugin.plugin.name).or_insert((span, plugin, Vec::new()));
            if all.2.iter().all(|other| other.column != asked.column) {
                all.2.push(asked.clone());
            }
        }
        let mut made = BTreeMap::new();
        for (name, (span, plugin, asked)) in asked_of {
            match plugin.plugin.scorer(&asked) {
                Ok(scorer) => {
                    self.inputs.extend(scorer.inputs());
                    made.insert(name, self.scorers.len());
                    self.on_error.insert(self.scorers.len(), plugin.on_error);
                    self.scorers.push(scorer);
                    if !self.components.contains(&plugin.info) {
                        self.components.push(plugin.info.clone());
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
        if !planned.descriptor.higher_is_better || !planned.descriptor.is_mean() {
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

/// When an answer is right.
#[derive(Clone, Debug)]
pub struct DiagnosisPlan {
    /// Index of the metric that says so.
    pub metric: usize,
    /// The score from which on it is right.
    pub at_least: f64,
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
    if !is_name(prefix) {
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
