//! Rows made ready for the tables, on whatever thread made them.
//!
//! Only one thread at a time writes. What can be done with a row before is done here, so that
//! many threads make rows while one of them stores.

use std::sync::Arc;

use super::{WriteError, buffer::Buffer, encode::Encoder};
use crate::Row;

/// Packs rows for one [`Writer`](super::Writer); see [`Writer::packer`](super::Writer::packer).
#[derive(Clone, Debug)]
pub struct Packer(pub(super) Arc<Encoder>);

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
        let mut buffer = Buffer::with_capacity(rows.len());
        for row in rows {
            buffer
                .push(|out| self.0.encode(row, out))
                .map_err(|source| WriteError::Row { id: row.example_id.to_owned(), source })?;
        }
        Ok(PackedRows(buffer))
    }
}
