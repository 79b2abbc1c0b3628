//! The text files of Siconos (`*.dat`): white space separated numbers without a word on what they are.
//!
//! ```text
//! local       dim nc W q mu (mu_r)                  relay  n M q lower upper
//! global      dim nc M H f w mu (mu_r)              LCP    n M q
//! mixed LCP   flag flag n m, starts, kinds, M, q; A B C D a b
//! mechanical  M q, and for each block row 0, 2, or 4 and mu
//! ```
//!
//! Which of them a text is follows from its tokens: each reading is tried, and one that fits must use up the text but for
//! what may follow it (a flag after friction problems, remarks after LCPs, a solution after mixed ones). If two fit, the
//! name of the file or its folder decides, then the order above. Dense matrices are column by column.

mod matrix;
mod tokens;
mod write;

use std::path::Path;

use super::error::Mismatch;
use super::*;
use tokens::{Tokens, tokens};
pub use write::format;

/// The kinds in the order they are tried in.
const KINDS: [Kind; 6] = [
    Kind::Local,
    Kind::Global,
    Kind::Relay,
    Kind::Lcp,
    Kind::MixedLcp,
    Kind::Mechanical,
];

/// What the file's name, or that of its folder, suggests.
pub fn hint(path: &Path) -> Option<Kind> {
    let lower = |name: Option<&std::ffi::OsStr>| name.map(|name| name.to_string_lossy().to_lowercase());
    let (file, folder) = (lower(path.file_name()), lower(path.parent().and_then(Path::file_name)));
    // "mlcp" before "lcp", "gfc" before "fc".
    let suggests = |name: &str| {
        [
            ("mlcp", Kind::MixedLcp),
            ("gmp", Kind::Mechanical),
            ("relay", Kind::Relay),
            ("step_", Kind::Relay),
            ("lcp", Kind::Lcp),
            ("gfc", Kind::Global),
            ("grfc", Kind::Global),
            ("fc2d", Kind::Local),
            ("fc3d", Kind::Local),
        ]
        .into_iter()
        .find(|(word, _)| name.contains(word))
        .map(|(_, kind)| kind)
    };
    file.as_deref()
        .and_then(suggests)
        .or_else(|| folder.as_deref().and_then(suggests))
}

/// Reads a text: as the kind that is `forced`, or as the first that fits, the `hint` before the others.
pub fn parse(text: &str, name: &str, forced: Option<Kind>, hint: Option<Kind>) -> Result<StoredProblem, Mismatch> {
    let cut = tokens(text);
    if cut.is_empty() {
        return Err(Mismatch::file("a problem", "an empty file"));
    }
    // Of several readings that fail, the one that came farthest is the likeliest to have been meant.
    let mut farthest: Option<(usize, Mismatch)> = None;
    let order = match forced {
        Some(kind) => vec![kind],
        None => hint
            .into_iter()
            .chain(KINDS.into_iter().filter(|&kind| Some(kind) != hint))
            .collect(),
    };
    for kind in order {
        let mut tokens = Tokens::new(text, &cut);
        let reading = parse_kind(kind, &mut tokens).and_then(|content| {
            let remarks = leftover(kind, &tokens)?;
            let problem = StoredProblem {
                remarks,
                ..StoredProblem::new(name, content)
            };
            problem.check()?;
            Ok(problem)
        });
        match reading {
            Ok(problem) => return Ok(problem),
            Err(mismatch) => {
                let position = tokens.position();
                if farthest.as_ref().is_none_or(|(best, _)| position > *best) {
                    farthest = Some((position, mismatch));
                }
            }
        }
    }
    Err(farthest.map_or_else(|| Mismatch::file("a problem", "none"), |(_, mismatch)| mismatch))
}

fn parse_kind(kind: Kind, tokens: &mut Tokens<'_>) -> Result<Content, Mismatch> {
    match kind {
        Kind::Local => local(tokens).map(Content::Local),
        Kind::Global => global(tokens).map(Content::Global),
        Kind::Lcp => lcp(tokens).map(Content::Lcp),
        Kind::MixedLcp => mixed_lcp(tokens).map(Content::MixedLcp),
        Kind::Relay => relay(tokens).map(Content::Relay),
        Kind::Mechanical => mechanical(tokens).map(Content::Mechanical),
        Kind::Native => Err(Mismatch::file("a native problem, which is JSON", "another text")),
    }
}

/// What may follow a problem of a kind; anything else means that it was not one.
fn leftover(kind: Kind, tokens: &Tokens<'_>) -> Result<String, Mismatch> {
    let (rest, words) = tokens.rest();
    let words: Vec<&str> = words.collect();
    let fits = match kind {
        Kind::Local | Kind::Global => matches!(words[..], [] | ["0"] | ["1"]),
        // A remark begins with a word: more numbers would be the bounds of a relay problem.
        Kind::Lcp => words.first().is_none_or(|word| word.parse::<f64>().is_err()),
        // A solution, v and w.
        Kind::MixedLcp => words.iter().all(|word| word.parse::<f64>().is_ok()),
        Kind::Relay | Kind::Mechanical | Kind::Native => words.is_empty(),
    };
    if fits {
        Ok(rest.to_owned())
    } else {
        Err(tokens.mismatch(format!("the end of a {}", kind.name())))
    }
}

fn contacts(tokens: &mut Tokens<'_>) -> Result<(usize, usize), Mismatch> {
    let dimension = tokens.value("the dimension, 2, 3 or 5", |text| match text {
        "2" => Some(2),
        "3" => Some(3),
        "5" => Some(5),
        _ => None,
    })?;
    Ok((dimension, tokens.count("the number of contacts")?))
}

/// μ of every contact, and with five rows a contact the rolling friction too.
fn coefficients(
    tokens: &mut Tokens<'_>,
    dimension: usize,
    contacts: usize,
) -> Result<(Vec<f64>, Option<Vec<f64>>), Mismatch> {
    let read = |tokens: &mut Tokens<'_>, what: &str| {
        tokens.value(&format!("{what}, 0 or more"), |text| {
            text.parse().ok().filter(|mu: &f64| mu.is_finite() && *mu >= 0.0)
        })
    };
    let mu = tokens.several(contacts, "mu", read)?;
    let mu_r = if dimension == 5 {
        Some(tokens.several(contacts, "mu_r", read)?)
    } else {
        None
    };
    Ok((mu, mu_r))
}

fn local(tokens: &mut Tokens<'_>) -> Result<Local, Mismatch> {
    let (dimension, contacts) = contacts(tokens)?;
    let rows = dimension * contacts;
    let w = matrix::read(tokens, "W", Some(rows), Some(rows))?;
    let q = tokens.numbers(rows, "q")?;
    let (mu, mu_r) = coefficients(tokens, dimension, contacts)?;
    Ok(Local {
        dimension,
        w,
        q,
        mu,
        mu_r,
    })
}

fn global(tokens: &mut Tokens<'_>) -> Result<Global, Mismatch> {
    let (dimension, contacts) = contacts(tokens)?;
    let m = matrix::read(tokens, "M", None, None)?;
    let h = matrix::read(tokens, "H", Some(m.rows), Some(dimension * contacts))?;
    let f = tokens.numbers(m.rows, "f")?;
    let w = tokens.numbers(h.columns, "w")?;
    let (mu, mu_r) = coefficients(tokens, dimension, contacts)?;
    Ok(Global {
        dimension,
        m,
        h,
        equality: None,
        f,
        w,
        mu,
        mu_r,
    })
}

fn lcp(tokens: &mut Tokens<'_>) -> Result<Lcp, Mismatch> {
    let n = tokens.count("the number of rows")?;
    let m = matrix::read(tokens, "M", Some(n), Some(n))?;
    let q = tokens.numbers(n, "q")?;
    Ok(Lcp { m, q })
}

fn relay(tokens: &mut Tokens<'_>) -> Result<Relay, Mismatch> {
    let Lcp { m, q } = lcp(tokens)?;
    let bound = |tokens: &mut Tokens<'_>, what: &str| {
        tokens.value(what, |text| text.parse().ok().filter(|bound: &f64| !bound.is_nan()))
    };
    let lower = tokens.several(q.len(), "lower bounds", bound)?;
    let upper = tokens.several(q.len(), "upper bounds", bound)?;
    Ok(Relay { m, q, lower, upper })
}

fn flag(tokens: &mut Tokens<'_>, what: &str) -> Result<bool, Mismatch> {
    tokens.value(&format!("{what}, 0 or 1"), |text| match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    })
}

fn mixed_lcp(tokens: &mut Tokens<'_>) -> Result<MixedLcp, Mismatch> {
    let is_joined = flag(tokens, "whether there is one matrix")?;
    let is_split = flag(tokens, "whether there are four")?;
    let n = tokens.count("the number of equalities")?;
    let m = tokens.count("the number of inequalities")?;
    let joined = if is_joined { Some(joined(tokens, n + m)?) } else { None };
    let split = if is_split {
        Some(Split {
            a_matrix: tokens.numbers(n * n, "A")?,
            b_matrix: tokens.numbers(m * m, "B")?,
            c_matrix: tokens.numbers(n * m, "C")?,
            d_matrix: tokens.numbers(m * n, "D")?,
            a: tokens.numbers(n, "a")?,
            b: tokens.numbers(m, "b")?,
        })
    } else {
        None
    };
    Ok(MixedLcp {
        equalities: n,
        inequalities: m,
        joined,
        split,
    })
}

fn joined(tokens: &mut Tokens<'_>, size: usize) -> Result<Joined, Mismatch> {
    let mut starts = vec![tokens.count("the first row of the first block")?];
    while starts.last().is_some_and(|&last| last < size) {
        starts.push(tokens.count(&format!("the first row of a block, up to {size}"))?);
    }
    let complementary = tokens.several(starts.len() - 1, "kinds of blocks", flag)?;
    let m = matrix::read(tokens, "M", None, Some(size))?;
    let q = tokens.numbers(size, "q")?;
    Ok(Joined {
        starts,
        complementary,
        m,
        q,
    })
}

fn mechanical(tokens: &mut Tokens<'_>) -> Result<Mechanical, Mismatch> {
    if tokens.peek(0) != Some("1") {
        return Err(tokens.mismatch("a matrix in blocks, storage 1"));
    }
    let m = matrix::read(tokens, "M", None, None)?;
    let q = tokens.numbers(m.rows, "q")?;
    let rows = match &m.storage {
        Storage::Blocks(blocks) => blocks.row_ends.len(),
        _ => 0,
    };
    let laws = tokens.several(rows, "laws of the block rows", |tokens, _| {
        match tokens.count("the law of a block row, 0, 2 or 4")? {
            0 => Ok(Law::Complementarity),
            2 => Ok(Law::Equality),
            4 => {
                let (mu, _) = coefficients(tokens, 3, 1)?;
                Ok(Law::Friction(mu[0]))
            }
            other => Err(Mismatch {
                found: other.to_string(),
                ..tokens.mismatch("the law of a block row, 0, 2 or 4, before here")
            }),
        }
    })?;
    Ok(Mechanical { m, q, laws })
}
