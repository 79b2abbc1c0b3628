//! The list of all kinds of joints: what `drystone list joints` prints and what the tests of every joint run over.

use std::sync::Arc;

use super::{
    Ball, Cylindrical, Distance, Fixed, Gear, Hinge, JointModel, Planar, PointJoint, PointMotor, Points, Slider,
    Spring, Suspension, Universal, Wheel,
};

/// One kind of joint.
#[derive(Clone, Copy)]
pub struct JointKind {
    /// Its name in files.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where its equations come from.
    pub reference: &'static str,
    make: fn() -> Arc<dyn JointModel>,
}

impl JointKind {
    /// A model with ordinary parameters.
    pub fn example(&self) -> Arc<dyn JointModel> {
        (self.make)()
    }
}

impl std::fmt::Debug for JointKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("JointKind").field(&self.name).finish()
    }
}

/// All kinds of joints.
pub fn joint_kinds() -> &'static [JointKind] {
    KINDS
}

const GRAVITAS: &str = "Gravitas 2008, §2.7.4–2.7.5";

static KINDS: &[JointKind] = &[
    JointKind {
        name: "ball",
        summary: "ball and socket: the anchors stay together",
        reference: "Erleben 2005, §4.9.1",
        make: || Arc::new(Ball),
    },
    JointKind {
        name: "hinge",
        summary: "one axis to turn about",
        reference: "Erleben 2005, §4.9.2",
        make: || Arc::new(Hinge),
    },
    JointKind {
        name: "slider",
        summary: "one axis to shift along",
        reference: "Erleben 2005, §4.9.3",
        make: || Arc::new(Slider),
    },
    JointKind {
        name: "cylindrical",
        summary: "one axis to turn about and to shift along",
        reference: "rows of hinge and slider",
        make: || Arc::new(Cylindrical),
    },
    JointKind {
        name: "planar",
        summary: "a plane to slide and turn in",
        reference: "rows of hinge and slider",
        make: || Arc::new(Planar),
    },
    JointKind {
        name: "universal",
        summary: "two crossed axes to turn about",
        reference: "Erleben 2005, §4.9.5",
        make: || Arc::new(Universal),
    },
    JointKind {
        name: "wheel",
        summary: "hinge-2: a steering axis with suspension, and an axle",
        reference: "Erleben 2005, §4.9.4",
        make: || {
            Arc::new(Wheel {
                suspension: Some(Suspension {
                    stiffness: 2e4,
                    damping: 1e3,
                }),
            })
        },
    },
    JointKind {
        name: "fixed",
        summary: "two bodies as one",
        reference: "Erleben 2005, §4.9.6",
        make: || Arc::new(Fixed),
    },
    JointKind {
        name: "distance",
        summary: "a massless rod or rope: a distance, or bounds on it",
        reference: "derivative of |c|",
        make: || Arc::new(Distance::rod()),
    },
    JointKind {
        name: "spring",
        summary: "a damped spring between two points, implicit",
        reference: "implicit Euler; ERP and CFM of Erleben 2005, §4.15",
        make: || {
            Arc::new(Spring {
                stiffness: 1e3,
                damping: 10.0,
                length: None,
            })
        },
    },
    JointKind {
        name: "gear",
        summary: "spur gears: no slip at the pitch point",
        reference: "rolling of pitch circles",
        make: || {
            Arc::new(Gear {
                teeth: [12, 30],
                internal: false,
            })
        },
    },
    JointKind {
        name: "point-ball",
        summary: "one pair of points that coincide: a ball joint",
        reference: GRAVITAS,
        make: || points(PointJoint::Ball),
    },
    JointKind {
        name: "point-hinge",
        summary: "two pairs of points: a hinge, with one redundant row",
        reference: GRAVITAS,
        make: || points(PointJoint::Hinge),
    },
    JointKind {
        name: "point-fixed",
        summary: "three pairs of points: a fixed joint, with three redundant rows",
        reference: GRAVITAS,
        make: || points(PointJoint::Fixed),
    },
    JointKind {
        name: "point-motor",
        summary: "a hinge of two points and four that drive: twelve redundant rows",
        reference: "Gravitas 2008, §2.7.5.5",
        make: || Arc::new(PointMotor { speed: 3.0, reach: 0.5 }),
    },
];

fn points(kind: PointJoint) -> Arc<dyn JointModel> {
    Arc::new(Points { kind, reach: 0.5 })
}
