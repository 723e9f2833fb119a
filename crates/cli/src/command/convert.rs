//! `qeval convert`: a dataset in another format.

use std::fmt::Write as _;

use anyhow::Result;
use qeval_pipeline::{Conversion, ConvertError, Converted, RunError};

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
        Ok(converted) => super::print(&described(args, &converted)),
        Err(ConvertError::Problems(problems)) => Err(problems.into()),
        Err(ConvertError::Dataset(error)) => Err(RunError::Dataset(error).into()),
    }
}

fn described(args: &Convert, converted: &Converted) -> String {
    let Converted { examples, unanswerable, unplaced } = converted;
    let output = args.output.display();
    let mut text = format!("{output}: {examples} examples, {unanswerable} without a reference\n");
    if *unplaced > 0 {
        let what = "references have no `answer_start`: their place in the context is not known";
        let _ = writeln!(text, "{unplaced} {what}");
    }
    text
}
