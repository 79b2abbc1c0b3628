//! The report in a real browser. Skipped with a message where no browser is found; where `DRYSTONE_BROWSER_TESTS` is set, a
//! missing browser is a failure.

mod chromium;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use chromium::Browser;
use tempfile::TempDir;

/// Small, and balls that fall onto one another: contacts, and motion that can be seen.
const SCENE: &str = "sphere-pile:count=30";

/// Runs the program in a folder.
fn drystone(folder: &Path, arguments: &[&str]) {
    let mut program = Command::cargo_bin("drystone").unwrap();
    program.current_dir(folder).args(arguments).assert().success();
}

/// The report of a comparison of two methods, in a folder of its own.
fn comparison() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let methods = ["--solver", "pgs", "--solver", "jacobi", "--plot"];
    let rest = ["--steps", "60", "--out", "results", "--quiet"];
    drystone(folder.path(), &[&["compare", SCENE], &methods[..], &rest[..]].concat());
    let file = folder.path().join("results/report.html");
    (folder, file)
}

/// Opens a report and waits until its replay has drawn something.
fn open_with_replay(browser: &mut Browser, file: &Path) {
    browser.open(file);
    browser.wait_for("window.drystoneReplay !== undefined && drystoneReplay.frameCount > 1");
    browser.evaluate("drystoneReplay.ready");
}

fn assert_silent(browser: &mut Browser) {
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.foreign_requests(), [""; 0]);
}

/// How many colours a view's picture has, and a number that tells pictures apart.
const PICTURE: &str = "(() => {
    const { pixels } = drystoneReplay.picture(0);
    const colours = new Set();
    let sum = 0;
    for (let k = 0; k < pixels.length; k += 4) {
        const colour = pixels[k] | (pixels[k + 1] << 8) | (pixels[k + 2] << 16);
        colours.add(colour);
        sum = (sum * 31 + colour) % 2147483647;
    }
    return { colours: colours.size, sum };
})()";

#[test]
fn the_replay_shows_bodies_and_the_scrubber_moves_them() {
    let Some(mut browser) = Browser::launch() else { return };
    let (_folder, file) = comparison();
    browser.window(1200, 900, false);
    open_with_replay(&mut browser, &file);

    let first = browser.evaluate(PICTURE);
    // Shaded bodies on a ground with a grid; an empty canvas has one colour.
    assert!(first["colours"].as_u64().unwrap() > 50, "{first}");
    let positions = browser.evaluate("drystoneReplay.positions(drystoneReplay.frame)");

    // A key on the scrubber itself, as somebody would press it.
    browser.evaluate("document.querySelector('.replay-scrubber').focus()");
    browser.press("End", 35);
    browser.wait_for("drystoneReplay.frame === drystoneReplay.frameCount - 1");
    let moved = browser.evaluate("drystoneReplay.positions(drystoneReplay.frame)");
    let fallen = |k: usize| positions[k][2].as_f64().unwrap() - moved[k][2].as_f64().unwrap();
    let bodies = positions.as_array().unwrap().len();
    assert!(bodies > 30, "{bodies}");
    // Some of the pile has fallen by half a metre a second at least.
    assert!((0..bodies).any(|k| fallen(k) > 0.1), "{positions}\n{moved}");
    let last = browser.evaluate(PICTURE);
    assert_ne!(first["sum"], last["sum"], "the picture did not change");
    assert_silent(&mut browser);
}

#[test]
fn two_methods_play_side_by_side_in_step() {
    let Some(mut browser) = Browser::launch() else { return };
    let (_folder, file) = comparison();
    browser.window(1200, 900, false);
    open_with_replay(&mut browser, &file);
    // Asked while the second run is loaded, as the plots' cursor does, the replay answers with what there is.
    browser.evaluate(
        "(async () => {
            let loading = true;
            const chosen = drystoneReplay.choose(1, 1).then(() => (loading = false));
            while (loading) {
                drystoneReplay.state();
                await new Promise((done) => setTimeout(done));
            }
            return chosen;
        })()",
    );
    browser.wait_for("drystoneReplay.state().shown.length === 2");
    browser.evaluate("drystoneReplay.setColouring('speed')");
    let legends = "(async () => {
        await drystoneReplay.seek(drystoneReplay.frameCount - 1);
        return new Set([...document.querySelectorAll('.replay-legend')].map((legend) => legend.textContent)).size;
    })()";
    assert_eq!(browser.evaluate(legends), 1, "one scale for both views");
    assert_eq!(browser.evaluate("drystoneReplay.state().runs.join()"), "pgs,jacobi");
    browser.evaluate("drystoneReplay.seek(20)");
    browser.wait_for("drystoneReplay.state().shown.every((view) => view.frame === 20)");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('.replay-canvas').length"),
        2
    );

    let play = browser.middle_of(".replay-play");
    browser.click(play);
    browser.wait_for("drystoneReplay.state().playing");
    browser.wait_for("drystoneReplay.frame > 22");
    browser.click(play);
    browser.wait_for("!drystoneReplay.state().playing");
    browser.wait_for("new Set(drystoneReplay.state().shown.map((view) => view.frame)).size === 1");
    assert_silent(&mut browser);
}

#[test]
fn what_is_shown_can_be_chosen_and_a_click_tells_a_bodys_state() {
    let Some(mut browser) = Browser::launch() else { return };
    let (_folder, file) = comparison();
    browser.window(1200, 900, false);
    open_with_replay(&mut browser, &file);
    browser.evaluate("drystoneReplay.seek(Infinity)");
    browser.wait_for("drystoneReplay.frame === drystoneReplay.frameCount - 1");
    let mut seen = vec![browser.evaluate(PICTURE)["sum"].clone()];
    for colouring in ["kind", "sleep", "group", "layer", "speed"] {
        browser.evaluate(&format!("drystoneReplay.setColouring('{colouring}')"));
        let picture = browser.evaluate(PICTURE);
        assert!(picture["colours"].as_u64().unwrap() > 20, "{colouring}: {picture}");
    }
    for option in ["points", "normals", "impulses"] {
        browser.evaluate(&format!("drystoneReplay.setOption('{option}', true)"));
        let sum = browser.evaluate(PICTURE)["sum"].clone();
        assert!(!seen.contains(&sum), "{option} changes nothing");
        seen.push(sum);
    }
    assert!(
        browser
            .evaluate("drystoneReplay.state().shown[0].contacts")
            .as_u64()
            .unwrap()
            > 10
    );

    let canvas = browser.middle_of(".replay-canvas");
    // The highest of those that fell has none in front of it.
    browser.evaluate(
        "(async () => {
            const [first, last] = [await drystoneReplay.positions(0), await drystoneReplay.positions(drystoneReplay.frame)];
            const fallen = last.filter(([, , z], body) => z < first[body][2]);
            drystoneReplay.camera().lookAt(fallen.reduce((a, b) => (a[2] > b[2] ? a : b)));
        })()",
    );
    browser.click(canvas);
    browser.wait_for("drystoneReplay.state().selected[0] !== null");
    let details = browser.evaluate("document.querySelector('.replay-details').textContent");
    for word in ["kg", "m/s"] {
        assert!(details.as_str().unwrap().contains(word), "{details}");
    }
    // On a phone what is told about a body does not hide it.
    browser.window(390, 844, false);
    let hidden = "(() => {
        const [canvas, details] = ['canvas', 'details'].map((name) => document.querySelector(`.replay-${name}`).getBoundingClientRect());
        return details.height === 0 || details.y <= canvas.y + canvas.height / 2;
    })()";
    assert_eq!(browser.evaluate(hidden), false);
    browser.window(1200, 900, false);
    let canvas = browser.middle_of(".replay-canvas");
    // Dragging turns the camera.
    let before = browser.evaluate(PICTURE);
    browser.drag(canvas, (canvas.0 + 120.0, canvas.1 + 30.0));
    assert_ne!(before["sum"], browser.evaluate(PICTURE)["sum"]);
    assert_silent(&mut browser);
}

#[test]
fn tables_are_sorted_and_series_hidden_by_a_click() {
    let Some(mut browser) = Browser::launch() else { return };
    let (_folder, file) = comparison();
    browser.window(1200, 900, false);
    open_with_replay(&mut browser, &file);
    let order =
        "[...document.querySelectorAll('#methods tbody tr')].map((row) => row.cells[0].textContent.trim()).join()";
    let heading = browser.middle_of("#methods th button");
    browser.click(heading);
    let ascending = browser.evaluate(order);
    browser.press("Enter", 13);
    assert_eq!(
        browser.evaluate("document.querySelector('#methods th').ariaSort"),
        "descending"
    );
    assert_eq!(
        (ascending, browser.evaluate(order)),
        ("jacobi,pgs".into(), "pgs,jacobi".into())
    );

    let plots = browser.evaluate("document.querySelectorAll('figure.plot svg').length");
    assert!(plots.as_u64().unwrap() >= 12, "{plots}");
    let legend = browser.middle_of("figure.plot[data-plot='kinetic-energy'] .legend button");
    browser.click(legend);
    let pressed = "document.querySelector(\"figure.plot[data-plot='kinetic-energy'] .legend button\").ariaPressed";
    assert_eq!(browser.evaluate(pressed), "false");
    assert_silent(&mut browser);
}

#[test]
fn a_phone_and_a_dark_room_are_no_obstacle() {
    let Some(mut browser) = Browser::launch() else { return };
    let (_folder, file) = comparison();
    let brightness = "(() => {
        const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/[0-9.]+/g).map(Number);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })()";
    for (width, height, dark) in [(390, 844, false), (390, 844, true), (1200, 900, true)] {
        browser.window(width, height, dark);
        open_with_replay(&mut browser, &file);
        let wide = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert!(wide.as_i64().unwrap() <= 0, "{width} px: {wide} too wide");
        let bright = browser.evaluate(brightness).as_f64().unwrap();
        assert_eq!(bright < 60.0, dark, "{bright}");
        let canvas = browser.evaluate("document.querySelector('.replay-canvas').getBoundingClientRect().width");
        assert!(canvas.as_f64().unwrap() > 250.0, "{canvas}");
        assert!(browser.evaluate(PICTURE)["colours"].as_u64().unwrap() > 50);
        // Two views one above the other leave the controls where they can be reached.
        browser.evaluate("drystoneReplay.choose(1, 1)");
        let covered = "(() => {
            const views = [...document.querySelectorAll('.replay-canvas')].map((view) => view.getBoundingClientRect());
            const controls = document.querySelector('.replay-controls').getBoundingClientRect();
            const next = document.querySelector('#replay').getBoundingClientRect().bottom;
            return views.length !== 2 || views.some((view) => view.bottom > controls.top) || controls.bottom > next + 1;
        })()";
        assert_eq!(browser.evaluate(covered), false, "{width} px");
        // However far a table is scrolled, its rows tell whose they are.
        let name = "(() => {
            const box = document.querySelector('#methods').closest('.scroll');
            box.scrollLeft = box.scrollWidth;
            const cell = box.querySelector('tbody th').getBoundingClientRect();
            return cell.x >= box.getBoundingClientRect().x && cell.width < 0.6 * box.clientWidth;
        })()";
        assert_eq!(browser.evaluate(name), true, "{width} px");
        assert!(browser.screenshot().starts_with(b"\x89PNG"));
    }
    assert_silent(&mut browser);
}

#[test]
fn reports_of_every_kind_open_without_a_complaint() {
    let Some(mut browser) = Browser::launch() else { return };
    let folder = tempfile::tempdir().unwrap();
    let experiment = "title = \"t\"\nsteps = 20\n[[scene]]\nspec = \"box-stack\"\nparameters = { count = [2, 3] }\n\
                      [[method]]\nspec = \"pgs\"\nsolver = { iterations = [5, 10] }\n";
    std::fs::write(folder.path().join("e.toml"), experiment).unwrap();
    let commands = [
        "run chain --steps 30 --out run -q",
        "sweep e.toml --out sweep --keep-runs -q",
        "run box-stack --steps 5 --out stack --dump-problems every=5 -q",
        "solve stack/problems --solver pgs --solver nsgs --out solve -q",
    ];
    for command in commands {
        drystone(folder.path(), &command.split(' ').collect::<Vec<_>>());
    }
    browser.window(1000, 800, false);
    for kind in ["run", "sweep", "solve"] {
        browser.open(&folder.path().join(kind).join("report.html"));
        for part in ["table tbody tr", "figure svg"] {
            let found = browser.evaluate(&format!("document.querySelectorAll('{part}').length"));
            assert!(found.as_u64() > Some(0), "{kind}: no {part}");
        }
        assert_silent(&mut browser);
    }
}

#[test]
fn the_browser_tells_what_goes_wrong_in_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let page = "<!doctype html><title>t</title><canvas></canvas><button>b</button><script>
        console.error('one');
        setTimeout(() => { throw new Error('two'); });
        fetch('http://127.0.0.1:9/x').catch(() => {});
        window.gl = !!document.querySelector('canvas').getContext('webgl2');
        window.heard = [];
        document.querySelector('button').onclick = () => heard.push('click');
        document.onkeydown = (event) => heard.push(event.key);
        </script>";
    std::fs::write(&file, page).unwrap();
    let Some(mut browser) = Browser::launch() else { return };
    browser.window(800, 600, true);
    browser.open(&file);
    assert_eq!(browser.evaluate("window.gl"), true);
    assert_eq!(
        browser.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"),
        true
    );
    let button = browser.middle_of("button");
    browser.click(button);
    browser.press("ArrowRight", 39);
    browser.wait_for("heard.join() === 'click,ArrowRight'");
    let complaints = browser.complaints().join("\n");
    assert!(complaints.contains("one") && complaints.contains("two"), "{complaints}");
    assert_eq!(browser.foreign_requests(), ["http://127.0.0.1:9/x"]);
    assert!(browser.screenshot().starts_with(b"\x89PNG"));
}
