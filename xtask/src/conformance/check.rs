//! What a check compared, and what differed.

use std::fmt::Write as _;

/// The comparisons of one check.
pub(super) struct Check {
    compared: usize,
    /// The largest difference within its tolerance, and where.
    largest: Option<(f64, String)>,
    /// What else is worth saying.
    notes: Vec<String>,
    /// What is not as it should be.
    pub(super) differences: Vec<String>,
}

impl Check {
    pub(super) fn new() -> Self {
        Self { compared: 0, largest: None, notes: Vec::new(), differences: Vec::new() }
    }

    /// Two numbers that may differ by this much.
    pub(super) fn close(&mut self, what: &str, ours: f64, theirs: f64, tolerance: f64) {
        self.compared += 1;
        let difference = (ours - theirs).abs();
        // Written so that a NaN is a difference.
        if difference <= tolerance {
            if self.largest.as_ref().is_none_or(|(largest, _)| difference > *largest) {
                self.largest = Some((difference, what.to_owned()));
            }
        } else {
            self.differences.push(format!("{what}: {ours}, expected {theirs}"));
        }
    }

    /// A number as another program prints it.
    pub(super) fn digits(&mut self, what: &str, ours: Option<f64>, printed: &str) {
        let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let ours = ours.map_or("null".to_owned(), |ours| format!("{ours:.decimals$}"));
        self.same(what, &ours, printed);
    }

    /// Two texts.
    pub(super) fn same(&mut self, what: &str, ours: &str, theirs: &str) {
        self.compared += 1;
        if ours != theirs {
            self.differences.push(format!("{what}: {ours}, expected {theirs}"));
        }
    }

    /// Something that must hold.
    pub(super) fn holds(&mut self, what: &str, holds: bool) {
        self.compared += 1;
        if !holds {
            self.differences.push(format!("{what}: not so"));
        }
    }

    /// Something to print with the result.
    pub(super) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// The result as text.
    pub(super) fn report(&self, name: &str) -> String {
        let mut text = format!("conformance: {name}: {} values compared", self.compared);
        match (&self.largest, self.differences.len()) {
            (_, count) if count > 0 => {
                let _ = write!(text, ", {count} DIFFER");
            }
            (Some((largest, place)), _) if *largest > 0.0 => {
                let _ = write!(text, ", largest difference {largest:.1e} ({place})");
            }
            _ => text.push_str(", no difference"),
        }
        for line in self.notes.iter().chain(&self.differences) {
            let _ = write!(text, "\n  {line}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_listed() {
        let mut check = Check::new();
        check.close("a", 0.5, 0.5 + 1e-12, 1e-9);
        check.digits("b", Some(0.123_44), "0.1234");
        assert_eq!(
            check.report("x"),
            "conformance: x: 2 values compared, largest difference 1.0e-12 (a)"
        );
        check.close("c", f64::NAN, 1.0, 0.1);
        check.digits("d", None, "0.5000");
        check.holds("e", false);
        assert_eq!(
            check.report("x"),
            "conformance: x: 5 values compared, 3 DIFFER\n  c: NaN, expected 1\n  \
             d: null, expected 0.5000\n  e: not so"
        );
    }
}
