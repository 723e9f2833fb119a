//! The formats of datasets, and what each lets one name.

use crate::{DatasetFields, Problem};

/// The formats of datasets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// SQuAD's JSON, versions 1.1 and 2.0.
    Squad,
    /// QuAC's JSON: dialogs.
    Quac,
    /// CoQA's JSON: dialogs about a story.
    Coqa,
    /// HotpotQA's JSON: a list of questions with their supporting facts.
    Hotpotqa,
    /// TriviaQA's JSON.
    Triviaqa,
    /// DROP's JSON: passages with questions, whose answers may be lists.
    Drop,
    /// SubjQA's tables: a row for each annotator of a question about a review.
    Subjqa,
    /// Natural Questions' JSON lines, as published or simplified.
    NaturalQuestions,
    /// NQ-open's JSON lines of questions and answers.
    NqOpen,
    /// CuratedTREC's table, whose answers are regular expressions.
    Curatedtrec,
    /// KILT's JSON lines.
    Kilt,
    /// DPR's JSON: a list of questions with the passages that were retrieved.
    Dpr,
    /// EVOUNA's JSON: a list of questions with the answers of several systems.
    Evouna,
    /// JSON lines, with a mapping of fields.
    Jsonl,
    /// A table with a header, with a mapping of fields.
    Csv,
    /// Parquet, with a mapping of fields.
    Parquet,
    /// TREC topics: `id TAB text` lines, or a stream of `<top>` elements.
    Trec,
    /// BEIR's folder: `queries.jsonl` with `qrels` for each split.
    Beir,
}

impl DatasetFormat {
    /// All formats.
    pub const ALL: [Self; 18] = [
        Self::Squad,
        Self::Quac,
        Self::Coqa,
        Self::Hotpotqa,
        Self::Triviaqa,
        Self::Drop,
        Self::Subjqa,
        Self::NaturalQuestions,
        Self::NqOpen,
        Self::Curatedtrec,
        Self::Kilt,
        Self::Dpr,
        Self::Evouna,
        Self::Jsonl,
        Self::Csv,
        Self::Parquet,
        Self::Trec,
        Self::Beir,
    ];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squad => "squad",
            Self::Quac => "quac",
            Self::Coqa => "coqa",
            Self::Hotpotqa => "hotpotqa",
            Self::Triviaqa => "triviaqa",
            Self::Drop => "drop",
            Self::Subjqa => "subjqa",
            Self::NaturalQuestions => "natural-questions",
            Self::NqOpen => "nq-open",
            Self::Curatedtrec => "curatedtrec",
            Self::Kilt => "kilt",
            Self::Dpr => "dpr",
            Self::Evouna => "evouna",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Trec => "trec",
            Self::Beir => "beir",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether one says which field plays which role. The other formats have fixed names.
    pub fn has_fields(self) -> bool {
        matches!(self, Self::Jsonl | Self::Csv | Self::Parquet)
    }

    /// Whether its questions may have references: those of a search have none.
    pub fn has_references(self) -> bool {
        !matches!(self, Self::Trec | Self::Beir)
    }

    /// Refuses names of fields that a format with fixed names does not let one choose.
    pub(crate) fn check(self, fields: &DatasetFields) -> Result<(), Problem> {
        let mut rest = fields.clone();
        let choice = match self {
            _ if self.has_fields() => return Ok(()),
            // Questions of one article are not independent; who says so gets them as groups.
            Self::Squad if rest.group.take_if(|name| *name == "title").is_some() => None,
            Self::Squad => Some("only `group = \"title\"` can be named"),
            // The file holds the answers of several systems.
            Self::Evouna => {
                rest.prediction = None;
                rest.verdict = None;
                Some("only `prediction` and `verdict` can be named")
            }
            _ => None,
        };
        if rest == DatasetFields::default() {
            return Ok(());
        }
        let choice = choice.map_or(String::new(), |choice| format!("; {choice}"));
        let message = format!("the fields of format `{}` have fixed names{choice}", self.name());
        Err(Problem::new(message).with_hint("remove `fields`, or name another format"))
    }
}
