//! Switches of the contact graph: the speed-ups of dissertation §5.6, each on its own, and the sleepy policy of §6.5.
//!
//! Groups, caching of impulses and sleep of whole groups leave the model as it is; contact points that are carried along,
//! reduction, subgroups, zeroing, damping and fixation change the motion (§5.7).

use drystone_contact_graph::SleepRule;
use drystone_solver::{choices, options};

choices! {
    /// When the graph lets go of a pair that is no longer near.
    pub enum ObsoleteEdges {
        /// As soon as its end has been told.
        AtOnce = "at-once",
        /// When the two are further apart than twice the longest side of their boxes, along some axis (§5.2).
        Distant = "distant",
    }
}

options! {
    /// What the contact graph can be told.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct GraphOptions {
        /// Contact groups are problems of their own; without, all constraints are one problem.
        pub groups: bool = true,
        /// Solves start from the impulses of the last step; without, from none.
        pub cache_impulses: bool = true,
        /// Pairs that have moved no more than this against each other since their contact points were generated keep them,
        /// brought up to date to first order, m; 0 for never. (Pairs asleep always keep theirs.)
        pub cache_contacts: f64 = 0.0,
        /// Pairs that penetrate deeper than this keep only their deepest point, m; 0 for never.
        pub reduce: f64 = 0.0,
        /// When the graph lets go of a pair that is no longer near.
        pub obsolete_edges: ObsoleteEdges = ObsoleteEdges::AtOnce,
        /// Surfaces nearer than this count as touching in events, m; those that push each other do however near they are.
        pub touch_distance: f64 = 1e-3,
        /// Viscous damping of all bodies besides their own, 1/s.
        pub damping: f64 = 0.0,
        /// Groups at rest are put asleep.
        pub sleep: bool = false,
        /// Kinetic energy per mass below which a body may be at rest, J/kg.
        pub sleep_energy: f64 = 1e-3,
        /// For how many steps in succession.
        pub sleep_steps: usize = 5,
        /// By how much the energy may have risen over these steps, as a part of the threshold.
        pub sleep_slack: f64 = 1e-3,
        /// The fastest change of the energy per mass over these steps that is rest, W/kg; 0 for any (the published rule).
        pub sleep_rate: f64 = 1e-3,
        /// Sleepy bodies bound groups: each body sleeps by itself. Needs sleep.
        pub subgroups: bool = false,
        /// Sleepy bodies can't be moved until they wake. Needs subgroups.
        pub fixation: bool = false,
        /// Nothing bounces off sleepy bodies. Needs sleep.
        pub zeroing: bool = false,
    }
    validate(options) {
        for (name, value) in [
            ("cache-contacts", options.cache_contacts),
            ("reduce", options.reduce),
            ("touch-distance", options.touch_distance),
            ("damping", options.damping),
            ("sleep-energy", options.sleep_energy),
            ("sleep-slack", options.sleep_slack),
            ("sleep-rate", options.sleep_rate),
        ] {
            if value < 0.0 {
                return Err(format!("{name} must be 0 or more, not {value}"));
            }
        }
        if options.sleep_steps == 0 {
            return Err("sleep-steps must be 1 or more".into());
        }
        for (name, value, needed, given) in [
            ("subgroups", options.subgroups, "sleep", options.sleep),
            ("zeroing", options.zeroing, "sleep", options.sleep),
            ("fixation", options.fixation, "subgroups", options.subgroups),
        ] {
            if value && !given {
                return Err(format!("{name}=true needs {needed}=true"));
            }
        }
        if options.subgroups && !options.groups {
            return Err("subgroups=true needs groups=true".into());
        }
        Ok(())
    }
}

impl GraphOptions {
    pub(super) fn sleep_rule(&self) -> SleepRule {
        SleepRule {
            energy: self.sleep_energy,
            steps: self.sleep_steps,
            slack: self.sleep_slack,
            rate: if self.sleep_rate > 0.0 {
                self.sleep_rate
            } else {
                f64::INFINITY
            },
        }
    }
}
