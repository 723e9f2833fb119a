//! The JSON Schema of the file, for editors.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::sections::{
    Bm25Section, CommandRetrieverSection, CommandSection, CorpusSection, DatasetSection,
    DiagnosisSection, EvaluationSection, FusionSection, GateSection, HttpReaderSection,
    HttpRetrieverSection, MetricsSection, OpenAiSection, PluginReaderSection,
    PluginRetrieverSection, PluginSection, ReplayReaderSection, ReplayRunSection, RerankerSection,
    ScorerSection, SlidingWindowSection,
};

/// JSON Schema (draft 2020-12) of the file, made from the types that read it.
pub fn json_schema() -> Value {
    let mut generator = SchemaGenerator::default();
    let retriever = one_of(vec![
        typed::<Bm25Section>(&mut generator, "bm25"),
        typed::<ReplayRunSection>(&mut generator, "replay"),
        typed::<CommandRetrieverSection>(&mut generator, "command"),
        typed::<HttpRetrieverSection>(&mut generator, "http"),
        typed::<FusionSection>(&mut generator, "fusion"),
        typed::<RerankerSection>(&mut generator, "reranker"),
        typed::<PluginRetrieverSection>(&mut generator, "plugin"),
    ]);
    let reader = one_of(vec![
        typed::<ReplayReaderSection>(&mut generator, "replay"),
        typed::<CommandSection>(&mut generator, "command"),
        typed::<HttpReaderSection>(&mut generator, "http"),
        typed::<OpenAiSection>(&mut generator, "openai"),
        typed::<SlidingWindowSection>(&mut generator, "sliding-window"),
        typed::<PluginReaderSection>(&mut generator, "plugin"),
    ]);
    let dataset = table::<DatasetSection>(&mut generator);
    let scorer = table::<ScorerSection>(&mut generator);
    let plugin = table::<PluginSection>(&mut generator);
    let gate = table::<GateSection>(&mut generator);
    let properties = json!({
        "version": {"const": super::VERSION, "description": "version of the file format"},
        "extends": {
            "description": "file, or files, that this one says what differs from; `version` and all \
                            tables may stand there",
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
        },
        "sweep": {
            "description": "keys of this file with lists of values: every combination of them is \
                            evaluated",
            "type": "object",
        },
        "evaluation": table::<EvaluationSection>(&mut generator),
        "dataset": one_or_many(&dataset),
        "corpus": table::<CorpusSection>(&mut generator),
        "retriever": one_or_many(&retriever),
        "reader": one_or_many(&reader),
        "metrics": table::<MetricsSection>(&mut generator),
        "scorer": {"type": "array", "items": scorer},
        "plugin": {"type": "array", "items": plugin},
        "diagnosis": table::<DiagnosisSection>(&mut generator),
        "gate": {"type": "array", "items": gate},
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "qeval evaluation",
        "type": "object",
        "properties": properties,
        // What a file extends may have them.
        "anyOf": [{"required": ["extends"]}, {"required": ["version", "dataset", "metrics"]}],
        "additionalProperties": false,
        "$defs": Value::Object(generator.take_definitions(true)),
    })
}

fn table<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

/// A table whose `type` is fixed.
fn typed<T: JsonSchema>(generator: &mut SchemaGenerator, name: &str) -> Value {
    let table = table::<T>(generator);
    let fixed = json!({"properties": {"type": {"const": name}}});
    json!({"allOf": [table, fixed]})
}

fn one_of(schemas: Vec<Value>) -> Value {
    Value::Object(Map::from_iter([("oneOf".to_owned(), Value::Array(schemas))]))
}

fn one_or_many(schema: &Value) -> Value {
    one_of(vec![schema.clone(), json!({"type": "array", "items": schema})])
}
