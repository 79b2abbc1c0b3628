//! Mass properties against textbook formulas and against a sum over a lattice of points.

mod common;

use approx::assert_relative_eq;
use common::{generator, random_shape};
use drystone_collision::{Cuboid, HalfSpace, MassProperties, Shape, Sphere};
use nalgebra::{Matrix3, Vector3};

/// Law: m = ∫ρ dV, I = ∫ρ (x·x 1 − x xᵀ) dV, by the midpoint rule on 120³ cells of the bounding
/// cube.
///
/// Tolerance: for a box the cells are fitted, and the midpoint rule's error in ∫x² is 1/120² of
/// it; for a ball the cells that the surface cuts are counted wholly or not at all, which averages
/// to about 1e-4 with some 7e4 such cells. 1e-3 is above both and far below a wrong factor.
#[test]
fn lattice_sums_give_the_same_mass_and_inertia() {
    let mut rng = generator(11);
    const CELLS: usize = 120;
    for kind in [0, 1, 0, 1] {
        let shape = random_shape(&mut rng, kind);
        let density = 700.0;
        let half = match shape {
            Shape::Sphere(Sphere { radius }) => Vector3::repeat(radius),
            Shape::Cuboid(Cuboid { half_extents }) => half_extents,
            Shape::HalfSpace(_) | Shape::Compound(_) => unreachable!(),
        };
        let cell_mass = density * 8.0 * half.product() / (CELLS * CELLS * CELLS) as f64;
        let coordinate = |cell: usize| (2 * cell + 1) as f64 / CELLS as f64 - 1.0;
        let (mut mass, mut inertia) = (0.0, Matrix3::zeros());
        for i in 0..CELLS {
            for j in 0..CELLS {
                for k in 0..CELLS {
                    let unit = Vector3::new(coordinate(i), coordinate(j), coordinate(k));
                    let x = unit.component_mul(&half);
                    if kind == 1 || unit.norm_squared() <= 1.0 {
                        mass += cell_mass;
                        inertia += (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * cell_mass;
                    }
                }
            }
        }
        let properties = shape.mass_properties(density).unwrap();
        assert_relative_eq!(properties.mass, mass, max_relative = 1e-3);
        assert_relative_eq!(properties.mass, density * shape.volume(), max_relative = 1e-14);
        let scale = properties.inertia.norm();
        assert!((properties.inertia - inertia).norm() < 1e-3 * scale);
    }
}

/// Law: the closed forms, with the numbers worked out by hand. Tolerance: rounding.
#[test]
fn known_bodies_have_their_known_inertia() {
    let ball = Shape::Sphere(Sphere { radius: 0.5 });
    let properties = MassProperties::from_mass(&ball, 10.0).unwrap();
    assert_relative_eq!(properties.inertia, Matrix3::identity(), max_relative = 1e-15);
    assert_relative_eq!(ball.volume(), std::f64::consts::PI / 6.0, max_relative = 1e-15);

    // A 2 × 4 × 6 m box of 12 kg: Iₓ = 12/12 (4² + 6²) = 52, and so on.
    let brick = Shape::Cuboid(Cuboid {
        half_extents: Vector3::new(1.0, 2.0, 3.0),
    });
    let properties = brick.mass_properties(0.25).unwrap();
    assert_relative_eq!(properties.mass, 12.0, max_relative = 1e-15);
    let expected = Matrix3::from_diagonal(&Vector3::new(52.0, 40.0, 20.0));
    assert_relative_eq!(properties.inertia, expected, max_relative = 1e-15);
}

#[test]
fn a_half_space_has_no_mass_properties() {
    let ground = Shape::HalfSpace(HalfSpace {
        normal: Vector3::z_axis(),
    });
    assert_eq!(ground.mass_properties(1000.0), None);
    assert_eq!(MassProperties::from_mass(&ground, 1.0), None);
    assert_eq!(ground.volume(), f64::INFINITY);
    assert_eq!(ground.bounding_radius(), f64::INFINITY);
}
