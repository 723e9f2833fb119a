//! The formula, in 64 bits.

use tantivy::fieldnorm::FieldNormReader;

use crate::Options;

/// BM25 as Lucene has it since version 8. For a term with a frequency `f` in a passage:
///
/// `ln(1 + (N - n + 0.5) / (n + 0.5)) · f / (f + k1 · (1 - b + b · length / average))`
///
/// `N` passages, `n` of them with the term. Lengths are rounded down to one of 256; the average is
/// of the exact lengths. The older factor `k1 + 1`, which is the same for all, is left out.
pub(super) struct Formula {
    passages: f64,
    /// What stands beside `f` in the denominator, by the code of the length.
    norms: [f64; 256],
}

impl Formula {
    pub(super) fn new(options: &Options, passages: u32, average_length: f64) -> Self {
        let Options { k1, b, .. } = *options;
        let norms = std::array::from_fn(|code| {
            let code = u8::try_from(code).expect("there are 256 of them");
            let length = f64::from(FieldNormReader::id_to_fieldnorm(code));
            k1 * (1.0 - b + b * length / average_length)
        });
        Self { passages: f64::from(passages), norms }
    }

    /// The first factor: what a term is worth that `with_term` passages have.
    pub(super) fn weight(&self, with_term: u32) -> f64 {
        let n = f64::from(with_term);
        ((self.passages - n + 0.5) / (n + 0.5)).ln_1p()
    }

    /// The second factor.
    #[inline]
    pub(super) fn saturation(&self, frequency: u32, length_code: u8) -> f64 {
        let frequency = f64::from(frequency);
        frequency / (frequency + self.norms[usize::from(length_code)])
    }
}
