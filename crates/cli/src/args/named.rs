//! Values that several verbs take.

/// The stages.
pub(super) const STAGES: [&str; 3] = ["retrieval", "isolated", "integrated"];

/// A difference that is not below 0.
pub(super) fn margin(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(margin) if margin.is_finite() && margin >= 0.0 => Ok(margin),
        _ => Err("expected a number that is not below 0, for example 0.01".to_owned()),
    }
}
