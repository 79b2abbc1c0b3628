//! The scenes of the comparison, and over which steps each is measured.
//!
//! A step's time means little while nothing touches, and memory still grows in the first steps. So each engine takes
//! some steps unmeasured, the same number in all of them: a few where bodies stand from the beginning, as many as the balls
//! need to fall and come to rest where they are poured.

use std::error::Error;

use drystone::dynamics::{ContactLaw, World};
use drystone::scenes;

/// A scene and its window.
#[derive(Debug, Clone, Copy)]
pub struct PeerScene {
    /// What it is called in the comparison.
    pub name: &'static str,
    /// What it is in the catalogue.
    pub spec: &'static str,
    /// Steps before the clock runs.
    pub warm_up: usize,
    /// Steps that are timed.
    pub steps: usize,
    /// Since when drift and energy are counted.
    pub since: Since,
}

/// The moment that the end of a run is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The scene as it was built: it should stay so, or keep its energy.
    Beginning,
    /// The end of the warm-up: what happens before is motion that should happen.
    WarmUp,
}

const fn standing(name: &'static str, spec: &'static str) -> PeerScene {
    PeerScene {
        name,
        spec,
        warm_up: 50,
        steps: 200,
        since: Since::Beginning,
    }
}

const fn poured(name: &'static str, spec: &'static str) -> PeerScene {
    PeerScene {
        name,
        spec,
        warm_up: 300,
        steps: 100,
        since: Since::WarmUp,
    }
}

/// All of them.
pub const SCENES: [PeerScene; 8] = [
    standing("box-stack", "box-stack"),
    standing("ball-grid", "ball-grid"),
    standing("wall-200", "wall"),
    standing("wall-2000", "wall:rows=20,columns=100"),
    standing("tower-320", "tower"),
    poured("sphere-pile-1000", "sphere-pile:count=1000,width=5"),
    poured("sphere-pile-10000", "sphere-pile:count=10000,width=12"),
    PeerScene {
        name: "chain-100",
        spec: "chain:links=100",
        warm_up: 50,
        steps: 950,
        since: Since::Beginning,
    },
];

/// The scene of that name.
pub fn find(name: &str) -> Option<&'static PeerScene> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// What every engine is given.
#[derive(Debug)]
pub struct Setting {
    /// Bodies, joints and gravity.
    pub world: World,
    /// Time step, s.
    pub dt: f64,
    /// Coulomb's coefficient between any two bodies.
    pub friction: f64,
}

impl PeerScene {
    /// The scene of the catalogue without restitution, which engines understand too differently to compare.
    pub fn setting(&self) -> Result<Setting, Box<dyn Error>> {
        let scene = scenes::load(self.spec)?;
        let mut world = scene.build()?;
        assert_eq!(
            world.materials.names().len(),
            1,
            "scenes with one material are compared"
        );
        let friction = world.materials.pair(0, 0).friction;
        let law = ContactLaw {
            friction,
            restitution: 0.0,
        };
        world.materials.set_default(law)?;
        Ok(Setting {
            world,
            dt: scene.dt,
            friction,
        })
    }
}
