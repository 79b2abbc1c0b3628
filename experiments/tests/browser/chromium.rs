//! A real browser for tests: headless Chromium, driven by its DevTools protocol over a pair of pipes.
//!
//! With `--remote-debugging-pipe` the browser reads commands from file descriptor 3 and writes answers and events to 4,
//! each a JSON object that ends in a zero byte. Two named pipes and a shell's redirection give it those descriptors, so
//! neither a web socket nor a driver program is needed. Everything the page complains about, and every address it asks
//! for, is kept.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Where a browser may be named, if it is not among the usual names.
const NAMED: &str = "DRYSTONE_BROWSER";
/// If this is set, a missing browser is a failure rather than a reason to skip.
const REQUIRED: &str = "DRYSTONE_BROWSER_TESTS";
const USUAL: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Software rendering on two busy cores is slow; a page that needs longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page open.
pub(crate) struct Browser {
    process: Child,
    commands: File,
    messages: Receiver<Value>,
    session: Option<String>,
    next: u64,
    complaints: Vec<String>,
    requests: Vec<String>,
    events: Vec<Value>,
    _folder: TempDir,
}

impl Browser {
    /// A browser, or `None` with a message where there is none; where one is required, that is a failure.
    pub(crate) fn launch() -> Option<Self> {
        let Some(program) = find() else {
            let message = format!(
                "no browser found (looked for {}; {NAMED} can name one)",
                USUAL.join(", ")
            );
            assert!(std::env::var_os(REQUIRED).is_none(), "{message}");
            // The harness shows what a test prints only if it fails; a skipped test should say so.
            let _ = writeln!(std::io::stderr(), "skipped: {message}");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let [input, output] = ["commands", "answers"].map(|name| folder.path().join(name));
        let made = Command::new("mkfifo").arg(&input).arg(&output).status().unwrap();
        assert!(made.success(), "mkfifo failed");
        let process = Command::new("sh")
            .args(["-c", r#"in=$1 out=$2; shift 2; exec "$@" 3<"$in" 4>"$out""#, "sh"])
            .args([&input, &output])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader"])
            .args([
                "--enable-unsafe-swiftshader",
                "--disable-quic",
                "--no-first-run",
                "--disable-sync",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--mute-audio",
            ])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = File::options().write(true).open(&input).unwrap();
        let answers = File::open(&output).unwrap();
        let mut browser = Self {
            process,
            commands,
            messages: listen(answers),
            session: None,
            next: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            events: Vec::new(),
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attached);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// The window: its size, and whether the person prefers dark pages.
    pub(crate) fn window(&mut self, width: u32, height: u32, dark: bool) {
        let mobile = width < 500;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path) {
        let file = fs::canonicalize(file).unwrap();
        self.events.clear();
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        let start = Instant::now();
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            assert!(start.elapsed() < PATIENCE, "{} does not load", file.display());
            self.receive();
        }
    }

    /// The value of an expression in the page; a promise is waited for. What it throws fails the test.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", asked);
        let thrown = &answer["exceptionDetails"];
        assert!(
            thrown.is_null(),
            "{expression}\n{}",
            serde_json::to_string_pretty(thrown).unwrap()
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(expression) != json!(true) {
            assert!(
                start.elapsed() < PATIENCE,
                "never true: {expression}\n{:?}",
                self.complaints
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The middle of an element, in the window; it is scrolled into view first.
    pub(crate) fn middle_of(&mut self, selector: &str) -> (f64, f64) {
        let expression = format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{block: 'center', behavior: 'instant'}});
               const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()",
            json!(selector)
        );
        let middle = self.evaluate(&expression);
        (middle[0].as_f64().unwrap(), middle[1].as_f64().unwrap())
    }

    /// A click of the left button.
    pub(crate) fn click(&mut self, (x, y): (f64, f64)) {
        self.drag((x, y), (x, y));
    }

    /// Presses the left button at one place and lets it go at another.
    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        let between = (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1));
        let mouse = [
            ("mouseMoved", "none", from),
            ("mousePressed", "left", from),
            ("mouseMoved", "left", between),
            ("mouseMoved", "left", to),
            ("mouseReleased", "left", to),
        ];
        for (kind, button, (x, y)) in mouse {
            let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key: `Enter`, `ArrowRight`.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let text = if key == "Enter" { "\r" } else { "" };
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// The window as a PNG file.
    pub(crate) fn screenshot(&mut self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        decode_base64(shot["data"].as_str().unwrap())
    }

    /// Errors and warnings of the console, exceptions that nobody caught, and what the browser itself logged.
    pub(crate) fn complaints(&mut self) -> &[String] {
        // An answer comes after all events before it.
        self.evaluate("0");
        &self.complaints
    }

    /// The addresses that were asked for, other than the file itself and data inside it.
    pub(crate) fn foreign_requests(&self) -> Vec<&String> {
        let own = ["file:", "data:", "blob:", "about:"];
        let is_own = |address: &String| own.iter().any(|scheme| address.starts_with(scheme));
        self.requests.iter().filter(|address| !is_own(address)).collect()
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).unwrap();
        loop {
            let answer = self.receive();
            if answer["id"] == json!(id) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// The next message; events are sorted.
    fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("the browser is silent");
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.consoleAPICalled")
                if ["error", "warning", "assert"]
                    .iter()
                    .any(|kind| parameters["type"] == *kind) =>
            {
                self.complaints.push(parameters["args"].to_string());
            }
            Some("Runtime.exceptionThrown") => self.complaints.push(parameters["exceptionDetails"].to_string()),
            Some("Log.entryAdded") if is_complaint(&parameters["entry"]) => {
                self.complaints.push(parameters["entry"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                let address = parameters["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(address.to_owned());
            }
            Some(_) => self.events.push(message.clone()),
            None => {}
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether the page is to blame for an entry of the browser's log. Software rendering warns whenever a picture is read back,
/// as picking a body and these tests do; that is a hint about speed, and about the driver.
fn is_complaint(entry: &Value) -> bool {
    let about_speed = |text: &str| text.contains("Performance");
    let is_hint = entry["source"] == "rendering" && entry["text"].as_str().is_some_and(about_speed);
    !is_hint && (entry["level"] == "error" || entry["level"] == "warning")
}

/// The browser's messages, read by a thread of their own.
fn listen(answers: File) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut answers = BufReader::new(answers);
        let mut bytes = Vec::new();
        while matches!(answers.read_until(0, &mut bytes), Ok(read) if read > 0) {
            bytes.pop();
            let Ok(message) = serde_json::from_slice(&bytes) else {
                break;
            };
            if sender.send(message).is_err() {
                break;
            }
            bytes.clear();
        }
    });
    receiver
}

fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(NAMED) {
        return Some(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = USUAL
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// The bytes behind base64 with padding.
fn decode_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        bits = (bits << 6) | u32::from(value(byte));
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
