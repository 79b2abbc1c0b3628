//! Things by name. A method is entered once, and then the program lists it, reads its options, and the contract tests
//! run it. Solvers are here; steppers use the same [`Entry`] in the crate that has them.
//!
//! Every family of solvers keeps its own list of entries beside its code. A solver from outside is entered with
//! [`register`] and is from then on like any other.

use std::fmt;
use std::sync::{OnceLock, PoisonError, RwLock};

use crate::solve::Solver;
use crate::spec::{Configure, OptionInfo, Spec, SpecError, nearest};
use crate::{convex, gradient, hybrid, interior, newton, operator_splitting, pivoting, splitting};

/// Something that can be made by name, as it is listed for people.
pub struct Entry<T: ?Sized + 'static, C = &'static str> {
    /// The name in specs.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What it takes.
    pub takes: C,
    /// Where it comes from.
    pub reference: &'static str,
    /// Makes one with default options.
    pub make: fn() -> Box<T>,
}

/// A solver of the registry.
pub type SolverEntry = Entry<dyn Solver, Class>;

/// What a solver takes, and what can be asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// The family it belongs to, such as "splitting".
    pub family: &'static str,
    /// How it meets friction. All solvers take free rows, rows of one sign and rows between bounds.
    pub friction: FrictionLaw,
    /// Which matrices it is made for.
    pub matrix: MatrixKind,
    /// How near to a solution it comes.
    pub accuracy: Accuracy,
}

/// How a solver meets friction blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Coulomb's law, in space and in the plane.
    Coulomb,
    /// The convex relaxation of it.
    Relaxed,
    /// Coulomb's law with the cone replaced by a pyramid.
    Pyramid,
    /// Each tangent bounded by itself, with limits that follow the normal impulse.
    Box,
    /// It does not take them.
    None,
}

/// Which matrices a solver is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    /// Any, also without symmetry and with nothing on the diagonal.
    Any,
    /// Any with positive diagonal.
    PositiveDiagonal,
    /// Symmetric and positive semidefinite.
    Symmetric,
}

/// How near to a solution a solver comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accuracy {
    /// To 1e-8 of the common residual and better, on every problem of its class.
    Exact,
    /// As near as its iterations carry; ill-conditioned problems take very many.
    Iterative,
}

impl Class {
    /// What matters to who chooses: `splitting; Coulomb friction; any matrix with positive diagonal`.
    fn describe(&self) -> String {
        let friction = match self.friction {
            FrictionLaw::Coulomb => "Coulomb friction",
            FrictionLaw::Relaxed => "relaxed (convex) friction",
            FrictionLaw::Pyramid => "friction pyramid",
            FrictionLaw::Box => "box friction",
            FrictionLaw::None => "no friction",
        };
        let matrix = match self.matrix {
            MatrixKind::Any => "any matrix",
            MatrixKind::PositiveDiagonal => "any matrix with positive diagonal",
            MatrixKind::Symmetric => "symmetric matrices",
        };
        let accuracy = match self.accuracy {
            Accuracy::Exact => "exact",
            Accuracy::Iterative => "iterative",
        };
        format!("{}, {accuracy}; {friction}; {matrix}", self.family)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl<T: Configure + ?Sized, C> Entry<T, C> {
    /// Its options with their defaults.
    pub fn options(&self) -> Vec<OptionInfo> {
        (self.make)().options()
    }
}

impl<T: ?Sized, C> fmt::Debug for Entry<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Makes what a spec names, with its options set. `kind` is what the entries are called in an error.
pub fn make<'a, T: Configure + ?Sized + 'static, C: 'a>(
    kind: &'static str,
    entries: impl IntoIterator<Item = &'a Entry<T, C>>,
    spec: &Spec,
) -> Result<Box<T>, SpecError> {
    let mut names = Vec::new();
    for entry in entries {
        if entry.name == spec.name {
            let mut made = (entry.make)();
            spec.apply_to(made.as_mut())?;
            return Ok(made);
        }
        names.push(entry.name);
    }
    Err(SpecError::UnknownName {
        kind,
        name: spec.name.clone(),
        nearest: nearest(&spec.name, names).map(str::to_owned),
    })
}

/// The lists of the families, in the order they are shown.
static FAMILIES: &[&[SolverEntry]] = &[
    splitting::ENTRIES,
    gradient::ENTRIES,
    pivoting::ENTRIES,
    newton::ENTRIES,
    interior::ENTRIES,
    operator_splitting::ENTRIES,
    convex::ENTRIES,
    hybrid::ENTRIES,
];

/// Those entered from outside.
static REGISTERED: OnceLock<RwLock<Vec<&'static SolverEntry>>> = OnceLock::new();

/// All solvers, in the order they are listed.
pub fn solvers() -> Vec<&'static SolverEntry> {
    let registered = REGISTERED.get_or_init(RwLock::default);
    let registered = registered.read().unwrap_or_else(PoisonError::into_inner);
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .chain(registered.iter().copied())
        .collect()
}

/// Enters a solver of one's own; every command and test then knows it. A name that is taken is refused.
///
/// ```
/// # use drystone_solver::registry::{self, Accuracy, Class, Entry, FrictionLaw, MatrixKind};
/// # use drystone_solver::splitting::GaussSeidel;
/// registry::register(Entry {
///     name: "my-solver",
///     summary: "what it does, in a line",
///     takes: Class {
///         family: "mine",
///         friction: FrictionLaw::Coulomb,
///         matrix: MatrixKind::PositiveDiagonal,
///         accuracy: Accuracy::Iterative,
///     },
///     reference: "the paper",
///     make: || Box::new(GaussSeidel::default()),
/// })?;
/// assert!(registry::solver(&"my-solver".parse()?).is_ok());
/// # Ok::<(), drystone_solver::spec::SpecError>(())
/// ```
pub fn register(entry: SolverEntry) -> Result<(), SpecError> {
    if solvers().iter().any(|known| known.name == entry.name) {
        return Err(SpecError::Invalid {
            owner: entry.name.to_owned(),
            message: "a solver of this name is already registered".into(),
        });
    }
    let registered = REGISTERED.get_or_init(RwLock::default);
    // Entries are few and live as long as the program.
    let entry: &'static SolverEntry = Box::leak(Box::new(entry));
    registered.write().unwrap_or_else(PoisonError::into_inner).push(entry);
    Ok(())
}

/// The solver of a spec such as `pgs:iterations=100`.
pub fn solver(spec: &Spec) -> Result<Box<dyn Solver>, SpecError> {
    make("solver", solvers(), spec)
}
