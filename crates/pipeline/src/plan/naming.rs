//! Components with their names: what `[[retriever]]` and `[[reader]]` have in common.

use toml::Spanned;

use crate::Problem;

/// Plans each declared component, and refuses names that do not tell them apart in the results;
/// `None` where one of them is wrong.
pub(super) fn plan_each<S, P>(
    kind: &str,
    sections: &[Spanned<S>],
    name: fn(&P) -> &str,
    problems: &mut Vec<Problem>,
    mut plan: impl FnMut(&Spanned<S>, &mut Vec<Problem>) -> Option<P>,
) -> Option<Vec<P>> {
    // All of them are planned before any is given up, so that all problems are found.
    let planned: Vec<Option<P>> = sections.iter().map(|section| plan(section, problems)).collect();
    let planned = planned.into_iter().collect::<Option<Vec<P>>>();
    for (i, section) in sections.iter().enumerate() {
        let Some(components) = &planned else { break };
        let own = name(&components[i]);
        check_name("name", &Spanned::new(section.span(), own), problems);
        if components[..i].iter().any(|earlier| name(earlier) == own) {
            let message = format!("two {kind}s have the name `{own}`");
            let hint = "give each a `name` of its own";
            problems.push(Problem::at(section.span(), message).hint(hint));
        }
    }
    planned
}

/// Names that people type and read: not empty, and nothing that a terminal would act on.
pub(super) fn check_name(key: &str, name: &Spanned<&str>, problems: &mut Vec<Problem>) {
    let text = name.get_ref();
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        let message = format!("`{key}` is {text:?}, expected a name without control characters");
        problems.push(Problem::at(name.span(), message));
    }
}
