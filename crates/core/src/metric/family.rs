//! Families: one name for all that a script prints.

use super::{Metric, MetricError};

/// A name that stands for several metrics.
#[derive(Debug)]
pub struct Family {
    /// Its name, which no metric has.
    pub name: &'static str,
    /// Names of its metrics, in the order in which they are computed.
    pub members: &'static [&'static str],
    /// What it is, in one sentence.
    pub summary: &'static str,
}

/// Every family.
pub static FAMILIES: &[Family] = &[
    Family {
        name: "SQuAD1",
        members: &["SQuAD1.EM", "SQuAD1.F1"],
        summary: "what the script of SQuAD 1.1 prints",
    },
    Family {
        name: "SQuAD2",
        members: &["EM", "F1"],
        summary: "what the script of SQuAD 2.0 prints of all questions",
    },
    Family {
        name: "QuAC",
        members: &["QuAC.F1", "HEQ-Q", "HEQ-D", "QuAC.YesNo", "QuAC.Followup", "QuAC.Unanswerable"],
        summary: "what the script of QuAC prints",
    },
    Family {
        name: "CoQA",
        members: &["CoQA.EM", "CoQA.F1"],
        summary: "what the script of CoQA prints",
    },
    Family {
        name: "HotpotQA",
        members: &[
            "HotpotQA.EM",
            "HotpotQA.F1",
            "HotpotQA.Precision",
            "HotpotQA.Recall",
            "HotpotQA.SP-EM",
            "HotpotQA.SP-F1",
            "HotpotQA.SP-Precision",
            "HotpotQA.SP-Recall",
            "HotpotQA.Joint-EM",
            "HotpotQA.Joint-F1",
            "HotpotQA.Joint-Precision",
            "HotpotQA.Joint-Recall",
        ],
        summary: "what the script of HotpotQA prints",
    },
    Family {
        name: "TriviaQA",
        members: &["TriviaQA.EM", "TriviaQA.F1"],
        summary: "what the script of TriviaQA prints",
    },
    Family {
        name: "DROP",
        members: &["DROP.EM", "DROP.F1"],
        summary: "what the script of DROP prints",
    },
    Family {
        name: "NQ",
        members: &[
            "NQ.Long-F1",
            "NQ.Long-Precision",
            "NQ.Long-Recall",
            "NQ.Long-F1(threshold=best)",
            "NQ.Long-Precision(threshold=best)",
            "NQ.Long-Recall(threshold=best)",
            "NQ.Long-Threshold",
            "NQ.Long-Recall-at-Precision",
            "NQ.Long-Recall-at-Precision(min=0.75)",
            "NQ.Long-Recall-at-Precision(min=0.9)",
            "NQ.Short-F1",
            "NQ.Short-Precision",
            "NQ.Short-Recall",
            "NQ.Short-F1(threshold=best)",
            "NQ.Short-Precision(threshold=best)",
            "NQ.Short-Recall(threshold=best)",
            "NQ.Short-Threshold",
            "NQ.Short-Recall-at-Precision",
            "NQ.Short-Recall-at-Precision(min=0.75)",
            "NQ.Short-Recall-at-Precision(min=0.9)",
        ],
        summary: "what the script of Natural Questions prints, without the precision that goes with a recall",
    },
    Family {
        name: "KILT",
        members: &[
            "KILT.Accuracy",
            "KILT.EM",
            "KILT.F1",
            "KILT.ROUGE-L",
            "KILT.Rprec",
            "KILT.Recall@5",
            "KILT.Joint-Accuracy",
            "KILT.Joint-EM",
            "KILT.Joint-F1",
            "KILT.Joint-ROUGE-L",
        ],
        summary: "what KILT's eval_downstream.py prints",
    },
    Family {
        name: "FARM",
        members: &["FARM.EM", "FARM.F1", "FARM.Top-Accuracy"],
        summary: "FARM's metrics of an extractive reader",
    },
    Family {
        name: "Haystack0",
        members: &["Haystack0.Recall", "Haystack0.MRR"],
        summary: "what Haystack 0.10 prints of a retriever",
    },
    Family {
        name: "Haystack1",
        members: &[
            "Haystack1.Recall",
            "Haystack1.Success",
            "Haystack1.Precision",
            "Haystack1.MAP",
            "Haystack1.MRR",
            "Haystack1.nDCG",
        ],
        summary: "what Haystack 1.x prints of a retriever",
    },
    Family {
        name: "ROUGE",
        members: &["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum"],
        summary: "the variants of ROUGE that papers give",
    },
];

impl Family {
    /// The family of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|family| family.name == name.trim())
    }

    /// Its metrics.
    pub fn metrics(&self) -> Vec<Metric> {
        let parse = |name: &&str| name.parse().expect("a test parses the members of all families");
        self.members.iter().map(parse).collect()
    }

    /// That the family stands where one metric is expected.
    pub(super) fn error(&self) -> MetricError {
        MetricError {
            message: format!("`{}` is a family of metrics", self.name),
            hint: Some(format!(
                "its name stands alone; with a parameter or a cutoff name its metrics: {}",
                self.members.join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::METRICS;

    #[test]
    fn members_are_metrics_and_families_are_none() {
        for family in FAMILIES {
            let names: Vec<String> = family.metrics().iter().map(ToString::to_string).collect();
            assert_eq!(names, family.members, "{}", family.name);
            let subject = family.metrics()[0].definition().subject;
            assert!(family.metrics().iter().all(|m| m.definition().subject == subject));
            assert!(METRICS.iter().all(
                |metric| metric.name != family.name && !metric.synonyms.contains(&family.name)
            ));
            assert_eq!(Metric::parse_list(family.name).unwrap(), family.metrics());
        }
    }

    #[test]
    fn a_family_stands_alone() {
        for text in ["QuAC(min_f1=0)", "QuAC@5", "QuAC@{1,2}"] {
            let error = Metric::parse_list(text).unwrap_err();
            assert_eq!(error.message, "`QuAC` is a family of metrics", "{text}");
        }
        let misspelt = Metric::parse_list("Quac").unwrap_err();
        assert_eq!(misspelt.hint.as_deref(), Some("did you mean `QuAC`?"));
    }
}
