//! What files hold, kind by kind, with the names their formats use.

use super::matrix::Matrix;
use super::native::NativeProblem;

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Contacts, with the Delassus matrix.
    Local(Local),
    /// Contacts, with masses and directions.
    Global(Global),
    /// A linear complementarity problem.
    Lcp(Lcp),
    /// One with equality rows.
    MixedLcp(MixedLcp),
    /// One with bounds on both sides.
    Relay(Relay),
    /// Equality rows, inequality rows and contacts side by side.
    Mechanical(Mechanical),
    /// A problem as our solvers see it.
    Native(NativeProblem),
}

/// A kind of [`Content`], to tell the reader of a text what to expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// [`Content::Local`].
    Local,
    /// [`Content::Global`].
    Global,
    /// [`Content::Lcp`].
    Lcp,
    /// [`Content::MixedLcp`].
    MixedLcp,
    /// [`Content::Relay`].
    Relay,
    /// [`Content::Mechanical`].
    Mechanical,
    /// [`Content::Native`].
    Native,
}

impl Kind {
    /// In words, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local friction problem",
            Self::Global => "global friction problem",
            Self::Lcp => "LCP",
            Self::MixedLcp => "mixed LCP",
            Self::Relay => "relay problem",
            Self::Mechanical => "mechanical problem",
            Self::Native => "native problem",
        }
    }
}

impl Content {
    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Local(_) => Kind::Local,
            Self::Global(_) => Kind::Global,
            Self::Lcp(_) => Kind::Lcp,
            Self::MixedLcp(_) => Kind::MixedLcp,
            Self::Relay(_) => Kind::Relay,
            Self::Mechanical(_) => Kind::Mechanical,
            Self::Native(_) => Kind::Native,
        }
    }
}

/// `u = W r + q` with a friction cone a contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// Rows a contact: 2 or 3, or 5 with rolling friction (n, t1, t2, roll1, roll2).
    pub dimension: usize,
    /// W; it need not be symmetric.
    pub w: Matrix,
    /// q.
    pub q: Vec<f64>,
    /// Coulomb's μ, one a contact.
    pub mu: Vec<f64>,
    /// Rolling friction, one a contact, m; there if the dimension is 5.
    pub mu_r: Option<Vec<f64>>,
}

/// `M v = H r + G l + f`, `u = Hᵀ v + w`, `Gᵀ v + b = 0` with a friction cone a contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// Rows a contact: 2 or 3, or 5 with rolling friction.
    pub dimension: usize,
    /// M; it need not be symmetric.
    pub m: Matrix,
    /// H, the transposed Jacobian: a column for every row of a contact.
    pub h: Matrix,
    /// G and b, if there are equality rows.
    pub equality: Option<Equality>,
    /// f.
    pub f: Vec<f64>,
    /// w.
    pub w: Vec<f64>,
    /// Coulomb's μ, one a contact.
    pub mu: Vec<f64>,
    /// Rolling friction, one a contact, m; there if the dimension is 5.
    pub mu_r: Option<Vec<f64>>,
}

/// `Gᵀ v + b = 0`.
#[derive(Debug, Clone, PartialEq)]
pub struct Equality {
    /// G: a column for every equality.
    pub g: Matrix,
    /// b.
    pub b: Vec<f64>,
}

/// `w = M z + q`, `0 ≤ z ⊥ w ≥ 0`.
#[derive(Debug, Clone, PartialEq)]
pub struct Lcp {
    /// M.
    pub m: Matrix,
    /// q.
    pub q: Vec<f64>,
}

/// A mixed LCP in one or both of the forms its files have.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedLcp {
    /// Number of equalities, n.
    pub equalities: usize,
    /// Number of inequalities, m.
    pub inequalities: usize,
    /// As one matrix.
    pub joined: Option<Joined>,
    /// As four.
    pub split: Option<Split>,
}

/// `w = M z + q` with blocks of rows that are equalities (`w = 0`, z free) or complementary.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// First row of every block, and n + m at the end.
    pub starts: Vec<usize>,
    /// Whether a block's rows are complementary.
    pub complementary: Vec<bool>,
    /// M; with more rows than columns in files that hold redundant equalities.
    pub m: Matrix,
    /// q, one a *column* of M.
    pub q: Vec<f64>,
}

/// `A u + C v + a = 0`, `w = D u + B v + b`, `0 ≤ v ⊥ w ≥ 0`; all of them row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// n×n.
    pub a_matrix: Vec<f64>,
    /// m×m.
    pub b_matrix: Vec<f64>,
    /// n×m.
    pub c_matrix: Vec<f64>,
    /// m×n.
    pub d_matrix: Vec<f64>,
    /// n.
    pub a: Vec<f64>,
    /// m.
    pub b: Vec<f64>,
}

/// `−(M z + q) ∈ N_[lower, upper](z)`: w is 0 inside, ≥ 0 at the lower bound and ≤ 0 at the upper.
#[derive(Debug, Clone, PartialEq)]
pub struct Relay {
    /// M.
    pub m: Matrix,
    /// q.
    pub q: Vec<f64>,
    /// Lower bounds; may be −∞.
    pub lower: Vec<f64>,
    /// Upper bounds; may be ∞.
    pub upper: Vec<f64>,
}

/// `w = M z + q` with a law for every block row of M.
#[derive(Debug, Clone, PartialEq)]
pub struct Mechanical {
    /// M, in blocks.
    pub m: Matrix,
    /// q.
    pub q: Vec<f64>,
    /// One law a block row.
    pub laws: Vec<Law>,
}

/// The law of a block row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Kind 0: `0 ≤ z ⊥ w ≥ 0`.
    Complementarity,
    /// Kind 2: `w = 0`.
    Equality,
    /// Kind 4: a contact of three rows with Coulomb's μ.
    Friction(f64),
}
