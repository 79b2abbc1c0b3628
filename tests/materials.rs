//! Friction and restitution belong to pairs of materials, and a pair without its own values gets them by mixing.

mod common;

use common::*;
use drystone::dynamics::{ContactLaw, Materials, MixingRule, Simulation, World};
use nalgebra::Vector3;

const H: f64 = 0.005;

fn law(friction: f64, restitution: f64) -> ContactLaw {
    ContactLaw { friction, restitution }
}

/// Blocks of ice and of rubber that slide over stone, far from each other.
fn sliding(materials: Materials) -> [f64; 2] {
    let mut world = World::new();
    world.materials = materials;
    world.add(ground()).expect("a valid body");
    for (name, y) in [("ice", 0.0), ("rubber", 10.0)] {
        let block = cuboid(name, [0.5, 0.5, 0.1], 2.0).at(Vector3::new(0.0, y, 0.1));
        let mut block = moving(block, [5.0, 0.0, 0.0]);
        block.material = world.materials.find(name).expect("it was added");
        world.add(block).expect("a valid body");
    }
    let mut simulation = simulation(world, CONVERGED, H);
    run(&mut simulation, 40);
    // Δv = μ g t.
    ["ice", "rubber"].map(|name| (5.0 - velocity(&simulation, name).x) / (G * 40.0 * H))
}

/// How much of its speed a ball of a material keeps when it hits stone.
fn bouncing(materials: &Materials, name: &str) -> f64 {
    let mut world = World::new();
    world.materials = materials.clone();
    world.gravity = Vector3::zeros();
    world.add(ground()).expect("a valid body");
    let mut stone = moving(ball("ball", 0.5, 2.0).at(Vector3::z() * 0.5), [0.0, 0.0, -3.0]);
    stone.material = world.materials.find(name).expect("it was added");
    world.add(stone).expect("a valid body");
    let mut simulation: Simulation = simulation(world, CONVERGED, H);
    run(&mut simulation, 1);
    velocity(&simulation, "ball").z / 3.0
}

fn stone_ice_and_rubber(mixing: MixingRule) -> Materials {
    let mut materials = Materials::new(law(0.25, 0.3), mixing).expect("values in range");
    materials.add("ice", law(0.04, 0.1)).expect("a new name");
    materials.add("rubber", law(1.0, 0.8)).expect("a new name");
    materials
}

/// Relative errors of 1e-9 are the solver's tolerance over forty steps.
#[track_caller]
fn assert_laws(materials: Materials, ice: ContactLaw, rubber: ContactLaw) {
    assert_close(bouncing(&materials, "ice"), ice.restitution, 1e-12);
    assert_close(bouncing(&materials, "rubber"), rubber.restitution, 1e-12);
    let friction = sliding(materials);
    assert_close(friction[0], ice.friction, 1e-9);
    assert_close(friction[1], rubber.friction, 1e-9);
}

/// By default friction mixes by the geometric mean and restitution by the maximum.
#[test]
fn pairs_mix_by_geometric_mean_and_maximum_by_default() {
    assert_laws(
        stone_ice_and_rubber(MixingRule::default()),
        law(0.1, 0.3),
        law(0.5, 0.8),
    );
}

#[test]
fn other_mixing_rules_mix_as_they_say() {
    let with = stone_ice_and_rubber;
    assert_laws(with(MixingRule::Minimum), law(0.04, 0.1), law(0.25, 0.3));
    assert_laws(with(MixingRule::Maximum), law(0.25, 0.3), law(1.0, 0.8));
    assert_laws(with(MixingRule::Mean), law(0.145, 0.2), law(0.625, 0.55));
}

/// A pair's own values win over mixing, for that pair alone.
#[test]
fn a_pair_has_its_own_values() {
    let mut materials = stone_ice_and_rubber(MixingRule::default());
    let ice = materials.find("ice").expect("it was added");
    materials.set_pair(ice, 0, law(0.01, 0.9)).expect("known materials");
    assert_laws(materials, law(0.01, 0.9), law(0.5, 0.8));
}
