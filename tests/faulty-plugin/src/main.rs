//! The plugin that misbehaves on demand as a program: `faulty-program VARIANT`.

use qeval_sdk::program::ProgramError;

fn main() -> Result<(), ProgramError> {
    let variant = std::env::args().nth(1);
    faulty_plugin::program::run(variant.as_deref().unwrap_or("good"))
}
