//! nDCG with gains of its own: `-m ndcg.1=3,2=9`.

use qeval_core::JudgedRanking;

/// What grades gain, where that is not themselves.
#[derive(Clone, Debug)]
pub(super) struct Gains {
    /// Grade and gain, in the order in which they are given.
    given: Vec<(i32, f64)>,
}

/// How many passages have a grade, and what it gains.
struct Level {
    grade: i32,
    gain: f64,
    count: usize,
}

impl Gains {
    /// Reads `1=3,2=9`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let pair = |pair: &str| {
            let (grade, gain) = pair.split_once('=')?;
            Some((grade.trim().parse().ok()?, gain.trim().parse().ok()?))
        };
        Some(Self { given: text.split(',').map(pair).collect::<Option<_>>()? })
    }

    pub(super) fn ndcg(&self, ranking: &JudgedRanking) -> f64 {
        let gains = ranking.grades.iter().map(|grade| grade.map_or(0.0, |grade| self.gain(grade)));
        let ideal = self.levels(ranking).into_iter().rev().take_while(|level| level.gain > 0.0);
        let ideal = dcg(ideal.flat_map(|level| std::iter::repeat_n(level.gain, level.count)));
        if ideal > 0.0 { dcg(gains) / ideal } else { 0.0 }
    }

    /// What one grade gains.
    fn gain(&self, grade: i32) -> f64 {
        let given = self.given.iter().find(|given| given.0 == grade);
        given.map_or(f64::from(grade.max(0)), |given| given.1)
    }

    /// The grades of all judged passages by gain, lowest first.
    fn levels(&self, ranking: &JudgedRanking) -> Vec<Level> {
        let highest = ranking.ideal.first().copied().unwrap_or(0);
        let others = (0..=highest).filter(|grade| self.given.iter().all(|given| given.0 != *grade));
        let grades = self.given.iter().map(|given| given.0).chain(others);
        let mut levels: Vec<Level> = Vec::new();
        for grade in grades {
            let count = match grade {
                0 => ranking.zeros.unwrap_or(0),
                _ => ranking.ideal.iter().filter(|&&judged| judged == grade).count(),
            };
            let level = Level { grade, gain: self.gain(grade), count };
            // The program compares gains by the whole part of their difference, so that those
            // nearer than 1 stay in the order in which they came.
            let behind = levels.iter().rposition(|other| (level.gain - other.gain).trunc() >= 0.0);
            levels.insert(behind.map_or(0, |place| place + 1), level);
        }
        levels.retain(|level| level.grade >= 0);
        levels
    }
}

fn dcg(gains: impl Iterator<Item = f64>) -> f64 {
    let terms = gains.zip(2_u32..).map(|(gain, rank)| gain / f64::from(rank).log2());
    terms.fold(0.0, |sum, term| sum + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_gain_what_is_said() {
        let ranking = JudgedRanking {
            grades: vec![Some(1), None, Some(2)],
            ideal: vec![2, 1],
            zeros: Some(0),
            subtopics: None,
        };
        let gains = Gains::parse("1=3,2=9").unwrap();
        let expected = (3.0 + 9.0 / 2.0) / (9.0 + 3.0 / 3_f64.log2());
        assert!((gains.ndcg(&ranking) - expected).abs() < 1e-15);
        assert!(Gains::parse("1=3,2").is_none());
    }
}
