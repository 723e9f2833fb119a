//! `qeval plugin check`: a plugin is opened, described, tried and measured.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    os::unix::fs::PermissionsExt,
    path::{self, Path},
    time::Duration,
};

use anyhow::{Result, bail};
use qeval_loader::{BEGINNING, Carriage, LoadedPlugin, PluginSpec, check};
use qeval_pipeline::Surroundings;

use crate::{args::CheckPlugin, exit_code::BadRequest, terminal};

/// The name that the plugin has here; what it says of itself stands beside it.
const NAME: &str = "plugin";

pub(crate) fn run(args: &CheckPlugin) -> Result<()> {
    let session = crate::stop::session()?;
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
        0 if checks.is_empty() => bail!("nothing was tried: the plugin offers nothing"),
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
    let carriage = carriage(args, surroundings, &path)?;
    Ok(PluginSpec {
        name: NAME.to_owned(),
        carriage,
        path,
        sha256: None,
        deadline,
        beginning: deadline.max(BEGINNING),
        workers: 1,
        options,
    })
}

/// How it is carried, with what the file of an evaluation can say of that.
fn carriage(args: &CheckPlugin, surroundings: &Surroundings, path: &Path) -> Result<Carriage> {
    let bad = |message: &str, hint: &str| BadRequest {
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
    };
    let program = qeval_loader::is_program(path);
    for (flag, given) in
        [("--interpreter", !args.interpreter.is_empty()), ("--args", !args.args.is_empty())]
    {
        if given && !program {
            let message =
                format!("`{flag}` belongs to a program, and the path is that of a library");
            return Err(bad(&message, "leave it out").into());
        }
    }
    let limited = args.memory_mb.is_some() || !args.environment.is_empty();
    if args.in_process && (limited || program) {
        let message = "`--in-process` belongs to a library that needs no limit and no variable";
        return Err(bad(message, "leave it out").into());
    }
    if program && args.interpreter.is_empty() && !is_executable(path) {
        let message = format!("`{}` is no executable file", path.display());
        let hint =
            "name what runs it, such as `--interpreter /usr/bin/python3`, or make it executable";
        return Err(bad(&message, hint).into());
    }
    let mut environment = BTreeMap::new();
    for name in &args.environment {
        let Some(value) = (surroundings.variable)(name) else {
            let message = format!("the environment variable `{name}` is not set");
            return Err(bad(&message, "set it, or leave `--environment` out").into());
        };
        environment.insert(name.into(), value.into());
    }
    let memory = args.memory_mb.map(|millions| millions.get().saturating_mul(1_000_000));
    let mut carriage = surroundings.carriage(path, &interpreter(args)?, args.in_process);
    if let Carriage::Isolated(command) | Carriage::Program(command) = &mut carriage {
        command.args.extend(args.args.iter().map(Into::into));
        command.environment = environment;
        command.memory = memory.or(command.memory);
    }
    Ok(carriage)
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

/// The first is a path, which the folder that the program is started in does not change.
fn interpreter(args: &CheckPlugin) -> Result<Vec<String>> {
    let mut words = args.interpreter.clone();
    if let Some(first) = words.first_mut() {
        *first = path::absolute(&*first)?.to_string_lossy().into_owned();
    }
    Ok(words)
}
