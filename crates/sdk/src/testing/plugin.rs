//! Everything that a plugin offers, tried.

use qeval_core::Case;

use super::{
    Check, DEPTH, check_examples, check_normalizer, check_reader, check_retriever, checks,
};
use crate::{
    Asked, Descriptor, Failure, Input, Merged, MetricDescriptor, Plugin, PluginDescriptor,
    PluginMetric, Role, Scorer, Scores, Setup, WorkedExample,
    instance::{AskedScorer, Column, Component},
};

/// For the test of a plugin: panics where it describes itself in a way that cannot be, or where
/// [`checks_of_plugin`] finds a problem. It is tried without options.
pub fn assert_plugin(plugin: &Plugin) {
    let descriptor = plugin.descriptor("");
    if let Err(error) = descriptor.check() {
        panic!("the plugin describes itself wrongly: {error}");
    }
    let scorer = |asked| Chosen::of(plugin, &descriptor, asked).map(|c| Box::new(c) as Box<_>);
    let checks = checks_of_plugin(&descriptor, scorer);
    let mut checks = checks.unwrap_or_else(|failure| panic!("a scorer cannot be made: {failure}"));
    checks.extend(checks_of_others(plugin, &descriptor));
    let problems: Vec<String> = checks.into_iter().flat_map(|check| check.problems).collect();
    assert!(problems.is_empty(), "the plugin has problems:\n- {}", problems.join("\n- "));
}

/// What was tried with all that is no scorer.
fn checks_of_others(plugin: &Plugin, descriptor: &PluginDescriptor) -> Vec<Check> {
    let normalizers = descriptor.normalizers.iter();
    let mut roles: Vec<Role> =
        normalizers.map(|normalizer| Role::Normalizer { name: normalizer.name.clone() }).collect();
    roles.extend(descriptor.retriever.as_ref().map(|_| Role::Retriever { depth: DEPTH }));
    roles.extend(descriptor.reader.as_ref().map(|_| Role::Reader));
    let tried = |role: Role| {
        let name = if let Role::Normalizer { name } = &role { name.clone() } else { String::new() };
        let setup = Setup { role, options: serde_json::Map::new() };
        let made = plugin.make(&setup);
        match made.unwrap_or_else(|failure| panic!("a component cannot be made: {failure}")) {
            Component::Normalizer(normalizer) => {
                let offered = descriptor.normalizers.iter().find(|offered| offered.name == name);
                let examples = offered.map_or(&[][..], |offered| &offered.examples);
                check_normalizer(&name, &*normalizer, examples)
            }
            Component::Retriever(retriever, _) => vec![check_retriever(&*retriever)],
            Component::Reader(reader) => vec![check_reader(&*reader)],
            Component::Scorer(_) => Vec::new(),
        }
    };
    roles.into_iter().flat_map(tried).collect()
}

/// What was tried with the scorer of a plugin, which `scorer` makes for the metrics that it is given:
/// all metrics with their defaults, those that worked examples name, and each parameter at the
/// limits of what it takes.
pub fn checks_of_plugin<S: Scorer + ?Sized, E>(
    descriptor: &PluginDescriptor,
    mut scorer: impl FnMut(Vec<Asked>) -> Result<Box<S>, E>,
) -> Result<Vec<Check>, E> {
    let mut told = Vec::new();
    if descriptor.metrics.is_empty() {
        return Ok(told);
    }
    let defaults = descriptor.metrics.iter().map(PluginMetric::with_defaults).collect();
    told.extend(checks(&*scorer(defaults)?));
    for metrics in chosen(&descriptor.examples) {
        let asked: Result<Vec<Asked>, String> =
            metrics.iter().map(|name| descriptor.ask(name)).collect();
        let check = match asked {
            Ok(asked) => {
                let scorer = scorer(asked)?;
                let check = check_examples(&*scorer, &scorer.examples());
                Check { what: format!("{} of {}", check.what, metrics.join(", ")), ..check }
            }
            Err(problem) => Check {
                what: format!("worked examples of {}", metrics.join(", ")),
                problems: vec![problem],
            },
        };
        told.push(check);
    }
    for metric in descriptor.metrics.iter().filter(|metric| !metric.parameters.is_empty()) {
        told.push(Check {
            what: format!("`{}` at the limits of its parameters", metric.name),
            problems: at_limits(descriptor, metric, &mut scorer)?,
        });
    }
    Ok(told)
}

/// The lists of metrics that worked examples name, each once.
fn chosen(examples: &[WorkedExample]) -> Vec<&[String]> {
    let mut chosen: Vec<&[String]> = Vec::new();
    for example in examples.iter().filter(|example| !example.metrics.is_empty()) {
        if !chosen.contains(&example.metrics.as_slice()) {
            chosen.push(&example.metrics);
        }
    }
    chosen
}

/// Hostile batches with each parameter at each end of what it takes.
fn at_limits<S: Scorer + ?Sized, E>(
    descriptor: &PluginDescriptor,
    metric: &PluginMetric,
    scorer: &mut impl FnMut(Vec<Asked>) -> Result<Box<S>, E>,
) -> Result<Vec<String>, E> {
    let mut problems = Vec::new();
    for parameter in &metric.parameters {
        for value in parameter.limits() {
            let name = format!("{}({}={value})", metric.name, parameter.name);
            match descriptor.ask(&name) {
                Ok(asked) => {
                    // The first check is that of the worked examples, which mean other values.
                    let checks = checks(&*scorer(vec![asked])?).into_iter().skip(1);
                    let found = checks.flat_map(|check| check.problems);
                    problems.extend(found.map(|problem| format!("`{name}`: {problem}")));
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    Ok(problems)
}

/// The worked examples that are about just these metrics.
pub fn examples_of(descriptor: &PluginDescriptor, asked: &[Asked]) -> Vec<WorkedExample> {
    let columns = || asked.iter().map(|asked| asked.column.as_str());
    let meant = |example: &&WorkedExample| {
        if example.metrics.is_empty() {
            columns().eq(descriptor.metrics.iter().map(|metric| metric.name.as_str()))
        } else {
            let named = example.metrics.iter().map(|name| descriptor.ask(name));
            named.eq(asked.iter().cloned().map(Ok))
        }
    };
    descriptor.examples.iter().filter(meant).cloned().collect()
}

/// A scorer of a plugin that gives the columns that were asked for, and no others.
struct Chosen {
    scorer: Box<dyn Scorer>,
    columns: Vec<Column>,
    metrics: Vec<MetricDescriptor>,
    inputs: Vec<Input>,
    examples: Vec<WorkedExample>,
}

impl Chosen {
    fn of(
        plugin: &Plugin,
        descriptor: &PluginDescriptor,
        asked: Vec<Asked>,
    ) -> Result<Self, Failure> {
        let examples = examples_of(descriptor, &asked);
        let setup =
            Setup { role: Role::Scorer { metrics: asked }, options: serde_json::Map::new() };
        let Component::Scorer(AskedScorer { scorer, columns, .. }) = plugin.make(&setup)? else {
            unreachable!("a scorer was asked for")
        };
        let metric = |column: &Column| MetricDescriptor {
            name: column.name.clone(),
            ..scorer.metrics()[column.metric].clone()
        };
        let metrics = columns.iter().map(metric).collect();
        Ok(Self { scorer, columns, metrics, inputs: descriptor.distinct_inputs(), examples })
    }
}

impl Scorer for Chosen {
    fn descriptor(&self) -> Descriptor {
        self.scorer.descriptor()
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn inputs(&self) -> Vec<Input> {
        self.inputs.clone()
    }

    fn examples(&self) -> Vec<WorkedExample> {
        self.examples.clone()
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let all = self.scorer.score(cases)?;
        let mut chosen = Scores::default();
        for (place, column) in self.columns.iter().enumerate() {
            chosen.columns.extend(all.columns.get(column.metric).cloned());
            chosen.statistics.extend(all.statistics.get(column.metric).cloned());
            let parts = all.parts.iter().filter(|part| part.metric == column.metric).cloned();
            chosen.parts.extend(parts.map(|part| crate::ScorePart { metric: place, ..part }));
        }
        Ok(chosen)
    }

    fn finish(&self, metric: usize, groups: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
        self.scorer.finish(self.columns[metric].metric, groups)
    }
}
