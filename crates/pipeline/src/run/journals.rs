//! The journals of a run: opened when it begins, closed when it ends.

use qeval_store::JournalError;

use crate::{
    Plan,
    builtin::journaled::{Journaled, Needed},
    event::Event,
    plan::System,
};

/// The journals of the readers that are asked. Dropping it closes them.
pub(super) struct Journals<'p> {
    /// Each with the name of its reader.
    open: Vec<(&'p str, &'p Journaled)>,
}

impl<'p> Journals<'p> {
    /// Opens those of the readers of these systems; what nobody keeps has none.
    pub(super) fn open<'s>(
        plan: &'p Plan,
        systems: impl Iterator<Item = &'s System>,
        fresh: bool,
    ) -> Result<Self, JournalError> {
        let mut readers: Vec<usize> = systems.filter_map(|system| system.reader).collect();
        readers.sort_unstable();
        readers.dedup();
        let mut journals = Self { open: Vec::new() };
        for index in readers {
            let reader = &plan.readers[index];
            let Some(journaled) = reader.journaled.as_deref().filter(|_| plan.kept) else {
                continue;
            };
            journaled.open(&plan.results, fresh)?;
            journals.open.push((&reader.name, journaled));
        }
        Ok(journals)
    }

    /// Why one of them keeps nothing any more, where that is so.
    pub(super) fn check(&self) -> Result<(), JournalError> {
        let broken = self.open.iter().find_map(|(_, journaled)| journaled.broken());
        broken.map_or(Ok(()), Err)
    }

    /// How many answers of this run are kept.
    pub(super) fn kept(&self) -> u64 {
        let needed = self.open.iter().filter_map(|(_, journaled)| journaled.needed());
        needed.map(|needed| needed.kept).sum()
    }

    /// Notes that the run came to its end.
    pub(super) fn note_whole(&self) -> Result<(), JournalError> {
        self.open.iter().try_for_each(|(_, journaled)| journaled.note_whole())
    }

    /// Tells how many answers were needed and where they are.
    pub(super) fn tell(&self, events: &(dyn Fn(Event) + Sync)) {
        for (reader, journaled) in &self.open {
            let (Some(needed), Some(path)) = (journaled.needed(), journaled.path()) else {
                continue;
            };
            let Needed { asked, kept, .. } = needed;
            let earlier = needed.earlier();
            events(Event::Answers { reader: (*reader).to_owned(), asked, kept, earlier, path });
        }
    }
}

impl Drop for Journals<'_> {
    fn drop(&mut self) {
        self.open.iter().for_each(|(_, journaled)| journaled.close());
    }
}
