//! `qeval gate`: the gates of a stored evaluation.

use anyhow::Result;
use qeval_store::Evaluation;

use super::report::folders;
use crate::{
    args::{Changes, Format, Gate},
    exit_code::BadRequest,
    gates::{self, Gated},
};

pub(crate) fn run(args: &Gate) -> Result<()> {
    let of_file = match &args.file {
        None => None,
        Some(file) => {
            let configs = super::configs(file, &Changes::default())?;
            // All combinations of a sweep have the same gates.
            configs.first().map(qeval_pipeline::Config::checked_gates).transpose()?
        }
    };
    let mut gated = Gated::new(&args.results, args.outputs.failing_examples);
    for folder in folders(&args.results, &args.evaluation)? {
        let evaluation = Evaluation::open(&folder)?;
        let declared = of_file.as_ref().unwrap_or(&evaluation.manifest().gates);
        gated.add(&evaluation, declared);
    }
    if gated.is_empty() {
        // Its gates may be of systems that are not there.
        gated.check()?;
        return Err(BadRequest {
            message: format!("`{}` has no gates", args.evaluation),
            hint: Some("declare `[[gate]]` in its file, or give one with `--file`".to_owned()),
        }
        .into());
    }
    super::print(&match args.format {
        Format::Terminal => qeval_report::gates(gated.evaluations()),
        Format::Json => qeval_report::gates_json(gated.evaluations()),
    })?;
    gates::write(&gated, &args.outputs)?;
    gated.check()
}
