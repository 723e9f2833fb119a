//! What a service of the tests is sent.

use std::io::BufRead;

use serde_json::Value;

/// The head of the next request, in lower case, and its body; `None` where the connection ends.
pub(crate) fn read(reader: &mut impl BufRead) -> Option<(String, Value)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap()))
}
