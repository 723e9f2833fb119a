//! A file that is there whole or not at all.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
};

use flate2::{Compression, write::GzEncoder};

use super::{Target, TargetFormat};
use crate::{Error, Problem};

/// A file under another name until it is finished.
pub(super) struct Output {
    path: PathBuf,
    partial: PathBuf,
    writer: Option<Sink>,
}

/// Where the bytes go.
enum Sink {
    Plain(BufWriter<File>),
    Packed(GzEncoder<BufWriter<File>>),
}

impl Output {
    /// Makes the file under its other name.
    pub(super) fn create(target: &Target) -> Result<Self, Error> {
        let path = target.path.clone();
        let packed = path.extension().is_some_and(|extension| extension == "gz");
        if path.symlink_metadata().is_ok() {
            let hint = "give another name, or take the file away first";
            return Err(Problem::new("is there already").with_hint(hint).of_file(&path));
        }
        if packed && target.format == TargetFormat::Parquet {
            let message = "ends with `.gz`, but Parquet is packed inside and not read packed";
            return Err(Problem::new(message).of_file(&path));
        }
        let Some(name) = path.file_name() else {
            return Err(Problem::new("is no name of a file").of_file(&path));
        };
        let mut partial = std::ffi::OsString::from(".");
        partial.push(name);
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = path.with_file_name(partial);
        let file = File::create_new(&partial).map_err(|error| unwritable(&error).of_file(&path))?;
        let file = BufWriter::new(file);
        let writer = if packed {
            Sink::Packed(GzEncoder::new(file, Compression::default()))
        } else {
            Sink::Plain(file)
        };
        Ok(Self { path, partial, writer: Some(writer) })
    }

    /// The problem of an operation on the file.
    pub(super) fn error(&self, error: &io::Error) -> Error {
        unwritable(error).of_file(&self.path)
    }

    /// Ends the file and gives it its name.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        let ended = match self.writer.take() {
            None => Ok(()),
            Some(Sink::Plain(mut file)) => file.flush(),
            Some(Sink::Packed(packed)) => packed.finish().and_then(|mut file| file.flush()),
        };
        ended
            .and_then(|()| std::fs::rename(&self.partial, &self.path))
            .map_err(|error| self.error(&error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(Sink::Plain(file)) => file.write(bytes),
            Some(Sink::Packed(file)) => file.write(bytes),
            None => Err(io::Error::other("the file is ended")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Some(Sink::Plain(file)) => file.flush(),
            Some(Sink::Packed(file)) => file.flush(),
            None => Ok(()),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // After `finish` there is none. What cannot be removed is left: there is nobody to tell.
        let _ = std::fs::remove_file(&self.partial);
    }
}

/// What a failed write means.
pub(super) fn unwritable(error: &io::Error) -> Problem {
    Problem::new(format!("cannot be written: {error}"))
}
