//! The examples of a dataset.

use qeval_core::{Example, Qrels};
use qeval_dataset::{DatasetSource, Error, Record, Records};

use super::DatasetPlan;

impl DatasetPlan {
    /// The examples, in the order of the dataset.
    pub fn records(&self) -> Result<Records, Error> {
        self.read(qeval_dataset::open)
    }

    /// The examples with nothing but their ids, where that saves time. An id that is there twice is
    /// not noticed.
    pub(crate) fn ids(&self) -> Result<Records, Error> {
        self.read(qeval_dataset::open_ids)
    }

    fn read(&self, open: fn(&DatasetSource) -> Result<Records, Error>) -> Result<Records, Error> {
        if !self.queries_of_qrels {
            return open(&self.source);
        }
        let queries = self.qrels.iter().flat_map(Qrels::iter);
        let example =
            |(query, _): (&str, _)| Example { id: query.to_owned(), ..Example::default() };
        let records = queries.map(example).map(Record::from).collect();
        Ok(Records::of(&self.source.path, records))
    }
}
