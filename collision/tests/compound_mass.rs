//! Mass properties of compounds: the parallel-axis theorem against closed forms and against a sum over a lattice.

mod common;

use approx::assert_relative_eq;
use common::{corners, generator, random_box, random_direction, random_pose, random_rotation, random_vector};
use drystone_collision::{Compound, Cuboid, HalfSpace, MassProperties, Part, Shape, ShapeError, Sphere};
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, Vector3};
use rand::RngExt;

fn ball(radius: f64) -> Shape {
    Shape::Sphere(Sphere { radius })
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Cuboid(Cuboid {
        half_extents: Vector3::new(x, y, z),
    })
}

/// Three crossed rods with balls at their six tips, of two densities, off its frame's origin.
fn jack() -> Vec<(Part, f64)> {
    let middle = Vector3::new(0.3, -0.2, 0.5);
    let mut parts = Vec::new();
    for axis in 0..3 {
        let mut half = Vector3::repeat(0.03);
        half[axis] = 0.402;
        parts.push((Part::at(Shape::Cuboid(Cuboid { half_extents: half }), middle), 500.0));
        for side in [-1.0, 1.0] {
            let tip = middle + Vector3::ith(axis, 0.402 * side);
            // One heavy tip, so that the centre of mass is not the middle.
            let density = if axis == 2 && side > 0.0 { 3000.0 } else { 1000.0 };
            parts.push((Part::at(ball(0.081), tip), density));
        }
    }
    parts
}

/// Law: two balls of mass m at ±a on the x-axis have Iₓ = 2·2/5 m r², I_y = I_z = Iₓ + 2 m a². Tolerance: rounding.
#[test]
fn a_dumb_bell() {
    let (radius, arm, density) = (0.2, 0.7, 300.0);
    let at = |x: f64| Part::at(ball(radius), Vector3::new(x, 0.0, 0.0));
    let mass = density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let along = 2.0 * 0.4 * mass * radius * radius;
    let across = along + 2.0 * mass * arm * arm;
    let expected = Matrix3::from_diagonal(&Vector3::new(along, across, across));

    let shape = Shape::Compound(Compound::new([at(-arm), at(arm)]).unwrap());
    let properties = shape.mass_properties(density).unwrap();
    assert_relative_eq!(properties.mass, 2.0 * mass, max_relative = 1e-15);
    assert_relative_eq!(properties.inertia, expected, max_relative = 1e-15);
    assert_relative_eq!(shape.bounding_radius(), arm + radius, max_relative = 1e-15);
    assert_relative_eq!(shape.volume(), 2.0 * mass / density, max_relative = 1e-15);

    // Unequal ones balance at m₁ x₁ = m₂ x₂, with the reduced mass about the centre: I = … + m₁ m₂/(m₁ + m₂) L².
    let centred = Compound::about_centre_of_mass([(at(-arm), density), (at(arm), 3.0 * density)]).unwrap();
    assert_relative_eq!(centred.offset, Vector3::new(0.5 * arm, 0.0, 0.0), max_relative = 1e-15);
    assert_relative_eq!(centred.properties.mass, 4.0 * mass, max_relative = 1e-15);
    let own = 0.4 * 4.0 * mass * radius * radius;
    let reduced = mass * 3.0 * mass / (4.0 * mass);
    let across = own + reduced * 4.0 * arm * arm;
    let expected = Matrix3::from_diagonal(&Vector3::new(own, across, across));
    assert_relative_eq!(centred.properties.inertia, expected, max_relative = 1e-14);
    let places = centred
        .compound
        .parts()
        .iter()
        .map(|part| part.pose.translation.vector.x);
    assert_relative_eq!(
        Vector3::new(places.clone().sum(), 0.0, 0.0),
        Vector3::new(-arm, 0.0, 0.0),
        max_relative = 1e-15
    );
}

/// Law: a box cut into eight is the box, wherever and however it was written. Tolerance: rounding of sums of eight.
#[test]
fn a_box_cut_into_eight() {
    let mut rng = generator(61);
    for _ in 0..200 {
        let whole = random_box(&mut rng);
        let frame = random_pose(&mut rng, 3.0);
        let half = 0.5 * whole.half_extents;
        // Cut off the middle, so that the parts differ.
        let cut = Vector3::from_fn(|k, _| half[k] * rng.random_range(-0.9..0.9));
        let parts = (0..8).map(|octant| {
            let (mut size, mut centre) = (Vector3::zeros(), Vector3::zeros());
            for k in 0..3 {
                let end = if octant >> k & 1 == 1 {
                    2.0 * half[k]
                } else {
                    -2.0 * half[k]
                };
                size[k] = 0.5 * (end - cut[k]).abs();
                centre[k] = 0.5 * (end + cut[k]);
            }
            let pose = frame * Isometry3::translation(centre.x, centre.y, centre.z);
            (
                Part {
                    shape: cuboid(size.x, size.y, size.z),
                    pose,
                },
                700.0,
            )
        });
        let centred = Compound::about_centre_of_mass(parts).unwrap();
        let expected = Shape::Cuboid(whole).mass_properties(700.0).unwrap();
        assert_relative_eq!(centred.properties.mass, expected.mass, max_relative = 1e-13);
        assert_relative_eq!(centred.offset, frame.translation.vector, epsilon = 1e-14);
        // The compound keeps the given axes, in which the box is turned.
        let turned = Isometry3::from_parts(Translation3::identity(), frame.rotation);
        let inertia = expected.inertia_seen_from(&turned);
        assert_relative_eq!(centred.properties.inertia, inertia, epsilon = 1e-13 * inertia.norm());
        // And it is about its centroid, so it has mass properties as a shape, which are the same.
        let uniform = Shape::Compound(centred.compound).mass_properties(700.0).unwrap();
        assert_relative_eq!(uniform.mass, expected.mass, max_relative = 1e-13);
        assert_relative_eq!(uniform.inertia, inertia, epsilon = 1e-13 * inertia.norm());
    }
}

/// Law: Steiner for one turned part seen from elsewhere, with the numbers worked out by hand: a 2 × 4 × 6 m box of
/// 12 kg has I = diag(52, 40, 20); a quarter turn about z exchanges x and y; 3 m along x add 12·9 to y and z.
#[test]
fn one_turned_part() {
    let brick = cuboid(1.0, 2.0, 3.0);
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    let pose = Isometry3::from_parts(Translation3::new(3.0, 0.0, 0.0), quarter);
    let own = MassProperties::from_mass(&brick, 12.0).unwrap();
    let expected = Matrix3::from_diagonal(&Vector3::new(40.0, 52.0 + 108.0, 20.0 + 108.0));
    assert_relative_eq!(own.inertia_seen_from(&pose), expected, epsilon = 1e-12);

    let centred = Compound::about_centre_of_mass([(Part { shape: brick, pose }, 0.25)]).unwrap();
    assert_eq!(centred.offset, pose.translation.vector);
    let expected = Matrix3::from_diagonal(&Vector3::new(40.0, 52.0, 20.0));
    assert_relative_eq!(centred.properties.inertia, expected, epsilon = 1e-12);
    assert_relative_eq!(centred.properties.mass, 12.0, max_relative = 1e-15);
}

/// Law: m = Σ ∫ρᵢ dV, c = Σ ∫ρᵢ x dV / m, I = Σ ∫ρᵢ ((x−c)² 1 − (x−c)(x−c)ᵀ) dV by the midpoint rule on one lattice over
/// everything: each point counts for every part it is in, as overlaps do.
///
/// Tolerance: the rods are 15 cells thick and 201 long and fit the lattice; the balls are 40.5 cells across, and counting
/// the cells that their surfaces cut wholly or not at all leaves about 1e-3 of each. 3e-3 is above that and far below any
/// missing term.
#[test]
fn a_jack_against_a_lattice() {
    let parts = jack();
    let (cell, cells) = (0.004, 243);
    let low = Vector3::new(0.3, -0.2, 0.5).add_scalar(-0.5 * cell * f64::from(cells));
    let inside = |part: &Part, x: &Point3<f64>| {
        let local = part.pose.inverse_transform_point(x).coords;
        match &part.shape {
            Shape::Sphere(sphere) => local.norm() <= sphere.radius,
            Shape::Cuboid(cuboid) => (0..3).all(|k| local[k].abs() <= cuboid.half_extents[k]),
            other => panic!("{other:?}"),
        }
    };
    let (mut mass, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for i in 0..cells {
        for j in 0..cells {
            for k in 0..cells {
                let x = low + cell * Vector3::new(i, j, k).map(|n| f64::from(n) + 0.5);
                let at = Point3::from(x);
                let here = parts.iter().filter(|(part, _)| inside(part, &at));
                let dm = here.map(|(_, density)| density).sum::<f64>() * cell.powi(3);
                mass += dm;
                first += dm * x;
                second += dm * (x.norm_squared() * Matrix3::identity() - x * x.transpose());
            }
        }
    }
    let centre = first / mass;
    let inertia = second - mass * (centre.norm_squared() * Matrix3::identity() - centre * centre.transpose());

    let centred = Compound::about_centre_of_mass(parts).unwrap();
    assert_relative_eq!(centred.properties.mass, mass, max_relative = 3e-3);
    assert!(
        (centred.offset - centre).norm() < 3e-3 * 0.1,
        "{} {centre}",
        centred.offset
    );
    let error = (centred.properties.inertia - inertia).norm();
    assert!(
        error < 3e-3 * inertia.norm(),
        "{} {inertia}",
        centred.properties.inertia
    );
    // The heavy tip pulls the centre up the z-axis, so this was no symmetric jack.
    assert!(centred.offset.z > 0.52);
}

/// Law: the inertia of a rigid union does not depend on where and how its frame lies, but for the axes.
#[test]
fn the_frame_does_not_matter() {
    let mut rng = generator(62);
    let reference = Compound::about_centre_of_mass(jack()).unwrap();
    for _ in 0..100 {
        let frame = random_pose(&mut rng, 5.0);
        let moved = jack().into_iter().map(|(part, density)| {
            let pose = frame * part.pose;
            (Part { pose, ..part }, density)
        });
        let centred = Compound::about_centre_of_mass(moved).unwrap();
        let offset = (frame * Point3::from(reference.offset)).coords;
        assert_relative_eq!(centred.offset, offset, epsilon = 1e-14 * 10.0);
        let turned = Isometry3::from_parts(Translation3::identity(), frame.rotation);
        let inertia = reference.properties.inertia_seen_from(&turned);
        assert_relative_eq!(centred.properties.inertia, inertia, epsilon = 1e-12 * inertia.norm());
        assert_eq!(centred.properties.inertia, centred.properties.inertia.transpose());
    }
}

/// A compound whose centroid is elsewhere has no mass properties about its origin, and says where its centroid is.
#[test]
fn an_off_centre_compound_is_refused() {
    let part = |x: f64| Part::at(ball(0.5), Vector3::new(x, 0.0, 0.0));
    let compound = Compound::new([part(0.0), part(2.0)]).unwrap();
    assert_relative_eq!(compound.centroid(), Vector3::x(), max_relative = 1e-15);
    let shape = Shape::Compound(compound);
    assert_eq!(shape.mass_properties(1.0), None);
    assert_eq!(MassProperties::from_mass(&shape, 1.0), None);
    // The jack is about its centre of mass, but at a uniform density that is not its centre of mass.
    let jack = Compound::about_centre_of_mass(jack()).unwrap();
    assert_eq!(Shape::Compound(jack.compound).mass_properties(1.0), None);
}

/// Law: bounds hold all corners and balls, and touch them: in the world along each axis, about the origin in the radius.
#[test]
fn bounds_are_tight() {
    let mut rng = generator(63);
    for _ in 0..500 {
        let boxes: Vec<_> = (0..3)
            .map(|_| (random_box(&mut rng), random_pose(&mut rng, 2.0)))
            .collect();
        let balls: Vec<_> = (0..2)
            .map(|_| (rng.random_range(0.1..0.8), random_vector(&mut rng, 2.0)))
            .collect();
        let parts = boxes.iter().map(|(cuboid, pose)| Part {
            shape: Shape::Cuboid(*cuboid),
            pose: *pose,
        });
        let parts = parts.chain(balls.iter().map(|(radius, centre)| Part::at(ball(*radius), *centre)));
        let shape = Shape::Compound(Compound::new(parts.collect::<Vec<_>>()).unwrap());
        let pose = random_pose(&mut rng, 3.0);
        let aabb = shape.aabb(&pose);
        let extreme = |direction: Vector3<f64>| {
            let of_boxes = boxes
                .iter()
                .flat_map(|(cuboid, local)| corners(cuboid, &(pose * local)));
            let of_boxes = of_boxes.map(|corner| corner.coords.dot(&direction));
            let of_balls = balls
                .iter()
                .map(|(r, c)| (pose * Point3::from(*c)).coords.dot(&direction) + r);
            of_boxes.chain(of_balls).fold(f64::NEG_INFINITY, f64::max)
        };
        for axis in 0..3 {
            let unit = Vector3::ith(axis, 1.0);
            assert_relative_eq!(aabb.max[axis], extreme(unit), epsilon = 1e-13);
            assert_relative_eq!(aabb.min[axis], -extreme(-unit), epsilon = 1e-13);
        }
        let farthest_corner = boxes.iter().flat_map(|(cuboid, local)| corners(cuboid, local));
        let farthest_corner = farthest_corner.map(|corner| corner.coords.norm());
        let farthest_ball = balls.iter().map(|(radius, centre)| centre.norm() + radius);
        let farthest = farthest_corner.chain(farthest_ball).fold(0.0, f64::max);
        assert_relative_eq!(shape.bounding_radius(), farthest, max_relative = 1e-14);
        assert_eq!((shape.kind_name(), shape.validate()), ("compound", Ok(())));
    }
}

#[test]
fn bad_parts_are_refused_with_their_place() {
    let good = || Part::at(ball(1.0), Vector3::zeros());
    let message = |parts: Vec<Part>| Compound::new(parts).unwrap_err().to_string();
    assert_eq!(message(vec![]), "compound: there must be at least one part");
    let zero = Part::at(ball(0.0), Vector3::zeros());
    assert_eq!(
        message(vec![good(), zero.clone()]),
        "part 1: sphere: radius must be positive and finite, but is 0"
    );
    let ground = Shape::HalfSpace(HalfSpace {
        normal: Vector3::z_axis(),
    });
    assert_eq!(
        message(vec![Part::at(ground, Vector3::zeros())]),
        "part 0: a half-space can't be a part, only a sphere or a cuboid can"
    );
    let nested = Shape::Compound(Compound::new([good()]).unwrap());
    assert_eq!(
        message(vec![good(), good(), Part::at(nested, Vector3::zeros())]),
        "part 2: a compound can't be a part, only a sphere or a cuboid can"
    );
    let nowhere = Part::at(ball(1.0), Vector3::new(0.0, f64::INFINITY, 0.0));
    assert_eq!(
        Compound::new([nowhere]),
        Err(ShapeError::Part {
            index: 0,
            error: Box::new(ShapeError::Pose)
        })
    );
    let mut skewed = good();
    skewed.pose.rotation = UnitQuaternion::new_unchecked(random_rotation(&mut generator(1)).into_inner() * 2.0);
    assert!(Compound::new([skewed]).is_err());
    let many = vec![good(); Compound::MAX_PARTS + 1];
    assert_eq!(
        Compound::new(many.clone()),
        Err(ShapeError::TooManyParts { count: 65_537 })
    );
    assert!(Compound::new(&many[1..]).is_ok());

    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Compound::about_centre_of_mass([(good(), 1.0), (good(), density)]).unwrap_err();
        assert!(
            error.to_string().starts_with("part 1: density must be positive"),
            "{error}"
        );
    }
    assert!(Compound::about_centre_of_mass([]).is_err());
    assert!(Compound::about_centre_of_mass([(zero, 1.0)]).is_err());
    // Sizes in range whose mass is not.
    for radius in [1e-200, 1e200] {
        let error = Compound::about_centre_of_mass([(Part::at(ball(radius), Vector3::zeros()), 1.0)]).unwrap_err();
        assert!(matches!(error, ShapeError::Mass { .. }), "{error}");
    }
    let direction = random_direction(&mut generator(2)).into_inner();
    assert!(Compound::about_centre_of_mass([(Part::at(ball(1.0), direction * 1e308), 1.0), (good(), 1e300)]).is_err());
}
