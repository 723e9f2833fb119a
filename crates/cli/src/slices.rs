//! Slices that the command line names.

use qeval_store::{Labels, Scores};

use crate::exit_code::BadRequest;

/// The values of a slice, by row; an error that says which slices there are, where it is none of them.
pub(crate) fn labels<'s>(scores: &'s Scores, name: &str) -> Result<&'s Labels, BadRequest> {
    let found = scores.slices.iter().find(|(own, _)| own == name);
    found.map(|(_, labels)| labels).ok_or_else(|| {
        let known: Vec<&str> = scores.slices.iter().map(|(own, _)| own.as_str()).collect();
        let hint = match known.as_slice() {
            [] => "declare `slices` of the dataset in the file".to_owned(),
            known => format!("there are {}", known.join(", ")),
        };
        BadRequest { message: format!("there is no slice `{name}`"), hint: Some(hint) }
    })
}
