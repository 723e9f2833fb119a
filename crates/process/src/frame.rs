//! Frames: a length, a kind and bytes.
//!
//! A frame is the length of its payload as four bytes, the lowest first, one byte for its kind, and
//! the payload. What the kinds mean is the business of the two sides.

use std::io::{self, Read, Write};

use tokio::io::{AsyncRead, AsyncReadExt};

/// The most bytes that a payload may have: 256 MiB. A longer one is an error on both sides, so
/// that a program that writes something else does not make us wait for gigabytes.
pub const LARGEST_FRAME: usize = 256 << 20;

const HEADER: usize = 5;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: u8,
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
    /// The payload is above [`LARGEST_FRAME`].
    #[error("a frame of {0} bytes is above the limit of {LARGEST_FRAME}")]
    TooLarge(usize),
}

impl Frame {
    /// A frame of this kind.
    pub fn new(kind: u8, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, payload: payload.into() }
    }

    /// Writes the frame, and sends it on its way.
    pub fn write(&self, mut to: impl Write) -> Result<(), FrameError> {
        to.write_all(&self.header()?)?;
        to.write_all(&self.payload)?;
        Ok(to.flush()?)
    }

    /// Reads one frame; `None` at the end of the stream.
    pub fn read(mut from: impl Read) -> Result<Option<Self>, FrameError> {
        let mut header = Vec::with_capacity(HEADER);
        from.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
        let Some((length, kind)) = parse(&header)? else { return Ok(None) };
        let mut payload = Vec::new();
        from.take(length as u64).read_to_end(&mut payload)?;
        whole(kind, payload, length).map(Some)
    }

    /// As [`read`](Self::read), without blocking.
    pub(crate) async fn receive(
        mut from: impl AsyncRead + Unpin,
    ) -> Result<Option<Self>, FrameError> {
        let mut header = Vec::with_capacity(HEADER);
        (&mut from).take(HEADER as u64).read_to_end(&mut header).await?;
        let Some((length, kind)) = parse(&header)? else { return Ok(None) };
        // What is announced may never come: room for much of it is made only as it does.
        let mut payload = Vec::with_capacity(length.min(1 << 20));
        from.take(length as u64).read_to_end(&mut payload).await?;
        whole(kind, payload, length).map(Some)
    }

    pub(crate) fn header(&self) -> Result<[u8; HEADER], FrameError> {
        let length = self.payload.len();
        let too_large = |_| FrameError::TooLarge(length);
        let [a, b, c, d] = u32::try_from(limited(length)?).map_err(too_large)?.to_le_bytes();
        Ok([a, b, c, d, self.kind])
    }
}

fn limited(length: usize) -> Result<usize, FrameError> {
    if length <= LARGEST_FRAME { Ok(length) } else { Err(FrameError::TooLarge(length)) }
}

/// Length and kind; `None` where the stream ended before the frame.
fn parse(header: &[u8]) -> Result<Option<(usize, u8)>, FrameError> {
    match *header {
        [] => Ok(None),
        [a, b, c, d, kind] => {
            let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX);
            Ok(Some((limited(length)?, kind)))
        }
        _ => Err(FrameError::Cut),
    }
}

fn whole(kind: u8, payload: Vec<u8>, length: usize) -> Result<Frame, FrameError> {
    if payload.len() == length { Ok(Frame { kind, payload }) } else { Err(FrameError::Cut) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Option<Frame>, String> {
        Frame::read(bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        let frames = [Frame::new(7, "hello"), Frame::new(0, ""), Frame::new(255, [0; 300])];
        let mut bytes = Vec::new();
        for frame in &frames {
            frame.write(&mut bytes).unwrap();
        }
        let mut rest = &bytes[..];
        for frame in &frames {
            assert_eq!(Frame::read(&mut rest).unwrap().as_ref(), Some(frame));
        }
        assert_eq!(read(rest), Ok(None));
    }

    #[test]
    fn a_cut_or_huge_frame_is_an_error() {
        assert_eq!(read(&[1, 0, 0]), Err("the stream ended inside a frame".to_owned()));
        assert_eq!(read(&[2, 0, 0, 0, 1, 9]), Err("the stream ended inside a frame".to_owned()));
        assert_eq!(
            read(b"Hello, world"),
            Err("a frame of 1819043144 bytes is above the limit of 268435456".to_owned())
        );
    }
}
