//! Cases that own their parts.

use qeval_core::{Case, CaseHit, Example, JudgedRanking, Named, Passage, Prediction};

/// Cases with all that they borrow, as they arrive on the plugin's side of the boundary.
#[derive(Debug, Default)]
pub struct OwnedCases {
    pub(crate) examples: Vec<Example>,
    pub(crate) predictions: Vec<Option<Prediction>>,
    pub(crate) passages: Vec<Vec<Passage>>,
    pub(crate) hits: Vec<Option<Vec<OwnedHit>>>,
    pub(crate) cited: Vec<Option<Vec<OwnedPassage>>>,
    pub(crate) gold: Vec<Vec<OwnedPassage>>,
    pub(crate) rankings: Vec<Option<JudgedRanking>>,
}

/// The id of a hit, and its score where there is one.
pub(crate) type OwnedHit = (String, Option<f64>);

/// An id, and the passage that the corpus has under it.
pub(crate) type OwnedPassage = (String, Option<Passage>);

impl OwnedCases {
    /// Calls `work` with the cases, in order.
    pub fn with_cases<T>(&self, work: impl FnOnce(&[Case<'_>]) -> T) -> T {
        let parts: Vec<Borrowed<'_>> = (0..self.examples.len()).map(|row| self.row(row)).collect();
        let cases: Vec<Case<'_>> = parts
            .iter()
            .enumerate()
            .map(|(row, parts)| {
                let mut case = Case::new(&self.examples[row]).with_passages(&parts.passages);
                case.prediction = self.predictions[row].as_ref();
                case.ranking = self.rankings[row].as_ref();
                case.hits = parts.hits.as_deref();
                case.cited = parts.cited.as_deref();
                case.gold = &parts.gold;
                case
            })
            .collect();
        work(&cases)
    }

    fn row(&self, row: usize) -> Borrowed<'_> {
        Borrowed {
            passages: self.passages[row].iter().collect(),
            hits: self.hits[row].as_ref().map(|hits| hits.iter().map(case_hit).collect()),
            cited: self.cited[row].as_ref().map(|cited| cited.iter().map(named).collect()),
            gold: self.gold[row].iter().map(named).collect(),
        }
    }
}

/// The lists of a case.
struct Borrowed<'a> {
    passages: Vec<&'a Passage>,
    hits: Option<Vec<CaseHit<'a>>>,
    cited: Option<Vec<Named<'a>>>,
    gold: Vec<Named<'a>>,
}

fn case_hit((passage, score): &OwnedHit) -> CaseHit<'_> {
    CaseHit { passage, score: *score }
}

fn named((id, passage): &OwnedPassage) -> Named<'_> {
    Named { id, passage: passage.as_ref() }
}
