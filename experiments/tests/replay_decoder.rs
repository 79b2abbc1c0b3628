//! The two readers of trajectories, ours and the replay's in JavaScript, read the same. Needs Node 18 or newer, which has the
//! browser's `DecompressionStream`; where there is none, this test says so and tests nothing.

mod common;

use std::path::Path;
use std::process::Command;

use common::Workshop;
use drystone_collision::{Shape, Sphere};
use drystone_dynamics::{Body, World};
use drystone_experiments::replay::MODULES;
use drystone_experiments::trajectory::Trajectory;
use drystone_experiments::trajectory::chunk::{Chunk, Scratch};
use drystone_experiments::trajectory::contacts::QuantisedContact;
use drystone_experiments::trajectory::header::Header;
use drystone_experiments::trajectory::population::Population;
use drystone_experiments::trajectory::record::{self, Deflater};
use serde_json::Value;

/// Prints everything that the replay knows of some frames.
const SCRIPT: &str = "
import { readFile } from 'node:fs/promises';
import { bodyState, contactFrame } from './chunk.js';
import { Trajectory } from './trajectory.js';
const trajectory = await Trajectory.parse(new Uint8Array(await readFile(process.argv[2])));
const frames = [];
const EVERY = 3;
for (let frame = 0; frame < trajectory.frameCount; frame += EVERY) {
  const chunk = await trajectory.load(frame);
  const local = frame - chunk.first;
  const { starts, counts, a, b, offsets, normals, impulses, depths } = chunk.contacts;
  const contacts = Array.from({ length: starts[local] < 0 ? 0 : counts[local] }, (_, n) => {
    const k = starts[local] + n;
    const of = (values) => Array.from(values.subarray(3 * k, 3 * k + 3));
    return { a: a[k], b: b[k], offset: of(offsets), normal: of(normals), impulse: of(impulses), depth: depths[k] };
  });
  frames.push({
    step: trajectory.steps[frame], time: trajectory.times[frame], stored: contactFrame(chunk, frame) === frame, contacts,
    bodies: Array.from({ length: chunk.bodies }, (_, body) => bodyState(chunk, frame, body)),
    off: Array.from(chunk.jointsOff.subarray(local * chunk.joints, (local + 1) * chunk.joints)),
  });
}
console.log(JSON.stringify({ frameCount: trajectory.frameCount, frames }));
";

fn close(found: &Value, wanted: &[f64], what: &str) {
    let found: Vec<f64> = found.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (found, wanted) in found.iter().zip(wanted) {
        // The replay has single precision.
        assert!(
            (found - wanted).abs() <= 1e-6 * (1.0 + wanted.abs()),
            "{what}: {found} {wanted}"
        );
    }
}

/// A folder with the replay's reader in it; none where there is nothing to run it with.
#[allow(clippy::print_stderr, reason = "a test that tests less must say so")]
fn workshop() -> Option<Workshop> {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("no Node here; the replay's reader is not tested");
        return None;
    }
    let workshop = Workshop::new();
    workshop.write("package.json", "{ \"type\": \"module\" }");
    for module in MODULES {
        workshop.write(module.name, module.text);
    }
    workshop.write("read.mjs", SCRIPT);
    Some(workshop)
}

fn compare_readers(workshop: &Workshop, path: &Path) {
    let output = Command::new("node")
        .arg(workshop.path("read.mjs"))
        .arg(path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trajectory = Trajectory::read(path).unwrap();
    assert_eq!(read["frameCount"], trajectory.frames());
    for (k, found) in read["frames"].as_array().unwrap().iter().enumerate() {
        compare(
            found,
            &trajectory.frame(3 * k as u32).unwrap(),
            &path.display().to_string(),
        );
    }
}

/// Every way to foretell, residuals of one byte and of five, frames without contacts, and contacts that match those before or don't.
#[test]
fn everything_a_file_can_hold_is_read_the_same() {
    let Some(workshop) = workshop() else { return };
    let mut world = World::new();
    for name in ["a", "b", "c"] {
        let shape = Shape::Sphere(Sphere { radius: 1.0 });
        world.add(Body::dynamic(name, shape, 1.0).unwrap()).unwrap();
    }
    let (bodies, frames) = (3, 40);
    let mut chunk = Chunk::default();
    chunk.clear(bodies, 0);
    for frame in 0..frames as i64 {
        chunk.steps.push(3 * frame as u64);
        for body in 0..bodies as i64 {
            let noise = (frame * frame * frame * 31 + frame * 7 + body * 17) % 97;
            let far = if frame % 2 == 0 {
                i64::from(i32::MAX)
            } else {
                i64::from(i32::MIN)
            };
            let values = [
                // Every way is half the one before: way 1. A fall: way 2. Noise: way 0.
                (1 << 20) - ((1 << 20) >> frame.min(20)) + body,
                frame * frame * 5 + body,
                if body == 2 { far } else { noise },
                (frame / 5 + body) % 4,
                noise - 40,
                40 - noise,
                frame,
                noise % 4,
                noise % 3,
                frame % 5,
            ];
            for (column, value) in chunk.columns.iter_mut().zip(values) {
                column.push(value as i32);
            }
        }
        let pairs: &[(u32, u32)] = match frame % 4 {
            0 => &[(0, 1), (0, 1), (0, 2), (1, 2)],
            1 => &[(0, 1), (0, 1), (0, 1), (1, 2)],
            2 => &[],
            _ => {
                chunk.contact_counts.push(None);
                continue;
            }
        };
        chunk.contact_counts.push(Some(pairs.len() as u32));
        let contact = |(k, &(a, b)): (usize, &(u32, u32))| QuantisedContact {
            a,
            b,
            numbers: std::array::from_fn(|n| ((frame as i32 + 3 * k as i32) * (n as i32 * 53 + 7)) % 900 - 450),
        };
        chunk.contacts.extend(pairs.iter().enumerate().map(contact));
    }
    let mut raw = Vec::new();
    chunk.encode(&mut Scratch::default(), &mut raw);
    let planes = |at: usize| usize::from(raw[at + 1]) * bodies * frames;
    let second = 2 + planes(0);
    let third = second + 2 + planes(second);
    assert_eq!((raw[0], raw[second], raw[third]), (1, 2, 0), "the ways");
    assert_eq!(raw[third + 1], 5, "the planes");

    let mut file = record::MAGIC.to_vec();
    let header = serde_json::to_vec(&Header::new(&world, "made", "up", 0.01, 100.0)).unwrap();
    record::write(&mut file, record::HEAD, &[], &header).unwrap();
    let mut deflater = Deflater::default();
    let population = serde_json::to_vec(&Population::of(&world)).unwrap();
    let length = (population.len() as u32).to_le_bytes();
    record::write(
        &mut file,
        record::POPULATION,
        &length,
        deflater.deflate(&population).unwrap(),
    )
    .unwrap();
    let mut fields: Vec<u8> = [0, frames as u32, raw.len() as u32]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    fields.extend(chunk.steps.iter().flat_map(|step| step.to_le_bytes()));
    record::write(&mut file, record::CHUNK, &fields, deflater.deflate(&raw).unwrap()).unwrap();
    record::write(&mut file, record::END, &(frames as u32).to_le_bytes(), &[]).unwrap();
    let path = workshop.path("made.bin");
    std::fs::write(&path, file).unwrap();
    compare_readers(&workshop, &path);
}

#[test]
fn runs_are_read_the_same() {
    let Some(workshop) = workshop() else { return };
    for (run, line) in [
        ("sleep", "run avalanche --solver semi-implicit:sleep=true/pgs"),
        (
            "layers",
            "run tower:layers=4 --solver shock-propagation/pgs --duration 1",
        ),
        ("joints", "run ragdoll --duration 2 --trajectory 100"),
    ] {
        workshop.run(&format!("{line} --quiet --out {run}"), 0);
        compare_readers(&workshop, &workshop.path(run).join("trajectory.bin"));
    }
}

fn compare(found: &Value, frame: &drystone_experiments::trajectory::reader::Frame, run: &str) {
    assert_eq!(found["step"], frame.step);
    assert!((found["time"].as_f64().unwrap() - frame.time).abs() < 1e-9);
    let code = |number: Option<u32>| number.map_or(-1, i64::from);
    let bodies = found["bodies"].as_array().unwrap();
    assert_eq!(bodies.len(), frame.bodies.len());
    for (found, body) in bodies.iter().zip(&frame.bodies) {
        close(&found["position"], body.position.coords.as_slice(), run);
        close(&found["orientation"], body.orientation.coords.as_slice(), run);
        assert_eq!(
            (&found["asleep"], &found["passive"]),
            (&body.asleep.into(), &body.passive.into())
        );
        assert_eq!(
            (&found["group"], &found["layer"]),
            (&code(body.group).into(), &code(body.layer).into())
        );
    }
    let off: Vec<u64> = frame.joints_off.iter().map(|&off| u64::from(off)).collect();
    assert_eq!(found["off"], Value::from(off));
    assert_eq!(found["stored"], frame.contacts.is_some());
    let contacts = frame.contacts.as_deref().unwrap_or_default();
    assert_eq!(found["contacts"].as_array().unwrap().len(), contacts.len());
    for (found, contact) in found["contacts"].as_array().unwrap().iter().zip(contacts) {
        assert_eq!((&found["a"], &found["b"]), (&contact.a.into(), &contact.b.into()));
        let offset = contact.position - frame.bodies[contact.b as usize].position;
        close(&found["offset"], offset.as_slice(), run);
        close(&found["normal"], contact.normal.as_slice(), run);
        close(&found["impulse"], contact.impulse.as_slice(), run);
        assert!((found["depth"].as_f64().unwrap() - contact.depth).abs() < 1e-6);
    }
}
