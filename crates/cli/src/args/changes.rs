//! What the command line changes of a file.

use std::num::NonZeroU64;

use clap::Args as Group;
use qeval_core::Stage;
use qeval_pipeline::Part;

/// What is evaluated otherwise than the file says.
#[derive(Debug, Default, Group)]
pub(crate) struct Changes {
    /// Give a key of the file another value, as in `reader.passages=10` or, of several readers,
    /// `reader.NAME.passages=10`; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Evaluate this stage alone.
    #[arg(long, value_name = "STAGE", value_parser = stage)]
    pub(crate) only: Option<Stage>,
    /// Evaluate the first examples of each dataset alone, at most so many; they are an evaluation of
    /// their own.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroU64>,
    /// Evaluate so many examples of each dataset, drawn at random by the seed of the evaluation;
    /// they are an evaluation of their own.
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    sample: Option<NonZeroU64>,
}

impl Changes {
    /// Which examples are evaluated, if not all.
    pub(crate) fn part(&self) -> Option<Part> {
        self.limit.map(Part::First).or(self.sample.map(Part::Sample))
    }
}

fn stage(name: &str) -> Result<Stage, String> {
    let known = [Stage::Retrieval, Stage::Isolated, Stage::Integrated];
    let found = known.into_iter().find(|stage| stage.name() == name);
    found.ok_or_else(|| format!("one of {}", known.map(Stage::name).join(", ")))
}
