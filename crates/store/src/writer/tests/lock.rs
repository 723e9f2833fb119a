//! Two writers of one evaluation.

use super::*;

#[test]
fn writers_that_come_all_the_time_never_harm_what_is_finished() {
    let id = EvaluationId::new("test", "0123456789abcdef");
    for _ in 0..20 {
        let results = tempfile::tempdir().unwrap();
        let create = || Writer::create(results.path(), &id, layout(false));
        let mut writer = create().unwrap();
        append(&mut writer, &numbered(1)).unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                loop {
                    match create() {
                        Err(WriteError::Busy { .. }) => {}
                        Err(WriteError::Exists { .. }) => break,
                        other => panic!("{other:?}"),
                    }
                }
            });
            let folder = writer.finish(Manifest::default()).unwrap();
            other.join().unwrap();
            assert_eq!(Evaluation::open(&folder).unwrap().scores(&["em"]).unwrap().len(), 1);
        });
    }
}
