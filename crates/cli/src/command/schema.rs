//! `qeval schema`: the JSON Schema of the file.

use anyhow::Result;

pub(crate) fn run() -> Result<()> {
    super::print(&format!("{:#}\n", qeval_pipeline::config::json_schema()))
}
