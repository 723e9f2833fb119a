//! Files that a system left, one for all datasets or one for each, and who has asked for what is in
//! them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A file for all datasets, or one for each of them.
pub(crate) struct PerDataset<T> {
    /// With the dataset that each is for; `None` for all.
    files: Vec<(Option<String>, T)>,
    /// Names of the datasets, in the order of the file.
    datasets: Vec<String>,
}

impl<T> PerDataset<T> {
    /// One file for all of these datasets.
    pub(crate) fn shared(file: T, datasets: Vec<String>) -> Self {
        Self { files: vec![(None, file)], datasets }
    }

    /// A file for each dataset, by its name.
    pub(crate) fn each(files: Vec<(String, T)>) -> Self {
        let datasets = files.iter().map(|(name, _)| name.clone()).collect();
        let files = files.into_iter().map(|(name, file)| (Some(name), file)).collect();
        Self { files, datasets }
    }

    /// The file for a dataset, and the dataset's place among all. The only dataset has no name in
    /// its examples.
    pub(crate) fn of(&self, dataset: Option<&str>) -> Option<(&T, usize)> {
        let Some(name) = dataset else { return Some((&self.files.first()?.1, 0)) };
        let own = |file: &&(Option<String>, T)| file.0.as_ref().is_none_or(|own| own == name);
        let place = self.datasets.iter().position(|dataset| dataset == name)?;
        Some((&self.files.iter().find(own)?.1, place))
    }

    /// The file for the dataset at this place among all.
    pub(crate) fn at(&self, dataset: usize) -> Option<&T> {
        (self.files.len() == 1 || dataset < self.files.len()).then(|| self.file(dataset).0)
    }

    /// The file for the dataset at this place among all, and its own place among the files.
    pub(crate) fn file(&self, dataset: usize) -> (&T, usize) {
        let place = if self.files.len() == 1 { 0 } else { dataset };
        (&self.files[place].1, place)
    }

    /// All files.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.files.iter().map(|(_, file)| file)
    }
}

/// Which dataset has asked for something: none so far, one, or several. The order of the questions
/// does not matter.
pub(crate) struct Asker(AtomicUsize);

impl Asker {
    const NOBODY: usize = usize::MAX;
    const SEVERAL: usize = usize::MAX - 1;

    pub(crate) fn nobody() -> Self {
        Self(AtomicUsize::new(Self::NOBODY))
    }

    /// The dataset at this place asks.
    pub(crate) fn asks(&self, dataset: usize) {
        let seen =
            self.0.compare_exchange(Self::NOBODY, dataset, Ordering::Relaxed, Ordering::Relaxed);
        if seen.is_err_and(|other| other != dataset) {
            self.0.store(Self::SEVERAL, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_nobody(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Self::NOBODY
    }

    pub(crate) fn are_several(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Self::SEVERAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dataset_has_its_own_file_or_the_one_for_all() {
        let names = || vec!["a".to_owned(), "b".to_owned()];
        let shared = PerDataset::shared('s', names());
        assert_eq!(shared.of(Some("b")), Some((&'s', 1)));
        assert_eq!(shared.of(None), Some((&'s', 0)));
        let each = PerDataset::each(names().into_iter().zip(['x', 'y']).collect());
        assert_eq!(each.of(Some("a")), Some((&'x', 0)));
        assert_eq!(each.of(Some("b")), Some((&'y', 1)));
        assert_eq!(each.of(Some("c")), None);
        assert!(each.iter().eq(&['x', 'y']));
    }

    #[test]
    fn several_are_two_that_differ() {
        let asker = Asker::nobody();
        let is = |nobody: bool, several: bool| {
            assert_eq!((asker.is_nobody(), asker.are_several()), (nobody, several));
        };
        is(true, false);
        asker.asks(1);
        asker.asks(1);
        is(false, false);
        asker.asks(0);
        asker.asks(0);
        is(false, true);
    }
}
