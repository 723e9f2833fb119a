//! A plugin as its author declares it: what it offers, and how each of that is made.

use crate::{
    Asked, Descriptor, Failure, FailureKind, Input, MetricDescriptor, Normalizer, PluginComponent,
    PluginDescriptor, PluginMetric, PluginNormalizer, Reader, Retriever, Role, Scorer, Setup,
    WorkedExample, instance::Component,
};

type Make<T> = Box<dyn Fn(&Setup) -> Result<Box<T>, Failure> + Send + Sync>;

/// What a library or a program offers.
pub struct Plugin {
    name: Descriptor,
    authors: String,
    scorer: Option<(ScorerOffer, Make<dyn Scorer>)>,
    normalizers: Vec<(PluginNormalizer, Make<dyn Normalizer>)>,
    retriever: Option<(PluginComponent, Make<dyn Retriever>)>,
    reader: Option<(PluginComponent, Make<dyn Reader>)>,
}

/// What can be asked of a scorer before there is one.
#[derive(Clone, Debug, Default)]
pub struct ScorerOffer {
    /// Its metrics, with their parameters.
    pub metrics: Vec<MetricDescriptor>,
    /// What it reads of each case.
    pub inputs: Vec<Input>,
    /// Cases with the scores that they must get.
    pub examples: Vec<WorkedExample>,
}

impl Plugin {
    /// A plugin that offers nothing yet.
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        summary: impl Into<String>,
    ) -> Self {
        Self {
            name: Descriptor::new(name, version, summary),
            authors: String::new(),
            scorer: None,
            normalizers: Vec::new(),
            retriever: None,
            reader: None,
        }
    }

    /// A plugin that is one scorer without options and without parameters.
    pub fn of<S: Scorer + Default + 'static>() -> Self {
        let scorer = S::default();
        let offer = ScorerOffer {
            metrics: scorer.metrics().to_vec(),
            inputs: scorer.inputs(),
            examples: scorer.examples(),
        };
        let Descriptor { name, version, summary } = scorer.descriptor();
        Self::new(name, version, summary).scorer(offer, |setup| {
            setup.no_options()?;
            Ok(Box::new(S::default()))
        })
    }

    /// The same with these authors.
    #[must_use]
    pub fn authors(mut self, authors: impl Into<String>) -> Self {
        self.authors = authors.into();
        self
    }

    /// The same with a scorer. What `make` gives has either all metrics of the offer, or one for
    /// each of [`Setup::metrics`], in their order: a metric with parameters can only be that.
    #[must_use]
    pub fn scorer(
        mut self,
        offer: ScorerOffer,
        make: impl Fn(&Setup) -> Result<Box<dyn Scorer>, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.scorer = Some((offer, Box::new(make)));
        self
    }

    /// The same with one more normalizer.
    #[must_use]
    pub fn normalizer(
        mut self,
        offer: PluginNormalizer,
        make: impl Fn(&Setup) -> Result<Box<dyn Normalizer>, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.normalizers.push((offer, Box::new(make)));
        self
    }

    /// The same with a retriever.
    #[must_use]
    pub fn retriever(
        mut self,
        summary: impl Into<String>,
        make: impl Fn(&Setup) -> Result<Box<dyn Retriever>, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.retriever = Some((PluginComponent { summary: summary.into() }, Box::new(make)));
        self
    }

    /// The same with a reader.
    #[must_use]
    pub fn reader(
        mut self,
        summary: impl Into<String>,
        make: impl Fn(&Setup) -> Result<Box<dyn Reader>, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.reader = Some((PluginComponent { summary: summary.into() }, Box::new(make)));
        self
    }

    /// What crosses the boundary of it. `authors` are those of a plugin that names none itself.
    pub fn descriptor(&self, authors: &str) -> PluginDescriptor {
        let named = !self.authors.is_empty();
        let offer = self.scorer.as_ref().map(|(offer, _)| offer.clone()).unwrap_or_default();
        PluginDescriptor {
            name: self.name.name.clone(),
            version: self.name.version.clone(),
            summary: self.name.summary.clone(),
            authors: if named { self.authors.clone() } else { authors.to_owned() },
            sdk: env!("CARGO_PKG_VERSION").to_owned(),
            kind: None,
            thread_safe: true,
            inputs: offer.inputs,
            metrics: offer.metrics.iter().map(PluginMetric::of).collect(),
            examples: offer.examples,
            normalizers: self.normalizers.iter().map(|(offer, _)| offer.clone()).collect(),
            retriever: self.retriever.as_ref().map(|(offer, _)| offer.clone()),
            reader: self.reader.as_ref().map(|(offer, _)| offer.clone()),
        }
    }

    /// Makes a component.
    pub fn make(&self, setup: &Setup) -> Result<Component, Failure> {
        match &setup.role {
            Role::Scorer { metrics } => {
                let (offer, make) = self.scorer.as_ref().ok_or_else(|| lacks("scorer"))?;
                let scorer = make(setup)?;
                let places = places(offer, scorer.metrics(), metrics)?;
                Ok(Component::scorer(scorer, places))
            }
            Role::Normalizer { name } => {
                let found = self.normalizers.iter().find(|(offer, _)| offer.name == *name);
                let (_, make) = found.ok_or_else(|| lacks(&format!("normalizer `{name}`")))?;
                Ok(Component::Normalizer(make(setup)?))
            }
            Role::Retriever { depth } => {
                let (_, make) = self.retriever.as_ref().ok_or_else(|| lacks("retriever"))?;
                Ok(Component::Retriever(make(setup)?, *depth))
            }
            Role::Reader => {
                let (_, make) = self.reader.as_ref().ok_or_else(|| lacks("reader"))?;
                Ok(Component::Reader(make(setup)?))
            }
        }
    }
}

/// For each metric that is asked for the name of its column and its place in the scorer.
fn places(
    offer: &ScorerOffer,
    made: &[MetricDescriptor],
    asked: &[Asked],
) -> Result<Vec<(String, usize)>, Failure> {
    if let Some(unknown) = asked.iter().find(|a| offer.metrics.iter().all(|m| m.name != a.name)) {
        return Err(lacks(&format!("metric `{}`", unknown.name)));
    }
    let in_order = made.len() == asked.len()
        && made.iter().zip(asked).all(|(made, a)| made.name == a.name || made.name == a.column);
    let place = |(index, asked): (usize, &Asked)| {
        let by_name = || made.iter().position(|made| made.name == asked.name);
        let place = if in_order { Some(index) } else { by_name() };
        let place = place.filter(|_| in_order || asked.column == asked.name);
        let place = place.ok_or_else(|| lacks(&format!("metric `{}`", asked.column)))?;
        Ok((asked.column.clone(), place))
    };
    asked.iter().enumerate().map(place).collect()
}

fn lacks(what: &str) -> Failure {
    Failure::new(FailureKind::Refused, format!("the plugin has no {what}"))
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugin").field("name", &self.name).finish_non_exhaustive()
    }
}
