//! `qeval score`: metrics on two files without a configuration.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use qeval_pipeline::{
    Config, OfficialError, Problems, RunOptions, SCRIPTS, ScriptOptions, TrecJudgments,
    TrecOptions, TrecVersion, config::ScoredFiles,
};

use tempfile::TempDir;

use crate::{
    args::Score,
    evaluation,
    exit_code::BadRequest,
    progress,
    stdin::{Stdin, temporary},
};

pub(crate) fn run(args: &Score) -> Result<()> {
    if let Some(script) = &args.official {
        return official_of(script, args);
    }
    scored(args)
}

/// What the script of that name prints of the files that it takes.
fn official_of(script: &str, args: &Score) -> Result<()> {
    let given = Stdin::default();
    let wrong = |message: String, hint: &str| {
        Err(BadRequest { message, hint: Some(hint.to_owned()) }.into())
    };
    if let Some(version) = TrecVersion::named(script) {
        let (Some(qrels), Some(run), None, None) =
            (&args.qrels, &args.run, &args.dataset, &args.predictions)
        else {
            let message = format!("the script `{script}` takes judgments and a run");
            return wrong(message, "give `--qrels` and `--run`, and no other file");
        };
        let (qrels, run) = (given.file(qrels)?, given.file(run)?);
        let options = trec_options(args, &given)?;
        let text = qeval_pipeline::trec_eval(version, &qrels, &run, &options);
        return super::print(&text.map_err(unreadable)?);
    }
    if !SCRIPTS.iter().any(|known| known.name == script) {
        return Err(no_script(OfficialError::unknown(script)));
    }
    if args.run.is_some() || !args.metrics.is_empty() || args.trec.given() {
        let message = format!("the script `{script}` takes no run, no metric and no such option");
        return wrong(message, "only `trec_eval` and `trec_eval10` do");
    }
    if let Some(predictions) = &args.predictions {
        let options = ScriptOptions {
            na_prob_file: args.na_prob_file.clone(),
            na_prob_thresh: args.na_prob_thresh,
            pr_curves: args.pr_curves,
        };
        let dataset = given.maybe(args.dataset.as_deref())?;
        return official(script, dataset.as_deref(), &given.file(predictions)?, &options);
    }
    wrong(format!("the script `{script}` needs predictions"), "give `--predictions`")
}

fn trec_options(args: &Score, given: &Stdin) -> Result<TrecOptions> {
    let options = &args.trec;
    let judgments = options.judgments.as_deref().and_then(TrecJudgments::named);
    Ok(TrecOptions {
        topics: options.queries,
        complete: options.complete,
        level: options.level.unwrap_or(1),
        depth: options.depth,
        judged_only: options.judged_only,
        collection: options.collection.unwrap_or(0),
        measures: args.metrics.clone(),
        judgments: judgments.unwrap_or_default(),
        zscores: given.maybe(options.zscores.as_deref())?,
    })
}

fn no_script(error: OfficialError) -> anyhow::Error {
    let message = error.to_string();
    let hint = match error {
        OfficialError::Unknown { hint, .. } => hint,
        _ => None,
    };
    BadRequest { message, hint }.into()
}

/// A file that cannot be read is the fault of the command line.
fn unreadable(error: OfficialError) -> anyhow::Error {
    match error {
        OfficialError::Unreadable(error) => {
            BadRequest { message: error.to_string(), hint: error.hint.clone() }.into()
        }
        error => error.into(),
    }
}

/// Metrics without a configuration.
fn scored(args: &Score) -> Result<()> {
    if args.run.is_some() && args.qrels.is_none() && args.dataset.is_none() {
        let message = "nothing says which passages are relevant".to_owned();
        let hint = "give `--qrels`, or a `--dataset` that has gold passages".to_owned();
        return Err(BadRequest { message, hint: Some(hint) }.into());
    }
    // Results that nobody asked to keep have no texts, and are gone when this folder is dropped.
    let temporary = args.results.is_none().then(temporary).transpose()?;
    let results = temporary.as_ref().map(TempDir::path).or(args.results.as_deref());
    let results = results.context("there is no folder for results")?;
    let given = Stdin::default();
    let config = Config::of_files(&ScoredFiles {
        dataset: given.maybe(args.dataset.as_deref())?,
        dataset_format: args.dataset_format.clone(),
        predictions: given.maybe(args.predictions.as_deref())?,
        qrels: given.maybe(args.qrels.as_deref())?,
        run: given.maybe(args.run.as_deref())?,
        run_format: args.run_format.clone(),
        run_fields: args.run_fields.clone(),
        ignore_identical_ids: args.ignore_identical_ids,
        metrics: args.metrics.clone(),
        fields: args.fields.clone(),
        prediction_fields: args.prediction_fields.clone(),
        results: std::path::absolute(results)?,
        kept: args.results.is_some(),
    })?;
    let session = crate::stop::session()?;
    // The command line cannot name one.
    let no_plugins = true;
    let plan =
        super::plan(&config, &session, no_plugins).map_err(|error| as_options(error, args))?;
    let finished = {
        let options = RunOptions { stop: Some(session.stop()), ..RunOptions::default() };
        super::run::evaluate(&plan, options, progress::Form::Auto)?
    };
    let mut report = evaluation::report_of_run(&finished)?;
    report.stored = args.results.is_some();
    super::print(&evaluation::render(&report, args.format))
}

/// Hints that name a field of the file, as options; what only a file can have is said to be that.
fn as_options(error: anyhow::Error, args: &Score) -> anyhow::Error {
    let mut problems = match error.downcast::<Box<Problems>>() {
        Ok(problems) => problems,
        Err(error) => return error,
    };
    for problem in &mut problems.list {
        let Some(hint) = &mut problem.hint else { continue };
        if hint.contains("declare it: `[[plugin]]`") {
            "plugins are declared in a file, which `qeval run` evaluates".clone_into(hint);
        }
        let Some(field) = hint
            .strip_prefix("name the right field: `fields = { ")
            .and_then(|rest| rest.strip_suffix("\" }`")?.split_once(" = \""))
        else {
            continue;
        };
        let of = |path: &Option<PathBuf>| {
            let name = path.as_deref().and_then(Path::file_name);
            name.is_some_and(|name| problem.message.contains(name.to_string_lossy().as_ref()))
        };
        let option = match () {
            () if of(&args.run) => "--run-field",
            () if of(&args.predictions) => "--prediction-field",
            () => "--field",
        };
        *hint = format!("name the right field: `{option} {}={}`", field.0, field.1);
    }
    problems.into()
}

/// What the script of that name prints.
#[expect(clippy::print_stderr, reason = "the script says it there")]
fn official(
    script: &str,
    dataset: Option<&Path>,
    predictions: &Path,
    options: &ScriptOptions,
) -> Result<()> {
    let output = match qeval_pipeline::official(script, dataset, predictions, options) {
        Err(error @ OfficialError::Unknown { .. }) => return Err(no_script(error)),
        Err(error @ OfficialError::Options { .. }) => {
            let hint = Some("only `squad2` has probabilities of no answer".to_owned());
            return Err(BadRequest { message: error.to_string(), hint }.into());
        }
        Err(error @ OfficialError::Dataset { .. }) => {
            return Err(BadRequest { message: error.to_string(), hint: None }.into());
        }
        output => output.map_err(unreadable)?,
    };
    eprint!("{}", output.stderr);
    super::print(&output.stdout)
}
