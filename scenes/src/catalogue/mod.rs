//! The reference scenes: each a documented struct of parameters and a function from those to a [`Scene`].
//!
//! Where a scene comes from an experiment of the dissertation, its summary ends with the experiment's number (X02,
//! X03, …) in the project's notes. Unless a scene says otherwise, the ground is a fixed half-space named `ground`,
//! μ = e = 0.25, bodies have 10 kg/m³ and the time step is 0.01 s (dissertation §6.1.7).

mod avalanche;
mod ball_grid;
mod billiards;
mod box_stack;
mod canyon;
mod car;
mod chain;
mod conveyor;
mod domino_chain;
mod engraved_plane;
mod flip_over;
mod four_bar;
mod free_top;
mod funnel;
mod heavy_top;
mod incline;
mod levered_stack;
mod motor_spheres;
mod newton_cradle;
mod parts;
mod pendulum;
mod poured;
mod quadruped;
mod ragdoll;
mod robot_assembly;
mod rolling_plate;
mod rope_bridge;
mod see_saw;
mod silo;
mod slider_crank;
mod sliding_boxes;
mod sphere_pile;
mod spinning_top;
mod tower;
mod two_balls;
mod ventilator;
mod wall;

use std::sync::LazyLock;

use drystone_solver::spec::{Configure, OptionInfo, Spec, SpecError, nearest};

use crate::format::Scene;

pub use avalanche::Avalanche;
pub use ball_grid::BallGrid;
pub use billiards::Billiards;
pub use box_stack::BoxStack;
pub use canyon::Canyon;
pub use car::{Car, WheelUpdate};
pub use chain::Chain;
pub use conveyor::Conveyor;
pub use domino_chain::DominoChain;
pub use engraved_plane::EngravedPlane;
pub use flip_over::FlipOver;
pub use four_bar::FourBar;
pub use free_top::FreeTop;
pub use funnel::Funnel;
pub use heavy_top::HeavyTop;
pub use incline::Incline;
pub use levered_stack::LeveredStack;
pub use motor_spheres::MotorSpheres;
pub use newton_cradle::NewtonCradle;
pub use pendulum::Pendulum;
pub use quadruped::Quadruped;
pub use ragdoll::Ragdoll;
pub use robot_assembly::RobotAssembly;
pub use rolling_plate::RollingPlate;
pub use rope_bridge::RopeBridge;
pub use see_saw::SeeSaw;
pub use silo::Silo;
pub use slider_crank::SliderCrank;
pub use sliding_boxes::SlidingBoxes;
pub use sphere_pile::SpherePile;
pub use spinning_top::SpinningTop;
pub use tower::Tower;
pub use two_balls::TwoBalls;
pub use ventilator::Ventilator;
pub use wall::Wall;

/// The parameters of a catalogue scene, and the scene they make.
pub trait CatalogueScene: Configure + Default {
    /// The name in the catalogue.
    const NAME: &'static str;
    /// One line: what it is, what it exercises, which experiment it comes from.
    const SUMMARY: &'static str;

    /// Makes the scene. The parameters are expected to pass [`Configure::validate`].
    fn scene(&self) -> Scene;
}

/// One scene of the catalogue, as it is listed.
#[derive(Debug, Clone)]
pub struct CatalogueEntry {
    /// The name.
    pub name: &'static str,
    /// One line: what it is, what it exercises, which experiment it comes from.
    pub summary: &'static str,
    /// The parameters with their defaults.
    pub parameters: Vec<OptionInfo>,
    /// The number of bodies by default, fixed ones included.
    pub bodies: usize,
    /// The default time step, s.
    pub dt: f64,
    /// The default duration, s.
    pub duration: f64,
    make: fn(&Spec) -> Result<Scene, SpecError>,
}

impl CatalogueEntry {
    fn of<T: CatalogueScene>() -> Self {
        let parameters = T::default();
        let scene = parameters.scene();
        Self {
            name: T::NAME,
            summary: T::SUMMARY,
            parameters: parameters.options(),
            bodies: scene.body_count(),
            dt: scene.dt,
            duration: scene.duration,
            make: make::<T>,
        }
    }
}

fn make<T: CatalogueScene>(spec: &Spec) -> Result<Scene, SpecError> {
    let mut parameters = T::default();
    spec.apply_to(&mut parameters)?;
    let scene = Scene {
        description: T::SUMMARY.into(),
        ..parameters.scene()
    };
    // Parameters that are each in range can still make a body too small or too far away to be a number.
    scene.check().map_err(|fault| SpecError::Invalid {
        owner: spec.name.clone(),
        message: fault.message,
    })?;
    Ok(scene)
}

/// Every scene of the catalogue.
pub fn catalogue() -> &'static [CatalogueEntry] {
    static ENTRIES: LazyLock<Vec<CatalogueEntry>> = LazyLock::new(|| {
        vec![
            CatalogueEntry::of::<BallGrid>(),
            CatalogueEntry::of::<BoxStack>(),
            CatalogueEntry::of::<Wall>(),
            CatalogueEntry::of::<Tower>(),
            CatalogueEntry::of::<TwoBalls>(),
            CatalogueEntry::of::<HeavyTop>(),
            CatalogueEntry::of::<SpherePile>(),
            CatalogueEntry::of::<Silo>(),
            CatalogueEntry::of::<Canyon>(),
            CatalogueEntry::of::<EngravedPlane>(),
            CatalogueEntry::of::<Incline>(),
            CatalogueEntry::of::<SlidingBoxes>(),
            CatalogueEntry::of::<Billiards>(),
            CatalogueEntry::of::<SeeSaw>(),
            CatalogueEntry::of::<FlipOver>(),
            CatalogueEntry::of::<FreeTop>(),
            CatalogueEntry::of::<RollingPlate>(),
            CatalogueEntry::of::<Conveyor>(),
            CatalogueEntry::of::<Pendulum>(),
            CatalogueEntry::of::<Chain>(),
            CatalogueEntry::of::<RopeBridge>(),
            CatalogueEntry::of::<SliderCrank>(),
            CatalogueEntry::of::<FourBar>(),
            CatalogueEntry::of::<NewtonCradle>(),
            CatalogueEntry::of::<SpinningTop>(),
            CatalogueEntry::of::<RobotAssembly>(),
            CatalogueEntry::of::<MotorSpheres>(),
            CatalogueEntry::of::<DominoChain>(),
            CatalogueEntry::of::<LeveredStack>(),
            CatalogueEntry::of::<Car>(),
            CatalogueEntry::of::<Ragdoll>(),
            CatalogueEntry::of::<Quadruped>(),
            CatalogueEntry::of::<Ventilator>(),
            CatalogueEntry::of::<Funnel>(),
            CatalogueEntry::of::<Avalanche>(),
        ]
    });
    &ENTRIES
}

/// Makes the catalogue scene a spec names, with its parameters.
pub fn find_scene(spec: &Spec) -> Result<Scene, SpecError> {
    match catalogue().iter().find(|entry| entry.name == spec.name) {
        Some(entry) => (entry.make)(spec),
        None => Err(SpecError::UnknownName {
            kind: "scene",
            name: spec.name.clone(),
            nearest: nearest(&spec.name, catalogue().iter().map(|entry| entry.name)).map(str::to_owned),
        }),
    }
}
