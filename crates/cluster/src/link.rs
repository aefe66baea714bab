//! The connection to a NATS server: how one gets in, and the streams and buckets that tengen keeps there.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use async_nats::{
    Client, ConnectOptions, ServerAddr,
    jetstream::{
        self, Context, kv,
        object_store::{self, ObjectStore},
        stream::{self, DiscardPolicy, RetentionPolicy, StorageType, Stream},
    },
};

use crate::error::ClusterError;

/// A server, and who we are there.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// Its address, `nats://HOST:PORT` or `tls://HOST:PORT`; several of a cluster with commas.
    pub url: String,
    /// A user name.
    pub user: Option<String>,
    /// The file with its password.
    pub password_file: Option<PathBuf>,
    /// A file with a token.
    pub token_file: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey_file: Option<PathBuf>,
    /// A credentials file (JWT and nkey).
    pub creds: Option<PathBuf>,
    /// Whether nothing but an encrypted connection will do.
    pub tls: bool,
    /// Who vouches for the server, if not one of the well-known authorities.
    pub tls_ca: Option<PathBuf>,
    /// Our own certificate and its key.
    pub tls_cert: Option<(PathBuf, PathBuf)>,
}

/// What is on the server.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) jetstream: Context,
    /// Jobs that are waiting or under way: a subject each, so that none is there twice.
    pub(crate) jobs: Stream,
    /// What workers report, until the coordinator has written it down.
    pub(crate) results: Stream,
    /// The runs that are to be played.
    pub(crate) runs: kv::Store,
    /// How far they are.
    pub(crate) progress: kv::Store,
    /// Workers that are set aside.
    pub(crate) aside: kv::Store,
    /// Files by their SHA-256.
    pub(crate) objects: ObjectStore,
}

/// What waits for nobody is removed after this time.
const FORGOTTEN: Duration = Duration::from_hours(30 * 24);
/// How long workers are remembered after their last word.
pub(crate) const SILENCE: Duration = Duration::from_secs(30);

impl Server {
    /// The addresses without names and passwords, for messages.
    pub(crate) fn url_shown(&self) -> String {
        let plain = |url: &str| match (url.find("://"), url.rfind('@')) {
            (Some(scheme), Some(at)) => format!("{}{}", &url[..scheme + 3], &url[at + 1..]),
            (None, Some(at)) => url[at + 1..].to_owned(),
            _ => url.to_owned(),
        };
        self.url.split(',').map(plain).collect::<Vec<_>>().join(",")
    }

    async fn options(&self, name: &str) -> Result<ConnectOptions, ClusterError> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(Duration::from_secs(10))
            .request_timeout(Some(Duration::from_secs(10)))
            .ping_interval(Duration::from_secs(10))
            .require_tls(self.tls);
        if let Some(user) = &self.user {
            let password = self.password_file.as_deref().map(secret).transpose()?.unwrap_or_default();
            options = options.user_and_password(user.clone(), password);
        }
        if let Some(path) = &self.token_file {
            options = options.token(secret(path)?);
        }
        if let Some(path) = &self.nkey_file {
            options = options.nkey(secret(path)?);
        }
        if let Some(path) = &self.creds {
            let error = |source| ClusterError::File { path: path.clone(), source };
            options = options.credentials_file(path).await.map_err(error)?;
        }
        if let Some(path) = &self.tls_ca {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &self.tls_cert {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok(options)
    }

    pub(crate) async fn connect(&self, name: &str) -> Result<Link, ClusterError> {
        let failed = |message: String| ClusterError::Connect { url: self.url_shown(), message };
        let addresses =
            self.url.split(',').map(|url| url.trim().parse::<ServerAddr>()).collect::<Result<Vec<_>, _>>();
        let addresses = addresses.map_err(|error| failed(error.to_string()))?;
        let connected = self.options(name).await?.connect(addresses).await;
        let client = connected.map_err(|error| failed(with_sources(&error)))?;
        if !client.server_info().jetstream {
            return Err(ClusterError::NoJetStream);
        }
        Box::pin(Link::open(client)).await
    }
}

/// The first line of a file.
fn secret(path: &Path) -> Result<String, ClusterError> {
    let text =
        fs::read_to_string(path).map_err(|source| ClusterError::File { path: path.to_owned(), source })?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        source = inner.source();
    }
    text
}

impl Link {
    async fn open(client: Client) -> Result<Link, ClusterError> {
        let mut jetstream = jetstream::new(client.clone());
        jetstream.set_timeout(Duration::from_secs(10));
        let failed = ClusterError::server("make room for jobs");
        let jobs = stream::Config {
            name: "tengen_jobs".to_owned(),
            subjects: vec!["tengen.jobs.>".to_owned()],
            retention: RetentionPolicy::WorkQueue,
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            max_age: FORGOTTEN,
            ..stream::Config::default()
        };
        let results = stream::Config {
            name: "tengen_results".to_owned(),
            subjects: vec!["tengen.results.>".to_owned()],
            retention: RetentionPolicy::WorkQueue,
            max_age: FORGOTTEN,
            ..stream::Config::default()
        };
        let dead = stream::Config {
            name: "tengen_dead".to_owned(),
            subjects: vec!["tengen.dead.>".to_owned()],
            max_age: FORGOTTEN,
            ..stream::Config::default()
        };
        let jobs = jetstream.get_or_create_stream(jobs).await.map_err(&failed)?;
        let results = jetstream.get_or_create_stream(results).await.map_err(&failed)?;
        jetstream.get_or_create_stream(dead).await.map_err(&failed)?;
        let objects = object_store::Config { bucket: "tengen".to_owned(), ..object_store::Config::default() };
        let objects = match jetstream.get_object_store("tengen").await {
            Ok(objects) => objects,
            Err(_) => jetstream
                .create_object_store(objects)
                .await
                .map_err(ClusterError::server("make room for files"))?,
        };
        Ok(Link {
            runs: bucket(&jetstream, "tengen_runs").await?,
            progress: bucket(&jetstream, "tengen_progress").await?,
            aside: bucket(&jetstream, "tengen_aside").await?,
            client,
            jetstream,
            jobs,
            results,
            objects,
        })
    }

    /// Where workers say that they are there. It is in the server's memory, so that a thousand of them cost no disk, and is made
    /// again after a restart of the server.
    pub(crate) async fn workers(&self) -> Result<kv::Store, ClusterError> {
        let config = kv::Config {
            bucket: "tengen_workers".to_owned(),
            history: 1,
            max_age: SILENCE,
            storage: StorageType::Memory,
            ..kv::Config::default()
        };
        match self.jetstream.get_key_value(&config.bucket).await {
            Ok(store) => Ok(store),
            Err(_) => {
                self.jetstream.create_key_value(config).await.map_err(ClusterError::server("list workers"))
            }
        }
    }
}

async fn bucket(jetstream: &Context, name: &str) -> Result<kv::Store, ClusterError> {
    let config = kv::Config { bucket: name.to_owned(), history: 1, ..kv::Config::default() };
    match jetstream.get_key_value(name).await {
        Ok(store) => Ok(store),
        Err(_) => {
            jetstream.create_key_value(config).await.map_err(ClusterError::server("make room for runs"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_no_password() {
        let server = Server { url: "nats://me:secret@host:4222,other@there".to_owned(), ..Server::default() };
        assert_eq!(server.url_shown(), "nats://host:4222,there");
    }
}
