//! Files of object stores and web servers, copied to this machine.
//!
//! An evaluation has the digest of its inputs in its id, reads some of them twice and jumps around in
//! Parquet. So a file that lies elsewhere is copied once, before anything else; then it is a file like
//! any other. What stores want to know, such as credentials, is handed down by the caller as pairs of
//! a name and a value, and is in no message.
//!
//! ```
//! assert!(qeval_remote::is_address("s3://bucket/golden.jsonl"));
//! assert!(!qeval_remote::is_address("golden.jsonl"));
//! ```

mod fetch;
mod store;

pub use fetch::{FetchError, fetch};

/// The schemes of addresses.
pub const SCHEMES: [&str; 5] = ["s3", "gs", "az", "https", "http"];

/// Whether a path as it is written is an address.
pub fn is_address(written: &str) -> bool {
    written.split_once("://").is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}
