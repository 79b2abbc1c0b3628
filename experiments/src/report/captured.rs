//! The curves of `captured.csv`: every solver on the same step of a scene.

use std::path::Path;

use super::csv_table::CsvTable;
use super::figures::Shown;
use super::figures::residuals::{Captured, captured};
use crate::capture::{CAPTURED_CSV, RATES_CSV};
use crate::error::Error;
use crate::plot::Chart;

/// All of them.
#[derive(Debug, Clone, Default)]
pub struct CapturedCurves {
    /// Scene, solver, and (iteration, seconds, residual).
    curves: Vec<(String, String, Vec<[f64; 3]>)>,
    /// Which step of which scene, where it is known.
    steps: Vec<(String, String)>,
}

impl CapturedCurves {
    /// Reads those in a directory, if there are any.
    pub fn read(directory: &Path) -> Result<Option<Self>, Error> {
        let path = directory.join(CAPTURED_CSV);
        if !path.is_file() {
            return Ok(None);
        }
        let table = CsvTable::read(&path)?;
        let [scene, solver, iteration, seconds, residual] =
            ["scene", "solver", "iteration", "seconds", "residual"].map(|name| table.required(name));
        let (scene, solver, iteration, seconds, residual) = (scene?, solver?, iteration?, seconds?, residual?);
        let mut all = Self::default();
        for row in 0..table.len() {
            let (of_scene, of_solver) = (table.text(row, scene), table.text(row, solver));
            let point = [
                table.number(row, iteration)?,
                table.number(row, seconds)?,
                table.number(row, residual)?,
            ];
            match all.curves.last_mut() {
                // The first iteration begins a new curve, also of a solver that was named twice.
                Some((scene, solver, points)) if scene == of_scene && solver == of_solver && point[0] > 0.0 => {
                    points.push(point)
                }
                _ => all
                    .curves
                    .push((of_scene.to_owned(), of_solver.to_owned(), vec![point])),
            }
        }
        let rates = directory.join(RATES_CSV);
        if rates.is_file() {
            let rates = CsvTable::read(&rates)?;
            let (scene, step) = (rates.required("scene")?, rates.required("step")?);
            let steps =
                (0..rates.len()).map(|row| (rates.text(row, scene).to_owned(), rates.text(row, step).to_owned()));
            all.steps.extend(steps);
        }
        Ok(Some(all))
    }

    /// The charts of a scene; methods have the looks they have elsewhere.
    pub fn charts(&self, scene: &[Shown<'_>]) -> Vec<Chart> {
        let Some(first) = scene.first() else { return Vec::new() };
        let of_scene = self.curves.iter().filter(|(name, _, _)| name == first.run.scene());
        let curves: Vec<Captured> = of_scene
            .map(|(_, solver, points)| Captured {
                label: solver.clone(),
                style: scene
                    .iter()
                    .find(|shown| shown.run.method() == solver)
                    .map_or(0, |shown| shown.style),
                points: points.clone(),
            })
            .collect();
        let step = self.steps.iter().find(|(name, _)| name == first.run.scene());
        let step = step.map_or_else(|| "of one step".to_owned(), |(_, step)| format!("those of step {step}"));
        if curves.is_empty() {
            Vec::new()
        } else {
            captured(&curves, " on one captured step", &step)
        }
    }
}
