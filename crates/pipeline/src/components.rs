//! The one list of built-in components and formats, as `qeval list components` prints it.

/// One thing that a file can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentSummary {
    /// `dataset`, `corpus`, `retriever`, `reader`.
    pub kind: &'static str,
    /// Its name in the file.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
}

/// Every built-in component and format.
pub fn components() -> &'static [ComponentSummary] {
    &COMPONENTS
}

const COMPONENTS: [ComponentSummary; 38] = [
    entry("dataset", "squad", "SQuAD v1.1 or v2.0 JSON"),
    entry("dataset", "quac", "QuAC JSON: dialogs over a passage"),
    entry("dataset", "coqa", "CoQA JSON: dialogs over a story"),
    entry("dataset", "hotpotqa", "HotpotQA JSON: questions with supporting facts"),
    entry("dataset", "triviaqa", "TriviaQA JSON: answers in all their spellings"),
    entry("dataset", "drop", "DROP JSON: answers that are numbers, dates or lists"),
    entry("dataset", "subjqa", "SubjQA CSV: questions about reviews, a row for each annotator"),
    entry("dataset", "natural-questions", "Natural Questions JSON lines: long and short answers"),
    entry("dataset", "nq-open", "NQ-open JSON lines: questions and answers"),
    entry("dataset", "curatedtrec", "CuratedTREC: answers that are regular expressions"),
    entry("dataset", "kilt", "KILT JSON lines: answers with their pages"),
    entry("dataset", "dpr", "DPR's results of a retrieval: questions and answers"),
    entry("dataset", "evouna", "EVOUNA JSON: answers of systems with judgments of people"),
    entry("dataset", "jsonl", "JSON lines with a field mapping"),
    entry("dataset", "csv", "CSV with a header and a field mapping"),
    entry("dataset", "parquet", "Parquet with a field mapping"),
    entry("dataset", "trec", "TREC topics and qrels"),
    entry("dataset", "beir", "a BEIR folder: queries with the qrels of a split"),
    entry("corpus", "jsonl", "JSON lines with a field mapping"),
    entry("corpus", "csv", "CSV with a header and a field mapping"),
    entry("corpus", "parquet", "Parquet with a field mapping"),
    entry("corpus", "trec", "a TREC or SMART stream of documents, such as Cranfield"),
    entry("corpus", "dpr", "the passages in DPR's results of a retrieval"),
    entry("corpus", "beir", "the passages of a BEIR folder"),
    entry("corpus", "msmarco", "MS MARCO's lines of passages or documents"),
    entry("retriever", "bm25", "BM25 over the corpus"),
    entry(
        "retriever",
        "replay",
        "the rankings of a run file: TREC, MS MARCO, JSON, tables, Parquet, DPR, KILT",
    ),
    entry("retriever", "command", "a program of yours that answers JSON lines with hits"),
    entry("retriever", "http", "a service of yours that answers JSON with hits"),
    entry("retriever", "fusion", "the rankings of several retrievers made one"),
    entry("retriever", "reranker", "the hits of a retriever, scored anew by a program or service"),
    entry("retriever", "plugin", "the retriever of a plugin"),
    entry("reader", "replay", "answers that a system gave earlier"),
    entry("reader", "command", "a program that answers JSON lines"),
    entry("reader", "http", "a service of yours that answers JSON with an answer"),
    entry("reader", "openai", "a language model behind a chat-completions endpoint"),
    entry("reader", "sliding-window", "the lexical baseline: the window with the most overlap"),
    entry("reader", "plugin", "the reader of a plugin"),
];

const fn entry(kind: &'static str, name: &'static str, summary: &'static str) -> ComponentSummary {
    ComponentSummary { kind, name, summary }
}
