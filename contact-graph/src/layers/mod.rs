//! Stack heights and layers (§6.4.2): the order in which shock propagation (Fig 6.47) works through a stack, from the
//! ground up.
//!
//! A fixed or scripted body is ground and has height 0; a body without any path to the ground floats. A pair of
//! bodies is handled in layer `max(height a, height b) − 1`. That is the published rule, where heights of neighbours
//! differ by at most one, and it also places pairs that span more: the higher body moves, the lower one has been done.
//!
//! The published height is the number of contacts to the ground (Figs 6.50, 6.51). It looks at nothing else, and its
//! author left three problems open (§6.4.3, §6.4.5), each of which has an answer here:
//!
//! - a body on a slope has height 1 though its downhill neighbour carries it: [`Heights::Gravity`];
//! - a body high on the wall of a canyon has height 1 though others carry it (Fig 6.55), so that the sweep goes
//!   against the weight and no order is right for both: [`Cycles::Condense`];
//! - a fast body that falls deep into a stack gets a low height, and all above are lifted (Fig 6.61): floors, the
//!   heights below which bodies must not drop.

mod distance;
mod order;
mod resting;

use crate::flat_lists::FlatLists;
use distance::Distances;
use order::Walk;

/// Two bodies that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// One body.
    pub a: u32,
    /// The other body.
    pub b: u32,
    /// The upward component (against gravity) of the mean unit contact normal from `a` to `b`: positive if `b` lies
    /// on `a`. Swapping the bodies changes its sign.
    pub rise: f64,
}

/// What a stack height is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heights {
    /// The fewest contacts and joints on the way to a ground body, as published. Gravity plays no part.
    #[default]
    Distance,
    /// One above the highest body it rests on, 1 if it rests on none. Ground carries whatever touches it; of two other
    /// bodies the lower one carries the upper one, unless they touch sideways ([`LayerRule::level`]). A joint carries
    /// both ways, so that a mechanism is one thing.
    Gravity,
}

/// What becomes of bodies that carry each other in a ring, for which no order from the ground up exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cycles {
    /// Nothing is done. [`Heights::Distance`] has no cycles to see. For [`Heights::Gravity`] each ring is cut open: a
    /// depth-first search goes from bodies to those they rest on, both in the order of their indices, and drops the
    /// relations that lead back to a body on its way. Where it cuts depends on how bodies are numbered.
    #[default]
    Ignore,
    /// The bodies of a ring share one height, so that one layer solves them together; which bodies these are does not
    /// depend on numbering. A ring is a strongly connected component. For [`Heights::Gravity`] it is one of the
    /// relation "rests on". For [`Heights::Distance`] it is one of that relation and the sweep order taken together,
    /// where the sweep order goes from the lesser to the greater distance over each contact: the components are the
    /// places where the sweep contradicts the weight. Heights are then longest paths over both. Distances obey floors
    /// here: if floors are the heights of the last step, a ring of this sort comes apart in the order of the weight,
    /// and heights of a pile at rest may rise for a few steps before they stay.
    Condense,
}

/// How heights are found. The default is the published rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerRule {
    /// What a stack height is.
    pub heights: Heights,
    /// What becomes of rings.
    pub cycles: Cycles,
    /// Contacts with a |rise| at or below this are sideways: neither body rests on the other. Negative counts as 0.
    pub level: f64,
}

impl Default for LayerRule {
    fn default() -> Self {
        Self {
            heights: Heights::Distance,
            cycles: Cycles::Ignore,
            // Normals up to 3° off the horizontal: far more than the noise between upright faces.
            level: 0.05,
        }
    }
}

/// Stack heights and layers. Keep one and reuse it: its memory is reused too.
///
/// # Example
///
/// Two balls lie against each other on a slope; both touch it, and the uphill one leans on the other.
///
/// ```
/// use drystone_contact_graph::{Heights, LayerRule, StackLayers, Support};
///
/// let is_ground = [true, false, false];
/// let supports = [
///     Support { a: 0, b: 1, rise: 0.9 },
///     Support { a: 0, b: 2, rise: 0.9 },
///     Support { a: 1, b: 2, rise: 0.5 },
/// ];
/// let mut layers = StackLayers::default();
/// layers.build(&LayerRule::default(), &is_ground, &supports, &[], &[]);
/// assert_eq!(layers.heights(), [0, 1, 1]);
///
/// let by_gravity = LayerRule { heights: Heights::Gravity, ..LayerRule::default() };
/// layers.build(&by_gravity, &is_ground, &supports, &[], &[]);
/// assert_eq!(layers.heights(), [0, 1, 2]);
/// assert_eq!(layers.layer_of(0, 2), Some(1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StackLayers {
    heights: Vec<u32>,
    count: usize,
    // What follows is only used while heights are found.
    distances: Distances,
    /// Pairs (body, body it rests on) of bodies that aren't ground, and the same as lists.
    relations: Vec<(u32, u32)>,
    below: FlatLists,
    walk: Walk,
}

/// The input of [`StackLayers::build`], and what is read off it in more than one place.
#[derive(Clone, Copy)]
struct Bodies<'a> {
    is_ground: &'a [bool],
    supports: &'a [Support],
    links: &'a [(u32, u32)],
    floors: &'a [u32],
}

impl Bodies<'_> {
    fn len(&self) -> usize {
        self.is_ground.len()
    }

    fn is_ground(&self, body: u32) -> bool {
        self.is_ground[body as usize]
    }

    /// Whether a pair can matter: both bodies are there, they are two, and one of them can move.
    fn counts(&self, a: u32, b: u32) -> bool {
        let ground = |body: u32| self.is_ground.get(body as usize).copied();
        matches!((ground(a), ground(b)), (Some(x), Some(y)) if a != b && !(x && y))
    }

    /// The height a body must not drop below. A body that floated has none.
    fn floor(&self, body: u32) -> u32 {
        match self.floors.get(body as usize) {
            Some(&floor) if floor != StackLayers::FLOATING => floor,
            _ => 0,
        }
    }
}

/// One above a height, short of the value that means floating.
fn above(height: u32) -> u32 {
    height.saturating_add(1).min(StackLayers::FLOATING - 1)
}

impl StackLayers {
    /// The height of a body that no chain of contacts and joints holds to the ground.
    pub const FLOATING: u32 = u32::MAX;

    /// Finds the heights of all bodies.
    ///
    /// - `is_ground` tells for each body whether it is ground (fixed or scripted).
    /// - `supports` are the touching pairs, in any order.
    /// - `links` are the jointed pairs, in any order.
    /// - `floors` has for each body the height it must not drop below, 0 for none. It may be shorter than the bodies;
    ///   the rest have none. [`Self::FLOATING`] counts as none, so that the heights of the last step may be given as
    ///   they are. A floor doesn't apply to ground, and doesn't hold a floating body.
    ///
    /// Pairs of two ground bodies, of a body with itself, or with a body that isn't there are passed over.
    ///
    /// Linear in bodies and pairs, but for the sorting of bodies whose floors hold them up and of the relations for
    /// [`Heights::Gravity`] with [`Cycles::Ignore`]. Allocates only when bodies or pairs have become more than before.
    pub fn build(
        &mut self,
        rule: &LayerRule,
        is_ground: &[bool],
        supports: &[Support],
        links: &[(u32, u32)],
        floors: &[u32],
    ) {
        let bodies = Bodies {
            is_ground,
            supports,
            links,
            floors,
        };
        // Distances come first for every rule: they also tell who floats.
        self.distances.find(&bodies, &mut self.heights);
        if (rule.heights, rule.cycles) != (Heights::Distance, Cycles::Ignore) {
            self.relate(&bodies, rule);
            self.forget_heights();
            match rule.cycles {
                Cycles::Ignore => self.walk.cut(&bodies, &self.below, &mut self.heights),
                Cycles::Condense => self.walk.condensed(&bodies, &self.below, &mut self.heights),
            }
        }
        let finite = self.heights.iter().filter(|&&height| height != Self::FLOATING);
        self.count = finite.max().map_or(0, |&height| height as usize);
    }

    /// Lists for each body those it comes after: those it rests on, and in a sweep by distance its lower neighbours.
    fn relate(&mut self, bodies: &Bodies<'_>, rule: &LayerRule) {
        let swept = (rule.heights == Heights::Distance).then_some(self.heights.as_slice());
        resting::relations(bodies, rule.level, swept, &mut self.relations);
        if rule.cycles == Cycles::Ignore {
            // The order of the lists decides where rings are cut; it must not come from the order of the contacts.
            self.relations.sort_unstable();
        }
        self.below.reserve(bodies.len(), self.relations.capacity());
        self.below.fill(bodies.len(), self.relations.iter().copied());
    }

    /// Sets all heights but those of floating bodies to 0, which the walk reads as "not yet known".
    fn forget_heights(&mut self) {
        for height in &mut self.heights {
            if *height != Self::FLOATING {
                *height = 0;
            }
        }
    }

    /// The height of each body: 0 for ground, [`Self::FLOATING`] for floating bodies.
    #[must_use]
    pub fn heights(&self) -> &[u32] {
        &self.heights
    }

    /// The height of a body: none if it floats or isn't there.
    #[must_use]
    pub fn height(&self, body: u32) -> Option<u32> {
        let height = *self.heights.get(body as usize)?;
        (height != Self::FLOATING).then_some(height)
    }

    /// How many layers there are: the largest height of a body that doesn't float. Where floors hold bodies up, there
    /// may be layers without a pair.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The layer of a pair of bodies: none if one floats or isn't there, or if both are ground.
    #[must_use]
    pub fn layer_of(&self, a: u32, b: u32) -> Option<u32> {
        self.height(a)?.max(self.height(b)?).checked_sub(1)
    }
}
