//! Balls dropped on an inclined plane with engraved letters: they roll down, and the grooves catch some of them.
//! Dissertation figure 5.12 (120 spheres, 10 s, time step 0.01 s; it gives no other numbers).
//!
//! The bottoms of the grooves are one inclined half-space, the ground. On it lie slabs as thick as the grooves are deep,
//! wherever there is no letter: the plane is a grid of square cells, as wide as a stroke, and the slabs are the
//! rectangles that its plain cells make. They are cut along the slope, so that balls seldom roll across a seam. A rim
//! keeps the balls on the plane.

use drystone_solver::options;

use super::parts::{Tilt, centred, counts, fractions, grounded, not_negative, positive, slope};
use super::poured::Poured;
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

/// The letters of the figure, as one looks up the slope.
const LETTERS: [&str; 7] = [
    "####..#.#...#.#...#",
    "#...#.#.#..#..#...#",
    "#...#.#.#.#...#...#",
    "#...#.#.##....#...#",
    "#...#.#.#.#...#...#",
    "#...#.#.#..#..#...#",
    "####..#.#...#..###.",
];

/// Plain cells around the letters.
const MARGIN: usize = 2;

/// Cells down the slope and across it.
const ROWS: usize = LETTERS.len() + 2 * MARGIN;
const COLUMNS: usize = LETTERS[0].len() + 2 * MARGIN;

/// Slabs and rim reach this far below the bottoms of the grooves, and the rim this far above the plane, m.
const FOUNDATION: f64 = 0.5;

/// Thickness of the rim, m.
const RIM: f64 = 0.2;

/// Largest displacement of a ball along each axis at the beginning, as a part of its radius.
const JITTER: f64 = 0.1;

options! {
    /// Parameters of the engraved plane.
    #[derive(Debug, Clone)]
    pub struct EngravedPlane {
        /// Number of balls.
        pub count: usize = 120,
        /// Radius of a ball, m.
        pub radius: f64 = 0.15,
        /// Slope of the plane, degrees; it falls along +x.
        pub slope: f64 = 15.0,
        /// Width of the letters' strokes, m; the plane is 11 of them long and 23 wide.
        pub stroke: f64 = 0.4,
        /// Depth of the engraving, m.
        pub depth: f64 = 0.1,
        /// Free height under the balls, at right angles to the plane, m.
        pub drop: f64 = 0.5,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
        /// Seed of the random displacements.
        pub seed: u64 = 1,
    }
    validate(plane) {
        counts(&[("count", plane.count)])?;
        positive(&[("radius", plane.radius), ("stroke", plane.stroke), ("depth", plane.depth)])?;
        positive(&[("density", plane.density)])?;
        not_negative(&[("drop", plane.drop), ("friction", plane.friction)])?;
        fractions(&[("restitution", plane.restitution)])?;
        slope("slope", plane.slope)?;
        if plane.pitch() > plane.length() {
            return Err("the balls are too large for the plane".into());
        }
        Ok(())
    }
}

impl EngravedPlane {
    /// Down the slope.
    fn length(&self) -> f64 {
        ROWS as f64 * self.stroke
    }

    /// Across the slope.
    fn width(&self) -> f64 {
        COLUMNS as f64 * self.stroke
    }

    /// From ball to ball at the beginning. Displacements are along the world's axes, whatever the slope, so two can bring
    /// balls closer by twice the diagonal of their cube.
    fn pitch(&self) -> f64 {
        2.0 * self.radius * (1.0 + JITTER * 3_f64.sqrt())
    }

    /// A fixed box of the tilted frame, from its smallest to its largest coordinates.
    fn slab(tilt: &Tilt, name: String, min: [f64; 3], max: [f64; 3]) -> BodyDescription {
        let size: [f64; 3] = std::array::from_fn(|axis| max[axis] - min[axis]);
        let [x, y, z] = std::array::from_fn(|axis| 0.5 * (min[axis] + max[axis]));
        let shape = ShapeDescription::cuboid(size[0], size[1], size[2]);
        tilt.apply(BodyDescription::fixed(name, shape).at(tilt.vector(x, y, z)))
    }

    /// What is left of the plane between the letters.
    fn slabs<'a>(&'a self, tilt: &'a Tilt) -> impl Iterator<Item = BodyDescription> + 'a {
        let (left, top) = (-0.5 * self.width(), -0.5 * self.length());
        plain_rectangles()
            .into_iter()
            .enumerate()
            .map(move |(index, rectangle)| {
                let place = |from: f64, cell: usize| from + cell as f64 * self.stroke;
                let [rows, columns] = rectangle;
                let min = [place(top, rows[0]), place(left, columns[0]), -FOUNDATION];
                let max = [place(top, rows[1]), place(left, columns[1]), self.depth];
                Self::slab(tilt, format!("slab-{index}"), min, max)
            })
    }

    fn rim(&self, tilt: &Tilt) -> [BodyDescription; 4] {
        let (x, y) = (0.5 * self.length(), 0.5 * self.width());
        let (below, above) = (-FOUNDATION, self.depth + FOUNDATION);
        let bar = |name: &str, [x0, x1]: [f64; 2], [y0, y1]: [f64; 2]| {
            Self::slab(tilt, format!("rim-{name}"), [x0, y0, below], [x1, y1, above])
        };
        [
            bar("top", [-x - RIM, -x], [-y - RIM, y + RIM]),
            bar("foot", [x, x + RIM], [-y - RIM, y + RIM]),
            bar("left", [-x, x], [-y - RIM, -y]),
            bar("right", [-x, x], [y, y + RIM]),
        ]
    }
}

/// Whether a cell belongs to a letter.
fn is_engraved(row: usize, column: usize) -> bool {
    let cell = |row: usize, column: usize| LETTERS.get(row)?.as_bytes().get(column);
    let inside = row.checked_sub(MARGIN).zip(column.checked_sub(MARGIN));
    inside.and_then(|(row, column)| cell(row, column)) == Some(&b'#')
}

/// The plain cells as rectangles, each from its first row and column to those after its last. Each column is cut into
/// runs down the slope; equal runs of neighbouring columns are one rectangle.
fn plain_rectangles() -> Vec<[[usize; 2]; 2]> {
    let mut rectangles: Vec<[[usize; 2]; 2]> = Vec::new();
    for column in 0..COLUMNS {
        let mut row = 0;
        while row < ROWS {
            let start = row;
            while row < ROWS && !is_engraved(row, column) {
                row += 1;
            }
            let run = [start, row];
            let before = rectangles
                .iter_mut()
                .find(|[rows, columns]| *rows == run && columns[1] == column);
            match before {
                _ if start == row => row += 1,
                Some([_, columns]) => columns[1] = column + 1,
                None => rectangles.push([run, [column, column + 1]]),
            }
        }
    }
    rectangles
}

impl CatalogueScene for EngravedPlane {
    const NAME: &'static str = "engraved-plane";
    const SUMMARY: &'static str =
        "balls dropped on a slope with engraved letters that catch some: rolling, many small groups (X01)";

    fn scene(&self) -> Scene {
        let tilt = Tilt::new(self.slope);
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 10.0;
        scene.bodies[0] = tilt.apply(scene.bodies[0].clone());
        scene.bodies.extend(self.slabs(&tilt));
        scene.bodies.extend(self.rim(&tilt));
        let pitch = self.pitch();
        let columns = ((self.width() / pitch) as usize).max(1);
        let rows = ((self.length() / pitch) as usize).max(1);
        let poured = Poured {
            count: self.count,
            radius: self.radius,
            spread: 0.0,
            displacement: JITTER * self.radius,
            density: self.density,
            seed: self.seed,
        };
        // Layers from the top of the slope, stacked at right angles to it: balls land a little farther down.
        scene.bodies.extend(poured.balls(|index| {
            let [i, j, k] = [index % columns, index / columns % rows, index / columns / rows];
            let x = (j as f64 + 0.5) * pitch - 0.5 * self.length();
            let y = centred(i, columns, pitch);
            let z = self.depth + self.drop + (k as f64 + 0.5) * pitch;
            tilt.vector(x, y, z).into()
        }));
        scene
    }
}
