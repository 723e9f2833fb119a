//! Tests of qeval as a whole: against the field's own scripts, and against slow programs that say
//! the same thing in another way.

#[cfg(test)]
mod differential;
#[cfg(test)]
mod families;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod tally;
