//! A user's wish to stop, which reaches whoever waits for a child.

use std::sync::Arc;

use tokio::sync::watch;

/// A wish to stop, shared by all its clones. It can be set once and for all, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<watch::Sender<bool>>);

/// Two are equal when setting one sets the other.
impl PartialEq for Stop {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stop {}

impl Stop {
    /// Sets it and wakes all that wait; says whether it was set before.
    pub fn set(&self) -> bool {
        self.0.send_replace(true)
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Says to others that wait whether it is set.
    pub fn subscribe(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }

    /// Waits until it is set.
    pub(crate) async fn wait(&self) {
        // The sender lives as long as this does, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|set| *set).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_wish() {
        let stop = Stop::default();
        let clone = stop.clone();
        assert_eq!(clone, stop);
        assert_ne!(clone, Stop::default());
        assert!(!clone.is_set());
        assert!(!stop.set());
        assert!(clone.set() && clone.is_set());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(clone.wait());
    }
}
