//! What the texts of passages say: of those that were retrieved, and of those that should have been.

use std::collections::HashMap;

use qeval_core::{
    Judgments, Passage, Ranking,
    metrics::words::Words,
    retrieved::{Answers, COMPARED, HasAnswer, near_copies},
};
use qeval_store::RowRelevant;

use crate::corpus::Corpus;

/// What the text of a hit says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    /// Whether a reference stands in it; `None` without a reference, and where the corpus lacks it.
    pub(super) answer: Option<HasAnswer>,
    /// The rank of the best hit that it nearly repeats.
    pub(super) near_copy_of: Option<u32>,
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
/// retrieved, and with what its text says where the corpus has it.
pub(super) fn relevant<'a>(
    judgments: &'a Judgments,
    ranking: &Ranking,
    grades: &[Option<i32>],
    corpus: Option<&Corpus>,
    answers: Option<&Answers>,
) -> Vec<RowRelevant<'a>> {
    let hits = ranking.hits().iter().zip(grades).zip(1..);
    let found = hits.filter(|((_, grade), _)| grade.is_some_and(|grade| grade > 0));
    let ranks: HashMap<&str, u32> = found.map(|((hit, _), rank)| (hit.passage, rank)).collect();
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
