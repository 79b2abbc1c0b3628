//! A row between bounds on the path: every bound has a distance x and a velocity z that pushes away from it, `x z = τ`.

/// A distance to a bound and the velocity that pushes away from it.
#[derive(Debug, Clone, Copy)]
struct Side {
    /// 1 for a lower bound, −1 for an upper one.
    sign: f64,
    bound: f64,
    distance: f64,
    velocity: f64,
    distance_step: f64,
    velocity_step: f64,
    /// τ, less what the linear equation leaves out.
    target: f64,
}

/// A row with at most one bound below and one above.
#[derive(Debug, Clone)]
pub(super) struct BoundedRow {
    sides: Vec<Side>,
}

impl BoundedRow {
    pub(super) fn new(lower: f64, upper: f64) -> Self {
        let side = |sign: f64, bound: f64| Side {
            sign,
            bound,
            distance: 0.0,
            velocity: 0.0,
            distance_step: 0.0,
            velocity_step: 0.0,
            target: 0.0,
        };
        let sides = [side(1.0, lower), side(-1.0, upper)];
        Self {
            sides: sides.into_iter().filter(|side| side.bound.is_finite()).collect(),
        }
    }

    /// Starts near an impulse and a velocity, at least `margin` and `velocity_margin` inside. Returns the impulse.
    pub(super) fn start(&mut self, impulse: f64, velocity: f64, margin: f64, velocity_margin: f64) -> f64 {
        let room = match self.sides[..] {
            [lower, upper] => upper.bound - lower.bound,
            _ => f64::INFINITY,
        };
        let margin = margin.min(0.5 * room);
        let mut inside = impulse;
        for side in &self.sides {
            let distance = side.sign * (inside - side.bound);
            inside = side.bound + side.sign * distance.max(margin);
        }
        for side in &mut self.sides {
            // Rounding may put an impulse between large bounds right onto one of them.
            side.distance = (side.sign * (inside - side.bound)).max(0.5 * margin);
            side.velocity = (side.sign * velocity).max(0.0) + velocity_margin;
        }
        inside
    }

    /// The impulse that the distances stand for; of a row without bounds what it was and its step.
    pub(super) fn impulse(&self, before: f64, step: f64) -> f64 {
        let nearest = self.sides.iter().min_by(|a, b| a.distance.total_cmp(&b.distance));
        nearest.map_or(before + step, |side| side.bound + side.sign * side.distance)
    }

    /// y: what the bounds push with.
    pub(super) fn velocity(&self) -> f64 {
        self.sides.iter().map(|side| side.sign * side.velocity).sum()
    }

    /// D.
    pub(super) fn stiffness(&self) -> f64 {
        self.sides.iter().map(|side| side.velocity / side.distance).sum()
    }

    /// q.
    pub(super) fn pull(&self) -> f64 {
        let pull = |side: &Side| side.sign * (side.target / side.distance - side.velocity);
        self.sides.iter().map(pull).sum()
    }

    pub(super) fn aim(&mut self, target: f64, corrected: bool) {
        for side in &mut self.sides {
            side.target = target;
            if corrected {
                side.target -= side.distance_step * side.velocity_step;
            }
        }
    }

    pub(super) fn follow(&mut self, step: f64) {
        for side in &mut self.sides {
            side.distance_step = side.sign * step;
            side.velocity_step = (side.target - side.velocity * (side.distance + side.distance_step)) / side.distance;
        }
    }

    pub(super) fn longest_step(&self) -> f64 {
        let until = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
        self.sides.iter().fold(f64::INFINITY, |longest, side| {
            longest
                .min(until(side.distance, side.distance_step))
                .min(until(side.velocity, side.velocity_step))
        })
    }

    /// Makes all products equal.
    pub(super) fn centre(&mut self, product: f64) {
        for side in &mut self.sides {
            side.velocity = product / side.distance;
        }
    }

    /// Hands over the products after a part of the step: zero where it leads outside, and as it is.
    pub(super) fn products(&self, length: f64, mut take: impl FnMut(f64, f64)) {
        for side in &self.sides {
            let distance = side.distance + length * side.distance_step;
            let velocity = side.velocity + length * side.velocity_step;
            let inside = distance > 0.0 && velocity > 0.0;
            take(if inside { distance * velocity } else { 0.0 }, distance * velocity);
        }
    }

    pub(super) fn advance(&mut self, length: f64) {
        for side in &mut self.sides {
            side.distance += length * side.distance_step;
            side.velocity += length * side.velocity_step;
        }
    }
}
