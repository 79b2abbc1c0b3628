//! One pass of Dantzig's method: a dense problem between fixed bounds, row after row.
//!
//! With C the clamped rows, driving row i by `δ` moves the others by `Δx_C = −A_CC⁻¹ A_Ci δ` and the velocities by
//! `Δw = A_·i δ + A_·C Δx_C`. `A_CC⁻¹` is kept, and bordered or deflated as rows come and go: O(n²) a pivot. The matrix
//! is scaled to ones on the diagonal. A semidefinite one gets the proximal term `ε (x − centre)`, which keeps every pivot
//! at ε or above.

use nalgebra::{DMatrix, DVector};

/// Pivots below this are rounding.
const PIVOT: f64 = 1e-12;
/// Velocities of this size, beside the largest bias, are zero, and so are rates.
const ZERO: f64 = 1e-13;
/// Updates of the inverse before it is computed anew.
const UPDATES: usize = 100;

/// Pivots for one row, times the number of rows: mostly a few in all are enough.
const CIRCLING: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Not yet looked at; its impulse is where it began.
    Waiting,
    /// Inside its bounds, w = 0, and free to move.
    Clamped,
    Lower,
    Upper,
}

pub(super) struct Drive {
    /// Scaled: `S A S`, `S b`, `S⁻¹ l`, `S⁻¹ u`.
    matrix: DMatrix<f64>,
    bias: DVector<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    scale: Vec<f64>,
    x: DVector<f64>,
    w: DVector<f64>,
    places: Vec<Place>,
    clamped: Vec<usize>,
    inverse: DMatrix<f64>,
    updates: usize,
    zero: f64,
    /// A pivot was rounding: the inverse is worth nothing.
    failed: bool,
}

/// What stops the driven row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    /// Its own velocity is zero.
    Settled,
    /// It meets its own bound.
    Bound(Place),
    /// A clamped row meets a bound.
    Leaves(usize, Place),
    /// The velocity of a row at a bound is zero.
    Joins(usize),
}

impl Drive {
    /// A problem with its bounds, ε, and the centre of the proximal term.
    pub(super) fn new(
        matrix: &DMatrix<f64>,
        bias: &[f64],
        (lower, upper): (Vec<f64>, Vec<f64>),
        proximal: f64,
        centre: &[f64],
    ) -> Self {
        let n = bias.len();
        let scale = scales(matrix);
        let mut scaled = DMatrix::from_fn(n, n, |i, j| scale[i] * matrix[(i, j)] * scale[j]);
        (0..n).for_each(|i| scaled[(i, i)] += proximal);
        let bias = DVector::from_fn(n, |i, _| scale[i] * bias[i] - proximal * centre[i] / scale[i]);
        let bound = |bounds: Vec<f64>| -> Vec<f64> { bounds.iter().zip(&scale).map(|(b, s)| b / s).collect() };
        let (lower, upper) = (bound(lower), bound(upper));
        let x = DVector::from_fn(n, |i, _| 0.0_f64.clamp(lower[i], upper[i]));
        Self {
            w: &scaled * &x + &bias,
            zero: ZERO * bias.amax().max(f64::MIN_POSITIVE),
            matrix: scaled,
            bias,
            lower,
            upper,
            scale,
            x,
            places: vec![Place::Waiting; n],
            clamped: Vec::new(),
            inverse: DMatrix::zeros(0, 0),
            updates: 0,
            failed: false,
        }
    }

    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    pub(super) fn impulses(&self) -> Vec<f64> {
        self.x.iter().zip(&self.scale).map(|(x, s)| x * s).collect()
    }

    /// Settles all rows, those without bounds first, those of no width last. False if a row cannot be settled, takes so
    /// many pivots that it must be going in circles (ties of degenerate rows), or `goes_on`, asked after every pivot, says
    /// no.
    pub(super) fn settle(&mut self, mut goes_on: impl FnMut(&Self) -> bool) -> bool {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|&row| {
            let (free, fixed) = (
                self.lower[row] == f64::NEG_INFINITY && self.upper[row] == f64::INFINITY,
                self.lower[row] == self.upper[row],
            );
            (!free, fixed, row)
        });
        for row in order {
            let mut pivots = 0;
            while !self.rest(row) {
                pivots += 1;
                if pivots > CIRCLING * self.places.len() + 50 || !self.drive(row) || !goes_on(self) {
                    return false;
                }
            }
        }
        self.polish();
        !self.failed && self.x.iter().all(|x| x.is_finite())
    }

    /// Gives a row its place if its law holds where it is.
    fn rest(&mut self, row: usize) -> bool {
        if self.places[row] != Place::Waiting {
            return true;
        }
        let (x, w) = (self.x[row], self.w[row]);
        let place = if x == self.lower[row] && (w >= -self.zero || x == self.upper[row]) {
            Place::Lower
        } else if x == self.upper[row] && w <= self.zero {
            Place::Upper
        } else if w.abs() <= self.zero {
            Place::Clamped
        } else {
            return false;
        };
        if place == Place::Clamped {
            self.clamp(row);
        } else {
            self.places[row] = place;
        }
        true
    }

    /// One pivot towards the law of a row. False if nothing stops it, or not even it moves.
    fn drive(&mut self, row: usize) -> bool {
        let sign = if self.w[row] < 0.0 { 1.0 } else { -1.0 };
        let follow = self.follow(row) * -sign;
        let mut rates: DVector<f64> = self.matrix.column(row) * sign;
        for (k, &other) in self.clamped.iter().enumerate() {
            rates.axpy(follow[k], &self.matrix.column(other), 1.0);
        }
        let (step, event) = match self.first_event(row, sign, &follow, &rates) {
            Some(found) => found,
            None => return false,
        };
        self.x[row] += step * sign;
        for (k, &other) in self.clamped.iter().enumerate() {
            self.x[other] += step * follow[k];
        }
        self.w.axpy(step, &rates, 1.0);
        match event {
            Event::Settled => self.w[row] = 0.0,
            Event::Bound(place) => {
                self.x[row] = self.bound(row, place);
                self.places[row] = place;
            }
            Event::Leaves(other, place) => {
                self.x[other] = self.bound(other, place);
                self.release(other);
                self.places[other] = place;
            }
            Event::Joins(other) => self.clamp(other),
        }
        self.refresh();
        !self.failed
    }

    /// The nearest event, ties in favour of the driven row, then of the least index.
    fn first_event(&self, row: usize, sign: f64, follow: &DVector<f64>, rates: &DVector<f64>) -> Option<(f64, Event)> {
        let mut first: Option<(f64, Event)> = None;
        let mut consider = |step: f64, event: Event| {
            if step.is_finite() && first.is_none_or(|(least, _)| step < least) {
                first = Some((step.max(0.0), event));
            }
        };
        // How fast w goes to zero: the Schur complement of the row, not negative for semidefinite matrices.
        let rate = rates[row] * sign;
        if rate > PIVOT {
            consider(self.w[row].abs() / rate, Event::Settled);
        }
        let towards = if sign > 0.0 { Place::Upper } else { Place::Lower };
        consider((self.bound(row, towards) - self.x[row]) * sign, Event::Bound(towards));
        for (k, &other) in self.clamped.iter().enumerate() {
            let speed = follow[k];
            if speed.abs() > ZERO {
                let place = if speed > 0.0 { Place::Upper } else { Place::Lower };
                let way = (self.bound(other, place) - self.x[other]) / speed;
                consider(way, Event::Leaves(other, place));
            }
        }
        for other in 0..self.places.len() {
            let (w, rate) = (self.w[other], rates[other]);
            if rate.abs() <= ZERO || self.lower[other] == self.upper[other] {
                continue;
            }
            match self.places[other] {
                Place::Lower if rate < 0.0 => consider(w.max(0.0) / -rate, Event::Joins(other)),
                Place::Upper if rate > 0.0 => consider((-w).max(0.0) / rate, Event::Joins(other)),
                _ => {}
            }
        }
        first
    }

    fn bound(&self, row: usize, place: Place) -> f64 {
        if place == Place::Upper {
            self.upper[row]
        } else {
            self.lower[row]
        }
    }

    /// `A_CC⁻¹ A_Ci`.
    fn follow(&self, row: usize) -> DVector<f64> {
        let column = DVector::from_fn(self.clamped.len(), |k, _| self.matrix[(self.clamped[k], row)]);
        &self.inverse * column
    }

    /// Takes a row among the clamped ones.
    fn clamp(&mut self, row: usize) {
        let n = self.clamped.len();
        let column = self.follow(row);
        let line = DVector::from_fn(n, |k, _| self.matrix[(row, self.clamped[k])]);
        let pivot = self.matrix[(row, row)] - line.dot(&column);
        if pivot <= PIVOT {
            self.failed = true;
            return;
        }
        let left = self.inverse.tr_mul(&line);
        let mut inverse = std::mem::replace(&mut self.inverse, DMatrix::zeros(0, 0));
        inverse.ger(1.0 / pivot, &column, &left, 1.0);
        let mut inverse = inverse.resize(n + 1, n + 1, 0.0);
        for k in 0..n {
            inverse[(k, n)] = -column[k] / pivot;
            inverse[(n, k)] = -left[k] / pivot;
        }
        inverse[(n, n)] = 1.0 / pivot;
        self.inverse = inverse;
        self.clamped.push(row);
        self.places[row] = Place::Clamped;
        self.updates += 1;
    }

    /// Takes a row from among the clamped ones.
    fn release(&mut self, row: usize) {
        let Some(k) = self.clamped.iter().position(|&other| other == row) else {
            return;
        };
        let (column, line) = (self.inverse.column(k).into_owned(), self.inverse.row(k).transpose());
        let pivot = self.inverse[(k, k)];
        let mut inverse = std::mem::replace(&mut self.inverse, DMatrix::zeros(0, 0));
        inverse.ger(-1.0 / pivot, &column, &line, 1.0);
        self.inverse = inverse.remove_row(k).remove_column(k);
        self.clamped.remove(k);
        self.updates += 1;
    }

    /// Computes the inverse and the velocities anew when many updates have worn them.
    fn refresh(&mut self) {
        if self.updates < UPDATES {
            return;
        }
        self.updates = 0;
        let n = self.clamped.len();
        let block = DMatrix::from_fn(n, n, |i, j| self.matrix[(self.clamped[i], self.clamped[j])]);
        if let Some(inverse) = block.try_inverse() {
            self.inverse = inverse;
        }
        self.w = &self.matrix * &self.x + &self.bias;
        self.polish();
    }

    /// Newton steps on the clamped rows take rounding out of their velocities.
    fn polish(&mut self) {
        for _ in 0..2 {
            let w = &self.matrix * &self.x + &self.bias;
            let left = DVector::from_fn(self.clamped.len(), |k, _| w[self.clamped[k]]);
            let step = &self.inverse * left;
            for (k, &row) in self.clamped.iter().enumerate() {
                self.x[row] -= step[k];
            }
        }
        self.w = &self.matrix * &self.x + &self.bias;
    }
}

/// s_i = 1/√A_ii; rows with nothing on the diagonal are made as large as their largest entry.
fn scales(matrix: &DMatrix<f64>) -> Vec<f64> {
    let n = matrix.nrows();
    let known: Vec<Option<f64>> = (0..n)
        .map(|row| Some(matrix[(row, row)]).filter(|d| *d > 0.0).map(|d| d.sqrt().recip()))
        .collect();
    let fitting = |row: usize| {
        let largest = (0..n).fold(0.0, |largest: f64, other| {
            largest.max(matrix[(row, other)].abs() * known[other].unwrap_or(1.0))
        });
        if largest > 0.0 { largest.recip() } else { 1.0 }
    };
    (0..n).map(|row| known[row].unwrap_or_else(|| fitting(row))).collect()
}
