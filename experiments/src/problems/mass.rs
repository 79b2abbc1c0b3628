//! The inverse of a mass matrix, piece by piece.
//!
//! Degrees of freedom that M couples, directly or through others, are one piece: a body, a part of it, a whole mesh. Pieces
//! are factorised by themselves, small ones densely, large ones by sparse LU (M need not be symmetric: gyroscopic terms are
//! in it), and `Hᵀ M⁻¹ H` is summed over the pieces, so that it has entries only where two rows share one.

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use nalgebra::{DMatrix, Dyn, LU};

use super::error::ConvertError;
use super::matrix::Matrix;

/// Pieces with more degrees of freedom are factorised sparsely.
const LARGEST_DENSE: usize = 64;

/// Entries of a column of H within a piece: (degree of freedom, value).
type Column = Vec<(usize, f64)>;

/// What is left of M when it is seen through H.
pub(super) struct Reduced {
    /// `Hᵀ M⁻¹ H`, as entries that add up.
    pub(super) matrix: Matrix,
    /// `Hᵀ M⁻¹ f`.
    pub(super) forces: Vec<f64>,
}

/// M, ready to solve with.
pub(super) struct FactorisedMass {
    pieces: Vec<Piece>,
    /// The piece of every degree of freedom, and its index in there.
    place: Vec<(usize, usize)>,
}

struct Piece {
    freedoms: Vec<usize>,
    factor: Factor,
}

enum Factor {
    Dense(LU<f64, Dyn, Dyn>),
    Sparse(Box<faer::sparse::linalg::solvers::Lu<usize, f64>>),
}

impl FactorisedMass {
    /// Finds the pieces of M and factorises them.
    pub(super) fn new(m: &Matrix) -> Result<Self, ConvertError> {
        let n = m.rows;
        let mut parent: Vec<usize> = (0..n).collect();
        for (row, column, value) in m.entries() {
            if value != 0.0 {
                let (a, b) = (root(&mut parent, row), root(&mut parent, column));
                // The smaller index stays the root, so that pieces are in the order of their first members.
                parent[a.max(b)] = a.min(b);
            }
        }
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut place = vec![(0, 0); n];
        for freedom in 0..n {
            let first = root(&mut parent, freedom);
            if first == freedom {
                members.push(Vec::new());
                place[freedom].0 = members.len() - 1;
            }
            let piece = place[first].0;
            place[freedom] = (piece, members[piece].len());
            members[piece].push(freedom);
        }
        let mut entries: Vec<Vec<(usize, usize, f64)>> = vec![Vec::new(); members.len()];
        for (row, column, value) in m.entries() {
            if value != 0.0 {
                entries[place[row].0].push((place[row].1, place[column].1, value));
            }
        }
        let piece = |(freedoms, entries): (Vec<usize>, Vec<_>)| {
            let factor = factorise(freedoms.len(), &entries).ok_or(ConvertError::SingularMass(freedoms[0]))?;
            Ok(Piece { freedoms, factor })
        };
        let pieces = members
            .into_iter()
            .zip(entries)
            .map(piece)
            .collect::<Result<_, ConvertError>>()?;
        Ok(Self { pieces, place })
    }

    /// `Hᵀ M⁻¹ H` and `Hᵀ M⁻¹ f`, with the columns of H given one by one.
    pub(super) fn reduce(&self, columns: &[Column], f: &[f64]) -> Result<Reduced, ConvertError> {
        // For every piece the columns of H that reach into it, with their entries there.
        let mut reaching: Vec<Vec<(usize, Column)>> = vec![Vec::new(); self.pieces.len()];
        for (column, entries) in columns.iter().enumerate() {
            for &(freedom, value) in entries {
                let (piece, local) = self.place[freedom];
                match reaching[piece].last_mut() {
                    Some((last, entries)) if *last == column => entries.push((local, value)),
                    _ => reaching[piece].push((column, vec![(local, value)])),
                }
            }
        }
        let mut products = Vec::new();
        let mut forces = vec![0.0; columns.len()];
        for (piece, reaching) in self.pieces.iter().zip(&reaching) {
            if reaching.is_empty() {
                continue;
            }
            // Right-hand sides: the columns of H, and f last.
            let mut right = DMatrix::zeros(piece.freedoms.len(), reaching.len() + 1);
            for (k, (_, entries)) in reaching.iter().enumerate() {
                entries.iter().for_each(|&(local, value)| right[(local, k)] += value);
            }
            for (local, &freedom) in piece.freedoms.iter().enumerate() {
                right[(local, reaching.len())] = f[freedom];
            }
            let solved = piece.solve(&right)?;
            for (row, entries) in reaching {
                let product = |k: usize| {
                    entries
                        .iter()
                        .map(|&(local, value)| value * solved[(local, k)])
                        .sum::<f64>()
                };
                products.extend(
                    reaching
                        .iter()
                        .enumerate()
                        .map(|(k, (column, _))| (*row, *column, product(k))),
                );
                forces[*row] += product(reaching.len());
            }
        }
        let matrix = Matrix::from_triplets(columns.len(), columns.len(), products);
        Ok(Reduced { matrix, forces })
    }
}

impl Piece {
    fn solve(&self, right: &DMatrix<f64>) -> Result<DMatrix<f64>, ConvertError> {
        let solved = match &self.factor {
            Factor::Dense(lu) => lu.solve(right),
            Factor::Sparse(lu) => {
                let right = faer::Mat::from_fn(right.nrows(), right.ncols(), |i, j| right[(i, j)]);
                let solved = lu.solve(&right);
                Some(DMatrix::from_fn(solved.nrows(), solved.ncols(), |i, j| solved[(i, j)]))
            }
        };
        solved
            .filter(|solved| solved.iter().all(|x| x.is_finite()))
            .ok_or(ConvertError::SingularMass(self.freedoms[0]))
    }
}

fn factorise(n: usize, entries: &[(usize, usize, f64)]) -> Option<Factor> {
    if n <= LARGEST_DENSE {
        let mut dense = DMatrix::zeros(n, n);
        entries.iter().for_each(|&(i, j, x)| dense[(i, j)] += x);
        let lu = dense.lu();
        return lu.is_invertible().then_some(Factor::Dense(lu));
    }
    let triplets: Vec<_> = entries
        .iter()
        .map(|&(row, col, val)| Triplet { row, col, val })
        .collect();
    let sparse = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &triplets).ok()?;
    Some(Factor::Sparse(Box::new(sparse.sp_lu().ok()?)))
}

/// The root of a degree of freedom's tree, halving the path to it.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}
