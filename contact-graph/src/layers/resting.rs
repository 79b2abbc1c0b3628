//! Who rests on whom. Of two touching bodies the upper one rests on the lower one, by the sign of the upward component
//! of the contact normal; this is the external force's direction that §6.4.3 asks for. Jointed bodies rest on each
//! other.
//!
//! Ground needs no relation: it is below everything, and heights begin at 1 without it.

use super::Bodies;

/// Writes the pairs (body, body it rests on) over all contacts and joints between bodies that aren't ground. With
/// `swept`, heights by which a sweep would go, a body also comes after those it touches that are lower.
pub(super) fn relations(bodies: &Bodies<'_>, level: f64, swept: Option<&[u32]>, out: &mut Vec<(u32, u32)>) {
    out.clear();
    // The most there can be, so that which of them there are makes no difference to the memory.
    out.reserve(2 * (bodies.supports.len() + bodies.links.len()));
    let moves = |a, b| bodies.counts(a, b) && !bodies.is_ground(a) && !bodies.is_ground(b);
    let level = level.max(0.0);
    for support in bodies.supports {
        let (a, b) = (support.a, support.b);
        if !moves(a, b) {
            continue;
        }
        if support.rise > level {
            out.push((b, a));
        } else if support.rise < -level {
            out.push((a, b));
        }
        if let Some(heights) = swept {
            let (height_a, height_b) = (heights[a as usize], heights[b as usize]);
            if height_a < height_b {
                out.push((b, a));
            } else if height_b < height_a {
                out.push((a, b));
            }
        }
    }
    for &(a, b) in bodies.links {
        if moves(a, b) {
            out.extend([(a, b), (b, a)]);
        }
    }
}
