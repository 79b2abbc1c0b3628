//! `claims.toml`: what a paper claims, claim by claim, and what decides it, read and checked with every mistake at its line.
//!
//! A claim is decided by checks of results ([`check`](super::check)), by tests of the regression suite, or not at all:
//! because it can't be reproduced, with the reason, or because something is still missing here, with what that is.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use drystone_scenes::toml_message;
use serde::Deserialize;
use toml::Spanned;

use super::check::{Check, RawCheck};
use super::regression::Tree;
use crate::error::Error;
use crate::sweep::file::{Experiment, Source};

/// The file's name in the folder of a paper.
pub const CLAIMS_TOML: &str = "claims.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    paper: Spanned<String>,
    #[serde(default)]
    claim: Vec<RawClaim>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaim {
    id: Spanned<String>,
    #[serde(rename = "where")]
    place: Spanned<String>,
    says: Spanned<String>,
    published: Spanned<String>,
    status: Option<Spanned<RawStatus>>,
    reason: Option<Spanned<String>>,
    needs: Option<Spanned<String>>,
    explains: Option<Spanned<String>>,
    #[serde(default)]
    tests: Vec<Spanned<String>>,
    #[serde(default)]
    check: Vec<RawCheck>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawStatus {
    NotReproducible,
    Open,
}

/// What a paper claims.
#[derive(Debug)]
pub struct Claims {
    /// The folder with the file and the experiments.
    pub folder: PathBuf,
    /// Author, title, place and year.
    pub paper: String,
    /// In the order of the file.
    pub claims: Vec<Claim>,
    /// The experiments of the folder, by name.
    pub experiments: Vec<Experiment>,
    /// Where tests were looked up, if the source tree is there.
    pub tree: Option<Tree>,
}

/// One claim.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Its short name, unique in the file.
    pub id: String,
    /// Where the paper says it.
    pub place: String,
    /// What it says, in our own words.
    pub says: String,
    /// The published value, in a few words.
    pub published: String,
    /// What decides it.
    pub basis: Basis,
    /// Tests of the regression suite that hold it: `tests/file.rs::name`.
    pub tests: Vec<String>,
    /// Why we find something else, where we do.
    pub explains: Option<String>,
}

/// What decides a claim.
#[derive(Debug, Clone)]
pub enum Basis {
    /// All of these checks of results.
    Checks(Vec<Check>),
    /// Its tests alone.
    Tests,
    /// Nothing: it can't be reproduced.
    NotReproducible {
        /// Why.
        reason: String,
    },
    /// Nothing yet.
    Open {
        /// What is missing here.
        needs: String,
    },
}

impl Claims {
    /// Whether a folder has claims.
    pub fn are_in(folder: &Path) -> bool {
        folder.join(CLAIMS_TOML).is_file()
    }

    /// Reads the claims of a folder with the experiments they are about.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(CLAIMS_TOML);
        let text = fs::read_to_string(&path).map_err(|error| {
            let shown = path.display();
            Error::Input(format!(
                "cannot read claims '{shown}': {error}; name the folder of a paper, such as papers/erleben-2005"
            ))
        })?;
        let files = crate::sweep::experiments_in(folder)?;
        let experiments = files.iter().map(|file| Experiment::read(file));
        let experiments = experiments.collect::<Result<Vec<_>, _>>()?;
        Self::parse(Source { path, text }, folder, experiments, Tree::around(folder))
    }

    /// Reads a text.
    pub fn parse(
        source: Source,
        folder: &Path,
        experiments: Vec<Experiment>,
        tree: Option<Tree>,
    ) -> Result<Self, Error> {
        let raw: Raw = toml::from_str(&source.text)
            .map_err(|error| source.error(error.span().unwrap_or(0..0), toml_message(error.message())))?;
        let paper = filled(&source, "paper", &raw.paper)?;
        if raw.claim.is_empty() {
            return Err(source.error(raw.paper.span(), "there are no claims: [[claim]] begins one"));
        }
        let mut claims: Vec<Claim> = Vec::with_capacity(raw.claim.len());
        for raw in &raw.claim {
            let claim = raw.check(&source, &experiments, tree.as_ref())?;
            if claims.iter().any(|other| other.id == claim.id) {
                let message = format!("two claims are called '{}'", claim.id);
                return Err(source.error(raw.id.span(), message));
            }
            claims.push(claim);
        }
        Ok(Self {
            folder: folder.to_owned(),
            paper,
            claims,
            experiments,
            tree,
        })
    }
}

impl RawClaim {
    fn check(&self, source: &Source, experiments: &[Experiment], tree: Option<&Tree>) -> Result<Claim, Error> {
        for test in &self.tests {
            let fault = tree.and_then(|tree| tree.fault(test.get_ref()));
            if let Some(fault) = fault.or_else(|| Tree::misspelt(test.get_ref())) {
                return Err(source.error(test.span(), fault));
            }
        }
        let basis = self.basis(source, experiments)?;
        let decided_by_checks = matches!(basis, Basis::Checks(_));
        if let (Some(explains), false) = (&self.explains, decided_by_checks) {
            return Err(source.error(
                explains.span(),
                "'explains' belongs to a claim with checks, which may fail",
            ));
        }
        let explains = self.explains.as_ref();
        Ok(Claim {
            id: filled(source, "id", &self.id)?,
            place: filled(source, "where", &self.place)?,
            says: filled(source, "says", &self.says)?,
            published: filled(source, "published", &self.published)?,
            basis,
            tests: self.tests.iter().map(|test| test.get_ref().clone()).collect(),
            explains: explains.map(|text| filled(source, "explains", text)).transpose()?,
        })
    }

    fn basis(&self, source: &Source, experiments: &[Experiment]) -> Result<Basis, Error> {
        let status = self.status.as_ref().map(|status| (*status.get_ref(), status.span()));
        let fault = |span: Range<usize>, message: &str| Err(source.error(span, message));
        if let (Some(reason), false) = (&self.reason, self.is(RawStatus::NotReproducible)) {
            return fault(reason.span(), "'reason' belongs to status = \"not-reproducible\"");
        }
        if let (Some(needs), false) = (&self.needs, self.is(RawStatus::Open)) {
            return fault(needs.span(), "'needs' belongs to status = \"open\"");
        }
        match (status, &self.reason, &self.needs) {
            (Some((_, span)), _, _) if !self.check.is_empty() => {
                fault(span, "a claim has checks or a status, not both")
            }
            (Some((RawStatus::NotReproducible, _)), Some(reason), _) => Ok(Basis::NotReproducible {
                reason: filled(source, "reason", reason)?,
            }),
            (Some((RawStatus::NotReproducible, span)), None, _) => {
                fault(span, "say why it can't be reproduced: 'reason' is missing")
            }
            (Some((RawStatus::Open, _)), _, Some(needs)) => Ok(Basis::Open {
                needs: filled(source, "needs", needs)?,
            }),
            (Some((RawStatus::Open, span)), _, None) => fault(span, "say what is missing here: 'needs' is missing"),
            (None, _, _) if !self.check.is_empty() => {
                let checks = self.check.iter().map(|raw| raw.check(source, experiments));
                Ok(Basis::Checks(checks.collect::<Result<_, _>>()?))
            }
            (None, _, _) if !self.tests.is_empty() => Ok(Basis::Tests),
            (None, _, _) => fault(
                self.id.span(),
                "nothing decides this claim: give it a [[claim.check]], tests, or a status",
            ),
        }
    }

    fn is(&self, status: RawStatus) -> bool {
        self.status.as_ref().is_some_and(|given| *given.get_ref() == status)
    }
}

/// A text that must say something, with its line breaks taken for spaces.
pub(super) fn filled(source: &Source, key: &str, text: &Spanned<String>) -> Result<String, Error> {
    let words: Vec<&str> = text.get_ref().split_whitespace().collect();
    match words.is_empty() {
        true => Err(source.error(text.span(), format!("'{key}' is empty"))),
        false => Ok(words.join(" ")),
    }
}
