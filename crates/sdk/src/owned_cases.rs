//! Cases that own their parts.

use qeval_core::{Case, CaseHit, Example, JudgedRanking, Named, Passage, Prediction, Reference};

/// Cases with all that they borrow, as they arrive on the plugin's side of the boundary. A part that
/// no case has is an empty list.
#[derive(Debug, Default)]
pub struct OwnedCases {
    pub(crate) examples: Vec<Example>,
    pub(crate) predictions: Vec<Option<Prediction>>,
    pub(crate) passages: Vec<Vec<Passage>>,
    pub(crate) hits: Vec<Option<Vec<OwnedHit>>>,
    pub(crate) cited: Vec<Option<Vec<OwnedPassage>>>,
    pub(crate) gold: Vec<Vec<OwnedPassage>>,
    pub(crate) rankings: Vec<Option<JudgedRanking>>,
    /// References that no example has just now.
    pub(crate) spare: Vec<Reference>,
}

/// The id of a hit, and its score where there is one.
pub(crate) type OwnedHit = (String, Option<f64>);

/// An id, and the passage that the corpus has under it.
pub(crate) type OwnedPassage = (String, Option<Passage>);

impl OwnedCases {
    /// Calls `work` with the cases, in order.
    pub fn with_cases<T>(&self, work: impl FnOnce(&[Case<'_>]) -> T) -> T {
        let listed = !(self.passages.is_empty()
            && self.hits.is_empty()
            && self.cited.is_empty()
            && self.gold.is_empty());
        let rows = if listed { self.examples.len() } else { 0 };
        let parts: Vec<Borrowed<'_>> = (0..rows).map(|row| self.row(row)).collect();
        let case = |row: usize| {
            let parts: Option<&Borrowed<'_>> = parts.get(row);
            let mut case = Case::new(&self.examples[row]);
            if let Some(parts) = parts {
                case = case.with_passages(&parts.passages);
                case.hits = parts.hits.as_deref();
                case.cited = parts.cited.as_deref();
                case.gold = &parts.gold;
            }
            case.prediction = self.predictions.get(row).and_then(Option::as_ref);
            case.ranking = self.rankings.get(row).and_then(Option::as_ref);
            case
        };
        let cases: Vec<Case<'_>> = (0..self.examples.len()).map(case).collect();
        work(&cases)
    }

    fn row(&self, row: usize) -> Borrowed<'_> {
        let hits = self.hits.get(row).and_then(Option::as_ref);
        let cited = self.cited.get(row).and_then(Option::as_ref);
        Borrowed {
            passages: self.passages.get(row).into_iter().flatten().collect(),
            hits: hits.map(|hits| hits.iter().map(case_hit).collect()),
            cited: cited.map(|cited| cited.iter().map(named).collect()),
            gold: self.gold.get(row).into_iter().flatten().map(named).collect(),
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
