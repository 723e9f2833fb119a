//! Tests of calls, in one binary.

#[cfg(test)]
mod server;
