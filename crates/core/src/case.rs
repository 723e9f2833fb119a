//! A case: all that is known of one example when it is scored.

use std::{cell::OnceCell, iter};

use crate::{
    Example, JudgedRanking, Passage, Prediction,
    metrics::{answer_recall, normalize, numbered::NumberedTexts, rouge, squad},
};

/// One example together with what the components made of it.
///
/// A part is `None` when the evaluation has no component that makes it, or when that component
/// gave nothing for this example; a missing part is scored by the rule of the metric.
#[derive(Debug)]
pub struct Case<'a> {
    /// The question and its references.
    pub example: &'a Example,
    /// What was retrieved, joined with the judgments; `None` when nothing was retrieved or the
    /// example has no judgments.
    pub ranking: Option<&'a JudgedRanking>,
    /// The same by document, where somebody knows which passages are from which; see
    /// [`Ranking::by_document`](crate::Ranking::by_document).
    pub documents: Option<&'a JudgedRanking>,
    /// The retrieved passages with their texts, best first.
    pub passages: &'a [&'a Passage],
    /// Where each of `passages` stands in the ranking; empty where they are all of its hits.
    pub places: &'a [Place],
    /// All hits, best first; `None` where nothing was retrieved, and where nobody asks for them.
    pub hits: Option<&'a [CaseHit<'a>]>,
    /// The citations of the prediction; `None` where there is no prediction, and where nobody asks
    /// for their texts.
    pub cited: Option<&'a [Named<'a>]>,
    /// The gold passages of the example; empty where nobody asks for their texts.
    pub gold: &'a [Named<'a>],
    /// What the reader answered.
    pub prediction: Option<&'a Prediction>,
    squad: OnceCell<squad::Answers>,
    answer_position: OnceCell<Option<usize>>,
    rouge: rouge::Cache,
}

/// A hit of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseHit<'a> {
    /// Id of the passage.
    pub passage: &'a str,
    /// The retriever's score; `None` for a passage that only the reader names.
    pub score: Option<f64>,
}

/// A passage that somebody names by its id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Named<'a> {
    /// The id; empty for a gold passage where the ids do not cross the boundary of plugins.
    pub id: &'a str,
    /// What the corpus has under it.
    pub passage: Option<&'a Passage>,
}

/// Where a passage stands in its ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// How many hits are before it.
    pub passage: usize,
    /// How many documents are before its own; `None` where a better hit is of the same document.
    pub document: Option<usize>,
}

impl<'a> Case<'a> {
    /// A case in which nothing but the example is known.
    pub fn new(example: &'a Example) -> Self {
        Self {
            example,
            ranking: None,
            documents: None,
            passages: &[],
            places: &[],
            hits: None,
            cited: None,
            gold: &[],
            prediction: None,
            squad: OnceCell::new(),
            answer_position: OnceCell::new(),
            rouge: rouge::Cache::default(),
        }
    }

    /// The same case with this prediction.
    #[must_use]
    pub fn with_prediction(self, prediction: &'a Prediction) -> Self {
        Self {
            prediction: Some(prediction),
            squad: OnceCell::new(),
            rouge: rouge::Cache::default(),
            ..self
        }
    }

    /// The same case with this ranking.
    #[must_use]
    pub fn with_ranking(self, ranking: &'a JudgedRanking) -> Self {
        Self { ranking: Some(ranking), ..self }
    }

    /// The same case with this ranking of documents, made from the other one.
    #[must_use]
    pub fn with_documents(self, documents: &'a JudgedRanking) -> Self {
        Self { documents: Some(documents), ..self }
    }

    /// The same case with the retrieved passages.
    #[must_use]
    pub fn with_passages(self, passages: &'a [&'a Passage]) -> Self {
        Self { passages, places: &[], answer_position: OnceCell::new(), ..self }
    }

    /// The same case, in which the texts of some hits are not known: `places` says where those stand
    /// whose texts are.
    #[must_use]
    pub fn with_places(self, places: &'a [Place]) -> Self {
        Self { places, ..self }
    }

    /// The predicted text; empty when there is none.
    pub fn prediction_text(&self) -> &'a str {
        self.prediction.map_or("", |prediction| &prediction.text)
    }

    /// Index of the first passage that contains a reference, looked for once for all the metrics
    /// that ask.
    pub(crate) fn answer_position(&self) -> Option<usize> {
        let find = || answer_recall::position(self.example, self.passages);
        *self.answer_position.get_or_init(find)
    }

    /// Prediction and references as SQuAD's scripts compare them: normalised once for all the
    /// metrics that need them.
    pub(crate) fn squad_answers(&self) -> &squad::Answers {
        self.squad.get_or_init(|| {
            squad::Answers::new(self.prediction_text(), self.example.reference_texts())
        })
    }

    /// Whether the prediction is one of the references as it stands and has a word that SQuAD's rules
    /// keep, so that both are equal by these rules and not empty: half of a good reader's answers need
    /// no normalisation to be called right.
    pub(crate) fn repeats_reference(&self) -> bool {
        let prediction = self.prediction_text();
        let repeats = self.example.references.iter().any(|reference| reference.text == prediction);
        repeats && normalize::surely_keeps_a_word(prediction)
    }

    /// The prediction and then the references as ROUGE compares them: cut once for all the
    /// metrics that cut them alike.
    pub(crate) fn rouge_texts(&self, cut: rouge::Cut) -> &NumberedTexts {
        let texts = || iter::once(self.prediction_text()).chain(self.example.reference_texts());
        self.rouge.get(cut, texts)
    }
}
