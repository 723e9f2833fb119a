//! What a budget bounds, one request after the other and several at a time.

use super::*;

#[test]
fn the_budget_is_kept() {
    let server = Server::start(&[Reply::Echo]);
    let mut setup = Setup::new(&server.url);
    setup.settings.budget = Budget { requests: Some(2), ..Budget::default() };
    let endpoint = setup.open();
    let answers = endpoint.call_all(&[json!(1), json!(2), json!(3)]);
    let failed: Vec<CallErrorKind> =
        answers.into_iter().filter_map(Result::err).map(|error| error.kind).collect();
    assert_eq!((failed, server.requests()), (vec![CallErrorKind::Budget], 2));
    assert_eq!(endpoint.spent().bytes, 4);

    setup.settings.budget = Budget { cost: Some(5), ..Budget::default() };
    setup.settings.meter = Arc::new(Number { most: 0 });
    let endpoint = setup.open();
    assert_eq!(call(&endpoint, &json!(9)), Ok(json!(9)));
    let error = call(&endpoint, &json!(9)).unwrap_err();
    assert!(error.to_string().ends_with("the budget of 5 units of cost is spent"), "{error}");
}

/// Each answer is a number, and costs so much.
#[derive(Debug)]
struct Number {
    most: u64,
}

impl Meter for Number {
    fn charge(&self, answer: &Value, _sent: usize) -> Charge {
        Charge { tokens: 1, cost: answer.as_u64().unwrap_or(0) }
    }

    fn most(&self, _sent: usize) -> Charge {
        Charge { tokens: 1, cost: self.most }
    }
}

#[test]
fn many_requests_at_the_same_time_do_not_spend_more_than_there_is() {
    let server = Server::start(&[Reply::Echo]);
    let mut setup = Setup::new(&server.url);
    setup.settings.slots = 8;
    setup.settings.budget = Budget { cost: Some(30), tokens: Some(100), ..Budget::default() };
    setup.settings.meter = Arc::new(Number { most: 10 });
    let endpoint = setup.open();
    let answers = endpoint.call_all(&vec![json!(3); 20]);
    // After seven answers, 9 are left, and another might cost 10.
    let answered = answers.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!((answered, server.requests()), (7, 7));
    assert_eq!((endpoint.spent().cost, endpoint.spent().tokens), (21, 7));
    for error in answers.into_iter().filter_map(Result::err) {
        assert_eq!(error.kind, CallErrorKind::Budget);
        let text = error.to_string();
        assert!(text.ends_with("left of the budget of 30 units of cost is too little"), "{text}");
    }
}
