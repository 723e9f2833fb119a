//! A record batch to cases.

use arrow_array::{
    Array, BooleanArray, Float64Array, Int32Array, ListArray, RecordBatch, StringArray,
};
use arrow_schema::DataType;
use qeval_core::{Example, Exchange, JudgedRanking, Passage, Prediction, Reference, Value};

use crate::{
    Failure, Input, OwnedCases,
    cells::Lists,
    owned_cases::{OwnedHit, OwnedPassage},
};

/// Reads cases from a record batch. Columns that are not there leave their part empty.
pub fn decode(batch: &RecordBatch) -> Result<OwnedCases, Failure> {
    let mut cases = OwnedCases::default();
    decode_into(batch, &mut cases)?;
    Ok(cases)
}

/// The same, over cases of a batch with the same columns: most of what millions of short cases cost
/// is the memory of their texts, so the texts of ids, predictions and references are written over.
pub(crate) fn decode_into(batch: &RecordBatch, cases: &mut OwnedCases) -> Result<(), Failure> {
    let reader = Reader { batch };
    let ids = reader
        .column::<StringArray>("example_id")?
        .ok_or_else(|| Failure::protocol("the batch lacks the column `example_id`"))?;
    cases.examples.resize_with(batch.num_rows(), Example::default);
    for (example, id) in cases.examples.iter_mut().zip(ids) {
        write_over(&mut example.id, id.unwrap_or_default());
    }
    reader.references(&mut cases.examples, &mut cases.spare)?;
    reader.examples(&mut cases.examples)?;
    reader.predictions(&mut cases.predictions)?;
    cases.passages = reader.passages()?;
    cases.hits = reader.hits()?;
    cases.cited = reader.cited()?;
    cases.gold = reader.gold(&cases.examples)?;
    cases.rankings = reader.rankings()?;
    Ok(())
}

fn write_over(text: &mut String, with: &str) {
    text.clear();
    text.push_str(with);
}

struct Reader<'a> {
    batch: &'a RecordBatch,
}

impl<'a> Reader<'a> {
    /// Those that a shorter list leaves over wait in `spare` for a longer one.
    fn references(
        &self,
        examples: &mut [Example],
        spare: &mut Vec<Reference>,
    ) -> Result<(), Failure> {
        let lists = Lists::<StringArray>::optional(self.batch, "references", &DataType::Utf8)?;
        let Some(lists) = lists else {
            for example in examples {
                example.references.clear();
            }
            return Ok(());
        };
        for (row, example) in examples.iter_mut().enumerate() {
            let range = lists.places(row).unwrap_or_default();
            let references = &mut example.references;
            if references.len() > range.len() {
                spare.extend(references.drain(range.len()..));
            }
            while references.len() < range.len() {
                references.push(spare.pop().unwrap_or_default());
            }
            for (reference, place) in references.iter_mut().zip(range) {
                write_over(&mut reference.text, lists.values().value(place));
            }
        }
        Ok(())
    }

    /// What else is asked of examples, which is seldom much.
    fn examples(&self, examples: &mut [Example]) -> Result<(), Failure> {
        let questions = self.text("question")?;
        let contexts = self.text("context")?;
        let gold = self.list("gold_passages")?;
        let asked = self.list("history_questions")?;
        let answered = self.list("history_answers")?;
        let columns = self.extra_columns()?;
        let asked_for = questions.is_some() || contexts.is_some() || gold.is_some();
        if !asked_for && asked.is_none() && columns.is_empty() {
            return Ok(());
        }
        for (row, example) in examples.iter_mut().enumerate() {
            if let Some(questions) = questions {
                write_over(&mut example.question, questions.value(row));
            }
            example.context = text(contexts, row);
            if gold.is_some() {
                example.gold_passages = strings(gold, row)?.unwrap_or_default();
            }
            if asked.is_some() {
                let asked = strings(asked, row)?.unwrap_or_default();
                let answered = strings(answered, row)?.unwrap_or_default();
                example.history = asked
                    .into_iter()
                    .zip(answered)
                    .map(|(question, answer)| Exchange { question, answer })
                    .collect();
            }
            if !columns.is_empty() {
                example.columns.clear();
            }
            for (name, values) in &columns {
                if let Some(json) = text(Some(values), row) {
                    let value =
                        serde_json::from_str(&json).ok().and_then(value).ok_or_else(|| {
                            Failure::protocol(format!(
                                "the column `columns.{name}` holds `{json}`, expected JSON"
                            ))
                        })?;
                    example.columns.insert((*name).to_owned(), value);
                }
            }
        }
        Ok(())
    }

    fn predictions(&self, predictions: &mut Vec<Option<Prediction>>) -> Result<(), Failure> {
        let texts = self.text("prediction")?;
        let abstained = self.column::<BooleanArray>("abstained")?;
        let confidence = self.column::<Float64Array>("confidence")?;
        let citations = self.list("citations")?;
        let Some(texts) = texts else {
            predictions.clear();
            return Ok(());
        };
        predictions.resize_with(self.batch.num_rows(), || None);
        for (row, prediction) in predictions.iter_mut().enumerate() {
            if texts.is_null(row) {
                *prediction = None;
                continue;
            }
            let prediction = prediction.get_or_insert_default();
            write_over(&mut prediction.text, texts.value(row));
            prediction.abstained = abstained.is_some_and(|a| a.is_valid(row) && a.value(row));
            prediction.confidence = confidence.filter(|c| c.is_valid(row)).map(|c| c.value(row));
            let cites = citations.filter(|lists| lists.value_length(row) > 0);
            prediction.citations = match cites {
                Some(_) => strings(cites, row)?.unwrap_or_default(),
                None => Vec::new(),
            };
        }
        Ok(())
    }

    fn passages(&self) -> Result<Vec<Vec<Passage>>, Failure> {
        let ids = self.list("passage_ids")?;
        let titles = self.list("passage_titles")?;
        let texts = self.list("passage_texts")?;
        if ids.is_none() {
            return Ok(Vec::new());
        }
        self.rows(|row| {
            let ids = strings(ids, row)?.unwrap_or_default();
            let titles = strings(titles, row)?.unwrap_or_default();
            let texts = strings(texts, row)?.unwrap_or_default();
            let parts = ids.into_iter().zip(titles).zip(texts);
            Ok(parts
                .map(|((id, title), text)| Passage { id, title, text, ..Passage::default() })
                .collect())
        })
    }

    fn hits(&self) -> Result<Vec<Option<Vec<OwnedHit>>>, Failure> {
        let ids = self.list("hit_ids")?;
        let scores = self.list("hit_scores")?;
        if ids.is_none() {
            return Ok(Vec::new());
        }
        self.rows(|row| {
            let Some(ids) = strings(ids, row)? else { return Ok(None) };
            let scores = floats(scores, row)?.unwrap_or_default();
            if scores.len() != ids.len() {
                return Err(Failure::protocol(format!(
                    "row {row} of the batch has hits without scores"
                )));
            }
            Ok(Some(ids.into_iter().zip(scores).collect()))
        })
    }

    fn cited(&self) -> Result<Vec<Option<Vec<OwnedPassage>>>, Failure> {
        let ids = self.list("cited_ids")?;
        let (titles, texts) = (self.list("cited_titles")?, self.list("cited_texts")?);
        if ids.is_none() {
            return Ok(Vec::new());
        }
        self.rows(|row| match strings(ids, row)? {
            Some(ids) => passages(ids, titles, texts, row).map(Some),
            None => Ok(None),
        })
    }

    fn gold(&self, examples: &[Example]) -> Result<Vec<Vec<OwnedPassage>>, Failure> {
        let (titles, texts) = (self.list("gold_titles")?, self.list("gold_texts")?);
        let Some(lists) = texts else { return Ok(Vec::new()) };
        self.rows(|row| {
            let length = lists.value_length(row).unsigned_abs() as usize;
            // Their ids are another input.
            let mut ids = examples[row].gold_passages.clone();
            ids.resize(length, String::new());
            passages(ids, titles, texts, row)
        })
    }

    fn rankings(&self) -> Result<Vec<Option<JudgedRanking>>, Failure> {
        let grades = self.list("grades")?;
        let ideal = self.list("ideal_grades")?;
        if grades.is_none() {
            return Ok(Vec::new());
        }
        self.rows(|row| {
            let Some(grades) = numbers(grades, row)? else { return Ok(None) };
            let ideal = numbers(ideal, row)?.unwrap_or_default().into_iter().flatten().collect();
            Ok(Some(JudgedRanking { grades, ideal, zeros: None, subtopics: None }))
        })
    }

    fn extra_columns(&self) -> Result<Vec<(&'a str, &'a StringArray)>, Failure> {
        let mut columns = Vec::new();
        for field in self.batch.schema_ref().fields() {
            if let Ok(Input::Column(_)) = field.name().parse()
                && let Some(values) = self.text(field.name())?
            {
                columns.push((&field.name()["columns.".len()..], values));
            }
        }
        Ok(columns)
    }

    fn rows<T>(&self, row: impl Fn(usize) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
        (0..self.batch.num_rows()).map(row).collect()
    }

    fn text(&self, name: &str) -> Result<Option<&'a StringArray>, Failure> {
        self.column(name)
    }

    fn list(&self, name: &str) -> Result<Option<&'a ListArray>, Failure> {
        self.column(name)
    }

    fn column<A: Array + 'static>(&self, name: &str) -> Result<Option<&'a A>, Failure> {
        let Some(array) = self.batch.column_by_name(name) else { return Ok(None) };
        let typed = array.as_any().downcast_ref::<A>();
        typed.map(Some).ok_or_else(|| {
            Failure::protocol(format!(
                "the column `{name}` of the batch is of type {}",
                array.data_type()
            ))
        })
    }
}

fn text(texts: Option<&StringArray>, row: usize) -> Option<String> {
    texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row).to_owned())
}

fn strings(lists: Option<&ListArray>, row: usize) -> Result<Option<Vec<String>>, Failure> {
    let present = lists.is_some_and(|lists| lists.is_valid(row));
    let texts = optional_strings(lists, row)?;
    Ok(present.then(|| texts.into_iter().map(Option::unwrap_or_default).collect()))
}

fn optional_strings(lists: Option<&ListArray>, row: usize) -> Result<Vec<Option<String>>, Failure> {
    let Some(list) = lists.filter(|lists| lists.is_valid(row)).map(|lists| lists.value(row)) else {
        return Ok(Vec::new());
    };
    let texts = list.as_any().downcast_ref::<StringArray>().ok_or_else(|| {
        Failure::protocol(format!("a list of the batch holds {}, expected text", list.data_type()))
    })?;
    Ok(texts.iter().map(|text| text.map(str::to_owned)).collect())
}

/// Ids with the passages that the corpus has under them.
fn passages(
    ids: Vec<String>,
    titles: Option<&ListArray>,
    texts: Option<&ListArray>,
    row: usize,
) -> Result<Vec<OwnedPassage>, Failure> {
    let (titles, texts) = (optional_strings(titles, row)?, optional_strings(texts, row)?);
    if titles.len() != ids.len() || texts.len() != ids.len() {
        return Err(Failure::protocol(format!(
            "row {row} of the batch has passages without texts"
        )));
    }
    let named = |((id, title), text): ((String, Option<String>), Option<String>)| {
        let passage = text.map(|text| Passage {
            id: id.clone(),
            title: title.unwrap_or_default(),
            text,
            ..Passage::default()
        });
        (id, passage)
    };
    Ok(ids.into_iter().zip(titles).zip(texts).map(named).collect())
}

fn floats(lists: Option<&ListArray>, row: usize) -> Result<Option<Vec<Option<f64>>>, Failure> {
    let Some(list) = lists.filter(|lists| lists.is_valid(row)).map(|lists| lists.value(row)) else {
        return Ok(None);
    };
    let numbers = list.as_any().downcast_ref::<Float64Array>().ok_or_else(|| {
        Failure::protocol(format!(
            "a list of the batch holds {}, expected float64",
            list.data_type()
        ))
    })?;
    Ok(Some(numbers.iter().collect()))
}

fn numbers(lists: Option<&ListArray>, row: usize) -> Result<Option<Vec<Option<i32>>>, Failure> {
    let Some(list) = lists.filter(|lists| lists.is_valid(row)).map(|lists| lists.value(row)) else {
        return Ok(None);
    };
    let numbers = list.as_any().downcast_ref::<Int32Array>().ok_or_else(|| {
        Failure::protocol(format!("a list of the batch holds {}, expected int32", list.data_type()))
    })?;
    Ok(Some(numbers.iter().collect()))
}

fn value(json: serde_json::Value) -> Option<Value> {
    Some(match json {
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Number(number.as_f64()?),
        },
        serde_json::Value::Array(values) => {
            Value::List(values.into_iter().filter_map(value).collect())
        }
        serde_json::Value::Null | serde_json::Value::Object(_) => return None,
    })
}
