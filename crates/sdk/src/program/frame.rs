//! Frames: a length, a number, a kind and bytes.

use std::io::{self, Read, Write};

/// The most bytes that a payload may have: 256 MiB.
pub const LARGEST: usize = 256 << 20;

const HEADER: usize = 12;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: u8,
    /// Of which question it is, or which it answers; 0 for none.
    pub number: u32,
    /// Its content.
    pub payload: Vec<u8>,
}

/// A frame that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The pipe failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The stream ended inside a frame.
    #[error("the stream ended inside a frame")]
    Cut,
    /// The payload is above [`LARGEST`].
    #[error("a frame of {0} bytes is above the limit of {LARGEST}")]
    TooLarge(usize),
    /// There is something else.
    #[error("the header of a frame does not end with three zero bytes")]
    Header,
}

impl Frame {
    /// A frame of this kind, without a number.
    pub fn new(kind: u8, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, number: 0, payload: payload.into() }
    }

    /// The same with this number.
    #[must_use]
    pub fn numbered(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// Writes the frame.
    pub fn write(&self, mut to: impl Write) -> Result<(), FrameError> {
        let length = self.payload.len();
        let told = u32::try_from(length).ok().filter(|_| length <= LARGEST);
        let length = told.ok_or(FrameError::TooLarge(length))?;
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(&length.to_le_bytes());
        header[4..8].copy_from_slice(&self.number.to_le_bytes());
        header[8] = self.kind;
        to.write_all(&header)?;
        to.write_all(&self.payload)?;
        Ok(to.flush()?)
    }

    /// Reads one frame; `None` at the end of the stream.
    pub fn read(mut from: impl Read) -> Result<Option<Self>, FrameError> {
        let mut header = Vec::with_capacity(HEADER);
        from.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
        if header.is_empty() {
            return Ok(None);
        }
        let header: [u8; HEADER] = header.try_into().map_err(|_| FrameError::Cut)?;
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let (number, kind) = (word(4), header[8]);
        let length = usize::try_from(word(0)).unwrap_or(usize::MAX);
        if length > LARGEST {
            return Err(FrameError::TooLarge(length));
        }
        if header[9..] != [0; 3] {
            return Err(FrameError::Header);
        }
        // What is announced may never come: room is made as it does.
        let mut payload = Vec::with_capacity(length.min(1 << 20));
        from.take(length as u64).read_to_end(&mut payload)?;
        if payload.len() == length {
            Ok(Some(Self { kind, number, payload }))
        } else {
            Err(FrameError::Cut)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written() {
        let frames = [
            Frame::new(7, "hello").numbered(u32::MAX),
            Frame::new(0, ""),
            Frame::new(255, [0; 300]).numbered(1),
        ];
        let mut bytes = Vec::new();
        for frame in &frames {
            frame.write(&mut bytes).unwrap();
        }
        let mut rest = &bytes[..];
        for frame in &frames {
            assert_eq!(Frame::read(&mut rest).unwrap().as_ref(), Some(frame));
        }
        assert_eq!(Frame::read(rest).unwrap(), None);
    }

    #[test]
    fn a_cut_or_huge_frame_is_an_error() {
        let read = |bytes: &[u8]| Frame::read(bytes).unwrap_err().to_string();
        assert_eq!(read(&[1, 0, 0]), "the stream ended inside a frame");
        assert_eq!(
            read(&[2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9]),
            "the stream ended inside a frame"
        );
        assert_eq!(
            read(b"Hello, world"),
            "a frame of 1819043144 bytes is above the limit of 268435456"
        );
        assert_eq!(
            read(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0]),
            "the header of a frame does not end with three zero bytes"
        );
    }
}
