//! Tests of qeval as a whole: the program end to end, its metrics against the field's own scripts,
//! and against slow programs that say the same thing in another way.

#[cfg(test)]
mod abstention;
#[cfg(test)]
mod beir;
#[cfg(test)]
mod bm25;
#[cfg(test)]
mod candidates;
#[cfg(test)]
mod changes;
#[cfg(test)]
mod citations;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod columns;
#[cfg(test)]
mod comparison;
#[cfg(test)]
mod components;
#[cfg(test)]
mod conditional;
#[cfg(test)]
mod configs;
#[cfg(test)]
mod determinism;
#[cfg(test)]
mod diagnose;
#[cfg(test)]
mod differential;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod domains;
#[cfg(test)]
mod example_plugins;
#[cfg(test)]
mod explain;
#[cfg(test)]
mod export;
#[cfg(test)]
mod extends;
#[cfg(test)]
mod families;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fingerprints;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod frozen;
#[cfg(test)]
mod gates;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod haystack;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod intervals;
#[cfg(test)]
mod joined;
#[cfg(test)]
mod kit;
#[cfg(test)]
mod languages;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod live_readers;
#[cfg(test)]
mod machine;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod natural_questions;
#[cfg(test)]
mod offers;
#[cfg(test)]
mod official;
#[cfg(test)]
mod older_plugins;
#[cfg(test)]
mod passages;
#[cfg(test)]
mod places;
#[cfg(test)]
mod plugins;
#[cfg(test)]
mod pooled;
#[cfg(test)]
mod progress;
#[cfg(test)]
mod quickstart;
#[cfg(test)]
mod readers;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod request;
#[cfg(test)]
mod rescore;
#[cfg(test)]
mod resume;
#[cfg(test)]
mod retrievers;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod significance;
#[cfg(test)]
mod sql;
#[cfg(test)]
mod support;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod tally;
#[cfg(test)]
mod verify;
