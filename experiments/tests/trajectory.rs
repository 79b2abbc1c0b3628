//! `trajectory.bin`: what is in it is what was simulated, within the bounds its header states; which steps are in it; how large it
//! is; and that nothing can be put into it that makes a reader fall over.

mod common;

use common::{Workshop, column, files_in};
use drystone_collision::{Shape, Sphere};
use drystone_dynamics::{Body, Method, Simulation, World};
use drystone_experiments::trajectory::header::Header;
use drystone_experiments::trajectory::reader::{ContactFrame, Frame};
use drystone_experiments::trajectory::writer::FRAMES_PER_CHUNK;
use drystone_experiments::trajectory::{Trajectory, TrajectoryError, TrajectoryWriter};
use nalgebra::{Isometry3, Vector3};

const DT: f64 = 0.01;

fn simulation(scene: &str, method: &str) -> Simulation {
    let world = drystone_scenes::load(scene).unwrap().build().unwrap();
    Simulation::new(world, Method::parse(method).unwrap(), DT).unwrap()
}

fn writer(simulation: &Simulation) -> TrajectoryWriter<Vec<u8>> {
    let header = Header::new(simulation.world(), "scene", "method", DT, 1.0 / DT);
    TrajectoryWriter::new(Vec::new(), header).unwrap()
}

/// What a frame should say, as the simulation has it.
struct Seen {
    poses: Vec<Isometry3<f64>>,
    asleep: Vec<bool>,
    groups: Vec<Option<u32>>,
    layers: Vec<Option<u32>>,
    joints_off: Vec<bool>,
    contacts: Vec<ContactFrame>,
}

impl Seen {
    fn of(simulation: &Simulation) -> Self {
        let (world, pipeline) = (simulation.world(), simulation.pipeline());
        let bodies = 0..world.bodies().len();
        let group = |body: usize| {
            let group = pipeline.groups().group_of(body as u32)?;
            pipeline.groups().get(group)?.bodies.iter().min().copied()
        };
        let contacts = pipeline
            .contacts()
            .filter(|(_, _, point, impulse)| point.depth >= 0.0 || impulse.norm() > 0.0);
        Self {
            poses: world.bodies().iter().map(|body| body.pose).collect(),
            asleep: bodies.clone().map(|body| pipeline.is_asleep(body)).collect(),
            groups: bodies.clone().map(group).collect(),
            layers: bodies.map(|body| pipeline.height(body)).collect(),
            joints_off: world.joints().iter().map(|joint| !joint.enabled).collect(),
            contacts: contacts
                .map(|(a, b, point, impulse)| ContactFrame {
                    a,
                    b,
                    position: point.position,
                    normal: point.normal.into_inner(),
                    impulse,
                    depth: point.depth,
                })
                .collect(),
        }
    }

    fn compare(&self, frame: &Frame, header: &Header) {
        let precision = &header.precision;
        assert_eq!(frame.bodies.len(), self.poses.len());
        for (body, found) in frame.bodies.iter().enumerate() {
            let pose = &self.poses[body];
            let off = (found.position.coords - pose.translation.vector).amax();
            assert!(off <= precision.position_error, "step {}: {off}", frame.step);
            let turned = found.orientation.angle_to(&pose.rotation);
            assert!(turned <= precision.orientation_error, "step {}: {turned}", frame.step);
            assert_eq!(found.asleep, self.asleep[body]);
            assert_eq!(found.group, self.groups[body]);
            assert_eq!(found.layer, self.layers[body]);
        }
        assert_eq!(frame.joints_off, self.joints_off);
        let Some(contacts) = &frame.contacts else { return };
        assert_eq!(contacts.len(), self.contacts.len());
        for (found, true_one) in contacts.iter().zip(&self.contacts) {
            assert_eq!((found.a, found.b), (true_one.a, true_one.b));
            // An offset and a position, each within half a place.
            assert!((found.position - true_one.position).amax() <= 2.0 * precision.position_error);
            assert!(found.normal.angle(&true_one.normal) <= precision.normal_error);
            let numbers = found.impulse.iter().zip(true_one.impulse.iter());
            let impulses = numbers.map(|(found, wanted)| (found, wanted, precision.impulse_scale));
            for (found, wanted, scale) in impulses.chain([(&found.depth, &true_one.depth, precision.depth_scale)]) {
                let bound = precision.relative_error * (wanted.abs() + scale) * (1.0 + 1e-9);
                assert!((found - wanted).abs() <= bound, "{found} {wanted}");
            }
        }
    }
}

/// Simulates, with every step a frame, and compares all frames with what was simulated.
fn round_trip(scene: &str, method: &str, steps: usize) -> (Vec<Seen>, Trajectory) {
    let mut simulation = simulation(scene, method);
    let mut writer = writer(&simulation);
    let mut seen = Vec::new();
    for step in 0..=steps {
        if step > 0 {
            simulation.step().unwrap();
        }
        writer.frame(&simulation).unwrap();
        seen.push(Seen::of(&simulation));
    }
    let trajectory = Trajectory::parse(writer.finish().unwrap()).unwrap();
    assert_eq!(trajectory.frames() as usize, steps + 1);
    let mut frames = Vec::new();
    trajectory.each(|frame| frames.push(frame)).unwrap();
    for (step, (seen, frame)) in seen.iter().zip(&frames).enumerate() {
        assert_eq!(frame.step, step as u64);
        assert!((frame.time - step as f64 * DT).abs() < 1e-12);
        seen.compare(frame, &trajectory.header);
        // Found by its number, without those before it.
        if step % 37 == 0 {
            assert_eq!(&trajectory.frame(step as u32).unwrap(), frame);
        }
    }
    (seen, trajectory)
}

#[test]
fn a_collapse_with_sleep_comes_back_within_the_stated_bounds() {
    let (seen, trajectory) = round_trip("avalanche", "semi-implicit:sleep=true/pgs", 400);
    assert!(trajectory.chunks() > 4);
    assert!(
        seen.iter().any(|seen| seen.asleep.contains(&true)),
        "somebody must sleep"
    );
    assert!(seen.iter().any(|seen| seen.contacts.len() > 10));
}

#[test]
fn layers_and_heights_come_back() {
    let (seen, _) = round_trip("box-stack:count=6", "shock-propagation/pgs", 30);
    assert!(seen[20].layers.contains(&Some(6)), "{:?}", seen[20].layers);
}

#[test]
fn mechanisms_and_moving_machines_come_back() {
    for scene in ["ragdoll", "ventilator", "chain", "conveyor"] {
        let (_, trajectory) = round_trip(scene, "pgs", 100);
        let world = drystone_scenes::load(scene).unwrap().build().unwrap();
        let population = &trajectory.populations[0];
        assert_eq!(population.joints.len(), world.joints().len());
        let names: Vec<&String> = world.bodies().iter().map(|body| &body.name).collect();
        assert_eq!(population.bodies.names.iter().collect::<Vec<_>>(), names);
    }
}

#[test]
fn a_joint_that_breaks_is_off_from_then_on() {
    let mut simulation = simulation("chain", "pgs");
    let mut writer = writer(&simulation);
    for step in 1..=20 {
        simulation.step().unwrap();
        if step == 11 {
            simulation.world_mut().joints_mut()[1].enabled = false;
        }
        writer.frame(&simulation).unwrap();
    }
    let trajectory = Trajectory::parse(writer.finish().unwrap()).unwrap();
    for frame in 0..20 {
        let off = trajectory.frame(frame).unwrap().joints_off;
        assert_eq!(off.iter().filter(|off| **off).count(), usize::from(frame >= 10));
        assert_eq!(off[1], frame >= 10);
    }
    assert_eq!(trajectory.populations.len(), 1);
}

fn ball(name: &str, height: f64) -> Body {
    let shape = Shape::Sphere(Sphere { radius: 0.5 });
    Body::dynamic(name, shape, 10.0)
        .unwrap()
        .at(Vector3::new(0.0, 0.0, height))
}

#[test]
fn bodies_may_come_and_go_between_steps() {
    let mut world = World::new();
    world.add(ball("a", 0.0)).unwrap();
    world.add(ball("b", 2.0)).unwrap();
    let mut simulation = Simulation::new(world, Method::parse("pgs").unwrap(), DT).unwrap();
    let mut writer = writer(&simulation);
    for step in 1..=9 {
        match step {
            3 => drop(simulation.world_mut().add(ball("c", 4.0)).unwrap()),
            6 => drop(simulation.world_mut().remove(0).unwrap()),
            8 => drop(
                simulation
                    .world_mut()
                    .replace(1, Body::fixed("c", ball("c", 0.0).shape))
                    .unwrap(),
            ),
            _ => {}
        }
        simulation.step().unwrap();
        writer.frame(&simulation).unwrap();
    }
    let trajectory = Trajectory::parse(writer.finish().unwrap()).unwrap();
    let names = |frame: u32| {
        let frame = trajectory.frame(frame).unwrap();
        let bodies = &trajectory.populations[frame.population].bodies;
        assert_eq!(bodies.names.len(), frame.bodies.len());
        bodies.names.join(" ")
    };
    let found: Vec<String> = (0..9).map(names).collect();
    assert_eq!(
        found,
        ["a b", "a b", "a b c", "a b c", "a b c", "b c", "b c", "b c", "b c"]
    );
    let kinds: Vec<usize> = (4..9)
        .map(|frame| trajectory.frame(frame).unwrap().population)
        .collect();
    assert_eq!(kinds, [1, 2, 2, 3, 3]);
}

/// Contacts are as many as the header allows beside those of chunks' first frames, and these are always there.
#[test]
fn contacts_are_thinned_out_where_they_are_too_many() {
    let mut simulation = simulation("tower", "pgs");
    let mut writer = writer(&simulation);
    let steps = 150;
    for _ in 0..steps {
        simulation.step().unwrap();
        writer.frame(&simulation).unwrap();
    }
    let trajectory = Trajectory::parse(writer.finish().unwrap()).unwrap();
    let (mut stored, mut without, mut most) = (0, 0, 0);
    let mut frame = 0;
    let count = |found: Frame| {
        // All chunks but the last have as many frames as a chunk can hold.
        let first_of_chunk = frame % FRAMES_PER_CHUNK == 0;
        frame += 1;
        match found.contacts {
            Some(contacts) if !first_of_chunk => {
                stored += contacts.len();
                most = most.max(contacts.len());
            }
            Some(_) => {}
            None => {
                assert!(!first_of_chunk, "step {}", found.step);
                without += 1;
            }
        }
    };
    trajectory.each(count).unwrap();
    assert!(without > steps / 2, "the scene must have too many");
    let allowed = trajectory.header.contacts_per_second * f64::from(steps) * DT;
    assert!(stored as f64 <= allowed + most as f64, "{stored} of {allowed}");
    assert!(stored as f64 > 0.8 * allowed, "{stored} of {allowed}");
}

/// A few seconds of a pile that falls and comes to rest: what a body and a contact cost.
#[test]
fn bodies_and_contacts_in_motion_are_small() {
    let mut simulation = simulation("sphere-pile:count=300", "pgs");
    let (mut bodies, mut contacts) = (0, 0);
    let mut writer = writer(&simulation);
    for step in 1..=300 {
        simulation.step().unwrap();
        if step % 2 == 0 {
            writer.frame(&simulation).unwrap();
            bodies += simulation.world().bodies().len();
        }
    }
    let bytes = writer.finish().unwrap();
    let length = bytes.len();
    let trajectory = Trajectory::parse(bytes).unwrap();
    trajectory
        .each(|frame| contacts += frame.contacts.map_or(0, |contacts| contacts.len()))
        .unwrap();
    assert!(
        contacts > bodies / 2,
        "the pile must be one: {contacts} contacts of {bodies} bodies"
    );
    let budget = 9 * bodies + 9 * contacts;
    assert!(
        length < budget,
        "{length} bytes for {bodies} bodies and {contacts} contacts"
    );
}

#[test]
fn whatever_the_bytes_are_a_reader_answers() {
    let mut simulation = simulation("box-stack:count=3", "pgs");
    let mut writer = writer(&simulation);
    for _ in 0..70 {
        writer.frame(&simulation).unwrap();
        simulation.step().unwrap();
    }
    let bytes = writer.finish().unwrap();
    assert_eq!(
        Trajectory::parse(b"PK\x03\x04 something".to_vec()).unwrap_err(),
        TrajectoryError::NotATrajectory
    );
    for length in 8..bytes.len() {
        let error = Trajectory::parse(bytes[..length].to_vec()).unwrap_err();
        assert!(matches!(error, TrajectoryError::CutOff { .. }), "{length}: {error}");
    }
    for place in 8..bytes.len() {
        let mut garbled = bytes.clone();
        garbled[place] ^= 0x55;
        let error = Trajectory::parse(garbled).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.contains("byte"), "{place}: {error}");
    }
    let whole = Trajectory::parse(bytes).unwrap();
    assert!(matches!(
        whole.frame(70),
        Err(TrajectoryError::NoFrame { frame: 70, frames: 70 })
    ));
}

/// The steps of the frames in a run's trajectory.
fn steps(workshop: &Workshop, run: &str) -> Vec<u64> {
    let trajectory = Trajectory::read(&workshop.path(run).join("trajectory.bin")).unwrap();
    let mut steps = Vec::new();
    trajectory.each(|frame| steps.push(frame.step)).unwrap();
    steps
}

#[test]
fn frames_are_as_many_as_asked_for_with_the_first_and_the_last_state() {
    let workshop = Workshop::new();
    let run = |options: &str, out: &str| {
        workshop.run(
            &format!("run box-stack:count=2 --steps 11 --dt 0.01 --quiet --out {out} {options}"),
            0,
        );
    };
    run("", "default");
    assert_eq!(steps(&workshop, "default"), [0, 2, 4, 6, 8, 10, 11]);
    run("--trajectory 30", "thirty");
    assert_eq!(steps(&workshop, "thirty"), [0, 3, 7, 10, 11]);
    run("--trajectory 1e9", "all");
    assert_eq!(steps(&workshop, "all"), (0..=11).collect::<Vec<_>>());
    run("--trajectory none", "none");
    assert!(!files_in(&workshop.path("none")).contains(&"trajectory.bin".to_owned()));
    let manifest = |out: &str| workshop.json(&format!("{out}/manifest.json"))["trajectory"].clone();
    assert_eq!((manifest("none"), manifest("default")), ("none".into(), 50.0.into()));
    // A run over it without one leaves none behind.
    run("--trajectory none --force", "default");
    assert!(!files_in(&workshop.path("default")).contains(&"trajectory.bin".to_owned()));
}

#[test]
fn the_file_is_the_same_for_any_number_of_threads() {
    let workshop = Workshop::new();
    for threads in [1, 4] {
        let run = format!("run sphere-pile:count=60 --duration 1 --threads {threads} --out {threads} --quiet");
        workshop.run(&run, 0);
    }
    let read = |threads: &str| std::fs::read(workshop.path(threads).join("trajectory.bin")).unwrap();
    assert!(read("1") == read("4"));
}

#[test]
fn the_bodies_of_a_file_end_where_steps_csv_says() {
    let workshop = Workshop::new();
    workshop.run("run ball-grid --steps 40 --quiet --out out", 0);
    let trajectory = Trajectory::read(&workshop.path("out/trajectory.bin")).unwrap();
    let population = &trajectory.populations[0];
    let last = trajectory.frame(trajectory.frames() - 1).unwrap();
    let gravity = Vector3::from(trajectory.header.gravity);
    let energies = last.bodies.iter().enumerate().filter_map(|(body, at)| {
        let mass = population.solids[population.bodies.solids[body]].mass?;
        Some(-mass * gravity.dot(&at.position.coords))
    });
    let potential: f64 = energies.sum();
    let told = *column(&workshop.path("out/steps.csv"), "potential_energy")
        .last()
        .unwrap();
    assert!(
        (potential - told).abs() <= 1e-3 * told.abs().max(1e-3),
        "{potential} {told}"
    );
}

#[test]
fn sweeps_keep_a_trajectory_if_they_say_so() {
    let workshop = Workshop::new();
    let file = "title = \"x\"\nsteps = 4\ndt = 0.01\nTRAJECTORY\n[[scene]]\nspec = \"box-stack:count=2\"\n[[method]]\nspec = \"pgs\"\n";
    for (key, out) in [("", "without"), ("trajectory = 100", "with")] {
        workshop.write("x.toml", &file.replace("TRAJECTORY", key));
        workshop.run(&format!("sweep x.toml --keep-runs --quiet --out {out}"), 0);
    }
    let run = "run-1-box-stack-count=2-pgs";
    assert!(!workshop.path(&format!("without/{run}/trajectory.bin")).exists());
    assert_eq!(steps(&workshop, &format!("with/{run}")), [0, 1, 2, 3, 4]);
}
