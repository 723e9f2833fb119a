//! Services over HTTPS, with certificates of an authority that is made for the test.

use std::{process::Command, sync::Arc};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use super::{BASE, check, evaluate, folder, server::Server};
use crate::support::Folder;

/// Makes `ca.pem`, and a certificate for the loopback that it signed.
fn certificates(folder: &Folder) -> ServerConfig {
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    let own = ["-x509", "-days", "2", "-subj", "/CN=an authority for a test"];
    let files = ["-keyout", "ca.key", "-out", "ca.pem"];
    openssl(folder, &[&["req"], &key[..], &own, &files].concat());
    let files = ["-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=loopback"];
    openssl(folder, &[&["req"], &key[..], &files].concat());
    folder.write("leaf.ext", "subjectAltName = IP:127.0.0.1\nbasicConstraints = CA:false\n");
    let sign = ["x509", "-req", "-days", "2", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey"];
    let files = ["ca.key", "-CAcreateserial", "-extfile", "leaf.ext", "-out", "leaf.pem"];
    openssl(folder, &[&sign[..], &files].concat());
    let chain = vec![CertificateDer::from_pem_file(folder.path("leaf.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(folder.path("leaf.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    config.with_single_cert(chain, key).unwrap()
}

fn openssl(folder: &Folder, args: &[&str]) {
    let mut command = Command::new("openssl");
    let output = command.current_dir(folder.path(".")).args(args).output();
    let output = output.expect("the program `openssl` makes the certificates of these tests");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_authority_of_ones_own_is_trusted_where_it_is_named() {
    let folder = folder(&["a", "b"]);
    let server = Server::secure(certificates(&folder));
    let url = &server.url;
    let retrievers = |ca: &str| {
        format!(
            "[[retriever]]\ntype = \"http\"\nname = \"first\"\nurl = \"{url}\"\nretries = 0\n\
             batch = 1\n{ca}\n[[retriever]]\ntype = \"reranker\"\nname = \"r\"\nof = \"first\"\n\
             url = \"{url}\"\n{ca}\n"
        )
    };
    let (_, outcomes) = evaluate(&folder, &retrievers("ca = \"ca.pem\""), "");
    check(&outcomes["first"], &[], &[]);
    check(&outcomes["r"], &[], &[]);
    assert_eq!((server.asked("a"), server.asked("b")), (2, 2));

    // Nobody else vouches for it: the answers are refused before a query is sent.
    let (_, outcomes) = evaluate(&folder, &retrievers(""), "");
    let unknown = "invalid peer certificate: UnknownIssuer";
    for system in ["first", "r"] {
        assert_eq!(outcomes[system].reasons.len(), 2);
        for reason in outcomes[system].reasons.values() {
            let begins =
                reason.starts_with("unreachable: retriever `first`: no connection at `https://");
            assert!(begins && reason.ends_with(unknown), "{reason}");
        }
    }
    assert_eq!(server.requests.lock().unwrap().len(), 4);
}

#[test]
fn a_file_without_certificates_is_a_problem_of_the_file() {
    let folder = folder(&["a"]);
    folder.write("text.pem", "no certificate\n");
    folder.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    for (file, why) in [
        ("missing.pem", "No such file or directory"),
        ("text.pem", "there is no `-----BEGIN CERTIFICATE-----` in it"),
        ("broken.pem", "invalid peer certificate: BadEncoding"),
    ] {
        let retriever = format!(
            "[retriever]\ntype = \"http\"\nurl = \"https://127.0.0.1:1/\"\nca = \"{file}\"\n"
        );
        folder.write("e.toml", format!("{BASE}{retriever}"));
        let output = folder.qeval(["check", "e.toml"]).ends_with(2);
        let path = folder.path(file).display().to_string();
        let message = format!("the certificates in `{path}` cannot be used: {why}");
        assert!(output.stderr.contains(&message), "{}", output.stderr);
        assert!(output.stderr.contains("--> e.toml:15:6"), "{}", output.stderr);
    }
}
