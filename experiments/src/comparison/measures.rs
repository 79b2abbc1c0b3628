//! The measures of a run that comparisons show: the figures that metrics declare, and some about the energy. They are columns
//! of `comparison.csv` and of its table, standard columns of sweeps, and rows of `docs/metrics.md`.
//!
//! The physics comes first, then the energy, then what the machine took.

use std::sync::LazyLock;

use crate::metrics::{Compared, Metric, Place, Statistic, metrics};
use crate::summary::{Statistics, Summary};

/// How a measure is taken from the summary of a run.
type Value = Box<dyn Fn(&Summary) -> Option<f64> + Send + Sync>;

/// One measure of a run.
pub(crate) struct Measure {
    /// The column in the file.
    pub(crate) name: String,
    /// The heading in the table, in two lines.
    pub(crate) heading: [&'static str; 2],
    pub(crate) unit: &'static str,
    pub(crate) place: Place,
    /// How it is computed.
    pub(crate) formula: String,
    pub(crate) value: Value,
}

impl Measure {
    /// A figure of a metric.
    fn of(metric: &'static Metric, figure: &Compared) -> Self {
        let (name, statistic) = (metric.name, figure.statistic);
        let suffix = format!("_{}", statistic.name());
        let formula = match statistic {
            Statistic::Mean => format!("mean of `{name}` over the steps"),
            Statistic::Max => format!("largest `{name}` of the steps"),
        };
        let take = match statistic {
            Statistic::Mean => Statistics::mean,
            Statistic::Max => Statistics::max,
        };
        Self {
            // The largest of `penetration_max` is called the same.
            name: format!("{}{suffix}", name.strip_suffix(&suffix).unwrap_or(name)),
            heading: match figure.place {
                Place::File => ["", ""],
                _ => [figure.label, statistic.name()],
            },
            unit: metric.unit,
            place: figure.place,
            formula,
            value: Box::new(move |summary| summary.metric(name).and_then(take)),
        }
    }

    fn energy(what: &'static str, place: Place, formula: &str, value: fn(&Summary) -> f64) -> Self {
        Self {
            name: format!("energy_{what}"),
            heading: match place {
                Place::File => ["", ""],
                _ => ["energy", what],
            },
            unit: "J",
            place,
            formula: formula.to_owned(),
            value: Box::new(move |summary| Some(value(summary))),
        }
    }

    /// Whether the smallest value is the best.
    pub(crate) fn is_ranked(&self) -> bool {
        matches!(self.place, Place::Ranked | Place::RankedIfAny)
    }
}

/// The figures of metrics that measure the machine, or of those that do not.
fn of_metrics(of_machine: bool) -> impl Iterator<Item = Measure> {
    let some = metrics()
        .iter()
        .filter(move |metric| metric.is_time_taken() == of_machine);
    some.flat_map(|metric| metric.compared.iter().map(|figure| Measure::of(metric, figure)))
}

/// The drift is shown but not ranked: friction and inelastic impacts ought to lose energy. A gain is always wrong without
/// motors and moving supports.
fn energies() -> [Measure; 4] {
    [
        Measure::energy(
            "start",
            Place::File,
            "E₀: kinetic and potential energy before the first step",
            |summary| summary.energy.start,
        ),
        Measure::energy("end", Place::File, "Eₙ: the same after the last step", |summary| {
            summary.energy.end
        }),
        Measure::energy("drift", Place::Table, "Eₙ − E₀", |summary| summary.energy.drift),
        Measure::energy(
            "gain",
            Place::Ranked,
            "max over the steps of max(Eₖ − E₀, 0)",
            |summary| summary.energy.gain,
        ),
    ]
}

/// All measures, in the order of the columns.
pub(crate) fn measures() -> &'static [Measure] {
    static MEASURES: LazyLock<Vec<Measure>> =
        LazyLock::new(|| of_metrics(false).chain(energies()).chain(of_metrics(true)).collect());
    &MEASURES
}
