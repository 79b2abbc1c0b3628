//! Every joint, limit and motor of the list: its rows are the rates of its values, and its impulses conserve momentum.
//!
//! **Finite differences.** Bodies at a random placement with random velocities are moved a little forward and back along
//! the exact motion of constant velocities; the central difference of Φ must be `J u`. With a time of ±1e-5 s, speeds of
//! about 1 and second derivatives of about 10, it is good to about 1e-9; 1e-7 leaves room for bends near singular places.
//!
//! **Momentum.** `Jᵀλ` is a pair of forces and torques. Their sum, and the sum of their moments about any point, is zero to
//! rounding, at every placement, whether the joint is satisfied there or not.

use std::f64::consts::FRAC_PI_2;

use drystone_dynamics::{
    Attachment, Constraint, ConstraintRow, Distance, Drive, EllipticCone, Frames, Gear, Joint, JointModel, Law, Limit,
    Motor, Placement, Side, Velocity, Wheel, World, joint_kinds, rate,
};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const STATES: usize = 300;

fn vector(rng: &mut Pcg64, size: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.random_range(-size..size))
}

fn velocity(rng: &mut Pcg64) -> Velocity {
    Velocity {
        linear: vector(rng, 1.0),
        angular: vector(rng, 1.0),
    }
}

/// Two bodies with a joint between them.
struct State {
    joint: Joint,
    poses: [Isometry3<f64>; 2],
    velocities: [Velocity; 2],
}

impl State {
    /// The bodies after a time at constant velocities, exactly.
    fn after(&self, time: f64) -> [Isometry3<f64>; 2] {
        std::array::from_fn(|side| {
            let (pose, velocity) = (&self.poses[side], &self.velocities[side]);
            Isometry3::from_parts(
                Translation3::from(pose.translation.vector + time * velocity.linear),
                UnitQuaternion::from_scaled_axis(time * velocity.angular) * pose.rotation,
            )
        })
    }

    /// All rows, with their slots; limits however far away.
    fn rows(&self, poses: &[Isometry3<f64>; 2]) -> Vec<(usize, Law, ConstraintRow)> {
        let side = |k: usize| Side {
            pose: poses[k],
            before: self.velocities[k],
            free: self.velocities[k],
        };
        let (a, b) = (side(0), side(1));
        let at = Placement {
            a: &a,
            b: &b,
            horizon: 0.0,
            envelope: f64::INFINITY,
        };
        let mut all = Vec::new();
        self.joint.write(&at, &mut |slot, law, rows| {
            all.extend(rows.iter().enumerate().map(|(k, row)| (slot + k, law, *row)));
        });
        all
    }
}

/// A joint between two small balls, attached where they are and then moved and turned against each other.
fn random_state(rng: &mut Pcg64, model: std::sync::Arc<dyn JointModel>, dress: impl Fn(Joint) -> Joint) -> State {
    use drystone_collision::{Shape, Sphere};
    use drystone_dynamics::Body;
    let mut world = World::new();
    for name in ["a", "b"] {
        let pose = Isometry3::new(vector(rng, 1.0), vector(rng, 3.0));
        let body = Body::dynamic(name, Shape::Sphere(Sphere { radius: 0.1 }), 1.0).unwrap();
        world.add(Body { pose, ..body }).unwrap();
    }
    let axis = vector(rng, 1.0);
    let second = vector(rng, 1.0);
    let anchors = [Point3::from(vector(rng, 1.0)), Point3::from(vector(rng, 1.0))];
    let attachment = match model.name() {
        // These need two points.
        "distance" | "spring" | "gear" => Attachment::between(anchors[0], anchors[1]).axis(axis),
        "wheel" => Attachment::at(anchors[0]).axis(axis).second(second),
        _ => Attachment::at(anchors[0]).axis(axis).second(axis.cross(&second)),
    };
    let joint = dress(Joint::with_model("joint", model, [0, 1], attachment));
    world.add_joint(joint).unwrap();
    let joint = world.joints()[0].clone();
    let mut poses = [world.bodies()[0].pose, world.bodies()[1].pose];
    let mut velocities = [velocity(rng), velocity(rng)];
    if joint.model.name() == "gear" {
        // Gears have parallel axles and centres in one plane; that is what their bearings are for.
        let axis = poses[0] * joint.frames().a.rotation * Vector3::z();
        let turn = UnitQuaternion::from_scaled_axis(axis * rng.random_range(-1.0..1.0));
        poses[1].rotation = turn * poses[1].rotation;
        // It turns about its anchor; the distance of the centres stays.
        for velocity in &mut velocities {
            velocity.angular = axis * rng.random_range(-2.0..2.0);
        }
        let frames = joint.frames().at(&poses[0], &poses[1]);
        let across = frames.gap - axis * axis.dot(&frames.gap);
        let apart = |velocities: &[Velocity; 2]| {
            let point = |v: &Velocity, arm: &Vector3<f64>| v.linear + v.angular.cross(arm);
            point(&velocities[1], &frames.arm_b) - point(&velocities[0], &frames.arm_a)
        };
        let direction = across.normalize();
        velocities[1].linear -= direction * direction.dot(&apart(&velocities));
    } else {
        poses[1] = Isometry3::from_parts(
            Translation3::from(poses[1].translation.vector + vector(rng, 0.3)),
            UnitQuaternion::from_scaled_axis(vector(rng, 0.4)) * poses[1].rotation,
        );
    }
    State {
        joint,
        poses,
        velocities,
    }
}

/// Central differences of every row's value against `J u`.
fn check_rates(state: &State, tolerance: f64) {
    const TIME: f64 = 1e-5;
    let now = state.rows(&state.poses);
    let (later, earlier) = (state.rows(&state.after(TIME)), state.rows(&state.after(-TIME)));
    for (slot, _, row) in now {
        let Some(value) = row.position else { continue };
        let at = |rows: &[(usize, Law, ConstraintRow)]| {
            let (_, _, row) = rows.iter().find(|(other, ..)| *other == slot).unwrap();
            row.position.unwrap()
        };
        let (later, earlier) = (at(&later), at(&earlier));
        if (later - value).abs() > 0.1 {
            continue; // An angle crossed its seam.
        }
        let difference = (later - earlier) / (2.0 * TIME);
        let rate = rate(&row.jacobian, &state.velocities[0], &state.velocities[1]);
        assert!(
            (difference - rate).abs() < tolerance * (1.0 + rate.abs()),
            "{}, slot {slot}: Φ' is {difference}, J u is {rate}",
            state.joint.model.name(),
        );
    }
}

/// The sum of forces, and of their moments about the origin, for a unit impulse of every row.
fn check_momentum(state: &State) {
    for (slot, _, row) in state.rows(&state.poses) {
        let part = |k: usize| Vector3::new(row.jacobian[k], row.jacobian[k + 1], row.jacobian[k + 2]);
        let force = part(0) + part(6);
        let [a, b] = [0, 1].map(|k| state.poses[k].translation.vector);
        let moment = a.cross(&part(0)) + part(3) + b.cross(&part(6)) + part(9);
        let size = 1.0 + row.jacobian.iter().fold(0.0_f64, |largest, j| largest.max(j.abs()));
        assert!(
            force.norm() < 1e-13 * size && moment.norm() < 1e-13 * size,
            "{}, slot {slot}: force {force:?}, moment {moment:?}",
            state.joint.model.name(),
        );
    }
}

fn check(model: impl Fn() -> std::sync::Arc<dyn JointModel>, dress: impl Fn(Joint) -> Joint, tolerance: f64) {
    let mut rng = Pcg64::seed_from_u64(7);
    for _ in 0..STATES {
        let state = random_state(&mut rng, model(), &dress);
        assert!(!state.rows(&state.poses).is_empty());
        check_rates(&state, tolerance);
        check_momentum(&state);
    }
}

#[test]
fn rows_of_every_joint() {
    for kind in joint_kinds() {
        assert_eq!(kind.example().name(), kind.name);
        check(|| kind.example(), |joint| joint, 1e-7);
    }
}

/// Shapes of the same models that the list does not show.
#[test]
fn rows_of_joints_with_other_parameters() {
    let rope = Distance {
        lower: Some(0.2),
        upper: Some(0.7),
        restitution: 0.5,
    };
    let ring = |teeth| Gear { teeth, internal: true };
    check(|| std::sync::Arc::new(rope), |joint| joint, 1e-7);
    check(|| std::sync::Arc::new(Wheel::default()), |joint| joint, 1e-7);
    check(|| std::sync::Arc::new(ring([40, 15])), |joint| joint, 1e-7);
    check(|| std::sync::Arc::new(ring([15, 40])), |joint| joint, 1e-7);
}

/// A range on every coordinate of every joint, and a spring, whose rows show the coordinate itself.
#[test]
fn limits_and_springs_on_every_coordinate() {
    for kind in joint_kinds() {
        for coordinate in 0..kind.example().coordinates().len() {
            // Swing and angles bend where axes nearly meet.
            check(
                || kind.example(),
                |joint| {
                    joint
                        .with_limit(Limit::range(coordinate, -0.5, 0.7))
                        .with_motor(Motor::spring(coordinate, 0.1, 10.0, 1.0))
                },
                1e-5,
            );
        }
    }
}

/// A reach function of a ball joint's swing.
#[test]
fn reach_functions() {
    let cone = EllipticCone { angles: [0.5, 0.9] };
    check(
        || std::sync::Arc::new(drystone_dynamics::Ball),
        |joint| joint.with_limit(Limit::reach(cone)),
        1e-5,
    );
}

/// A motor's row has no error of its own: its rate must be that of the spring's row on the same coordinate.
#[test]
fn motors_turn_the_coordinate_they_sit_on() {
    let mut rng = Pcg64::seed_from_u64(11);
    for kind in joint_kinds() {
        for coordinate in 0..kind.example().coordinates().len() {
            for drive in [
                Drive::Velocity { speed: 2.0, force: 3.0 },
                Drive::Servo {
                    target: 0.3,
                    rate: 4.0,
                    speed: 1.0,
                    force: 5.0,
                },
                Drive::Friction { force: 1.0 },
            ] {
                let state = random_state(&mut rng, kind.example(), |joint| {
                    joint
                        .with_motor(Motor { coordinate, drive })
                        .with_motor(Motor::spring(coordinate, 0.0, 1.0, 1.0))
                });
                check_momentum(&state);
                let rows = state.rows(&state.poses);
                let [.., (_, law, motor), (_, _, spring)] = rows.as_slice() else {
                    panic!("a motor and a spring")
                };
                assert_eq!(motor.jacobian, spring.jacobian);
                let value = spring.position.unwrap();
                match (drive, law) {
                    (Drive::Velocity { .. }, Law::Bounded { force }) => {
                        assert_eq!((motor.velocity, *force), (2.0, 3.0));
                    }
                    (Drive::Servo { .. }, Law::Bounded { force }) => {
                        let wanted = state
                            .joint
                            .model
                            .coordinate(coordinate, &frames(&state))
                            .difference(0.3);
                        assert_eq!((motor.velocity, *force), ((-4.0 * wanted).clamp(-1.0, 1.0), 5.0));
                    }
                    (Drive::Friction { .. }, Law::Bounded { force }) => {
                        assert_eq!((motor.velocity, *force), (0.0, 1.0));
                    }
                    _ => panic!("{drive:?} wrote {law:?}"),
                }
                assert!(value.is_finite());
            }
        }
    }
}

fn frames(state: &State) -> Frames {
    state.joint.frames().at(&state.poses[0], &state.poses[1])
}

/// As many independent rows as the joint takes motions away, counted by the rank of its Jacobian where it is satisfied.
#[test]
fn joints_take_away_as_many_motions_as_they_should() {
    let expected = [
        ("ball", 3, 3),
        ("hinge", 5, 5),
        ("slider", 5, 5),
        ("cylindrical", 4, 4),
        ("planar", 3, 3),
        ("universal", 4, 4),
        ("wheel", 4, 4),
        ("fixed", 6, 6),
        ("distance", 1, 1),
        ("spring", 1, 1),
        ("gear", 1, 1),
        ("point-ball", 3, 3),
        ("point-hinge", 6, 5),
        ("point-fixed", 9, 6),
        ("point-motor", 18, 6),
    ];
    assert_eq!(expected.len(), joint_kinds().len());
    let mut rng = Pcg64::seed_from_u64(3);
    for (kind, (name, rows, rank)) in joint_kinds().iter().zip(expected) {
        assert_eq!(kind.name, name);
        let mut state = random_state(&mut rng, kind.example(), |joint| joint);
        // Where it was attached: the same frame in both bodies.
        let frame = state.poses[0] * state.joint.frames().a;
        if !matches!(name, "distance" | "spring" | "gear") {
            state.poses[1] = frame * state.joint.frames().b.inverse();
        }
        let found = state.rows(&state.poses);
        let matrix = nalgebra::DMatrix::from_fn(found.len(), 12, |i, k| found[i].2.jacobian[k]);
        assert_eq!((found.len(), matrix.rank(1e-9)), (rows, rank), "{name}");
    }
}

/// Angles at known placements, by hand.
#[test]
fn coordinates_have_the_values_they_are_named_for() {
    use drystone_dynamics::{Ball, Cylindrical, Hinge, Universal};
    let value = |model: std::sync::Arc<dyn JointModel>, coordinate: usize, motion: Isometry3<f64>| {
        let frames = drystone_dynamics::JointFrames {
            a: Isometry3::identity(),
            b: Isometry3::identity(),
            angle: FRAC_PI_2,
            rest: 0.0,
        };
        model
            .coordinate(coordinate, &frames.at(&Isometry3::identity(), &motion))
            .value
    };
    let turned = |x: f64, y: f64, z: f64| Isometry3::rotation(Vector3::new(x, y, z));
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    let model = |model: &str| joint_kinds().iter().find(|kind| kind.name == model).unwrap().example();
    close(value(std::sync::Arc::new(Hinge), 0, turned(0.0, 0.0, 1.2)), 1.2);
    close(value(std::sync::Arc::new(Hinge), 0, turned(0.0, 0.0, -3.0)), -3.0);
    close(value(std::sync::Arc::new(Ball), 0, turned(0.6, 0.8, 0.0)), 1.0);
    // Turned about y, z leans to x.
    close(value(std::sync::Arc::new(Ball), 2, turned(0.0, 0.7, 0.0)), 0.7);
    close(value(std::sync::Arc::new(Ball), 3, turned(0.7, 0.0, 0.0)), -0.7);
    close(value(std::sync::Arc::new(Ball), 1, turned(0.0, 0.0, 0.4)), 0.4);
    let both = turned(0.0, 0.0, 0.5) * turned(0.9, 0.0, 0.0);
    close(value(std::sync::Arc::new(Universal), 0, both), 0.5);
    close(value(std::sync::Arc::new(Universal), 1, both), 0.9);
    close(value(model("wheel"), 0, both), 0.5);
    close(value(model("wheel"), 1, both), 0.9);
    let moved = Isometry3::translation(0.0, 0.0, -0.3) * turned(0.0, 0.0, 2.0);
    close(value(std::sync::Arc::new(Cylindrical), 0, moved), -0.3);
    close(value(std::sync::Arc::new(Cylindrical), 1, moved), 2.0);
}
