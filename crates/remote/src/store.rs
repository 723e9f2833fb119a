//! The store that an address belongs to.

use std::{str::FromStr, time::Duration};

use object_store::{
    ClientOptions, ObjectStore, RetryConfig,
    aws::{AmazonS3Builder, AmazonS3ConfigKey},
    azure::{AzureConfigKey, MicrosoftAzureBuilder},
    gcp::{GoogleCloudStorageBuilder, GoogleConfigKey},
    http::HttpBuilder,
    path::Path,
};
use url::Url;

/// How often a request that failed is sent again.
const RETRIES: usize = 5;

/// Time after which it is not sent again.
const PATIENCE: Duration = Duration::from_mins(2);

/// Time in which a connection must be there.
const CONNECT: Duration = Duration::from_secs(10);

/// A store and the path of a file in it.
pub(crate) struct Located {
    pub(crate) store: Box<dyn ObjectStore>,
    pub(crate) path: Path,
}

/// The store of an address, with the settings that it knows.
pub(crate) fn locate(url: &Url, settings: &[(String, String)]) -> object_store::Result<Located> {
    let retry =
        RetryConfig { max_retries: RETRIES, retry_timeout: PATIENCE, ..RetryConfig::default() };
    // A large file takes its time: what has stopped to come is noticed by whoever waits.
    let client = ClientOptions::new().with_timeout_disabled().with_connect_timeout(CONNECT);
    let store: Box<dyn ObjectStore> = match url.scheme() {
        "s3" => {
            let builder = AmazonS3Builder::new().with_client_options(client).with_retry(retry);
            let known = known::<AmazonS3ConfigKey>(settings, "aws_");
            let builder =
                known.fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Box::new(builder.with_url(url.as_str()).build()?)
        }
        "gs" => {
            let builder =
                GoogleCloudStorageBuilder::new().with_client_options(client).with_retry(retry);
            let known = known::<GoogleConfigKey>(settings, "google_");
            let builder =
                known.fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Box::new(builder.with_url(url.as_str()).build()?)
        }
        "az" => {
            let builder =
                MicrosoftAzureBuilder::new().with_client_options(client).with_retry(retry);
            let known = known::<AzureConfigKey>(settings, "azure_");
            let builder =
                known.fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Box::new(builder.with_url(url.as_str()).build()?)
        }
        _ => {
            // The query belongs to the file: a signature, for example.
            let mut folder = url.clone();
            let name = url.path_segments().and_then(Iterator::last).unwrap_or_default();
            if let Ok(mut segments) = folder.path_segments_mut() {
                segments.pop();
            }
            let client = client.with_allow_http(true);
            let builder = HttpBuilder::new().with_url(folder).with_client_options(client);
            let path = Path::from_url_path(name)?;
            return Ok(Located { store: Box::new(builder.with_retry(retry).build()?), path });
        }
    };
    Ok(Located { store, path: Path::from_url_path(url.path())? })
}

/// The settings of one kind of store, by its own names for them.
fn known<'s, K: FromStr>(
    settings: &'s [(String, String)],
    prefix: &'static str,
) -> impl Iterator<Item = (K, &'s str)> {
    settings.iter().filter_map(move |(name, value)| {
        let name = name.to_ascii_lowercase();
        let key = name.starts_with(prefix).then(|| name.parse().ok()).flatten()?;
        Some((key, value.as_str()))
    })
}
