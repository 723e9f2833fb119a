//! `qeval index`: build the indexes of a file, or find them built.

use std::fmt::Write as _;

use anyhow::Result;
use qeval_pipeline::{IndexError, Indexed};

use crate::{
    args::{Changes, Index},
    exit_code::BadRequest,
    remote::Copies,
    stdin::Stdin,
    sweep, terminal,
};

pub(crate) fn run(args: &Index) -> Result<()> {
    let mut configs = super::configs(&args.file, &Changes::default())?;
    let stdin = Stdin::default();
    stdin.put_into(&mut configs)?;
    let session = crate::stop::session()?;
    let copies = Copies::default();
    copies.put_into(&mut configs, &session)?;
    let (mut text, mut described) = (String::new(), Vec::new());
    sweep::each_plan(&configs, &session, args.no_plugins, |plan| {
        let indexes = qeval_pipeline::index(&plan).map_err(|error| match error {
            IndexError::None => {
                let hint =
                    Some("name a folder as `index` in a `[retriever]` of type `bm25`".to_owned());
                anyhow::Error::from(BadRequest { message: error.to_string(), hint })
            }
            IndexError::Engine { .. } => error.into(),
        })?;
        for index in &indexes {
            // Combinations of a sweep may share one.
            if !described.contains(&index.path) {
                described.push(index.path.clone());
                describe(&mut text, index);
            }
        }
        Ok(())
    })?;
    super::print(&text)
}

fn describe(text: &mut String, index: &Indexed) {
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<11} {}", terminal::printable(value));
    };
    line("retriever", &format!("{}: {}", index.retriever, index.state));
    line("passages", &index.passages.to_string());
    line("bytes", &index.bytes.to_string());
    line("fingerprint", &index.fingerprint);
    line("index", &index.path.display().to_string());
}
