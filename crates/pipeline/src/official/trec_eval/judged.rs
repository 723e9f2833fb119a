//! The judgments of all topics, in each form that the program reads.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{Judgments, Qrels};

use super::{
    super::{Stop, refused},
    TrecJudgments, TrecVersion,
    files::{real, table, whole},
    preferences::Stated,
};

/// All judgments.
pub(super) enum Judged {
    Qrels(Qrels),
    /// By topic, those of each judge.
    Groups(BTreeMap<String, Qrels>),
    Preferences(BTreeMap<String, Vec<Stated>>),
}

/// The judgments of one topic.
#[derive(Clone, Copy)]
pub(super) enum Topic<'a> {
    Qrels(&'a Judgments),
    /// Of each judge.
    Groups(&'a Qrels),
    Preferences(&'a [Stated]),
}

impl Judged {
    pub(super) fn read(
        path: &Path,
        judgments: TrecJudgments,
        version: TrecVersion,
    ) -> Result<Self, Stop> {
        match judgments {
            TrecJudgments::Qrels => qrels(path, version).map(Self::Qrels),
            TrecJudgments::Groups => groups(path, version).map(Self::Groups),
            TrecJudgments::Preferences => preferences(path, version).map(Self::Preferences),
            TrecJudgments::QrelsPreferences => {
                qrels_preferences(path, version).map(Self::Preferences)
            }
        }
    }

    /// The topics in the order in which they are printed.
    pub(super) fn topics(&self) -> Vec<(&str, Topic<'_>)> {
        match self {
            Self::Qrels(qrels) => {
                qrels.iter().map(|(topic, judgments)| (topic, Topic::Qrels(judgments))).collect()
            }
            Self::Groups(topics) => topics
                .iter()
                .map(|(topic, groups)| (topic.as_str(), Topic::Groups(groups)))
                .collect(),
            Self::Preferences(topics) => topics
                .iter()
                .map(|(topic, stated)| (topic.as_str(), Topic::Preferences(stated)))
                .collect(),
        }
    }

    /// How many passages have a positive grade, where judgments are grades of one judge.
    pub(super) fn relevant(&self) -> usize {
        match self {
            Self::Qrels(qrels) => qrels.iter().map(|(_, topic)| topic.ideal_grades().len()).sum(),
            Self::Groups(_) | Self::Preferences(_) => 0,
        }
    }
}

fn qrels(path: &Path, version: TrecVersion) -> Result<Qrels, Stop> {
    let mut qrels = Qrels::default();
    table(path, version, "topic iteration document grade", |[topic, _, document, grade]| {
        qrels.insert(topic, document, whole(grade)).map_err(|error| refused(error.to_string()))
    })?;
    Ok(qrels)
}

fn groups(path: &Path, version: TrecVersion) -> Result<BTreeMap<String, Qrels>, Stop> {
    let mut topics: BTreeMap<String, Qrels> = BTreeMap::new();
    table(path, version, "topic judge document grade", |[topic, judge, document, grade]| {
        let judges = topics.entry(topic.to_owned()).or_default();
        judges
            .insert(judge, document, whole(grade))
            .map_err(|error| refused(format!("topic `{topic}`, by judge: {error}")))
    })?;
    Ok(topics)
}

fn preferences(path: &Path, version: TrecVersion) -> Result<BTreeMap<String, Vec<Stated>>, Stop> {
    let mut topics: BTreeMap<String, Vec<Stated>> = BTreeMap::new();
    let columns = "topic judge subgroup document level";
    table(path, version, columns, |[topic, judge, subgroup, document, level]| {
        let stated = stated(topic, judge, subgroup, document, level)?;
        topics.entry(topic.to_owned()).or_default().push(stated);
        Ok(())
    })?;
    Ok(topics)
}

/// Grades as preferences: each judge has one subgroup.
fn qrels_preferences(
    path: &Path,
    version: TrecVersion,
) -> Result<BTreeMap<String, Vec<Stated>>, Stop> {
    let mut topics: BTreeMap<String, Vec<Stated>> = BTreeMap::new();
    table(path, version, "topic judge document level", |[topic, judge, document, level]| {
        let stated = stated(topic, judge, "0", document, level)?;
        topics.entry(topic.to_owned()).or_default().push(stated);
        Ok(())
    })?;
    Ok(topics)
}

fn stated(
    topic: &str,
    judge: &str,
    subgroup: &str,
    passage: &str,
    level: &str,
) -> Result<Stated, Stop> {
    // The program has no order for what is no number.
    let level = Some(real(level)).filter(|level| !level.is_nan()).ok_or_else(|| {
        refused(format!("topic `{topic}`: the level of `{passage}` is not a number"))
    })?;
    Ok(Stated {
        judge: judge.to_owned(),
        subgroup: subgroup.to_owned(),
        passage: passage.to_owned(),
        level,
    })
}
