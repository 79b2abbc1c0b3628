//! What one step did, in numbers.

use std::time::Duration;

use drystone_solver::Convergence;

use crate::joint::JointError;

/// Time spent in the parts of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Broad phase, narrow phase, contact graph and groups.
    pub collision: Duration,
    /// Writing the rows of all groups. Groups are assembled and solved in parallel: this is the sum over groups.
    pub assembly: Duration,
    /// Solving all groups, the projection included; the sum over groups.
    pub solve: Duration,
    /// The whole step, as the clock on the wall saw it.
    pub step: Duration,
}

/// The measurements of one step. Contacts and depths are those found at its beginning, errors of joints those at its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end, s.
    pub time: f64,
    /// Contact points.
    pub contacts: usize,
    /// Rows of all groups.
    pub rows: usize,
    /// Groups with at least one contact or joint.
    pub groups: usize,
    /// Dynamic bodies in the largest group.
    pub largest_group: usize,
    /// Bodies asleep at the end of the step.
    pub sleeping: usize,
    /// Stack layers that were swept; 0 if the stepper has none.
    pub layers: usize,
    /// Most iterations of any group.
    pub iterations: usize,
    /// Rows updated in all groups.
    pub row_updates: u64,
    /// Largest natural residual of any group, m/s; `None` if it was not measured.
    pub residual: Option<f64>,
    /// Largest excess of ‖λ_t‖ over μ λ_n, N·s.
    pub friction_violation: f64,
    /// Deepest penetration, m; 0 if nothing penetrates.
    pub penetration_max: f64,
    /// Mean penetration over the contact points that penetrate, m.
    pub penetration_mean: f64,
    /// Largest errors of the joints at the end of the step.
    pub joint_error: JointError,
    /// How far a joint is beyond one of its limits at the end of the step, at most, m or rad.
    pub limit_violation: f64,
    /// Joints that are broken or switched off.
    pub joints_off: usize,
    /// How the solver fared in every group, in the order of the groups.
    pub convergence: Vec<Convergence>,
    /// Where the time went.
    pub timings: Timings,
}
