//! Writes an evaluation of so many rows with two metrics and nothing else, to measure what writing costs:
//! `write_rows ROWS FOLDER`.

use std::{env, error::Error, path::PathBuf};

use qeval_core::{Score, Stage};
use qeval_store::{EvaluationId, Layout, Manifest, MetricColumn, Row, Writer};

/// Rows that are handed over at once, as an evaluation does.
const BATCH: usize = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let rows: u64 = arguments.next().ok_or("no number of rows")?.parse()?;
    let folder = PathBuf::from(arguments.next().ok_or("no folder")?);
    let metric = |column: &str, name: &str| MetricColumn {
        column: column.to_owned(),
        name: name.to_owned(),
        stage: Stage::Integrated,
        higher_is_better: true,
        min: Some(0.0),
        max: Some(1.0),
        parameters: serde_json::Map::new(),
        version: "1".to_owned(),
        statistic_of: None,
        pools: Vec::new(),
    };
    let layout =
        Layout { metrics: vec![metric("em", "EM"), metric("f1", "F1")], ..Layout::default() };
    let id = EvaluationId::new("rows", "0123456789abcdef").fresh(&folder);
    let mut writer = Writer::create(&folder, &id, layout)?;
    for first in (0..rows).step_by(BATCH) {
        let positions = first..rows.min(first + BATCH as u64);
        // As few scores are different as those of answers of some words.
        let share = |position: u64| position.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        let scores: Vec<[Score; 2]> = positions
            .clone()
            .map(share)
            .map(|share| [Ok(f64::from(u8::from(share == 63))), Ok(share as f64 / 63.0)])
            .collect();
        let ids: Vec<String> =
            positions.clone().map(|position| format!("{position:024x}")).collect();
        let cells = positions.zip(&ids).zip(&scores);
        let rows: Vec<Row<'_>> = cells
            .map(|((position, id), scores)| Row {
                example_id: id,
                position,
                scores,
                ..Row::default()
            })
            .collect();
        writer.append(&rows)?;
    }
    writer.finish(Manifest::default())?;
    Ok(())
}
