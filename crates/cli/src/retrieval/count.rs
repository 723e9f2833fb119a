//! Counts over the questions of one evaluation, one question after the other.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use qeval_core::retrieved::{COMPARED, Curve, HasAnswer, quarter, quartiles};
use qeval_report::{
    CopyReport, CoverageReport, CurveReport, DOCUMENTS_FOUND, DisagreementReport, Found,
    GroupRecall, Hub, PassageExample, RetrievalReport, SliceRecall, WithAnswer,
};
use qeval_store::{Evaluation, Labels, StoredHit, StoredRelevant, StoredRetrieval};

/// The depth of the first hits, which groups are looked at with beside the whole depth.
const FIRST: usize = 10;

/// Passages of a kind that are named.
const NAMED: usize = 5;

/// What is counted.
pub(super) struct Count<'a> {
    /// Passages of the corpus; `None` where texts are unknown.
    corpus: Option<u64>,
    /// Whether the judgments name documents, of whose texts nothing is known.
    documents: bool,
    questions: u64,
    depth: usize,
    recall: Curve,
    exact: Curve,
    normalised: Curve,
    slices: Vec<Slice<'a>>,
    relevant: Vec<Relevant>,
    without_text: u64,
    compared: u64,
    disagreement: DisagreementReport,
    unjudged_with: Named,
    not_relevant_with: Named,
    relevant_without: Named,
    /// Hits and near copies at each rank that is compared.
    copies: [(u64, u64); COMPARED],
    questions_with_copies: u64,
    copied: Named,
    /// For each retrieved passage, how many questions retrieve it, and whether one does among the
    /// first hits.
    retrieved: HashMap<String, (u64, bool)>,
}

/// A column to group by, with the curves of each of its values.
struct Slice<'a> {
    name: &'a str,
    labels: &'a Labels,
    values: BTreeMap<Option<&'a str>, (Curve, Curve)>,
}

/// A relevant passage whose text is known.
struct Relevant {
    rank: Option<u32>,
    length: u32,
    /// The quarter of the text in which an answer begins; `None` without references.
    place: Option<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Quarter(usize),
    Nowhere,
}

/// The best passages of a kind, those of the best ranks first: rank, row and passage.
#[derive(Default)]
struct Named(Vec<(u32, usize, String)>);

impl Named {
    fn add(&mut self, row: usize, passage: &str, rank: Option<u32>) {
        let rank = rank.unwrap_or(u32::MAX);
        let last = self.0.last().map(|(rank, row, _)| (*rank, *row));
        if self.0.len() == NAMED && last <= Some((rank, row)) {
            return;
        }
        self.0.push((rank, row, passage.to_owned()));
        self.0.sort();
        self.0.truncate(NAMED);
    }

    fn report(self, evaluation: &Evaluation) -> Result<Vec<PassageExample>> {
        let rows: Vec<usize> = self.0.iter().map(|&(_, row, _)| row).collect();
        let cases = evaluation.cases(&rows)?;
        let example = |((rank, _, passage_id), case): (_, qeval_store::StoredCase)| {
            let rank = (rank != u32::MAX).then_some(rank);
            PassageExample { example_id: case.example_id, dataset: case.dataset, passage_id, rank }
        };
        Ok(self.0.into_iter().zip(cases).map(example).collect())
    }
}

impl<'a> Count<'a> {
    pub(super) fn new(evaluation: &Evaluation, slices: Vec<(&'a str, &'a Labels)>) -> Self {
        let manifest = evaluation.manifest();
        let documents = ["gold_documents", "judged_documents"];
        let slice = |(name, labels)| Slice { name, labels, values: BTreeMap::new() };
        Self {
            corpus: manifest.corpus.as_ref().map(|corpus| corpus.passages),
            documents: documents.iter().any(|&name| manifest.counts.contains_key(name)),
            questions: 0,
            depth: 0,
            recall: Curve::default(),
            exact: Curve::default(),
            normalised: Curve::default(),
            slices: slices.into_iter().map(slice).collect(),
            relevant: Vec::new(),
            without_text: 0,
            compared: 0,
            disagreement: DisagreementReport::default(),
            unjudged_with: Named::default(),
            not_relevant_with: Named::default(),
            relevant_without: Named::default(),
            copies: [(0, 0); COMPARED],
            questions_with_copies: 0,
            copied: Named::default(),
            retrieved: HashMap::new(),
        }
    }

    /// Whether nothing was retrieved for any question.
    pub(super) fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// Counts the question of a row.
    pub(super) fn add(&mut self, row: usize, found: &StoredRetrieval) {
        let Some(retrieved) = found.retrieved else { return };
        self.questions += 1;
        self.depth = self.depth.max(retrieved as usize);
        // Behind the retriever's hits stand those that only the reader names.
        let hits = &found.hits[..found.hits.len().min(retrieved as usize)];
        self.add_to_curves(row, found, hits);
        self.add_relevant(found);
        self.add_disagreements(row, found, hits);
        self.add_copies(row, hits);
        self.add_coverage(hits);
    }

    fn add_to_curves(&mut self, row: usize, found: &StoredRetrieval, hits: &[StoredHit]) {
        let relevant = found.relevant.as_deref().unwrap_or_default();
        let ranks = || relevant.iter().filter_map(|passage| passage.rank);
        self.recall.add(ranks(), relevant.len());
        let answers = found.answerable && self.corpus.is_some();
        let first = |has: fn(&HasAnswer) -> bool| {
            hits.iter().find(|hit| hit.answer.as_ref().is_some_and(has)).map(|hit| hit.rank)
        };
        let exact = first(|answer| answer.exact);
        if answers {
            let normalised = first(|answer| answer.normalised);
            self.exact.add(exact, 1);
            self.normalised.add(normalised, 1);
        }
        for slice in &mut self.slices {
            let (recall, of_answers) = slice.values.entry(slice.labels.get(row)).or_default();
            recall.add(ranks(), relevant.len());
            of_answers.add(exact.filter(|_| answers), usize::from(answers));
        }
    }

    fn add_relevant(&mut self, found: &StoredRetrieval) {
        if self.corpus.is_none() || self.documents {
            return;
        }
        for passage in found.relevant.iter().flatten() {
            let Some(length) = passage.length else {
                self.without_text += 1;
                continue;
            };
            let place =
                passage.answer_at.map_or(Place::Nowhere, |at| Place::Quarter(quarter(at, length)));
            let place = found.answerable.then_some(place);
            self.relevant.push(Relevant { rank: passage.rank, length, place });
        }
    }

    fn add_disagreements(&mut self, row: usize, found: &StoredRetrieval, hits: &[StoredHit]) {
        let Some(relevant) = found.relevant.as_ref().filter(|_| found.answerable) else { return };
        if self.corpus.is_none() {
            return;
        }
        self.compared += 1;
        let table = &mut self.disagreement;
        let documents = self.documents;
        let known = |passage: &&StoredRelevant| !documents && passage.length.is_some();
        for passage in relevant.iter().filter(known) {
            let has = passage.answer_at.is_some();
            let cells =
                if passage.rank.is_some() { &mut table.retrieved } else { &mut table.missed };
            tick(cells, has);
            if !has {
                self.relevant_without.add(row, &passage.passage_id, passage.rank);
            }
        }
        let mut unjudged = false;
        for hit in hits {
            let Some(answer) = hit.answer else { continue };
            // A negative grade is no judgment.
            let (cells, named) = match hit.grade {
                Some(1..) => continue,
                Some(0) => (&mut table.not_relevant, &mut self.not_relevant_with),
                _ => (&mut table.unjudged, &mut self.unjudged_with),
            };
            tick(cells, answer.exact);
            if answer.exact {
                named.add(row, &hit.passage_id, Some(hit.rank));
                unjudged |= hit.grade != Some(0);
            }
        }
        table.unjudged_questions += u64::from(unjudged);
    }

    fn add_copies(&mut self, row: usize, hits: &[StoredHit]) {
        let mut any = false;
        for (hit, (count, copies)) in hits.iter().zip(&mut self.copies) {
            *count += 1;
            if hit.near_copy_of.is_some() {
                *copies += 1;
                any = true;
                self.copied.add(row, &hit.passage_id, Some(hit.rank));
            }
        }
        self.questions_with_copies += u64::from(any);
    }

    fn add_coverage(&mut self, hits: &[StoredHit]) {
        for (place, hit) in hits.iter().enumerate() {
            let first = place < FIRST;
            match self.retrieved.get_mut(&hit.passage_id) {
                Some((questions, among_first)) => {
                    *questions += 1;
                    *among_first |= first;
                }
                None => {
                    self.retrieved.insert(hit.passage_id.clone(), (1, first));
                }
            }
        }
    }

    /// What came of it.
    pub(super) fn report(self, evaluation: &Evaluation) -> Result<RetrievalReport> {
        let depths = if self.depth > FIRST { vec![FIRST, self.depth] } else { vec![self.depth] };
        let curves = [
            (if self.documents { DOCUMENTS_FOUND } else { "Recall" }, &self.recall),
            ("AnswerRecall", &self.exact),
            ("AnswerRecall(match=kilt)", &self.normalised),
        ];
        let curve = |(measure, curve): (&str, &Curve)| CurveReport {
            measure: measure.to_owned(),
            n: curve.n(),
            points: curve.points(self.depth),
        };
        let curves = curves.into_iter().filter(|(_, curve)| curve.n() > 0).map(curve).collect();
        let texts = self.corpus.is_some();
        // A passage that the corpus lacks covers nothing of it.
        let within_corpus = !evaluation.manifest().counts.contains_key("unknown_hits");
        let disagreement = DisagreementReport {
            unjudged_with: self.unjudged_with.report(evaluation)?,
            not_relevant_with: self.not_relevant_with.report(evaluation)?,
            relevant_without: self.relevant_without.report(evaluation)?,
            ..self.disagreement
        };
        let copied = self.copied.report(evaluation)?;
        Ok(RetrievalReport {
            questions: self.questions,
            documents: self.documents,
            depth: self.depth,
            curves,
            disagreement: (self.compared > 0).then_some(disagreement),
            slices: slices(&self.slices, &depths),
            lengths: lengths(&self.relevant, &depths),
            places: places(&self.relevant, &depths),
            without_text: (texts && !self.documents).then_some(self.without_text),
            copies: texts.then(|| CopyReport {
                within: copies_within(&self.copies, self.depth),
                questions: self.questions_with_copies,
                examples: copied,
            }),
            coverage: self
                .corpus
                .filter(|_| within_corpus)
                .map(|passages| coverage(passages, self.retrieved, &depths)),
            depths,
        })
    }
}

fn tick(cells: &mut WithAnswer, has: bool) {
    if has { cells.with += 1 } else { cells.without += 1 }
}

fn slices(slices: &[Slice<'_>], depths: &[usize]) -> Vec<SliceRecall> {
    let found = |curve: &Curve| {
        let shares = depths.iter().filter_map(|&depth| curve.at(depth));
        Found { n: curve.n(), shares: shares.collect() }
    };
    let of_slice = |slice: &Slice<'_>| -> Vec<SliceRecall> {
        let value = |(value, (recall, answers)): (Option<&str>, &(Curve, Curve))| SliceRecall {
            slice: slice.name.to_owned(),
            value: value.map(str::to_owned),
            recall: found(recall),
            answer_recall: found(answers),
        };
        // Those without a value come last, as in the summaries.
        let (none, some): (Vec<_>, Vec<_>) =
            slice.values.iter().map(|(&v, curves)| (v, curves)).partition(|(v, _)| v.is_none());
        some.into_iter().chain(none).map(value).collect()
    };
    let told = |slice: &SliceRecall| slice.recall.n + slice.answer_recall.n > 0;
    slices.iter().flat_map(of_slice).filter(told).collect()
}

fn lengths(relevant: &[Relevant], depths: &[usize]) -> Vec<GroupRecall> {
    let lengths: Vec<u32> = relevant.iter().map(|passage| passage.length).collect();
    let group = |(low, high): (u32, u32)| {
        let inside = |passage: &Relevant| (low..=high).contains(&passage.length);
        let name = if low == high { low.to_string() } else { format!("{low} to {high}") };
        group(name, relevant, inside, depths)
    };
    quartiles(&lengths).into_iter().map(group).collect()
}

fn places(relevant: &[Relevant], depths: &[usize]) -> Vec<GroupRecall> {
    let quarters = ["first quarter", "second quarter", "third quarter", "last quarter"];
    let quarters = quarters.into_iter().enumerate().map(|(i, name)| (name, Place::Quarter(i)));
    let groups = quarters.chain([("not in it", Place::Nowhere)]).map(|(name, place)| {
        group(name.to_owned(), relevant, |passage| passage.place == Some(place), depths)
    });
    groups.filter(|group| group.found.n > 0).collect()
}

fn group(
    name: String,
    relevant: &[Relevant],
    inside: impl Fn(&Relevant) -> bool,
    depths: &[usize],
) -> GroupRecall {
    let members = || relevant.iter().filter(|passage| inside(passage));
    let n = members().count();
    let share = |&depth: &usize| {
        let within = |passage: &&Relevant| passage.rank.is_some_and(|rank| rank as usize <= depth);
        members().filter(within).count() as f64 / n as f64
    };
    let shares = if n == 0 { Vec::new() } else { depths.iter().map(share).collect() };
    GroupRecall { name, found: Found { n: n as u64, shares } }
}

/// Hits and copies within a few depths.
fn copies_within(by_rank: &[(u64, u64); COMPARED], depth: usize) -> Vec<(usize, u64, u64)> {
    let last = depth.min(COMPARED);
    let depths = [5, 10].into_iter().filter(|&k| k < last).chain([last]);
    let within = |depth: usize| {
        let sum = |of: fn(&(u64, u64)) -> u64| by_rank[..depth].iter().map(of).sum();
        (depth, sum(|rank| rank.0), sum(|rank| rank.1))
    };
    depths.map(within).collect()
}

fn coverage(
    passages: u64,
    retrieved: HashMap<String, (u64, bool)>,
    depths: &[usize],
) -> CoverageReport {
    let all = retrieved.len() as u64;
    let first = retrieved.values().filter(|(_, first)| *first).count() as u64;
    let counts = if depths.len() > 1 { vec![first, all] } else { vec![all] };
    let several = retrieved.into_iter().filter(|(_, (questions, _))| *questions > 1);
    let mut hubs: Vec<Hub> =
        several.map(|(passage_id, (questions, _))| Hub { passage_id, questions }).collect();
    hubs.sort_by(|a, b| (b.questions, &a.passage_id).cmp(&(a.questions, &b.passage_id)));
    hubs.truncate(NAMED);
    CoverageReport { passages, retrieved: counts, hubs }
}
