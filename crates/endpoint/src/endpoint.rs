//! One address and the calls to it.

use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use reqwest::{
    Certificate, Client, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
    redirect,
};
use serde_json::Value;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    task::JoinSet,
};

use crate::{
    CallError, CallErrorKind, Calls, Charge, OpenError, Settings, Spent,
    activity::Activity,
    budget::Purse,
    log::{CallLog, Key, LogError},
    pace::{self, Pace},
    retry,
    settings::shown,
    trouble::{Trouble, cause},
};

/// How long an answer that is under way is waited for when nothing more is asked: it may be paid for.
const GRACE: Duration = Duration::from_millis(300);

/// How much of a server's words is shown.
const SHOWN: usize = 200;

/// An address that answers JSON with JSON. A clone is the same endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    inner: Arc<Inner>,
    runtime: Handle,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The JSON of the body.
    pub value: Value,
    /// Whether it is from the log.
    pub replayed: bool,
    /// How long the request took that was answered, from its sending to its last byte; of an answer
    /// from the log, as it was then. `None` where an older log does not say.
    pub took: Option<Duration>,
    /// What the call has spent; nothing where the log answered.
    pub spent: Spent,
}

/// A call that has come to an end: the index of its request, and what came of it.
pub type Arrived = (usize, Result<Answer, CallError>);

#[derive(Debug)]
struct Inner {
    settings: Settings,
    url: Url,
    client: Client,
    authorization: Option<HeaderValue>,
    slots: Arc<Semaphore>,
    pace: Pace,
    purse: Purse,
    log: Option<CallLog>,
    random: Mutex<Pcg64>,
    /// Calls in a row that failed for want of a working server.
    failures: AtomicU32,
    /// When the last of them failed: those that were under way by then failed with it, and count as
    /// one.
    failed: Mutex<Duration>,
    activity: Activity,
}

impl Endpoint {
    /// Sets an endpoint up; nothing is sent yet.
    pub fn open(settings: Settings, runtime: &Handle) -> Result<Self, OpenError> {
        let url = settings.address()?;
        let authorization = match &settings.secret {
            Some(secret) => Some(secret.header().ok_or(OpenError::Secret)?),
            None => None,
        };
        let failed = |error: reqwest::Error| OpenError::Client(cause(&error));
        // A redirection would take the request, with all that is in it, to another address.
        let mut client = Client::builder().redirect(redirect::Policy::none()).no_proxy();
        // The same authorities on every machine.
        client = client.tls_built_in_native_certs(false);
        if let Some(proxy) = &settings.proxy {
            client = client.proxy(reqwest::Proxy::all(proxy).map_err(failed)?);
        }
        if let Some(path) = &settings.authorities {
            for certificate in certificates(path)? {
                client = client.add_root_certificate(certificate);
            }
        }
        // What a certificate holds is read as late as here; a proxy has been looked at above.
        let client = client.build().map_err(|error| match &settings.authorities {
            Some(path) => OpenError::Authorities { path: path.clone(), why: cause(&error) },
            None => failed(error),
        })?;
        let inner = Inner {
            url,
            client,
            authorization,
            slots: Arc::new(Semaphore::new(settings.slots.max(1))),
            pace: Pace::default(),
            purse: Purse::new(settings.budget),
            log: settings.log.as_deref().map(CallLog::open).transpose()?,
            random: Mutex::new(Pcg64::seed_from_u64(settings.seed)),
            failures: AtomicU32::new(0),
            failed: Mutex::new(Duration::ZERO),
            activity: Activity::default(),
            settings,
        };
        Ok(Self { inner: Arc::new(inner), runtime: runtime.clone() })
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.inner.settings.name
    }

    /// Posts each request and waits for all answers, which come in the order of the requests. As
    /// many are under way at the same time as there are slots, of all threads that call this; they
    /// are begun in their order.
    pub fn call_all(&self, requests: &[Value]) -> Vec<Result<Answer, CallError>> {
        let mut answers: Vec<Arrived> = Vec::with_capacity(requests.len());
        self.call_each(requests, &mut |arrived| {
            answers.extend(arrived);
            true
        });
        answers.sort_by_key(|&(index, _)| index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    /// The same for a caller who wants each answer as soon as it is there. `arrived` is given those
    /// that came while it was busy with the ones before, on the thread that calls this, and says
    /// whether to go on: requests that are not under way by then are not sent. Until it returns, their
    /// slots are not free: no request takes the place of one whose answer may still get lost.
    pub fn call_each(&self, requests: &[Value], arrived: &mut dyn FnMut(Vec<Arrived>) -> bool) {
        let bodies = requests.iter().map(|request| request.to_string().into_bytes());
        let bodies: Arc<[Vec<u8>]> = bodies.collect();
        self.inner.activity.wait(requests.len());
        let begun = Arc::new(AtomicUsize::new(0));
        let next = Arc::new(AtomicUsize::new(0));
        let mut workers = JoinSet::new();
        let count = self.inner.settings.slots.clamp(1, requests.len().max(1));
        let (sender, mut receiver) = mpsc::channel(count);
        for _ in 0..count {
            let (inner, bodies) = (Arc::clone(&self.inner), Arc::clone(&bodies));
            let (next, begun, sender) = (Arc::clone(&next), Arc::clone(&begun), sender.clone());
            let work = async move {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(body) = bodies.get(index) else { return };
                    begun.fetch_add(1, Ordering::Relaxed);
                    let (answer, slot) = inner.call(body).await;
                    let (taken, wait) = oneshot::channel();
                    if sender.send(((index, answer), taken)).await.is_err() {
                        return;
                    }
                    // An error says that nobody takes answers any more.
                    let _ = wait.await;
                    drop(slot);
                }
            };
            workers.spawn_on(work, &self.runtime);
        }
        drop(sender);
        self.runtime.block_on(async {
            let mut waiting = Vec::new();
            while receiver.recv_many(&mut waiting, count).await > 0 {
                let (answers, taken): (Vec<Arrived>, Vec<oneshot::Sender<()>>) =
                    waiting.drain(..).unzip();
                if !arrived(answers) {
                    next.store(requests.len(), Ordering::Relaxed);
                }
                for taken in taken {
                    // A worker that is gone waits for nothing.
                    let _ = taken.send(());
                }
            }
            workers.join_all().await;
        });
        self.inner.activity.leave(requests.len() - begun.load(Ordering::Relaxed));
    }

    /// What its calls are doing just now.
    pub fn calls(&self) -> Calls {
        self.inner.activity.calls(self.spent())
    }

    /// Counts what was spent on this run before, by a process that is no more.
    pub fn note_spent_before(&self, spent: Spent) {
        self.inner.purse.note_before(spent);
    }

    /// Takes the answer to a request out of the log, because it was no good: a later run asks again.
    pub fn forget(&self, request: &Value) -> Result<(), LogError> {
        let Some(log) = &self.inner.log else { return Ok(()) };
        log.forget(self.inner.key(request.to_string().as_bytes()))
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        self.inner.purse.spent()
    }
}

impl Inner {
    /// Makes a call; with what came of it comes the slot, which is free when that is dropped.
    async fn call(
        self: &Arc<Self>,
        body: &[u8],
    ) -> (Result<Answer, CallError>, Option<OwnedSemaphorePermit>) {
        let key = self.key(body);
        let mut stop = self.settings.stop.clone();
        let stopped = async move {
            // Without a sender nobody can stop anything.
            if stop.wait_for(|stop| *stop).await.is_err() {
                std::future::pending::<()>().await;
            }
            self.settings.clock.sleep(GRACE).await;
        };
        let mut attempts = 0;
        let mut held = None;
        let mut waits = true;
        let call = async {
            let slot = Arc::clone(&self.slots).acquire_owned().await;
            held = Some(slot.expect("the slots are never closed"));
            self.activity.leave(1);
            waits = false;
            let _running = self.activity.run();
            self.call_in_slot(key, body, &mut attempts).await
        };
        let answer = tokio::select! {
            biased;
            () = stopped => Err(Trouble::stopped()),
            answer = call => answer,
        };
        if waits {
            self.activity.leave(1);
        }
        self.activity.end(answer.is_ok());
        let answer = answer.map_err(|trouble| CallError {
            kind: trouble.kind,
            name: self.settings.name.clone(),
            url: shown(&self.url),
            attempts,
            message: trouble.message,
        });
        (answer, held)
    }

    /// What happens while a slot is held, to the answer on the disk.
    async fn call_in_slot(
        self: &Arc<Self>,
        key: Key,
        body: &[u8],
        attempts: &mut u32,
    ) -> Result<Answer, Trouble> {
        if let Some(log) = &self.log
            && let Some((value, took)) = log.find(key).map_err(|error| Trouble::of_log(&error))?
        {
            self.purse.note_replayed();
            return Ok(Answer { value, replayed: true, took, spent: Spent::default() });
        }
        let failures = self.failures.load(Ordering::Relaxed);
        if failures >= self.settings.patience.max(1) {
            let message = format!("{failures} calls in a row failed");
            return Err(Trouble::new(CallErrorKind::GivenUp, message));
        }
        let begun = self.settings.clock.elapsed();
        let result = self.try_until(body, attempts).await;
        match &result {
            Err(trouble) if trouble.kind.may_pass() => self.note_failure(begun),
            // A budget that is spent says nothing about the server.
            Err(Trouble { kind: CallErrorKind::Budget, .. }) => {}
            _ => self.failures.store(0, Ordering::Relaxed),
        }
        let (value, took, spent) = result?;
        if self.log.is_none() {
            return Ok(Answer { value, replayed: false, took: Some(took), spent });
        }
        // The disk is waited for where that stops no other call.
        let inner = Arc::clone(self);
        let write = tokio::task::spawn_blocking(move || {
            let log = inner.log.as_ref().expect("there is a log");
            log.add(key, &value, took).map(|()| value)
        });
        let written =
            write.await.map_err(|error| Trouble::new(CallErrorKind::Log, error.to_string()))?;
        let value = written.map_err(|error| Trouble::of_log(&error))?;
        Ok(Answer { value, replayed: false, took: Some(took), spent })
    }

    /// Counts a call that failed for want of a working server and began then.
    fn note_failure(&self, begun: Duration) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if begun >= *failed {
            self.failures.fetch_add(1, Ordering::Relaxed);
            *failed = self.settings.clock.elapsed();
        }
    }

    /// Sends the request until there is an answer, a final failure, or no time.
    async fn try_until(
        &self,
        body: &[u8],
        attempts: &mut u32,
    ) -> Result<(Value, Duration, Spent), Trouble> {
        let Settings { clock, retry, call_deadline, .. } = &self.settings;
        let mut spent = Spent::default();
        let mut ends = clock.elapsed().saturating_add(*call_deadline);
        let mut last: Option<Trouble> = None;
        loop {
            self.keep_pace(ends).await.map_err(|late| last.take().unwrap_or(late))?;
            if *self.settings.stop.borrow() {
                return Err(Trouble::stopped());
            }
            let waits = clock.elapsed();
            let meter = &*self.settings.meter;
            let paid = self.purse.pay(body.len(), meter.most(body.len()), meter).await;
            let paid = paid.map_err(|message| Trouble::new(CallErrorKind::Budget, message))?;
            // Others are waited for there, whose time is bounded by their own deadlines.
            ends = ends.saturating_add(clock.elapsed().saturating_sub(waits));
            *attempts += 1;
            spent.requests += 1;
            spent.bytes += body.len() as u64;
            let begun = clock.elapsed();
            let left = ends.saturating_sub(begun);
            let deadline = left.min(self.settings.request_deadline);
            let trouble = match self.send(body, deadline, &mut spent).await {
                Ok(value) => return Ok((value, clock.elapsed().saturating_sub(begun), spent)),
                Err(trouble) => trouble,
            };
            drop(paid);
            if !trouble.kind.may_pass() || *attempts > retry.times {
                return Err(trouble);
            }
            let wait = trouble.wait.unwrap_or_else(|| retry.wait(*attempts, self.draw()));
            if clock.elapsed().saturating_add(wait) >= ends {
                let message = format!(
                    "{}; the next request would wait {} s, and the call has {} s in all",
                    trouble.message,
                    wait.as_secs_f64(),
                    call_deadline.as_secs_f64(),
                );
                return Err(Trouble { message, ..trouble });
            }
            if trouble.kind == CallErrorKind::Status(429) && trouble.wait.is_none() {
                // The limit is that of all callers, also where the server does not say how long.
                self.pace.hold(clock.elapsed().saturating_add(wait));
            }
            tracing::debug!(
                endpoint = self.settings.name,
                kind = %trouble.kind,
                wait_s = wait.as_secs_f64(),
                "a request failed and is sent again",
            );
            clock.sleep(wait).await;
            self.activity.retry();
            last = Some(trouble);
        }
    }

    /// Waits for the moment that the server has named.
    async fn keep_pace(&self, ends: Duration) -> Result<(), Trouble> {
        let clock = &self.settings.clock;
        loop {
            let elapsed = clock.elapsed();
            let wait = self.pace.wait(elapsed);
            if wait.is_zero() {
                return Ok(());
            }
            if elapsed.saturating_add(wait) >= ends {
                let message =
                    format!("the server asks all callers to wait {} s", wait.as_secs_f64());
                return Err(Trouble::new(CallErrorKind::Status(429), message));
            }
            clock.sleep(wait).await;
        }
    }

    async fn send(
        &self,
        body: &[u8],
        deadline: Duration,
        spent: &mut Spent,
    ) -> Result<Value, Trouble> {
        let request = self.client.post(self.url.clone());
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .timeout(deadline)
            .body(body.to_vec());
        let request = match &self.authorization {
            Some(authorization) => request.header(AUTHORIZATION, authorization.clone()),
            None => request,
        };
        let mut response = request.send().await.map_err(Trouble::of_client)?;
        let status = response.status().as_u16();
        let wait = self.asked_to_wait(&response, status);
        let mut answer = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(Trouble::of_client)? {
            if answer.len() + chunk.len() > self.settings.largest_answer {
                let message = format!("more than {} bytes", self.settings.largest_answer);
                return Err(Trouble::new(CallErrorKind::TooLarge, message));
            }
            answer.extend_from_slice(&chunk);
        }
        let text = String::from_utf8_lossy(&answer);
        let secret = self.settings.secret.as_ref();
        let text = secret.map_or_else(|| text.to_string(), |secret| secret.blank(&text));
        if !(200..300).contains(&status) {
            self.note(answer.len(), Charge::default(), spent);
            let begin: String = text.trim().chars().take(SHOWN).collect();
            return Err(Trouble {
                kind: CallErrorKind::Status(status),
                message: format!("`{begin}`"),
                wait,
            });
        }
        let parsed = (self.settings.read)(&text);
        let meter = &self.settings.meter;
        let charge = parsed.as_ref().map(|value| meter.charge(value, body.len()));
        self.note(answer.len(), charge.unwrap_or_default(), spent);
        parsed.map_err(|error| {
            let begin: String = text.trim().chars().take(SHOWN).collect();
            Trouble::new(CallErrorKind::Form, format!("{error}: `{begin}`"))
        })
    }

    /// Notes what a response has cost, for the endpoint and for its call.
    fn note(&self, bytes: usize, charge: Charge, spent: &mut Spent) {
        self.purse.note(bytes, charge);
        spent.bytes += bytes as u64;
        spent.tokens = spent.tokens.saturating_add(charge.tokens);
        spent.cost = spent.cost.saturating_add(charge.cost);
    }

    /// Reads what the headers say about the pace, for all callers.
    fn asked_to_wait(&self, response: &reqwest::Response, status: u16) -> Option<Duration> {
        let clock = &self.settings.clock;
        let (now, elapsed) = (clock.now(), clock.elapsed());
        let header = response.headers().get(RETRY_AFTER).filter(|_| retry::may_pass(status));
        let asked = header.and_then(|header| retry::retry_after(header.to_str().ok()?, now));
        let exhausted = pace::exhausted(response.headers(), now);
        if let Some(wait) = asked.max(exhausted) {
            self.pace.hold(elapsed.saturating_add(wait));
        }
        // A request that was refused for the limit waits for it, not for a drawn time besides.
        asked.or_else(|| exhausted.filter(|_| status == 429))
    }

    fn draw(&self) -> u32 {
        self.random.lock().unwrap_or_else(PoisonError::into_inner).next_u32()
    }

    fn key(&self, body: &[u8]) -> Key {
        Key::new(self.url.as_str(), body)
    }
}

/// The certificates of a file, of which there must be one.
fn certificates(path: &Path) -> Result<Vec<Certificate>, OpenError> {
    let wrong = |why: String| OpenError::Authorities { path: path.to_owned(), why };
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let certificates =
        Certificate::from_pem_bundle(&bytes).map_err(|error| wrong(cause(&error)))?;
    if certificates.is_empty() {
        return Err(wrong("there is no `-----BEGIN CERTIFICATE-----` in it".to_owned()));
    }
    Ok(certificates)
}
