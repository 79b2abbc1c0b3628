//! Bodies, joints, materials and forces; the rows they write; and the steppers that take one time step.
//!
//! [`World`] holds what has a state, [`Method`] how to advance it, [`Simulation`] does so and reports what each step
//! did. Inside, a [`Stepper`] calls the stages of the [`Pipeline`]: detect contacts, solve them and the joints group by group, move
//! the bodies, project away what still penetrates or has come apart.

mod attendance;
mod body;
mod constraint;
mod contact;
mod contact_cache;
mod error;
mod event;
mod few;
mod integrate;
mod joint;
mod manifold;
mod material;
mod method;
pub mod motion;
mod pipeline;
mod report;
mod simulation;
mod stepper;
mod timer;
mod world;

pub use body::{Body, BodyKind, OrientationUpdate};
pub use constraint::{
    Constraint, ConstraintRow, Law, MAX_BLOCK, Placement, Side, Softness, Unit, point_jacobian, rate, turn_jacobian,
};
pub use drystone_contact_graph::{Change, CollisionFilter, FilterScope};
pub use error::{StepError, WorldError};
pub use event::{Event, WakeCause};
pub use integrate::{Gyroscopic, Velocity};
pub use joint::{
    Attachment, Ball, BreakCause, Breaking, Coordinate, Cylindrical, Distance, Drive, EllipticCone, Fixed, Frames,
    Gear, Hinge, Joint, JointError, JointFrames, JointKind, JointModel, Limit, MAX_COORDINATES, Motor, Planar,
    PointJoint, PointMotor, Points, Reach, Reference, Region, Slider, Spring, Suspension, Swing, Universal, Wheel,
    joint_kinds,
};
pub use material::{ContactLaw, Materials, MixingRule};
pub use method::{Method, StepperEntry, steppers};
pub use motion::ScriptedMotion;
pub use pipeline::{Depths, GraphOptions, ObsoleteEdges, Pipeline, Reaction};
pub use report::{StepReport, Timings};
pub use simulation::Simulation;
pub use stepper::{
    BacktrackingStep, BoxBoxChoice, BroadPhaseChoice, CycleChoice, FallingChoice, FixedStep, HeightChoice,
    ShockOptions, ShockStep, SmallStepOptions, SmallSteps, StepOptions, Stepper,
};
pub use timer::Timer;
pub use world::{BodyId, GRAVITY, JointId, World};
