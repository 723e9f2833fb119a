//! What the command line changes of a file.

use clap::Args as Group;
use qeval_core::Stage;

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
}

fn stage(name: &str) -> Result<Stage, String> {
    let known = [Stage::Retrieval, Stage::Isolated, Stage::Integrated];
    let found = known.into_iter().find(|stage| stage.name() == name);
    found.ok_or_else(|| format!("one of {}", known.map(Stage::name).join(", ")))
}
