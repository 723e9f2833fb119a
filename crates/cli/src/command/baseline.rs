//! `qeval baseline`: an evaluation as a file that can be carried.

use anyhow::Result;
use qeval_store::Imported;

use crate::args::{Baseline, BaselineVerb};

pub(crate) fn run(args: &Baseline) -> Result<()> {
    match &args.verb {
        BaselineVerb::Export { evaluation, file, texts, results } => {
            let found = qeval_store::find(results, evaluation)?;
            qeval_store::export_baseline(&found, file, *texts)?;
            let id = &found.manifest().evaluation_id;
            let part = found.manifest().part().map_or_else(String::new, |part| {
                format!("it is of a part alone ({part}): no gate takes it for the whole\n")
            });
            super::print(&format!("{id} is in `{}`\n{part}", file.display()))
        }
        BaselineVerb::Import { file, results } => {
            let (folder, said) = match qeval_store::import_baseline(file, results)? {
                Imported::New(folder) => (folder, "imported"),
                Imported::Known(folder) => (folder, "there already"),
            };
            super::print(&format!("{} ({said})\n", folder.display()))
        }
    }
}
