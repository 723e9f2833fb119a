//! Packed files: known by their first bytes, and unpacked while they are read.

use std::io::{self, BufReader, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

use super::{BUFFER, Input};

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstandard,
}

impl Packing {
    /// The bytes at the beginning of a file that tell it.
    pub(super) const HEAD: usize = 4;

    /// What these bytes begin.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(&[0x1f, 0x8b]) {
            Some(Self::Gzip)
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Some(Self::Zstandard)
        } else {
            None
        }
    }

    /// The content of a file, of all its members or frames.
    pub(super) fn unpack(self, file: impl Read + Send + 'static) -> io::Result<Input> {
        Ok(match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, file))),
            Self::Zstandard => Box::new(Frames(zstd::Decoder::new(file)?)),
        })
    }
}

/// Frames of Zstandard. The library has no kind for what is damaged.
struct Frames<R: Read>(zstd::Decoder<'static, BufReader<R>>);

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::Other => io::Error::new(ErrorKind::InvalidData, error),
            _ => error,
        })
    }
}
