//! The chain with a heavy ball: what its mass ratio does to solvers of joints.
//!
//! The relative constraint velocity is what is left of the joints' velocities after the solve, over what there was before
//! it: `max |A λ + b| / max |b|` on the rows of joints.

mod common;

use common::*;
use drystone::dynamics::Simulation;

fn chain(ratio: f64, method: &str) -> Simulation {
    let scene = drystone::scenes::load(&format!("chain:ratio={ratio}")).expect("a scene of the catalogue");
    simulation(scene.build().expect("a sound scene"), method, scene.dt)
}

/// The worst relative constraint velocity and joint error over some steps.
fn worst(ratio: f64, method: &str, steps: usize) -> (f64, f64) {
    let mut simulation = chain(ratio, method);
    let (mut velocity, mut error) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        simulation.step().expect("a step");
        for (problem, impulses) in simulation.pipeline().problems() {
            let mut left = vec![0.0; problem.rows()];
            problem.velocities(impulses, &mut left);
            let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            velocity = velocity.max(largest(&left) / largest(&problem.bias));
        }
        error = error.max(simulation.report().joint_error.length);
    }
    (velocity, error)
}

/// Direct solvers stay under 1e-8 whatever the ratio (`hybrid` is at rounding, `proximal` stops at 1e-12 m/s, where b is
/// some 1e-2 m/s), and with their projection joints are within a micrometre. Twenty sweeps leave a good part of the
/// velocities, and the chain gives way.
#[test]
fn direct_solvers_do_not_notice_the_mass_ratio() {
    for ratio in [1.0, 10.0, 100.0, 1000.0] {
        for method in [
            "semi-implicit:projection=hybrid/hybrid",
            "semi-implicit:projection=hybrid/proximal:tolerance=1e-12",
        ] {
            let (velocity, error) = worst(ratio, method, 300);
            assert!(velocity < 1e-8, "{method}, ratio {ratio}: {velocity:e}");
            assert!(error < 1e-6, "{method}, ratio {ratio}: {error:e} m");
        }
        let (velocity, error) = worst(ratio, "pgs:iterations=20", 300);
        assert!(velocity > 1e-3, "ratio {ratio}: {velocity:e}");
        assert!(error > 1e-5, "ratio {ratio}: {error:e} m");
    }
}
