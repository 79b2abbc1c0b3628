//! What `drystone solve` measures of impulses λ, declared for the page of metrics: the columns of `problems.csv` that are
//! numbers. Velocities are `w = Aλ + b`; for contacts De Saxcé's `w̃ = w + μ‖w_t‖ e_n`.

use crate::metrics::Code;

/// A measured column.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for counts and ratios.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// By what.
    pub code: Code,
}

const RESIDUALS: &str = "solver/src/residual.rs";

/// The columns.
pub static MEASURED: &[Measured] = &[
    Measured {
        name: "relative",
        unit: "",
        meaning: "FCLIB's relative error e (Acary, Bremond and Huber 2018), so that figures compare; it depends on units",
        formula: "‖λ − P_K(λ − w̃)‖₂ / ‖b‖₂ over all rows; not divided where b is zero to rounding",
        code: Code {
            file: RESIDUALS,
            function: "relative",
        },
    },
    Measured {
        name: "natural",
        unit: "m/s",
        meaning: "by how much the worst block misses its law; the residual of tables and of `steps.csv`",
        formula: "max over blocks of s ‖λ − P_K(λ − w̃/s)‖, s the mean diagonal entry of A on the block",
        code: Code {
            file: RESIDUALS,
            function: "natural",
        },
    },
    Measured {
        name: "fischer_burmeister",
        unit: "(m/s)²",
        meaning: "merit function that Newton methods make smaller; for rolling friction the natural map stands in",
        formula: "½ Σ φ(s λ, w̃)², φ(a, b) = a + b − (a² + b²)^½, in the Jordan algebra of the cone for contacts",
        code: Code {
            file: RESIDUALS,
            function: "fischer_burmeister",
        },
    },
    Measured {
        name: "gap",
        unit: "J",
        meaning: "complementarity: work that impulses ought not to do",
        formula: "Σ over blocks of |λ·w̃|; for bounded rows λ is the distance from the bound that w pushes to",
        code: Code {
            file: RESIDUALS,
            function: "gap",
        },
    },
    Measured {
        name: "cone_violation",
        unit: "N·s",
        meaning: "largest distance of a block's impulses from what is allowed",
        formula: "max over blocks of ‖λ − P_K(λ)‖",
        code: Code {
            file: RESIDUALS,
            function: "cone_violation",
        },
    },
    Measured {
        name: "velocity_error",
        unit: "",
        meaning: "with `--reference`: difference to known velocities of the contacts",
        formula: "‖w − w_ref‖∞ / max(‖w_ref‖∞, ‖b‖∞)",
        code: Code {
            file: "experiments/src/solve/reference.rs",
            function: "velocity_error",
        },
    },
    Measured {
        name: "reference_relative",
        unit: "",
        meaning: "with `--reference`: the relative error e of the reference's own impulses",
        formula: "as `relative`",
        code: Code {
            file: "experiments/src/solve/reference.rs",
            function: "residual",
        },
    },
    Measured {
        name: "seconds",
        unit: "s",
        meaning: "time of the solve, nothing measured meanwhile: the shortest of `--repeat`",
        formula: "min over repetitions; `seconds_median` is their median",
        code: Code {
            file: "experiments/src/solve/trial.rs",
            function: "attempt",
        },
    },
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::solve::rows::Row;

    #[test]
    fn each_is_a_column_of_the_file() {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer
            .serialize(Row::unreadable(Path::new("a.dat"), String::new()))
            .unwrap();
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        for measured in MEASURED {
            assert!(
                header.contains(&measured.name),
                "{} is not in {header:?}",
                measured.name
            );
        }
    }
}
