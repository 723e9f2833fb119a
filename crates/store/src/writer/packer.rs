//! Rows made ready for the tables, on whatever thread made them.
//!
//! Only one thread at a time writes. What can be done with a row before is done here, so that
//! many threads make rows while one of them stores.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{WriteError, buffer::Buffer, encode::Encoder};
use crate::Row;

/// Bytes of a buffer that is worth keeping.
const LARGE: usize = 1 << 20;

/// Packs rows for one [`Writer`](super::Writer); see [`Writer::packer`](super::Writer::packer).
#[derive(Clone, Debug)]
pub struct Packer {
    pub(super) encoder: Arc<Encoder>,
    pub(super) spare: Spare,
}

/// Buffers whose rows are stored: the next rows take them, so that no memory is asked for and given
/// back with every batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Spare(Arc<Mutex<Vec<Buffer>>>);

/// Rows that borrow nothing any more and are checked.
#[derive(Debug)]
pub struct PackedRows(pub(super) Buffer);

impl Packer {
    /// Packs some rows, in any order of their ids.
    ///
    /// # Errors
    ///
    /// The first row that cannot be stored is named.
    pub fn pack(&self, rows: &[Row<'_>]) -> Result<PackedRows, WriteError> {
        let mut buffer = self.spare.take();
        for row in rows {
            buffer
                .push(|out| self.encoder.encode(row, out))
                .map_err(|source| WriteError::Row { id: row.example_id.to_owned(), source })?;
        }
        Ok(PackedRows(buffer))
    }
}

impl Spare {
    /// An empty buffer.
    fn take(&self) -> Buffer {
        self.buffers().pop().unwrap_or_else(Buffer::new)
    }

    /// Takes a buffer back. One that a batch of long texts has made large goes.
    pub(super) fn put(&self, mut buffer: Buffer) {
        if buffer.size() <= LARGE {
            buffer.clear();
            self.buffers().push(buffer);
        }
    }

    fn buffers(&self) -> MutexGuard<'_, Vec<Buffer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
