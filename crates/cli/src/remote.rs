//! Files at addresses such as `s3://bucket/golden.jsonl`: copied to a folder that is gone at the end.
//! And results that are copied to an address.

use std::path::PathBuf;

use anyhow::Result;
use qeval_pipeline::{Config, Session};

use crate::exit_code::BadRequest;

#[cfg(feature = "cloud")]
pub(crate) use copies::{Copies, Destination};

#[cfg(feature = "cloud")]
mod copies {
    use std::{
        cell::{OnceCell, RefCell},
        collections::BTreeMap,
    };

    use tempfile::TempDir;

    use qeval_remote::{RemoteError, Uploaded};

    use super::{BadRequest, Config, PathBuf, Result, Session};
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
                Err(error) => Err(refused(error)),
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

    fn refused(error: RemoteError) -> anyhow::Error {
        BadRequest { message: error.to_string(), hint: error.hint }.into()
    }

    /// The stores that results can be copied to.
    const STORES: [&str; 3] = ["s3://", "gs://", "az://"];

    /// Where results are copied to beside the folder of this machine, if that is said.
    pub(crate) struct Destination(Option<String>);

    impl Destination {
        /// Takes the address of the results out of configurations, so that they are written to the
        /// usual folder, and sees whether it can be reached.
        pub(crate) fn of(configs: &mut [Config], session: &Session) -> Result<Self> {
            let mut address: Option<String> = None;
            for config in configs {
                let results = &mut config.evaluation.results;
                let taken = results.take_if(|results| {
                    STORES.iter().any(|scheme| results.get_ref().starts_with(scheme))
                });
                let Some(taken) = taken else { continue };
                let taken = taken.into_inner();
                if address.as_ref().is_some_and(|other| *other != taken) {
                    let message = "the combinations of a sweep have several addresses for results";
                    return Err(BadRequest { message: message.to_owned(), hint: None }.into());
                }
                address = Some(taken);
            }
            if let Some(address) = &address {
                let stop = session.stop();
                let reached =
                    qeval_remote::reach(address, &settings(), session.runtime(), &|| stop.is_set());
                reached.map_err(refused)?;
            }
            Ok(Self(address))
        }

        /// Copies evaluations there, those left out that are there already.
        pub(crate) fn upload(&self, evaluations: &[PathBuf], session: &Session) -> Result<()> {
            let Some(address) = &self.0 else { return Ok(()) };
            let (settings, stop) = (settings(), session.stop());
            for folder in evaluations {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                let to = format!("{}/{name}", address.trim_end_matches('/'));
                let stopped = || stop.is_set();
                let (runtime, last) = (session.runtime(), "manifest.json");
                match qeval_remote::upload(folder, last, &to, &settings, runtime, &stopped) {
                    Ok(Uploaded::Now) => eprint_copied(&to),
                    Ok(Uploaded::Before) => {}
                    Err(error) => return Err(refused(error)),
                }
            }
            Ok(())
        }
    }

    #[expect(
        clippy::print_stderr,
        reason = "a word to the user, who may read stdout with a program"
    )]
    fn eprint_copied(to: &str) {
        eprintln!("copied to `{to}`");
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
pub(crate) struct Copies(());

#[cfg(not(feature = "cloud"))]
impl Copies {
    /// Refuses addresses.
    #[expect(clippy::unused_self, reason = "with object stores there is something to keep")]
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

/// In such a build results have no address: the plan refuses one.
#[cfg(not(feature = "cloud"))]
pub(crate) struct Destination;

#[cfg(not(feature = "cloud"))]
impl Destination {
    /// Nothing.
    #[expect(clippy::unnecessary_wraps, reason = "with object stores it can fail")]
    pub(crate) fn of(_: &mut [Config], _: &Session) -> Result<Self> {
        Ok(Self)
    }

    /// Nothing is copied.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "with object stores there is something to do"
    )]
    pub(crate) fn upload(&self, _: &[PathBuf], _: &Session) -> Result<()> {
        Ok(())
    }
}
