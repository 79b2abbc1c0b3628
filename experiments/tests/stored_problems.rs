//! Every stored problem there is: it is recognised, reads back equal after it was written, and becomes a solver's problem
//! whose numbers agree with solutions that other programs found.
//!
//! The collection is not part of the repository. It is looked for beside the workspace, or where `DRYSTONE_DATA` says; a
//! few files of our own are, and are always tested.

mod common;

use std::path::{Path, PathBuf};

use common::{collection, own_problems};
use drystone_experiments::problems::{self, Content, Global, Kind};
use drystone_solver::{Cone, Context, Operator, Problem, Residuals, registry};
use nalgebra::{DMatrix, DVector};

/// Every problem file in a folder and its subfolders, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path
                .extension()
                .and_then(|extension| extension.to_str())
                .unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["dat", "hdf5", "json"].contains(&extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn all_files() -> Vec<PathBuf> {
    let mut found = files(&own_problems());
    assert!(found.len() >= 5);
    found.extend(collection().iter().flat_map(|folder| files(folder)));
    found
}

fn folder_of(path: &Path) -> String {
    path.parent()
        .and_then(Path::file_name)
        .unwrap()
        .to_string_lossy()
        .into_owned()
}

/// What the folders of the collection hold.
fn expected_kind(path: &Path) -> Kind {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    match folder_of(path).as_str() {
        "fc2d" | "fc3d" => Kind::Local,
        // Its name notwithstanding: W is all there is.
        "gfc3d" if name.ends_with("condensed.dat") => Kind::Local,
        "rolling" if name.starts_with("GRFC") || name.starts_with("Chute") => Kind::Global,
        "rolling" => Kind::Local,
        "gfc2d" | "gfc3d" | "generated" | "problems" => Kind::Global,
        "lcp" => Kind::Lcp,
        "mlcp" => Kind::MixedLcp,
        "relay" => Kind::Relay,
        "gmp" => Kind::Mechanical,
        other => panic!("{other}"),
    }
}

#[test]
fn every_file_is_recognised_and_reads_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    for path in all_files() {
        let shown = path.display();
        let problem = problems::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(problem.content.kind(), expected_kind(&path), "{shown}");
        let again = folder.path().join(path.file_name().unwrap());
        problems::write(&problem, &again).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            problems::read(&again).unwrap_or_else(|error| panic!("{error}")),
            problem,
            "{shown}"
        );
        // Away from its folder and under another name it is still what it is.
        let strange = folder
            .path()
            .join(format!("strange.{}", path.extension().unwrap().to_str().unwrap()));
        std::fs::copy(&path, &strange).unwrap();
        let renamed = problems::read(&strange).unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert_eq!(renamed.content, problem.content, "{shown}");
    }
}

/// Numbers separated by commas, after a line of names.
fn table(path: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| line.split(',').map(|field| field.parse().unwrap()).collect())
        .collect()
}

/// Impulses and velocities of a table of contacts.
fn reference(path: &Path) -> (Vec<f64>, Vec<f64>) {
    let rows = table(path);
    let half = |which: usize| {
        rows.iter()
            .flat_map(move |row| row.chunks(row.len() / 2).nth(which).unwrap())
            .copied()
    };
    (half(0).collect(), half(1).collect())
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
}

/// `w = A λ + b`.
fn velocities(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut velocities);
    velocities
}

/// References hold r and u as other programs found them, so `u = W r + q` ties every number of W and q to them: a
/// transpose, a wrong order of the columns or a wrong sign all show. The largest errors, of 1e-11, are where masses differ by
/// 10⁴ and the terms that add up to u are that much larger than u.
#[test]
fn velocities_of_reference_solutions_follow_from_their_impulses() {
    let folder = collection();
    let mut seen = 0;
    for path in all_files() {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let beside = path.with_file_name(format!("{file}.csv"));
        let apart = folder
            .as_ref()
            .map(|folder| folder.join(format!("reference/{file}.csv")));
        let Some(reference_file) = [Some(beside), apart].into_iter().flatten().find(|path| path.exists()) else {
            continue;
        };
        let problem = problems::read(&path)
            .unwrap()
            .to_problem()
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let (r, u) = reference(&reference_file);
        let scale = largest(&problem.bias).max(largest(&u));
        let error = difference(&velocities(&problem, &r), &u);
        assert!(error <= 1e-10 * scale, "{file}: {error:e} of {scale:e}");
        seen += 1;
    }
    assert!(seen >= if folder.is_some() { 75 } else { 5 }, "{seen}");
}

fn dense(problem: &Problem) -> DMatrix<f64> {
    problem.assembled().unwrap().to_dense()
}

/// One path inverts 3×3 inertias and multiplies rows of twelve numbers, the other factorises all of M.
#[test]
fn rigid_bodies_and_assembled_matrices_agree() {
    let mut rigid_files = 0;
    for path in all_files() {
        let Content::Global(global) = problems::read(&path).unwrap().content else {
            continue;
        };
        let Some(rigid) = global.rigid().unwrap() else { continue };
        assert!(matches!(rigid.operator, Operator::RigidBodies(_)));
        let assembled = global.assembled().unwrap();
        assert_eq!(rigid.blocks.len(), assembled.blocks.len());
        // Random impulses see every entry; the largest problems would take too long densely.
        let impulses: Vec<f64> = (0..rigid.rows()).map(|k| (0.7 + 1.3 * k as f64).sin()).collect();
        let (one, other) = (velocities(&rigid, &impulses), velocities(&assembled, &impulses));
        assert!(difference(&one, &other) <= 1e-12 * largest(&one), "{}", path.display());
        if rigid.rows() < 200 {
            let (one, other) = (dense(&rigid), dense(&assembled));
            assert!((&one - &other).amax() <= 1e-12 * one.amax(), "{}", path.display());
        }
        rigid_files += 1;
    }
    // All of our own but those with gyroscopic terms in M.
    assert!(rigid_files >= 3, "{rigid_files}");
}

/// z ≥ 0, w ≥ 0 and z ⊥ w, in the solutions that came with the collection.
#[test]
fn lcp_solutions_solve_what_was_read() {
    let Some(folder) = collection() else { return };
    let text = std::fs::read_to_string(folder.join("reference/lcp-solutions.csv")).unwrap();
    let mut seen = 0;
    for line in text.lines().skip(1) {
        let (file, numbers) = line.split_once(',').unwrap();
        let numbers: Vec<f64> = numbers.split(',').map(|field| field.parse().unwrap()).collect();
        let (residual, z) = (numbers[0], &numbers[1..]);
        let problem = problems::read(folder.join("lcp").join(file))
            .unwrap()
            .to_problem()
            .unwrap();
        assert!(
            problem
                .blocks
                .iter()
                .all(|block| block.len == 1 && block.cone == Cone::NonNegative)
        );
        let w = velocities(&problem, z);
        let worst = z
            .iter()
            .zip(&w)
            .fold(0.0_f64, |worst, (z, w)| worst.max(z.min(*w).abs()));
        assert!(
            worst <= 1.1 * residual + 1e-12 * largest(&problem.bias),
            "{file}: {worst:e}, not {residual:e}"
        );
        seen += 1;
    }
    assert!(seen >= 12, "{seen}");
}

/// All solutions of a problem of free and complementary rows, by trying which of the latter act: 2^m linear systems.
fn enumerate(problem: &Problem) -> Vec<Vec<f64>> {
    let a = dense(problem);
    let b = DVector::from_column_slice(&problem.bias);
    let complementary: Vec<usize> = (problem.blocks.iter())
        .flat_map(|block| block.rows().filter(|_| block.cone == Cone::NonNegative))
        .collect();
    let mut solutions = Vec::new();
    for choice in 0..1_usize << complementary.len() {
        let idle = |row: usize| {
            complementary
                .iter()
                .position(|&k| k == row)
                .is_some_and(|k| choice >> k & 1 == 0)
        };
        let acting: Vec<usize> = (0..problem.rows()).filter(|&row| !idle(row)).collect();
        let part = a.select_rows(&acting).select_columns(&acting);
        let Some(x) = part.lu().solve(&-b.select_rows(&acting)) else {
            continue;
        };
        let mut z = vec![0.0; problem.rows()];
        acting.iter().zip(&x).for_each(|(&row, &value)| z[row] = value);
        let w = velocities(problem, &z);
        let tolerance = 1e-9 * (1.0 + largest(&z).max(largest(&w)));
        if complementary
            .iter()
            .all(|&row| z[row] >= -tolerance && w[row] >= -tolerance)
        {
            solutions.push(z);
        }
    }
    solutions
}

#[test]
fn mixed_lcps_are_the_same_in_both_forms_and_have_the_solutions_that_follow_them() {
    let Some(folder) = collection() else { return };
    let (mut compared, mut solved) = (0, 0);
    for path in files(&folder.join("mlcp")) {
        let stored = problems::read(&path).unwrap();
        let problem = stored.to_problem().unwrap();
        let Content::MixedLcp(mixed) = &stored.content else {
            panic!("{}", path.display())
        };
        let (n, m) = (mixed.equalities, mixed.inequalities);
        assert_eq!(problem.rows(), n + m);
        // The one matrix is stored by columns, the four by rows: what agrees was read in the right order.
        let joined = mixed.joined.as_ref().unwrap();
        if joined.m.rows == joined.m.columns {
            let mut split = stored.clone();
            let Content::MixedLcp(only) = &mut split.content else {
                panic!()
            };
            only.joined = None;
            let split = split.to_problem().unwrap();
            assert_eq!(dense(&split), dense(&problem), "{}", path.display());
            assert_eq!(split.bias, problem.bias);
            compared += 1;
        }
        // v and w, where a file ends with them.
        let found: Vec<f64> = stored
            .remarks
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        if m <= 4 {
            let solutions = enumerate(&problem);
            assert!(!solutions.is_empty(), "{}", path.display());
            if found.len() == 2 * m {
                let is_found = |z: &Vec<f64>| {
                    let w = velocities(&problem, z);
                    // They have few digits: one is 5 where 1 + 3 · 1.3333 is 4.9999.
                    difference(&z[n..], &found[..m]) < 2e-4 && difference(&w[n..], &found[m..]) < 2e-4
                };
                assert!(
                    solutions.iter().any(is_found),
                    "{}: {solutions:?} {found:?}",
                    path.display()
                );
                solved += 1;
            }
        }
    }
    assert!(compared >= 10 && solved >= 2, "{compared} {solved}");
}

/// Murty's least-index pivoting with bounds on both sides: guess which rows are at which bound, solve the others, and
/// correct the first row that is wrong. It ends for P-matrices.
fn pivot(m: &DMatrix<f64>, q: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    let n = q.len();
    let mut at: Vec<Option<f64>> = vec![None; n];
    for _ in 0..100_000 {
        let mut z = DVector::from_iterator(n, at.iter().map(|bound| bound.unwrap_or(0.0)));
        let free: Vec<usize> = (0..n).filter(|&row| at[row].is_none()).collect();
        if !free.is_empty() {
            let right = -(m * &z + DVector::from_column_slice(q)).select_rows(&free);
            let part = m.select_rows(&free).select_columns(&free);
            let x = part.lu().solve(&right).unwrap();
            free.iter().zip(&x).for_each(|(&row, &value)| z[row] = value);
        }
        let w = m * &z + DVector::from_column_slice(q);
        let better = |row: usize| match at[row] {
            None if z[row] < lower[row] => Some(Some(lower[row])),
            None if z[row] > upper[row] => Some(Some(upper[row])),
            Some(bound) if bound == lower[row] && w[row] < 0.0 => Some(None),
            Some(bound) if bound == upper[row] && w[row] > 0.0 => Some(None),
            _ => None,
        };
        match (0..n).find_map(|row| better(row).map(|state| (row, state))) {
            Some((row, state)) => at[row] = state,
            None => return z.as_slice().to_vec(),
        }
    }
    panic!("no solution found");
}

#[test]
fn relays_and_mechanical_problems_become_what_solves() {
    let Some(folder) = collection() else { return };
    for path in files(&folder.join("relay")) {
        let stored = problems::read(&path).unwrap();
        let Content::Relay(relay) = &stored.content else {
            panic!("{}", path.display())
        };
        let problem = stored.to_problem().unwrap();
        let m = relay.m.to_dense();
        if m.is_identity(0.0) {
            // −(z + q) in the normal cone of an interval at z: z is the point of the interval nearest to −q.
            let z: Vec<f64> = (0..relay.q.len())
                .map(|k| (-relay.q[k]).clamp(relay.lower[k], relay.upper[k]))
                .collect();
            assert_eq!(Residuals::of(&problem, &z).natural, 0.0, "{}", path.display());
        } else {
            let z = pivot(&m, &relay.q, &relay.lower, &relay.upper);
            let scale = largest(&relay.q).max(m.amax() * largest(&z));
            let residual = Residuals::of(&problem, &z).natural;
            assert!(
                residual < 1e-12 * scale,
                "{}: {residual:e} of {scale:e}",
                path.display()
            );
        }
    }
    for path in files(&folder.join("gmp")) {
        let problem = problems::read(&path).unwrap().to_problem().unwrap();
        let contacts = problem.blocks.iter().filter(|block| block.cone.is_contact()).count();
        if contacts == 0 {
            // Six digits leave the solution of equality rows only nearly singular, but there is one.
            assert!(!enumerate(&problem).is_empty(), "{}", path.display());
        } else {
            let solver = registry::solver(&"pgs:iterations=20000,friction=cone".parse().unwrap()).unwrap();
            let mut z = vec![0.0; problem.rows()];
            solver.solve(&problem, &mut z, &mut Context::default()).unwrap();
            let residual = Residuals::of(&problem, &z).natural;
            assert!(
                residual < 1e-9 * largest(&problem.bias),
                "{}: {residual:e}",
                path.display()
            );
        }
    }
}

/// A bead on a rod through the origin, `Gᵀ v = 0` for the two directions across it, meets the ground, in both conversions.
#[test]
fn equality_rows_become_free_blocks() {
    use problems::{Equality, Matrix};
    let mass = 2.0;
    let diagonal = |values: [f64; 6]| Matrix::from_triplets(6, 6, (0..6).map(|k| (k, k, values[k])));
    // The rod lies in the plane y = 0, 45° up; across it are y and (1, 0, −1)/√2.
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let g = Matrix::from_triplets(6, 2, [(1, 0, 1.0), (0, 1, s), (2, 1, -s)]);
    let h = Matrix::from_triplets(6, 3, [(2, 0, 1.0), (0, 1, 1.0), (1, 2, 1.0)]);
    let global = Global {
        dimension: 3,
        m: diagonal([mass, mass, mass, 1.0, 2.0, 3.0]),
        h,
        equality: Some(Equality { g, b: vec![0.0, 0.0] }),
        // Falling along the rod with 1 m/s both ways.
        f: vec![-mass, 0.0, -mass, 0.0, 0.0, 0.0],
        w: vec![0.0; 3],
        mu: vec![0.0],
        mu_r: None,
    };
    let rigid = global.rigid().unwrap().unwrap();
    assert_eq!(rigid.blocks.len(), 2);
    assert_eq!((rigid.blocks[1].len, rigid.blocks[1].cone), (2, Cone::Free));
    let assembled = global.assembled().unwrap();
    assert!((dense(&rigid) - dense(&assembled)).amax() < 1e-15);
    // Only along the rod can it move, so the ground must stop all of it: r_n acts through cos 45°, and √2 m/s along the
    // rod is m √2 / cos 45° = 2 m. The rod takes what is left, across it: r_n sin 45°.
    let r = 2.0 * mass;
    for (problem, impulses) in [
        (&rigid, [r, 0.0, 0.0, 0.0, r * s]),
        (&assembled, [r, 0.0, 0.0, 0.0, r * s]),
    ] {
        let w = velocities(problem, &impulses);
        assert!(largest(&w) < 1e-15, "{w:?}");
    }
}

/// From one format to the next and back the numbers stay.
#[test]
fn formats_convert_into_each_other() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(&own_problems()) {
        let stored = problems::read(&path).unwrap();
        let problem = stored.to_problem().unwrap();
        let impulses: Vec<f64> = (0..problem.rows()).map(|k| (0.3 + k as f64).cos()).collect();
        let expected = velocities(&problem, &impulses);
        let mut local = stored.clone();
        local.content = problems::dump::fclib_content(&problem.explicit().unwrap()).unwrap();
        assert_eq!(local.content.kind(), Kind::Local);
        for (given, file) in [
            (&stored, "a.dat"),
            (&stored, "a.json"),
            (&local, "b.hdf5"),
            (&local, "b.dat"),
            (&local, "b.mtx"),
            (&local, "b.json"),
        ] {
            let to = folder.path().join(file);
            problems::write(given, &to).unwrap_or_else(|error| panic!("{error}"));
            let read = problems::read(&to)
                .unwrap_or_else(|error| panic!("{error}"))
                .to_problem()
                .unwrap();
            let found = velocities(&read, &impulses);
            // JSON of rigid bodies holds J, found from H = J L: rounding.
            assert!(
                difference(&found, &expected) <= 1e-12 * largest(&expected),
                "{file} of {}",
                path.display()
            );
            assert_eq!(read.blocks, problem.blocks);
        }
    }
}
