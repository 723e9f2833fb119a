//! Starting a child again after it failed, but not for ever.

use std::fmt;

use crate::ProcessError;

/// A child that is started when it is first needed and again after every failure, until it has
/// failed too often in a row.
///
/// `C` is a [`Child`](crate::Child), [`JsonLines`](crate::JsonLines), or something that holds one.
pub struct Supervisor<C> {
    name: String,
    restarts: u32,
    start: Box<dyn FnMut() -> Result<C, ProcessError> + Send>,
    child: Option<C>,
    failures: u32,
    last: String,
}

impl<C> Supervisor<C> {
    /// Uses `start` to make a child. After a failure it is started again, at most `restarts` times
    /// in a row without an answer in between. `name` is what messages call it.
    pub fn new(
        name: impl Into<String>,
        restarts: u32,
        start: impl FnMut() -> Result<C, ProcessError> + Send + 'static,
    ) -> Self {
        let start = Box::new(start);
        Self { name: name.into(), restarts, start, child: None, failures: 0, last: String::new() }
    }

    /// The same with a child that runs already.
    #[must_use]
    pub fn with_child(mut self, child: C) -> Self {
        self.child = Some(child);
        self
    }

    /// Does work with a running child. An error of the work ends the child.
    pub fn call<T>(
        &mut self,
        work: impl FnOnce(&mut C) -> Result<T, ProcessError>,
    ) -> Result<T, ProcessError> {
        if self.failures > self.restarts {
            let (name, times, last) = (self.name.clone(), self.failures, self.last.clone());
            return Err(ProcessError::GivenUp { name, times, last });
        }
        let child = self.child.take().map_or_else(&mut self.start, Ok);
        let result = child.and_then(|mut child| Ok((work(&mut child)?, child)));
        match result {
            Ok((answer, child)) => {
                self.failures = 0;
                self.child = Some(child);
                Ok(answer)
            }
            Err(error) => {
                self.failures += 1;
                self.last = error.to_string();
                Err(error)
            }
        }
    }
}

impl<C> fmt::Debug for Supervisor<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor")
            .field("name", &self.name)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure() -> ProcessError {
        ProcessError::Ended { name: "it".to_owned(), how: "ended".to_owned(), stderr: Vec::new() }
    }

    /// Children are numbers, counted as they are started.
    fn counter(restarts: u32) -> Supervisor<u32> {
        let mut started = 0;
        Supervisor::new("it", restarts, move || {
            started += 1;
            Ok(started)
        })
    }

    #[test]
    fn a_child_is_kept_until_it_fails() {
        let mut supervisor = counter(1).with_child(100);
        assert_eq!(supervisor.call(|child| Ok(*child)).unwrap(), 100);
        assert_eq!(supervisor.call(|child| Ok(*child)).unwrap(), 100);
        for started in 1..5 {
            assert!(supervisor.call(|_| Err::<(), _>(failure())).is_err());
            assert_eq!(supervisor.call(|child| Ok(*child)).unwrap(), started);
        }
    }

    #[test]
    fn after_too_many_failures_in_a_row_it_is_given_up() {
        let mut supervisor = counter(2);
        let mut calls = 0;
        let mut fail = || {
            supervisor
                .call(|_| {
                    Err::<(), _>({
                        calls += 1;
                        failure()
                    })
                })
                .unwrap_err()
                .to_string()
        };
        let messages: Vec<String> = (0..5).map(|_| fail()).collect();
        let given_up =
            "it failed 3 times in a row and is not started again; the last time: it ended";
        assert_eq!(messages, ["it ended", "it ended", "it ended", given_up, given_up]);
        assert_eq!(calls, 3);
    }

    #[test]
    fn a_failed_start_counts() {
        let mut supervisor = Supervisor::<()>::new("it", 0, || Err(failure()));
        assert_eq!(supervisor.call(|()| Ok(())).unwrap_err().to_string(), "it ended");
        assert!(matches!(supervisor.call(|()| Ok(())), Err(ProcessError::GivenUp { .. })));
    }
}
