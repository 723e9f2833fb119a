//! The formula, in 64 bits.

use tantivy::fieldnorm::FieldNormReader;

use crate::{
    Options,
    index::{Segment, SegmentField},
};

/// BM25 as Lucene has it since version 8. For a term with a frequency `f` in a passage:
///
/// `ln(1 + (N - n + 0.5) / (n + 0.5)) · f / (f + k1 · (1 - b + b · length / average))`
///
/// `N` passages that have the field, `n` of them with the term. Lengths are rounded down to one of
/// 256; the average is of the exact lengths of these `N`. A passage has a field when it has a term
/// there: one without a title changes nothing in what titles are worth. The older factor `k1 + 1`,
/// which is the same for all, is left out.
///
/// Where title and text are two fields, each has its own `N`, `n` and lengths, and the score of a
/// passage is the sum of both, each times its boost.
pub(super) struct Formula {
    /// The fields that count, by their places in the segment.
    pub(super) fields: Vec<FieldFormula>,
}

/// The formula for a field.
pub(super) struct FieldFormula {
    /// Its place in the segment.
    pub(super) place: usize,
    pub(super) boost: f64,
    /// How many passages have it.
    passages: u32,
    norms: Norms,
}

/// What stands beside `f` in the denominator, by the code of the length.
pub(super) struct Norms([f64; 256]);

impl Formula {
    pub(super) fn new(options: &Options, segment: &Segment) -> Self {
        let fields = options.weights().into_iter().enumerate();
        let fields = fields
            .filter(|&(_, boost)| boost > 0.0)
            .map(|(place, boost)| {
                let SegmentField { passages, average_length, .. } = segment.fields[place];
                let norms = Norms::new(options.k1, options.b, average_length);
                FieldFormula { place, boost, passages, norms }
            })
            .collect();
        Self { fields }
    }

    /// The first factor: what a term is worth that `with_term` passages have in a field.
    pub(super) fn weight(&self, field: usize, with_term: u32) -> f64 {
        let n = f64::from(with_term);
        ((f64::from(self.fields[field].passages) - n + 0.5) / (n + 0.5)).ln_1p()
    }

    pub(super) fn norms(&self, field: usize) -> &Norms {
        &self.fields[field].norms
    }
}

impl Norms {
    pub(super) fn new(k1: f64, b: f64, average_length: f64) -> Self {
        Self(std::array::from_fn(|code| {
            let code = u8::try_from(code).expect("there are 256 of them");
            let length = f64::from(FieldNormReader::id_to_fieldnorm(code));
            k1 * (1.0 - b + b * length / average_length)
        }))
    }

    /// The second factor.
    #[inline]
    pub(super) fn saturation(&self, frequency: u32, length_code: u8) -> f64 {
        let frequency = f64::from(frequency);
        frequency / (frequency + self.0[usize::from(length_code)])
    }
}
