//! Copies a folder to a store, one file last: where that file is, the folder is whole.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use object_store::{
    Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, path::Path as Place,
};
use tokio::runtime::Handle;
use url::Url;

use crate::{
    call::{Failure, RemoteError, call},
    store::{Located, locate},
};

/// Bytes of a part of a larger file.
const PART: usize = 16 << 20;

/// Whether a folder was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uploaded {
    /// It was.
    Now,
    /// It is there already, with the same last file.
    Before,
}

/// Copies a folder with all that is in it to an address. The file `last` in it comes last and only if
/// there is none yet: another one there is an error, and nothing is copied then. Settings and
/// `stopped` are those of [`fetch`](crate::fetch).
///
/// # Errors
///
/// As for [`fetch`](crate::fetch), and files that cannot be read.
pub fn upload(
    folder: &Path,
    last: &str,
    address: &str,
    settings: &[(String, String)],
    runtime: &Handle,
    stopped: &dyn Fn() -> bool,
) -> Result<Uploaded, RemoteError> {
    call(address, settings, runtime, stopped, async |url| {
        copy(url, settings, (folder, last), PART).await
    })
}

/// Asks a store for something that need not be there, so that a wrong credential is noticed early.
///
/// # Errors
///
/// As for [`fetch`](crate::fetch).
pub fn reach(
    address: &str,
    settings: &[(String, String)],
    runtime: &Handle,
    stopped: &dyn Fn() -> bool,
) -> Result<(), RemoteError> {
    call(address, settings, runtime, stopped, async |url| ask(url, settings).await)
}

async fn ask(url: &Url, settings: &[(String, String)]) -> Result<(), Failure> {
    let Located { store, path } = locate(url, settings).map_err(Failure::Store)?;
    // A bucket that is not there is one that is missing only when its contents are listed.
    store.list_with_delimiter(Some(&path)).await.map(drop).map_err(Failure::Store)
}

pub(crate) async fn copy(
    url: &Url,
    settings: &[(String, String)],
    (folder, last): (&Path, &str),
    part: usize,
) -> Result<Uploaded, Failure> {
    let Located { store, path } = locate(url, settings).map_err(Failure::Store)?;
    let own = std::fs::read(folder.join(last)).map_err(Failure::Read)?;
    let place = path.clone().join(last);
    match store.get(&place).await {
        Ok(found) => {
            let there = found.bytes().await.map_err(Failure::Store)?;
            return if there == own { Ok(Uploaded::Before) } else { Err(Failure::Taken) };
        }
        Err(Error::NotFound { .. }) => {}
        Err(error) => return Err(Failure::Store(error)),
    }
    for file in files(folder).map_err(Failure::Read)? {
        let below = file.strip_prefix(folder).unwrap_or(&file);
        if below != Path::new(last) {
            let names = below.iter().map(|name| name.to_string_lossy().into_owned());
            let place = names.fold(path.clone(), Place::join);
            one(store.as_ref(), &file, &place, part).await?;
        }
    }
    let create = PutOptions::from(PutMode::Create);
    let put = match store.put_opts(&place, PutPayload::from(own.clone()), create).await {
        // A store that cannot say so: that there was none was seen above.
        Err(Error::NotImplemented { .. }) => store.put(&place, PutPayload::from(own)).await,
        put => put,
    };
    match put {
        Ok(_) => Ok(Uploaded::Now),
        Err(Error::AlreadyExists { .. }) => Err(Failure::Taken),
        Err(error) => Err(Failure::Store(error)),
    }
}

/// Copies a file, in parts where it is large.
async fn one(
    store: &dyn ObjectStore,
    file: &Path,
    place: &Place,
    size: usize,
) -> Result<(), Failure> {
    let mut file = File::open(file).map_err(Failure::Read)?;
    let first = part(&mut file, size)?;
    if first.len() < size {
        let put = store.put(place, PutPayload::from(first)).await;
        return put.map(drop).map_err(Failure::Store);
    }
    let mut upload = store.put_multipart(place).await.map_err(Failure::Store)?;
    let mut next = first;
    while !next.is_empty() {
        if let Err(error) = upload.put_part(PutPayload::from(next)).await {
            // What was sent is worth nothing; that it stays is not worth an error of its own.
            let _ = upload.abort().await;
            return Err(Failure::Store(error));
        }
        next = part(&mut file, size)?;
    }
    upload.complete().await.map(drop).map_err(Failure::Store)
}

/// The next bytes of a file; fewer than a part at its end.
fn part(file: &mut File, size: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    file.take(size as u64).read_to_end(&mut bytes).map_err(Failure::Read)?;
    Ok(bytes)
}

/// All files below a folder, in the order of their paths.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}
