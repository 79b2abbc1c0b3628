//! Our own format: a problem as the solvers see it, with every cone, on rigid bodies or with an explicit matrix.
//!
//! ```json
//! {
//!   "format": "drystone-problem", "version": 1,
//!   "info": {"title": "a ball meets the ground"},
//!   "blocks": [{"rows": 3, "cone": {"friction": {"coefficient": 0.5}}},
//!              {"rows": 1, "cone": {"interval": {"lower": null, "upper": 2.0}}}],
//!   "bias": [-3.0, 0.0, 0.0, 1.0],
//!   "operator": {"rigid-bodies": {
//!     "bodies": [{"inverse_mass": 0.25, "inverse_inertia": [1,0,0, 0,1,0, 0,0,1]}],
//!     "rows": [{"pair": [0, 1], "jacobian": [0,0,0,0,0,0, 0,0,1,0,0,0], "compliance": 0.0}]}},
//!   "guesses": [{"r": [12.0, 0.0, 0.0, 0.0]}]
//! }
//! ```
//!
//! Body 0 is the immovable one and is not listed; the first listed body is 1. Inertias are row by row. Cones are `free`,
//! `non-negative`, `interval` (`null` is unbounded), `friction`, `rolling` and `second-order`. The other operator is
//! `{"matrix": {"entries": [{"row": 0, "column": 1, "values": […]}]}}` with row and column those of the *blocks*, each
//! row by row. Numbers are written with as many digits as it takes to read back the same bits.

use serde::{Deserialize, Serialize};

use super::error::{Mismatch, Place};
use super::native::{NativeBlock, NativeOperator};
use super::*;

/// What the field `format` says.
pub const FORMAT: &str = "drystone-problem";
/// What the field `version` says.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    #[serde(default)]
    info: Info,
    blocks: Vec<NativeBlock>,
    bias: Vec<f64>,
    operator: NativeOperator,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solution: Option<State>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    guesses: Vec<State>,
}

/// Reads a text.
pub fn parse(text: &str, name: &str) -> Result<StoredProblem, Mismatch> {
    /// The first look, so that another format or version is named before any field of it is missed.
    #[derive(Deserialize)]
    struct Header {
        format: Option<String>,
        version: Option<u32>,
    }
    let wrong = |error: serde_json::Error| Mismatch {
        place: Place::Line(error.line()),
        expected: format!("a {FORMAT} in JSON"),
        found: error.to_string(),
    };
    let header: Header = serde_json::from_str(text).map_err(wrong)?;
    if header.format.as_deref() != Some(FORMAT) {
        let found = header.format.map_or("none".into(), |format| format!("\"{format}\""));
        return Err(Mismatch::entry("format", format!("\"{FORMAT}\""), found));
    }
    if header.version != Some(VERSION) {
        let found = header.version.map_or("none".into(), |version| version.to_string());
        return Err(Mismatch::entry("version", VERSION.to_string(), found));
    }
    let document: Document = serde_json::from_str(text).map_err(wrong)?;
    let problem = StoredProblem {
        info: document.info,
        solution: document.solution,
        guesses: document.guesses,
        ..StoredProblem::new(
            name,
            Content::Native(NativeProblem {
                blocks: document.blocks,
                bias: document.bias,
                operator: document.operator,
            }),
        )
    };
    problem.check()?;
    Ok(problem)
}

/// The text of a problem; what is not native yet is made so, and guesses keep what is native.
pub fn format(problem: &StoredProblem) -> Result<String, String> {
    let (native, converted) = match &problem.content {
        Content::Native(native) => (native.clone(), false),
        _ => {
            let native = problem.to_problem().map_err(|error| error.to_string())?;
            (NativeProblem::of(&native), true)
        }
    };
    let state = |state: &State| -> Option<State> {
        match converted {
            false => Some(state.clone()),
            // Of a problem with equality rows the impulses of the contacts alone are no guess.
            true => (state.r.len() == native.bias.len()).then(|| State {
                r: state.r.clone(),
                u: state.u.clone(),
                ..State::default()
            }),
        }
    };
    let document = Document {
        format: FORMAT.into(),
        version: VERSION,
        info: problem.info.clone(),
        solution: problem.solution.as_ref().and_then(state),
        guesses: problem.guesses.iter().filter_map(state).collect(),
        blocks: native.blocks,
        bias: native.bias,
        operator: native.operator,
    };
    let text = serde_json::to_string(&document).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use drystone_solver::{Cone, InverseMass, Operator, Problem, Row};
    use nalgebra::Matrix3;

    use super::*;

    /// A problem with every cone on two bodies, with numbers that short decimals do not hold.
    fn every_cone() -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let inertia = Matrix3::new(0.3, 0.1, 0.0, 0.1, 1.0 / 3.0, 0.05, 0.0, 0.05, 0.7);
        let one = assembler.add_body(InverseMass { mass: 0.1, inertia });
        let other = assembler.add_body(InverseMass {
            mass: 1.0 / 7.0,
            inertia: 2.0 * inertia,
        });
        let infinity = f64::INFINITY;
        let mut number = 0.0;
        for (rows, cone) in [
            (2, Cone::Free),
            (1, Cone::NonNegative),
            (
                1,
                Cone::Interval {
                    lower: -infinity,
                    upper: 0.1,
                },
            ),
            (
                1,
                Cone::Interval {
                    lower: -0.2,
                    upper: infinity,
                },
            ),
            (3, Cone::Friction { coefficient: 0.3 }),
            (2, Cone::Friction { coefficient: 1.0 / 3.0 }),
            (
                5,
                Cone::Rolling {
                    friction: 0.5,
                    rolling: 1e-300,
                },
            ),
            (3, Cone::SecondOrder { coefficient: 5e-324 }),
        ] {
            let rows: Vec<Row> = (0..rows)
                .map(|_| {
                    number += 1.0;
                    Row {
                        jacobian: std::array::from_fn(|k| (number * 1.7 + k as f64).sin()),
                        bias: (number * 0.9).cos(),
                        compliance: 1e-3 * number,
                    }
                })
                .collect();
            assembler.add_block([one, other], cone, &rows);
        }
        problem
    }

    #[test]
    fn every_cone_and_every_bit_survives() {
        let problem = every_cone();
        for problem in [problem.explicit().unwrap(), problem] {
            let stored = StoredProblem {
                guesses: vec![State {
                    r: problem.bias.iter().map(|x| x / 3.0).collect(),
                    ..State::default()
                }],
                ..StoredProblem::new("a", Content::Native(NativeProblem::of(&problem)))
            };
            let again = parse(&format(&stored).unwrap(), "a").unwrap();
            assert_eq!(again, stored);
            let back = again.to_problem().unwrap();
            assert_eq!((&back.blocks, &back.bias), (&problem.blocks, &problem.bias));
            let (one, other) = (
                back.assembled().unwrap().to_dense(),
                problem.assembled().unwrap().to_dense(),
            );
            // J and M⁻¹ are found from H = J L and L.
            assert!((&one - &other).amax() <= 1e-14 * other.amax());
            if matches!(problem.operator, Operator::Matrix(_)) {
                assert_eq!(one, other);
            }
        }
    }

    /// The text in the documentation of this module, but for its number of rows.
    #[test]
    fn what_the_front_page_shows_can_be_read() {
        let row = r#"{"pair": [0, 1], "jacobian": [0,0,0,0,0,0, 0,0,1,0,0,0], "compliance": 0.0}"#;
        let text = format!(
            r#"{{"format": "drystone-problem", "version": 1,
            "info": {{"title": "a ball meets the ground"}},
            "blocks": [{{"rows": 3, "cone": {{"friction": {{"coefficient": 0.5}}}}}},
                       {{"rows": 1, "cone": {{"interval": {{"lower": null, "upper": 2.0}}}}}}],
            "bias": [-3.0, 0.0, 0.0, 1.0],
            "operator": {{"rigid-bodies": {{
              "bodies": [{{"inverse_mass": 0.25, "inverse_inertia": [1,0,0, 0,1,0, 0,0,1]}}],
              "rows": [{row}, {row}, {row}, {row}]}}}},
            "guesses": [{{"r": [12.0, 0.0, 0.0, 0.0]}}]}}"#
        );
        let stored = parse(&text, "ball").unwrap();
        let problem = stored.to_problem().unwrap();
        let mut velocities = [0.0; 4];
        problem.velocities(stored.guess().unwrap(), &mut velocities);
        // 12 N s on 4 kg take the 3 m/s away; all four rows are along the same direction.
        assert_eq!(velocities, [0.0, 3.0, 3.0, 4.0]);
    }
}
