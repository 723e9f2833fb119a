//! Files at addresses such as `s3://bucket/golden.jsonl`: copied to a folder that is gone at the end.

use anyhow::Result;
use qeval_pipeline::{Config, Session};

use crate::exit_code::BadRequest;

#[cfg(feature = "cloud")]
pub(crate) use copies::Copies;

#[cfg(feature = "cloud")]
mod copies {
    use std::{
        cell::{OnceCell, RefCell},
        collections::BTreeMap,
        path::PathBuf,
    };

    use tempfile::TempDir;

    use super::{BadRequest, Config, Result, Session};
    use crate::stdin::temporary;

    /// What the names of variables begin with that stores are told.
    const SETTINGS: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

    /// The files that were copied, each once.
    #[derive(Default)]
    pub(crate) struct Copies {
        folder: OnceCell<TempDir>,
        files: RefCell<BTreeMap<String, PathBuf>>,
    }

    impl Copies {
        /// Copies the files at addresses and puts the copies in their place. The combinations of a
        /// sweep share them.
        pub(crate) fn put_into(&self, configs: &mut [Config], session: &Session) -> Result<()> {
            for config in configs {
                config.replace_files(&mut |path| {
                    if !qeval_remote::is_address(path) {
                        return Ok(None);
                    }
                    if let Some(file) = self.files.borrow().get(path) {
                        return Ok(Some(file.clone()));
                    }
                    let file = self.copy(path, session)?;
                    self.files.borrow_mut().insert(path.to_owned(), file.clone());
                    Ok::<_, anyhow::Error>(Some(file))
                })?;
            }
            Ok(())
        }

        fn copy(&self, address: &str, session: &Session) -> Result<PathBuf> {
            if address.contains('*') || address.contains("{dataset}") {
                let message =
                    format!("`{address}`: an address has no patterns and no `{{dataset}}`");
                let hint = "give each file its own address, in a list";
                return Err(BadRequest { message, hint: Some(hint.to_owned()) }.into());
            }
            let file = self.place(address)?;
            let stop = session.stop();
            let fetched =
                qeval_remote::fetch(address, &settings(), &file, session.runtime(), &|| {
                    stop.is_set()
                });
            match fetched {
                Ok(_) => Ok(file),
                Err(error) => {
                    Err(BadRequest { message: error.to_string(), hint: error.hint }.into())
                }
            }
        }

        /// Where the copy goes: its path ends as the address does, so that messages can be understood.
        fn place(&self, address: &str) -> Result<PathBuf> {
            let folder = if let Some(folder) = self.folder.get() {
                folder
            } else {
                let folder = temporary()?;
                self.folder.get_or_init(|| folder)
            };
            // Two addresses may differ in their queries alone.
            let number = self.files.borrow().len().to_string();
            let mut file = folder.path().join(number);
            let plain = address.split(['?', '#']).next().unwrap_or_default();
            let (_, behind) = plain.split_once("://").unwrap_or_default();
            file.extend(behind.split('/').filter(|name| !["", ".", ".."].contains(name)));
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            Ok(file)
        }
    }

    /// The variables of the environment that stores are told, as far as they are texts.
    fn settings() -> Vec<(String, String)> {
        let texts = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            SETTINGS.iter().any(|begin| name.starts_with(begin)).then_some((name, value))
        });
        texts.collect()
    }
}

/// What is there in a build without object stores.
#[cfg(not(feature = "cloud"))]
#[derive(Default)]
pub(crate) struct Copies;

#[cfg(not(feature = "cloud"))]
impl Copies {
    /// Refuses addresses.
    pub(crate) fn put_into(&self, configs: &mut [Config], _: &Session) -> Result<()> {
        for config in configs {
            config.replace_files(&mut |path| match path.split_once("://") {
                None => Ok(None),
                Some((scheme, _)) => {
                    let message = format!(
                        "this build has no object stores, and a path begins with `{scheme}://`"
                    );
                    let hint = Some("copy the file, or build with the feature `cloud`".to_owned());
                    Err(anyhow::Error::from(BadRequest { message, hint }))
                }
            })?;
        }
        Ok(())
    }
}
