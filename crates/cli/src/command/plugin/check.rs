//! `qeval plugin check`: a plugin is opened, described, tried and measured.

use std::{fmt::Write as _, path, time::Duration};

use anyhow::{Result, bail};
use qeval_loader::{LoadedPlugin, PluginSpec, check};
use qeval_pipeline::{Session, Surroundings};

use crate::{args::CheckPlugin, exit_code::BadRequest, terminal};

/// The name that the plugin has here; what it says of itself stands beside it.
const NAME: &str = "plugin";

/// The least time that it has for beginning.
const BEGINNING: Duration = Duration::from_secs(30);

pub(crate) fn run(args: &CheckPlugin) -> Result<()> {
    let session = Session::start()?;
    let surroundings = session.surroundings(std::env::current_exe()?, terminal::variable);
    let plugin = qeval_loader::load(&spec(args, &surroundings)?, &surroundings.runtime)?;
    super::super::print(&describe(&plugin))?;
    let checks = check::check(&plugin)?;
    let mut text = "\nchecks\n".to_owned();
    for check in &checks {
        let state = if check.problems.is_empty() { "ok" } else { "FAILED" };
        let _ = writeln!(text, "  {state:<7} {}", check.what);
        for problem in &check.problems {
            let _ = writeln!(text, "          {}", terminal::printable(problem));
        }
    }
    let problems: usize = checks.iter().map(|check| check.problems.len()).sum();
    super::super::print(&text)?;
    if args.cases > 0 && !plugin.descriptor.metrics.is_empty() {
        super::super::print(&speeds(&plugin, args.cases)?)?;
    }
    match problems {
        0 => super::super::print("\nno problem was found\n"),
        1 => bail!("the plugin has a problem, see above"),
        _ => bail!("the plugin has {problems} problems, see above"),
    }
}

fn speeds(plugin: &LoadedPlugin, cases: usize) -> Result<String> {
    let scorer = plugin.scorer(&check::defaults(&plugin.descriptor))?;
    let mut text = format!("\nspeed: {cases} cases with short texts, on one thread\n");
    for speed in check::speeds(&*scorer, cases)? {
        let seconds = speed.time.as_secs_f64();
        let _ = writeln!(
            text,
            "  batches of {:>4}: {:>10.0} cases a second, {:.2} µs each",
            speed.batch,
            speed.cases as f64 / seconds,
            seconds / speed.cases as f64 * 1e6
        );
    }
    Ok(text)
}

/// What the plugin says of itself.
fn describe(plugin: &LoadedPlugin) -> String {
    let descriptor = &plugin.descriptor;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name:<11} {}", terminal::printable(value));
        }
    };
    line("plugin", &format!("{} {}", descriptor.name, descriptor.version));
    line("summary", &descriptor.summary);
    line("authors", &descriptor.authors);
    line("file", &plugin.file.display().to_string());
    line("sha256", &plugin.sha256);
    line("interface", &plugin.interface.to_string());
    line("kit", &descriptor.sdk);
    let inputs: Vec<String> =
        descriptor.distinct_inputs().iter().map(ToString::to_string).collect();
    line("reads", &inputs.join(", "));
    for metric in &descriptor.metrics {
        let (low, high) = metric.range();
        let better = if metric.higher_is_better { "higher" } else { "lower" };
        let range = format!("{low} to {high}, {better} is better");
        line("metric", &format!("{} ({range}): {}", metric.name, metric.summary));
        for parameter in &metric.parameters {
            let (default, summary) = (parameter.default(), &parameter.summary);
            line("", &format!("  {}={default}: {summary}", parameter.name));
        }
    }
    for normalizer in &descriptor.normalizers {
        line("normalizer", &format!("{}: {}", normalizer.name, normalizer.summary));
    }
    for (name, component) in [("retriever", &descriptor.retriever), ("reader", &descriptor.reader)]
    {
        if let Some(component) = component {
            line(name, &component.summary);
        }
    }
    text
}

fn spec(args: &CheckPlugin, surroundings: &Surroundings) -> Result<PluginSpec> {
    let bad = |message: String, hint: &str| BadRequest { message, hint: Some(hint.to_owned()) };
    let options = serde_json::from_str(&args.options).map_err(|error| {
        bad(format!("`--options` is no JSON object: {error}"), "for example '{\"limit\": 3}'")
    })?;
    let deadline = Duration::try_from_secs_f64(args.timeout_s)
        .ok()
        .filter(|deadline| !deadline.is_zero())
        .ok_or_else(|| bad(format!("`--timeout-s` is {}", args.timeout_s), "above 0"))?;
    let path = path::absolute(&args.path)?;
    Ok(PluginSpec {
        name: NAME.to_owned(),
        carriage: surroundings.carriage(&path, &interpreter(args)?, args.in_process),
        path,
        sha256: None,
        deadline,
        beginning: deadline.max(BEGINNING),
        workers: 1,
        options,
    })
}

/// The first is a path, which the folder that the program is started in does not change.
fn interpreter(args: &CheckPlugin) -> Result<Vec<String>> {
    let mut words = args.interpreter.clone();
    if let Some(first) = words.first_mut() {
        *first = path::absolute(&*first)?.to_string_lossy().into_owned();
    }
    Ok(words)
}
