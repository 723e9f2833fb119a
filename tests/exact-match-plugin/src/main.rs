//! The built-in metric `EM` as a plugin that is a program.

use qeval_sdk::program::{ProgramError, run};

fn main() -> Result<(), ProgramError> {
    run(exact_match_plugin::plugin)
}
