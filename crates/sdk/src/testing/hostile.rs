//! Batches that evaluations contain sooner or later, and that break what was tried with tidy ones
//! only.

use crate::WorkedExample;

/// Odd texts, each of which stands once as the prediction, as the reference, and as both.
const ODD_TEXTS: [(&str, &str); 6] = [
    ("no text", ""),
    ("blanks only", " \t\n"),
    ("a zero byte", "\u{0}"),
    ("combining marks and joined signs", "e\u{301}\u{1F9D1}\u{200D}\u{1F680}"),
    ("figures of other scripts", "\u{202E}٣٫٥ ½ −1"),
    ("a number that no float holds", "1e999999999 %%%"),
];

/// Characters of a text that is as long as a document.
const HUGE: usize = 1 << 20;

/// Single texts with what is special about them.
pub(super) fn odd_texts() -> Vec<(String, String)> {
    let odd = ODD_TEXTS.iter().map(|&(what, text)| (what.to_owned(), text.to_owned()));
    let long = [("a huge text", "word "), ("a huge text without a blank", "é\u{301}")];
    let long = long.map(|(what, unit)| (what.to_owned(), unit.repeat(HUGE / unit.len())));
    odd.chain(long).collect()
}

/// Batches with what is special about them.
pub fn hostile_batches() -> Vec<(String, Vec<WorkedExample>)> {
    let example = |prediction: Option<String>, references: Vec<String>| WorkedExample {
        references,
        prediction,
        ..WorkedExample::default()
    };
    let text = |text: &str| text.to_owned();
    let mut batches = vec![
        (text("an empty batch"), Vec::new()),
        (text("no prediction"), vec![example(None, vec![text("a")])]),
        (text("no reference"), vec![example(Some(text("a")), Vec::new())]),
        (text("nothing at all"), vec![WorkedExample::default(); 3]),
    ];
    for (what, odd) in ODD_TEXTS {
        let a = || text("a");
        batches.push((
            text(what),
            vec![
                example(Some(text(odd)), vec![a()]),
                example(Some(a()), vec![text(odd)]),
                example(Some(text(odd)), vec![text(odd), text(odd)]),
            ],
        ));
    }
    let long = |unit: &str| unit.repeat(HUGE / unit.len());
    let huge = vec![
        example(Some(text("a")), vec![long("word ")]),
        example(Some(long("no blank")), vec![text("a")]),
        example(Some(text("é")), vec![long("é\u{301}")]),
    ];
    batches.push((text("huge texts"), huge));
    let many: Vec<String> = (0..10_000).map(|number| format!("reference {number}")).collect();
    batches.push((text("ten thousand references"), vec![example(Some(text("reference 7")), many)]));
    let passages = WorkedExample {
        prediction: Some(text("a")),
        references: vec![text("a")],
        context: Some(String::new()),
        passages: (0..1000).map(|number| format!("passage {number}")).collect(),
        citations: vec![text("p1"), text("no such passage"), String::new()],
        ..WorkedExample::default()
    };
    batches.push((text("a thousand passages, and citations of others"), vec![passages]));
    batches
}
