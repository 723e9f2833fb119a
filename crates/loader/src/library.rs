//! One native library: opened, asked who it is, and called.
//!
//! All that a library says is looked at before it is used. What cannot be looked at is whether its
//! pointers are good: a library that lies about them can do anything to the process it is in,
//! which is why that process is a child by default.
#![expect(unsafe_code, reason = "calling into a library of somebody else")]

use std::{
    error::Error as _,
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    ptr, slice,
    sync::{Mutex, PoisonError},
};

use arrow_array::{
    Array, RecordBatch, StructArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi},
};
use arrow_schema::DataType;
use libloading::os::unix::{Library as DynamicLibrary, RTLD_LOCAL, RTLD_NOW};
use qeval_sdk::{
    DescriptorError, Failure, FailureKind, INTERFACE, InterfaceVersion, PluginDescriptor,
    abi::{
        self, Call, Create, Destroy, ENTRY, Entry, ErrorBuffer, FIRST_SIZE, MAGIC, STATUS_OK, Table,
    },
};
use serde::{Deserialize, Serialize};

/// The largest descriptor: 1 MiB.
const LARGEST_DESCRIPTOR: usize = 1 << 20;

/// Room for the text of an error.
const LONGEST_ERROR: usize = 4096;

/// Why a library is no plugin that fits. It crosses from the child process as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum OpenError {
    /// The system cannot open it.
    #[error("`{path}` cannot be opened as a library of this system: {message}")]
    NotALibrary {
        /// The library.
        path: String,
        /// What the system says.
        message: String,
    },
    /// It does not export the entry.
    #[error(
        "`{path}` is no plugin of qeval: it has no symbol `{ENTRY}` (`export_scorer!` makes one)"
    )]
    NoEntry {
        /// The library.
        path: String,
    },
    /// Its entry returns nothing.
    #[error("`{path}` gives no plugin: its entry returns null")]
    NoTable {
        /// The library.
        path: String,
    },
    /// It was built for another version of the interface.
    #[error(
        "`{path}` speaks plugin interface {plugin}, this qeval speaks {host}: build it with the \
         SDK of this version"
    )]
    Version {
        /// The library.
        path: String,
        /// What it speaks.
        plugin: InterfaceVersion,
        /// What we speak.
        host: InterfaceVersion,
    },
    /// Its table is not as it must be.
    #[error("`{path}` is broken: {message}")]
    Broken {
        /// The library.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// It says of itself what cannot be.
    #[error("`{path}` describes itself wrongly: {message}")]
    Descriptor {
        /// The library.
        path: String,
        /// What is wrong, a [`DescriptorError`].
        message: String,
    },
    /// It says itself that it cannot work.
    #[error("`{path}` cannot be used: {message}")]
    Unusable {
        /// The library.
        path: String,
        /// What it says.
        message: String,
    },
}

/// A library that is open and understood. It stays open as long as the process.
#[derive(Debug)]
pub(crate) struct Library {
    path: String,
    /// The version of the interface that it was built for.
    pub(crate) interface: InterfaceVersion,
    /// What it says of itself.
    pub(crate) descriptor: PluginDescriptor,
    functions: Functions,
}

/// The functions of a table that is in order.
#[derive(Clone, Copy, Debug)]
struct Functions {
    create: Create,
    call: Call,
    destroy: Destroy,
    finish: Option<Call>,
}

/// A component of a library that is ready to work.
#[derive(Debug)]
pub(crate) struct Instance {
    handle: *mut c_void,
    functions: Functions,
    /// Held during a call, unless the plugin says that it needs no such care.
    turn: Option<Mutex<()>>,
}

// SAFETY: the plugin's interface says that an instance may be used from any thread.
unsafe impl Send for Instance {}
// SAFETY: calls at the same time happen only where the plugin allows them; see `turn`.
unsafe impl Sync for Instance {}

impl Library {
    /// Opens a library and checks the handshake.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let shown = path.display().to_string();
        let broken =
            |message: &str| OpenError::Broken { path: shown.clone(), message: message.to_owned() };
        let table = entry(path, &shown)?;
        if table.is_null() {
            return Err(OpenError::NoTable { path: shown });
        }
        if !table.is_aligned() {
            return Err(broken("its table is not aligned"));
        }
        let interface = check_version(table, &shown)?;
        let (table, functions) =
            read(table).ok_or_else(|| broken("a function of its table is null"))?;
        if table.descriptor.is_null() || table.descriptor_length > LARGEST_DESCRIPTOR {
            return Err(broken("its descriptor is missing or too long"));
        }
        // SAFETY: not null, and of that length as the interface says.
        let json = unsafe { slice::from_raw_parts(table.descriptor, table.descriptor_length) };
        let path = shown.clone();
        let descriptor = PluginDescriptor::from_json(json).map_err(|error| match error {
            DescriptorError::Excuse(message) => OpenError::Unusable { path, message },
            error => OpenError::Descriptor { path, message: error.to_string() },
        })?;
        if functions.finish.is_none() && descriptor.metrics.iter().any(|m| !m.statistics.is_empty())
        {
            return Err(broken("it has a pooled metric and no function `finish`"));
        }
        Ok(Self { path: shown, interface, descriptor, functions })
    }

    /// Makes a component. `setup` is JSON.
    pub(crate) fn instance(&self, setup: &[u8]) -> Result<Instance, Failure> {
        let mut handle = ptr::null_mut();
        let mut text = [0; LONGEST_ERROR];
        let mut error = ErrorBuffer::new(&mut text);
        let functions = self.functions;
        // SAFETY: all pointers are good during the call, as the interface asks.
        let status = unsafe {
            (functions.create)(setup.as_ptr(), setup.len(), &raw mut handle, &raw mut error)
        };
        if status != STATUS_OK {
            return Err(failure(status, error.length, &text));
        }
        let turn = (!self.descriptor.thread_safe).then(Mutex::default);
        Ok(Instance { handle, functions, turn })
    }

    /// The error of a component that was not made.
    pub(crate) fn unusable(&self, failure: &Failure) -> OpenError {
        OpenError::Unusable { path: self.path.clone(), message: failure.to_string() }
    }
}

/// What stands in a table whose beginning was looked at; `None` where a function is missing.
fn read(table: *const Table) -> Option<(Table, Functions)> {
    // SAFETY: it has at least this size, and lives as long as the library, which is never unloaded.
    // The fields are read one by one: a table of the first version ends before `finish`.
    let (head, finish) = unsafe {
        let size = (&raw const (*table).struct_size).read() as usize;
        let finish =
            if size >= size_of::<Table>() { (&raw const (*table).finish).read() } else { None };
        let head = Table {
            magic: MAGIC,
            struct_size: (&raw const (*table).struct_size).read(),
            abi_major: (&raw const (*table).abi_major).read(),
            abi_minor: (&raw const (*table).abi_minor).read(),
            reserved: (&raw const (*table).reserved).read(),
            descriptor: (&raw const (*table).descriptor).read(),
            descriptor_length: (&raw const (*table).descriptor_length).read(),
            create: (&raw const (*table).create).read(),
            call: (&raw const (*table).call).read(),
            destroy: (&raw const (*table).destroy).read(),
            finish,
        };
        (head, finish)
    };
    let (create, call, destroy) = (head.create?, head.call?, head.destroy?);
    Some((head, Functions { create, call, destroy, finish }))
}

/// Opens the library for good and calls its entry.
fn entry(path: &Path, shown: &str) -> Result<*const Table, OpenError> {
    // SAFETY: opening a library runs its initialisers, which is the user's wish; symbols are
    // resolved now and stay the library's own.
    let library = unsafe { DynamicLibrary::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| {
        // What the system says is the source; the error itself says only that it failed.
        let message = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        OpenError::NotALibrary { path: shown.to_owned(), message }
    })?;
    // SAFETY: the symbol of this name has this type in every version of the interface.
    let entry = unsafe { library.get::<Entry>(ENTRY) }.map(|entry| *entry);
    // Never closed: threads and exit handlers of the library may outlive any use of ours.
    std::mem::forget(library);
    let entry = entry.map_err(|_| OpenError::NoEntry { path: shown.to_owned() })?;
    // SAFETY: the entry takes nothing and may be called at any time.
    Ok(unsafe { entry() })
}

/// Looks at the beginning of a table, before the rest may be looked at.
fn check_version(table: *const Table, path: &str) -> Result<InterfaceVersion, OpenError> {
    let broken = |message: String| OpenError::Broken { path: path.to_owned(), message };
    // SAFETY: every table begins with these eight bytes.
    let magic = unsafe { (&raw const (*table).magic).read() };
    if magic != MAGIC {
        return Err(broken("its table does not begin as a table of qeval".to_owned()));
    }
    // SAFETY: the fields up to the version are the same in every version of the interface.
    let (size, major, minor) = unsafe {
        (
            (&raw const (*table).struct_size).read(),
            (&raw const (*table).abi_major).read(),
            (&raw const (*table).abi_minor).read(),
        )
    };
    let plugin = InterfaceVersion { major, minor };
    if !INTERFACE.accepts(plugin) {
        return Err(OpenError::Version { path: path.to_owned(), plugin, host: INTERFACE });
    }
    let least = if minor == 0 { FIRST_SIZE } else { size_of::<Table>() };
    if (size as usize) < least {
        return Err(broken(format!("its table has {size} bytes, expected at least {least}")));
    }
    Ok(plugin)
}

impl Instance {
    /// Answers a batch with a batch, of which types and number of rows are checked.
    pub(crate) fn call(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        self.exchange(self.functions.call, batch)
    }

    /// Makes numbers of merged statistics.
    pub(crate) fn finish(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        let absent = || Failure::new(FailureKind::Protocol, "it has no function `finish`");
        self.exchange(self.functions.finish.ok_or_else(absent)?, batch)
    }

    fn exchange(&self, function: Call, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        let rows = batch.num_rows();
        let (mut array, mut schema) = to_ffi(&StructArray::from(batch).into_data())
            .map_err(|error| Failure::new(FailureKind::Protocol, error.to_string()))?;
        let (mut out_array, mut out_schema) = (FFI_ArrowArray::empty(), FFI_ArrowSchema::empty());
        let mut text = [0; LONGEST_ERROR];
        let mut error = ErrorBuffer::new(&mut text);
        // A panic cannot poison this: it is caught on the other side.
        let turn =
            self.turn.as_ref().map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: `handle` came from `create`; all pointers are good during the call; what the
        // plugin takes out of `array` and `schema` it leaves marked as released.
        let status = unsafe {
            function(
                self.handle,
                &raw mut array,
                &raw mut schema,
                &raw mut out_array,
                &raw mut out_schema,
                &raw mut error,
            )
        };
        drop(turn);
        if status != STATUS_OK {
            // They hold nothing, or else nothing that could be trusted to be released.
            std::mem::forget((out_array, out_schema));
            return Err(failure(status, error.length, &text));
        }
        // Arrow asserts what the C interface promises; a plugin that breaks it is no bug of ours.
        let import = AssertUnwindSafe(|| import(out_array, &out_schema, rows));
        catch_unwind(import).unwrap_or_else(|_| Err(unreadable("they break the Arrow C interface")))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: it came from `create`, and nobody uses it any more.
        unsafe { (self.functions.destroy)(self.handle) };
    }
}

fn failure(status: i32, written: usize, text: &[u8]) -> Failure {
    let text = &text[..written.min(text.len())];
    // A length may be too long for the text, which ends at a zero byte as those of C do.
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let message = match text.trim() {
        "" => format!("it gave no reason (status {status})"),
        text => text.to_owned(),
    };
    Failure::new(abi::failure_kind(status), message)
}

fn unreadable(message: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Protocol, format!("its answer cannot be read: {message}"))
}

/// Takes over what a plugin wrote: a struct of plain columns and lists of them, with as many rows as
/// it was asked. Types and numbers are looked at first, because the import believes them.
fn import(
    array: FFI_ArrowArray,
    schema: &FFI_ArrowSchema,
    rows: usize,
) -> Result<RecordBatch, Failure> {
    if array.is_released() {
        return Err(unreadable("there are none"));
    }
    // Nothing of it may be read then, not even its type.
    if schema.release.is_none() {
        return Err(unreadable("their schema is released"));
    }
    let data_type = DataType::try_from(schema).map_err(unreadable)?;
    let DataType::Struct(fields) = &data_type else {
        return Err(unreadable(format!("they are of type {data_type}, expected a struct")));
    };
    if array.len() != rows {
        let message = format!("it gave {} rows of scores for {rows} cases", array.len());
        return Err(Failure::new(FailureKind::Protocol, message));
    }
    if array.num_children() != fields.len() {
        return Err(unreadable("the array has other columns than its schema"));
    }
    let end = array.offset().checked_add(rows);
    for (i, field) in fields.iter().enumerate() {
        let end = end.ok_or_else(|| unreadable("its rows are too many"))?;
        if fields[..i].iter().any(|other| other.name() == field.name()) {
            return Err(unreadable(format!("they have two columns `{}`", field.name())));
        }
        check_column(field.name(), field.data_type(), array.child(i), end)?;
    }
    // SAFETY: the plugin wrote it with the Arrow C data interface; what can be checked has been.
    let data = unsafe { from_ffi(array, schema) }.map_err(unreadable)?;
    data.validate_full().map_err(unreadable)?;
    if data.null_count() > 0 {
        return Err(unreadable("a whole row is null"));
    }
    Ok(RecordBatch::from(StructArray::from(data)))
}

/// Whether a column is of a type that the interface has, and has the buffers and at least the rows
/// that this type takes.
fn check_column(
    name: &str,
    data_type: &DataType,
    column: &FFI_ArrowArray,
    rows: usize,
) -> Result<(), Failure> {
    let (buffers, item) = match data_type {
        DataType::Float64 | DataType::Boolean => (2, None),
        DataType::Utf8 => (3, None),
        DataType::List(item) => (2, Some(item)),
        other => {
            return Err(unreadable(format!(
                "its column `{name}` is of type {other}, expected Float64, Utf8, Boolean or a list \
                 of these"
            )));
        }
    };
    if column.num_buffers() != buffers || column.len() < rows {
        return Err(unreadable(format!("its column `{name}` is too short")));
    }
    if column.null_count_opt() > Some(0) && column.buffer(0).is_null() {
        return Err(unreadable(format!("its column `{name}` counts nulls and does not say which")));
    }
    let Some(item) = item else { return Ok(()) };
    if column.num_children() != 1 {
        return Err(unreadable(format!("its column `{name}` is a list without its values")));
    }
    if matches!(item.data_type(), DataType::List(_)) {
        return Err(unreadable(format!("its column `{name}` is a list of lists")));
    }
    check_column(name, item.data_type(), column.child(0), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_failure_ends_at_a_zero_byte() {
        let said = |text: &[u8], written| failure(3, written, text).message;
        assert_eq!(said(b"no such file\0\0\0", 15), "no such file");
        assert_eq!(said(b"no such file", 400), "no such file");
        assert_eq!(said(b"\0garbage", 8), "it gave no reason (status 3)");
        assert_eq!(said(b"", 0), "it gave no reason (status 3)");
    }
}
