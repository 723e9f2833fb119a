//! One door for the tests: a folder with files in it.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use qeval_core::Example;

use crate::{DatasetFormat, DatasetSource, Error, Record, open};

/// A folder that lives as long as the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// The error as it is shown, with the file's name in place of its path, and the hint.
    pub(crate) fn show(&self, error: &Error) -> String {
        let folder = format!("{}{}", self.0.path().display(), std::path::MAIN_SEPARATOR);
        match &error.hint {
            Some(hint) => format!("{error}\nhint: {hint}").replace(&folder, ""),
            None => error.to_string().replace(&folder, ""),
        }
    }
}

/// The content, packed.
pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// What the reader gives for a file of these bytes, plain and packed alike; the error as text.
pub(crate) fn read<T: PartialEq + std::fmt::Debug>(
    content: &[u8],
    reader: impl Fn(&Path) -> Result<T, Error>,
) -> Result<T, String> {
    let folder = Folder::new();
    let plain = reader(&folder.write("file", content)).map_err(|error| folder.show(&error));
    let packed = reader(&folder.write("file", gzip(content)));
    assert_eq!(packed.map_err(|error| folder.show(&error)), plain);
    plain
}

/// The records of a dataset of these bytes, or the error as text.
pub(crate) fn records(
    format: DatasetFormat,
    content: &[u8],
    configure: impl Fn(&mut DatasetSource),
) -> Result<Vec<Record>, String> {
    read(content, |path| {
        let mut source = DatasetSource::new(path, format);
        configure(&mut source);
        open(&source)?.collect()
    })
}

/// The only example of a dataset of these bytes.
pub(crate) fn example(
    format: DatasetFormat,
    content: &str,
    configure: impl Fn(&mut DatasetSource),
) -> Example {
    let mut records = records(format, content.as_bytes(), configure).unwrap();
    assert_eq!(records.len(), 1);
    records.remove(0).example
}

mod hostile {
    //! No bytes whatever make a reader panic, and what is read is read the same twice.

    use proptest::prelude::*;

    use super::Folder;
    use crate::{
        CorpusFormat, CorpusSource, DatasetFormat, DatasetSource, PredictionFormat,
        PredictionSource, corpus, open, predictions, qrels, run,
    };

    /// Pieces that the formats are made of.
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"id\"",
        "\"a\"",
        "\"data\"",
        "\"paragraphs\"",
        "\"qas\"",
        "\"references\"",
        "\"prediction\"",
        "\"question\"",
        "\"answer\"",
        "\"answers\"",
        "\"sp\"",
        "\"output\"",
        "\"predictions\"",
        "\"example_id\"",
        "\"annotations\"",
        "\"short_answers\"",
        "\"turn_id\"",
        "\"ctxs\"",
        "\"Data\"",
        "\"Domain\"",
        "\"qa_pairs\"",
        "[{",
        "}]",
        "\"\\ud800\"",
        "null",
        "1",
        "-1e999",
        "\n",
        "\r\n",
        "\t",
        " ",
        "<top>",
        "</top>",
        "<num>",
        "<title>",
        "<doc>",
        "</doc>",
        "<docno>",
        "<text>",
        "&#x41;",
        "&",
        ";",
        "<",
        "é",
        "\u{feff}",
        "#",
        "\"",
        "Q0",
        "id,prediction",
        "NaN",
    ];

    fn content() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..40);
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            pieces.prop_map(|pieces| pieces.concat().into_bytes()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn no_bytes_make_a_reader_panic(content in content()) {
            let folder = Folder::new();
            let path = folder.write("file", content);
            for format in DatasetFormat::ALL {
                let mut source = DatasetSource::new(&path, format);
                if format.has_fields() {
                    source.columns = vec!["a".to_owned()];
                }
                let records = || open(&source).and_then(Iterator::collect::<Result<Vec<_>, _>>);
                prop_assert_eq!(records(), records());
            }
            for format in PredictionFormat::ALL.map(Some).into_iter().chain([None]) {
                let source = PredictionSource { format, ..PredictionSource::new(&path) };
                prop_assert_eq!(predictions(&source), predictions(&source));
            }
            for format in CorpusFormat::ALL {
                let source = CorpusSource::new(&path, format);
                prop_assert_eq!(corpus(&source), corpus(&source));
            }
            prop_assert_eq!(qrels(&path), qrels(&path));
            let ties = qeval_core::Ties::default();
            prop_assert_eq!(run(&path, ties), run(&path, ties));
        }
    }
}
