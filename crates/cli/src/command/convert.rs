//! `qeval convert`: a dataset in another format.

use anyhow::Result;
use qeval_pipeline::{Conversion, ConvertError, RunError};

use crate::args::Convert;

pub(crate) fn run(args: &Convert) -> Result<()> {
    let converted = qeval_pipeline::convert(&Conversion {
        input: args.input.clone(),
        from: args.from.clone(),
        output: args.output.clone(),
        to: args.to.clone(),
        fields: args.fields.clone(),
        columns: args.columns.clone(),
    });
    match converted {
        Ok(converted) => super::print(&format!(
            "{}: {} examples, {} without a reference\n",
            args.output.display(),
            converted.examples,
            converted.unanswerable
        )),
        Err(ConvertError::Problems(problems)) => Err(problems.into()),
        Err(ConvertError::Dataset(error)) => Err(RunError::Dataset(error).into()),
    }
}
