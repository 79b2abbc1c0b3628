//! A solver of one's own: registered here, then listed, run, compared and plotted like all others.
use drystone_solver::registry::{self, Accuracy, Class, Entry, FrictionLaw, MatrixKind};
use drystone_solver::{Context, Convergence, Limits, Monitor, Problem, SolveError, Solver, options};

options! {
    /// Projected Richardson iteration: λ ← P(λ − ω w̃ / ‖A‖) with De Saxcé's velocity w̃ of w = Aλ + b.
    pub struct Richardson {
        /// ω, the damping.
        pub damping: f64 = 1.0,
        flatten pub limits: Limits = Limits::of(1000),
    } validate(this) { if this.damping > 0.0 { Ok(()) } else { Err("damping must be positive".into()) } }
}

impl Solver for Richardson {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        let mut monitor = Monitor::start(problem, &self.limits, impulses, context)?;
        let step = self.damping / norm_by_power_iteration(problem);
        let mut velocities = vec![0.0; problem.rows()];
        while monitor.goes_on(impulses, context) {
            problem.velocities(impulses, &mut velocities);
            for block in &problem.blocks {
                let (impulse, w) = (&mut impulses[block.rows()], &velocities[block.rows()]);
                impulse[0] -= step * block.cone.de_saxce(w);
                impulse.iter_mut().zip(w).for_each(|(x, w)| *x -= step * w);
                block.cone.project(impulse);
            }
        }
        Ok(monitor.finish(impulses, context))
    }
}

fn norm_by_power_iteration(problem: &Problem) -> f64 {
    let mut x: Vec<f64> = (1..=problem.rows()).map(|k| (k as f64).sin()).collect();
    let (mut ax, mut norm) = (x.clone(), 1.0);
    for _ in 0..50 {
        problem.operator.as_delassus().apply(&x, &mut ax);
        norm = ax.iter().map(|a| a * a).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        x.iter_mut().zip(&ax).for_each(|(x, a)| *x = a / norm);
    }
    norm
}

fn main() -> std::process::ExitCode {
    let takes = Class {
        family: "mine",
        friction: FrictionLaw::Coulomb,
        matrix: MatrixKind::Symmetric,
        accuracy: Accuracy::Iterative,
    };
    registry::register(Entry {
        name: "richardson",
        summary: "projected Richardson iteration",
        takes,
        reference: "Richardson 1911",
        make: || Box::new(Richardson::default()),
    })
    .expect("the name is free");
    drystone_experiments::main(std::env::args_os())
}
