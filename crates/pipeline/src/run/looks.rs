//! What the texts of passages say: of those that were retrieved, and of those that should have been.

use std::{collections::HashMap, iter};

use qeval_core::{
    Judgments, Passage, Ranking,
    metrics::words::Words,
    retrieved::{Answers, COMPARED, HasAnswer, near_copies},
};
use qeval_dataset::document_of_chunk;
use qeval_store::RowRelevant;

use crate::{Plan, corpus::Corpus};

/// What the text of a hit says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    /// Whether a reference stands in it; `None` without a reference, and where the corpus lacks it.
    pub(super) answer: Option<HasAnswer>,
    /// The rank of the best hit that it nearly repeats.
    pub(super) near_copy_of: Option<u32>,
}

/// What the ids of judgments may name beside passages.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) corpus: Option<&'a Corpus>,
    /// Whether, without a corpus, ids of chunks say their document: where a metric counts those.
    pub(super) chunks: bool,
}

impl<'a> Named<'a> {
    /// What the judgments of this plan may name.
    pub(super) fn of(plan: &'a Plan) -> Self {
        Self { corpus: plan.corpus.as_deref(), chunks: plan.counted.documents }
    }

    /// The document of a passage, where its id stands for no passage.
    fn document<'i>(self, passage: &'i str) -> Option<&'i str>
    where
        'a: 'i,
    {
        let document = match self.corpus {
            Some(corpus) => corpus.document_of(passage),
            None if self.chunks => document_of_chunk(passage),
            None => passage,
        };
        let is_passage = self.corpus.is_some_and(|corpus| corpus.get(document).is_some());
        (document != passage && !is_passage).then_some(document)
    }

    /// What is known of a hit: its own grade or that of its document, the higher of both.
    pub(super) fn grade(self, judgments: &Judgments, passage: &str) -> Option<i32> {
        let of_document = self.document(passage).and_then(|document| judgments.grade(document));
        judgments.grade(passage).max(of_document)
    }

    /// Whether one of the hits is judged as a part of its document.
    pub(super) fn meets_documents(self, judgments: &Judgments, ranking: &Ranking) -> bool {
        let judged = |id: &str| judgments.grade(id).is_some();
        let mut documents = ranking.hits().iter().filter_map(|hit| self.document(hit.passage));
        documents.any(judged)
    }
}

/// Looks at the text of each hit. `passages` are those of the hits that the corpus has, in their
/// order.
pub(super) fn look_at_hits(
    ranking: &Ranking,
    passages: &[&Passage],
    answers: Option<&Answers>,
) -> Vec<Look> {
    let mut looks = vec![Look::default(); ranking.hits().len()];
    let mut known = passages.iter();
    let mut next = known.next();
    let mut compared: Vec<(usize, Words)> = Vec::new();
    for (index, (hit, look)) in ranking.hits().iter().zip(&mut looks).enumerate() {
        if index >= COMPARED && answers.is_none() {
            break;
        }
        let Some(passage) = next.filter(|passage| passage.id == hit.passage) else { continue };
        next = known.next();
        let words = Words::new(&passage.text);
        look.answer = answers.map(|answers| answers.stand_in(&words, &passage.text));
        if index < COMPARED {
            compared.push((index, words));
        }
    }
    let copies = near_copies(compared.iter().map(|(_, words)| words));
    for ((index, _), copy) in compared.iter().zip(copies) {
        looks[*index].near_copy_of = copy.and_then(|of| u32::try_from(compared[of].0 + 1).ok());
    }
    looks
}

/// The relevant passages of an example, in the order of their ids, each with its rank where it was
/// retrieved, and with what its text says where the corpus has it. A document that the judgments
/// name has the rank of its first passage, and no text.
pub(super) fn relevant<'a>(
    judgments: &'a Judgments,
    ranking: &Ranking,
    known: Named<'_>,
    answers: Option<&Answers>,
) -> Vec<RowRelevant<'a>> {
    let corpus = known.corpus;
    let mut ranks: HashMap<&str, u32> = HashMap::new();
    for (hit, rank) in ranking.hits().iter().zip(1..) {
        for id in iter::once(hit.passage).chain(known.document(hit.passage)) {
            if judgments.grade(id).is_some_and(|grade| grade > 0) {
                ranks.entry(id).or_insert(rank);
            }
        }
    }
    let passage = |(passage_id, grade): (&'a str, i32)| {
        let words = corpus
            .and_then(|corpus| corpus.get(passage_id))
            .map(|passage| Words::new(&passage.text));
        let position = words.as_ref().zip(answers);
        let position = position.and_then(|(words, answers)| answers.position(words));
        RowRelevant {
            passage_id,
            grade,
            rank: ranks.get(passage_id).copied(),
            length: words.and_then(|words| u32::try_from(words.len()).ok()),
            answer_at: position.and_then(|position| u32::try_from(position).ok()),
        }
    };
    judgments.iter().filter(|&(_, grade)| grade > 0).map(passage).collect()
}
