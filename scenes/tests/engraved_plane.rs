//! The engraved plane: its slabs leave out the letters and nothing else, and the letters catch balls.

use drystone_collision::Shape;
use drystone_dynamics::{Method, Simulation, World};
use drystone_scenes::load;
use nalgebra::{Point3, UnitQuaternion, Vector3};

const STROKE: f64 = 0.4;
const DEPTH: f64 = 0.1;
const RADIUS: f64 = 0.15;
const SLOPE: f64 = 15.0;

/// From the tilted frame of the plane to the world.
fn tilt() -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), f64::to_radians(SLOPE))
}

/// How many slabs hold a point of the tilted frame.
fn slabs_at(world: &World, point: Vector3<f64>) -> usize {
    let slabs = world.bodies().iter().filter(|body| body.name.starts_with("slab-"));
    let holds = |body: &&drystone_dynamics::Body| {
        let local = body.pose.inverse_transform_point(&Point3::from(tilt() * point)).coords;
        matches!(&body.shape, Shape::Cuboid(cuboid) if (local.abs() - cuboid.half_extents).max() < 0.0)
    };
    slabs.filter(holds).count()
}

/// D, I, K and U have 18, 7, 14 and 15 cells. Everywhere else there is one slab, just below the surface and none above.
#[test]
fn slabs_leave_out_the_letters_and_nothing_else() {
    let world = load("engraved-plane").unwrap().build().unwrap();
    let mut drawn = String::new();
    let mut engraved = 0;
    for row in 0..11 {
        for column in 0..23 {
            let (x, y) = ((f64::from(row) - 5.0) * STROKE, (f64::from(column) - 11.0) * STROKE);
            // Two points a cell, off its middle: rectangles have no holes and no doubles there either.
            let counts = [-0.3, 0.4].map(|part| {
                let aside = part * STROKE;
                assert_eq!(slabs_at(&world, Vector3::new(x + aside, y - aside, DEPTH + 1e-6)), 0);
                slabs_at(&world, Vector3::new(x + aside, y - aside, DEPTH - 1e-6))
            });
            assert!(counts == [0, 0] || counts == [1, 1], "{row}, {column}: {counts:?}");
            engraved += 1 - counts[0];
            drawn.push(if counts[0] == 0 { '#' } else { '.' });
        }
    }
    assert_eq!(engraved, 18 + 7 + 14 + 15);
    // The second letter is one straight stroke.
    let column: String = (0..11).map(|row| &drawn[row * 23 + 8..=row * 23 + 8]).collect();
    assert_eq!(column, "..#######..");
}

/// After the ten seconds of the dissertation's run all balls are on the plane, most at its foot, and more than one in ten
/// lies at the bottom of a groove above it. On a plane whose engraving is hardly deeper than rounding none stays behind.
#[test]
fn letters_catch_balls() {
    let caught = |text: &str, depth: f64| {
        let world = load(text).unwrap().build().unwrap();
        let mut simulation = Simulation::new(world, Method::parse("pgs:iterations=20").unwrap(), 0.01).unwrap();
        for _ in 0..1000 {
            simulation.step().unwrap();
        }
        let balls = simulation.world().bodies().iter().filter(|body| body.is_dynamic());
        let places: Vec<_> = balls
            .map(|ball| tilt().inverse() * ball.pose.translation.vector)
            .collect();
        assert_eq!(places.len(), 120);
        for place in &places {
            assert!(place.x.abs() < 5.5 * STROKE && place.y.abs() < 11.5 * STROKE, "{place}");
            assert!(place.z > 0.99 * RADIUS && place.z < depth + 5.0 * RADIUS, "{place}");
        }
        // The letters end two cells before the foot.
        places.iter().filter(|place| place.x < 3.0 * STROKE).count()
    };
    let letters = caught("engraved-plane", DEPTH);
    assert!((12..60).contains(&letters), "{letters}");
    let plain = caught("engraved-plane:depth=1e-6", 0.0);
    assert!(plain < letters / 3, "{plain} without letters, {letters} with");
}
