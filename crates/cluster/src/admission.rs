//! How a worker is taken on: it shows how the players behave on its machine, and the coordinator compares.

use async_nats::Subscriber;
use futures_util::StreamExt;
use serde_json::Value;
use tengen_lab::journal::first_difference;
use tokio::task::JoinHandle;

use crate::{
    error::ClusterError,
    link::Link,
    message::{Hello, PROTOCOL, VERSION, Welcome, is_name, json},
    workers::Remark,
};

/// Where the coordinator of a run is asked.
pub(crate) fn subject(run: &str) -> String {
    format!("tengen.admit.{run}")
}

/// Answers the workers of a run.
pub(crate) async fn serve(
    link: &Link,
    run: &str,
    behaviour: Value,
    remark: Remark,
) -> Result<JoinHandle<()>, ClusterError> {
    let failed = ClusterError::server("let workers ask");
    let asked: Subscriber = link.client.subscribe(subject(run)).await.map_err(failed)?;
    let client = link.client.clone();
    Ok(tokio::spawn(async move {
        let mut asked = asked;
        while let Some(message) = asked.next().await {
            let Some(reply) = message.reply else { continue };
            let refused = match serde_json::from_slice::<Hello>(&message.payload) {
                Ok(hello) => {
                    let refused = judge(&hello, &behaviour);
                    if let Some(reason) = &refused {
                        let name =
                            if is_name(&hello.worker) { &hello.worker } else { "without a proper name" };
                        remark(format!("worker {name} is refused: {reason}"));
                    }
                    refused
                }
                Err(error) => {
                    Some(format!("what it says cannot be read ({error}): install tengen {VERSION} there"))
                }
            };
            // Who does not hear the answer asks again.
            let _ = client.publish(reply, json(&Welcome { refused }).into()).await;
        }
    }))
}

/// Why a worker is refused, if it is.
fn judge(hello: &Hello, behaviour: &Value) -> Option<String> {
    other_version("the coordinator", PROTOCOL, VERSION, "the worker", hello.protocol, &hello.version).or_else(|| {
        if !is_name(&hello.worker) {
            return Some("its name must be 1 to 64 letters, digits, - and _".to_owned());
        }
        let difference = first_difference("behaviour", behaviour, &hello.behaviour)?;
        Some(format!(
            "the players do not behave there as they do here ({difference}): use the same build of tengen, networks and programs \
             on both machines"
        ))
    })
}

/// What to do about versions that do not go together.
pub(crate) fn other_version(
    here: &str,
    protocol: u32,
    version: &str,
    there: &str,
    its_protocol: u32,
    its_version: &str,
) -> Option<String> {
    (protocol != its_protocol || version != its_version).then(|| {
        let its_version: String = its_version.chars().take(40).collect();
        format!(
            "{here} is tengen {version} (protocol {protocol}), {there} tengen {its_version} (protocol {its_protocol}): install the \
             same version on both machines"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_workers_that_compute_the_same_are_taken_on() {
        let behaviour = json!({ "a": { "signature": "1" } });
        let hello = |protocol, version: &str, signature: &str| Hello {
            protocol,
            version: version.to_owned(),
            worker: "w".to_owned(),
            behaviour: json!({ "a": { "signature": signature } }),
        };
        assert_eq!(judge(&hello(PROTOCOL, VERSION, "1"), &behaviour), None);
        for (hello, word) in [
            (hello(PROTOCOL, VERSION, "2"), "signature"),
            (hello(PROTOCOL + 1, VERSION, "1"), "same version"),
            (hello(PROTOCOL, "0.0.9", "1"), "tengen 0.0.9"),
        ] {
            let reason = judge(&hello, &behaviour).unwrap();
            assert!(reason.contains(word), "{reason}");
        }
    }
}
