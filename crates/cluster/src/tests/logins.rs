//! Every way in that NATS offers, and that there is no other.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};
use tengen_testing::{NatsServer, skipped};

use crate::{ClusterError, Observer, Server};

const UNCHECKED: &str = "logging in to a NATS server";

fn connect(server: &Server) -> Result<(), ClusterError> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let observer = Observer::connect(server).await?;
        observer.status().await.map(|_| ())
    })
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("tengen-login-{}-{name}", std::process::id()));
    fs::write(&path, text).unwrap();
    path
}

fn plain(nats: &NatsServer) -> Server {
    Server { url: nats.url(), ..Server::default() }
}

/// Others are refused, and told what to do.
fn refuses_others(server: &Server) {
    let error = connect(server).unwrap_err().to_string();
    assert!(error.contains("credentials") && !error.contains("secret"), "{error}");
}

#[test]
fn users_tokens_and_nkeys() {
    let users = "authorization { users: [ { user: me, password: secret } ] }";
    let Some(nats) = NatsServer::start(UNCHECKED, "127.0.0.1", users) else { return };
    refuses_others(&plain(&nats));
    let with = |password: &str| Server {
        user: Some("me".to_owned()),
        password_file: Some(file("password", password)),
        ..plain(&nats)
    };
    connect(&with("secret\n")).unwrap();
    refuses_others(&with("wrong"));
    let missing = Server { token_file: Some("no/such/file".into()), ..plain(&nats) };
    assert!(connect(&missing).unwrap_err().to_string().contains("no/such/file"));

    let Some(nats) = NatsServer::start(UNCHECKED, "127.0.0.1", "authorization { token: secret }") else {
        return;
    };
    refuses_others(&plain(&nats));
    connect(&Server { token_file: Some(file("token", "secret\n")), ..plain(&nats) }).unwrap();

    let key = KeyPair::new_user();
    let users = format!("authorization {{ users: [ {{ nkey: {} }} ] }}", key.public_key());
    let Some(nats) = NatsServer::start(UNCHECKED, "127.0.0.1", &users) else { return };
    refuses_others(&plain(&nats));
    connect(&Server { nkey_file: Some(file("nkey", &key.seed().unwrap())), ..plain(&nats) }).unwrap();
    let other = KeyPair::new_user().seed().unwrap();
    refuses_others(&Server { nkey_file: Some(file("other", &other)), ..plain(&nats) });
}

/// A claim in the format of NATS, signed.
fn jwt(issuer: &KeyPair, subject: &KeyPair, name: &str, nats: &Value) -> String {
    let part = |value: Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let header = part(json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let claim = json!({ "jti": name, "iat": 1_700_000_000, "iss": issuer.public_key(), "name": name,
        "sub": subject.public_key(), "nats": nats });
    let text = format!("{header}.{}", part(claim));
    let signature = issuer.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", BASE64URL_NOPAD.encode(&signature))
}

#[test]
fn credentials_files() {
    let (operator, system) = (KeyPair::new_operator(), KeyPair::new_account());
    let (account, user) = (KeyPair::new_account(), KeyPair::new_user());
    let limits = json!({ "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
        "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1 });
    let of_account = |limits: &Value| json!({ "limits": limits, "type": "account", "version": 2 });
    let mut none = limits.clone();
    for name in ["mem_storage", "disk_storage", "streams", "consumer"] {
        none[name] = 0.into();
    }
    let of_operator = jwt(&operator, &operator, "operator", &json!({ "type": "operator", "version": 2 }));
    let config = format!(
        "operator: \"{of_operator}\"\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: \"{}\", {}: \"{}\" }}",
        system.public_key(),
        system.public_key(),
        jwt(&operator, &system, "SYS", &of_account(&none)),
        account.public_key(),
        jwt(&operator, &account, "tengen", &of_account(&limits)),
    );
    let Some(nats) = NatsServer::start(UNCHECKED, "127.0.0.1", &config) else { return };
    let of_user = json!({ "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2 });
    let creds = format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{}\n------END USER \
         NKEY SEED------\n",
        jwt(&account, &user, "worker", &of_user),
        user.seed().unwrap()
    );
    refuses_others(&plain(&nats));
    connect(&Server { creds: Some(file("creds", &creds)), ..plain(&nats) }).unwrap();
}

/// An authority and a certificate for this machine: whether there is a program that makes them.
fn certificates(folder: &Path) -> bool {
    let openssl = |words: &str| {
        let words = words.split(' ').map(|word| word.replace('_', " "));
        let mut run = Command::new("openssl");
        run.args(words).current_dir(folder).stderr(Stdio::null()).stdout(Stdio::null());
        run.status().is_ok_and(|status| status.success())
    };
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1").unwrap();
    openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=tengen -keyout ca.key -out ca.pem")
        && openssl("req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr")
        && openssl(
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
        )
}

#[test]
fn encryption() {
    let folder = std::env::temp_dir().join(format!("tengen-tls-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    if !certificates(&folder) {
        return skipped("TLS to a NATS server", "openssl is not installed");
    }
    let path = |name: &str| folder.join(name);
    let config = format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}",
        path("server.pem"),
        path("server.key"),
        path("ca.pem")
    );
    let Some(nats) = NatsServer::start(UNCHECKED, "127.0.0.1", &config) else { return };
    let url = format!("tls://{}", nats.address);
    let known = Server { url, tls: true, tls_ca: Some(path("ca.pem")), ..Server::default() };
    connect(&Server { tls_cert: Some((path("server.pem"), path("server.key"))), ..known.clone() }).unwrap();
    refuses_others(&known);
    refuses_others(&Server { tls_ca: None, ..known });

    let Some(open) = NatsServer::start(UNCHECKED, "127.0.0.1", "") else { return };
    refuses_others(&Server { tls: true, ..plain(&open) });
    fs::remove_dir_all(&folder).unwrap();
}
