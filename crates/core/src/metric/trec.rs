//! Names of trec_eval and `ir_measures` that are spelled otherwise than ours: `ndcg_cut_10`,
//! `iprec_at_recall_0.10`, `IPrec@0.1`.

/// Our name for it; `None` where ours is the same or there is none.
pub(super) fn from_name(text: &str) -> Option<String> {
    if let Some(measure) = whole(text) {
        return Some(measure.to_owned());
    }
    if let Some((head, recall)) = text.strip_prefix("IPrec").and_then(|rest| rest.rsplit_once('@'))
    {
        let given = head.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let given = given.map_or(String::new(), |given| format!("{given},"));
        return Some(format!("IPrec({given}recall={recall})"));
    }
    // trec_eval prints `ndcg_1=3,2=9` for what is asked of it as `ndcg.1=3,2=9`.
    let given = text.strip_prefix("ndcg.").or_else(|| text.strip_prefix("ndcg_"));
    if let Some(gains) = given.filter(|given| given.contains('=')) {
        return Some(format!("nDCG(gains={})", gains.replace(',', ";").replace('=', ":")));
    }
    if let Some(name) = relative(text) {
        return Some(name);
    }
    let (base, value) = text.rsplit_once('_')?;
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    match base {
        "iprec_at_recall" => return Some(format!("IPrec(recall={value})")),
        "Rprec_mult" => return Some(format!("Rprec(multiple={value})")),
        "set_F" => return Some(format!("SetF(beta={value})")),
        _ => {}
    }
    let base = match base {
        "P" => "P",
        "recall" => "Recall",
        "success" => "Success",
        "map_cut" => "MAP",
        "ndcg_cut" => "nDCG",
        "relative_P" => "RelP",
        "unj" => "Unjudged",
        _ => return None,
    };
    (!value.contains('.')).then(|| format!("{base}@{value}"))
}

/// `SetP(relative=True)` and `P(relative=True)@5`: what is relative is a measure of its own here.
fn relative(text: &str) -> Option<String> {
    let (base, rest) = text.split_once('(')?;
    let (arguments, cutoff) = rest.split_once(')')?;
    let relative = match base {
        "P" | "Precision" => "RelP",
        "SetP" => "SetRelP",
        _ => return None,
    };
    let value = |argument: &&str| {
        let (name, value) = argument.split_once('=')?;
        (name.trim() == "relative").then(|| value.trim().to_lowercase())
    };
    let arguments: Vec<&str> = arguments.split(',').collect();
    let base = match arguments.iter().find_map(value)?.as_str() {
        "true" => relative,
        "false" => base,
        _ => return None,
    };
    let others: Vec<&str> = arguments.iter().filter(|a| value(a).is_none()).copied().collect();
    let others = if others.is_empty() { String::new() } else { format!("({})", others.join(",")) };
    Some(format!("{base}{others}{cutoff}"))
}

/// Measures that have no number in their name and are no synonym of ours.
fn whole(text: &str) -> Option<&'static str> {
    Some(match text {
        "map" => "MAP",
        "recip_rank" => "MRR",
        "ndcg" => "nDCG",
        "num_rel_ret" | "NumRelRet" => "NumRet(rel=1)",
        "rbp" => "RBP(p=0.9,gain=graded)",
        "rbp_resid" => "RBP-Residual(p=0.9)",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::Metric;

    #[test]
    fn their_names_have_our_spelling() {
        for (theirs, ours) in [
            ("ndcg_cut_10", "nDCG@10"),
            ("map_cut_5", "MAP@5"),
            ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
            ("iprec_at_recall_0.00", "IPrec"),
            ("IPrec(rel=2)@0.3", "IPrec(rel=2,recall=0.3)"),
            ("11pt_avg", "IPrec-11pt"),
            ("Rprec_mult_0.20", "Rprec(multiple=0.2)"),
            ("relative_P_5", "RelP@5"),
            ("num_rel_ret", "NumRet(rel=1)"),
            ("NumRelRet", "NumRet(rel=1)"),
            ("SetP(relative=True)", "SetRelP"),
            ("SetP(rel=2, relative=true)", "SetRelP(rel=2)"),
            ("SetP(relative=False)", "SetP"),
            ("P(relative=True,rel=2)@5", "RelP(rel=2)@5"),
            ("unj_10", "Unjudged@10"),
            ("rbp_resid", "RBP-Residual(p=0.9)"),
            ("set_F", "SetF"),
        ] {
            let metric: Metric = theirs.parse().unwrap();
            assert_eq!(metric.to_string(), ours, "{theirs}");
        }
        assert!("P_0.5".parse::<Metric>().is_err());
    }
}
