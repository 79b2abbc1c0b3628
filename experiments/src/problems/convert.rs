//! From what a file holds to what a solver takes, `w = A λ + b` with a cone a block.
//!
//! Contacts become friction or rolling blocks, complementary rows blocks of one row each, bounds intervals (w ≥ 0 at
//! the lower one, as in the normal cone of the files), equality rows free blocks as large as the file has them.

use drystone_solver::{BlockMatrix, Cone, Problem};

use super::*;

impl StoredProblem {
    /// As a solver's problem. Unknowns are in the order of the file; of a global problem the impulses of the contacts come
    /// first, then those of the equality rows. Rigid bodies stay matrix-free, everything else becomes a sparse matrix.
    pub fn to_problem(&self) -> Result<Problem, ConvertError> {
        match &self.content {
            Content::Local(local) => local.to_problem(),
            Content::Global(global) => global.to_problem(),
            Content::Lcp(Lcp { m, q }) => explicit(m, q, vec![(1, Cone::NonNegative); q.len()]),
            Content::MixedLcp(mixed) => mixed.to_problem(),
            Content::Relay(Relay { m, q, lower, upper }) => {
                let interval = |(&lower, &upper): (&f64, &f64)| (1, Cone::Interval { lower, upper });
                explicit(m, q, lower.iter().zip(upper).map(interval).collect())
            }
            Content::Mechanical(mechanical) => mechanical.to_problem(),
            Content::Native(native) => native.to_problem(),
        }
    }
}

/// The cone of every contact, with its number of rows.
pub(super) fn contact_cones(dimension: usize, mu: &[f64], mu_r: Option<&[f64]>) -> Vec<(usize, Cone)> {
    let cone = |contact: usize| match mu_r {
        Some(mu_r) => Cone::Rolling {
            friction: mu[contact],
            rolling: mu_r[contact],
        },
        None => Cone::Friction {
            coefficient: mu[contact],
        },
    };
    (0..mu.len()).map(|contact| (dimension, cone(contact))).collect()
}

/// A problem with an explicit matrix, cut into blocks.
pub(super) fn explicit(matrix: &Matrix, bias: &[f64], blocks: Vec<(usize, Cone)>) -> Result<Problem, ConvertError> {
    let (sizes, cones): (Vec<usize>, Vec<Cone>) = blocks.into_iter().filter(|(size, _)| *size > 0).unzip();
    let matrix = BlockMatrix::from_csr(&matrix.to_csr(), &sizes)?;
    Ok(Problem::from_matrix(matrix, bias.to_vec(), &cones)?)
}

/// Rows of one law: equality rows together, complementary ones by themselves.
fn rows(count: usize, complementary: bool) -> impl Iterator<Item = (usize, Cone)> {
    let (blocks, block) = if complementary {
        (count, (1, Cone::NonNegative))
    } else {
        (1, (count, Cone::Free))
    };
    std::iter::repeat_n(block, blocks)
}

impl Local {
    fn to_problem(&self) -> Result<Problem, ConvertError> {
        explicit(
            &self.w,
            &self.q,
            contact_cones(self.dimension, &self.mu, self.mu_r.as_deref()),
        )
    }
}

impl MixedLcp {
    /// Of the one matrix if it is square, else of the four, which leave redundant equalities out.
    fn to_problem(&self) -> Result<Problem, ConvertError> {
        if let Some(joined) = self.joined.as_ref().filter(|joined| joined.m.rows == joined.m.columns) {
            let sizes = joined.starts.windows(2).map(|pair| pair[1] - pair[0]);
            let blocks = sizes
                .zip(&joined.complementary)
                .flat_map(|(size, &kind)| rows(size, kind));
            return explicit(&joined.m, &joined.q, blocks.collect());
        }
        let Some(split) = &self.split else {
            return Err(ConvertError::Shape(
                "the mixed LCP has more equations than unknowns".into(),
            ));
        };
        let (n, m) = (self.equalities, self.inequalities);
        let parts = [
            (&split.a_matrix, n, 0, 0),
            (&split.c_matrix, m, 0, n),
            (&split.d_matrix, n, n, 0),
            (&split.b_matrix, m, n, n),
        ];
        let entries = parts.into_iter().flat_map(|(values, width, top, left)| {
            let place = move |(k, &value): (usize, &f64)| (top + k / width, left + k % width, value);
            values.iter().enumerate().map(place)
        });
        let matrix = Matrix::from_triplets(n + m, n + m, entries);
        explicit(
            &matrix,
            &[split.a.as_slice(), &split.b].concat(),
            rows(n, false).chain(rows(m, true)).collect(),
        )
    }
}

impl Mechanical {
    fn to_problem(&self) -> Result<Problem, ConvertError> {
        let Storage::Blocks(Blocks { row_ends, .. }) = &self.m.storage else {
            return Err(ConvertError::Shape(
                "the matrix of a mechanical problem is not in blocks".into(),
            ));
        };
        let blocks = self.laws.iter().enumerate().flat_map(|(block, law)| {
            let (first, end) = Blocks::span(row_ends, block);
            match *law {
                Law::Complementarity => rows(end - first, true).collect::<Vec<_>>(),
                Law::Equality => rows(end - first, false).collect(),
                Law::Friction(coefficient) => vec![(end - first, Cone::Friction { coefficient })],
            }
        });
        explicit(&self.m, &self.q, blocks.collect())
    }
}
