//! Several primitive shapes on one body, each at a pose of its own in the body's frame.
//!
//! With parts of mass mᵢ, centre cᵢ, rotation Rᵢ and inertia Iᵢ about their own centres, the whole has
//!
//! ```text
//! m = Σ mᵢ,   c = Σ mᵢ cᵢ / m,   I = Σ Rᵢ Iᵢ Rᵢᵀ + mᵢ (dᵢ·dᵢ 1 − dᵢ dᵢᵀ),   dᵢ = cᵢ − c
//! ```
//!
//! (Huygens and Steiner's parallel-axis theorem). A body's origin is its centre of mass, so parts written in any
//! other frame go through [`Compound::about_centre_of_mass`], which moves them there.
//!
//! Parts may overlap. Nothing is done about it: volume and mass of the overlap count once for each part.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::aabb::Aabb;
use crate::contact::FeatureId;
use crate::mass::MassProperties;
use crate::shape::{Cuboid, Shape, ShapeError, Sphere};

/// A uniform compound has mass properties if its centroid is this close to its origin, as a share of its radius: far
/// above the rounding of [`Compound::about_centre_of_mass`], far below anything that was meant.
const CENTRED: f64 = 1e-9;

/// One shape of a compound.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// A sphere or a box.
    pub shape: Shape,
    /// Part to body.
    pub pose: Isometry3<f64>,
}

impl Part {
    /// A part with its centre at a place of the body's frame, not turned.
    pub fn at(shape: Shape, position: Vector3<f64>) -> Self {
        Self {
            shape,
            pose: Isometry3::translation(position.x, position.y, position.z),
        }
    }

    fn validate(&self) -> Result<(), ShapeError> {
        if !matches!(self.shape, Shape::Sphere(_) | Shape::Cuboid(_)) {
            let kind = self.shape.kind_name();
            return Err(ShapeError::NotAPart { kind });
        }
        self.shape.validate()?;
        let finite = self.pose.translation.vector.iter().all(|x| x.is_finite());
        // As for normals: a unit quaternion can be built unchecked.
        if finite && (self.pose.rotation.norm() - 1.0).abs() <= 1e-6 {
            Ok(())
        } else {
            Err(ShapeError::Pose)
        }
    }
}

/// A union of spheres and boxes that move as one. Its parts are shared by its clones.
#[derive(Clone, Debug)]
pub struct Compound(Arc<Geometry>);

/// Clones are equal without a look at their parts.
impl PartialEq for Compound {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

/// What never changes. Bounds are kept beside the parts, flat, because the narrow phase reads them far more often.
#[derive(Debug, PartialEq)]
struct Geometry {
    parts: Box<[Part]>,
    /// Of each part, in the body's frame.
    bounds: Box<[Aabb]>,
    /// Of all parts, in the body's frame.
    whole: Aabb,
    radius: f64,
}

/// A compound about its centre of mass, as [`Compound::about_centre_of_mass`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Centred {
    /// The parts, moved so that the origin is the centre of mass. Their axes are those of the given frame.
    pub compound: Compound,
    /// Mass and inertia of all parts about the new origin.
    pub properties: MassProperties,
    /// Where the centre of mass is in the given frame, m.
    pub offset: Vector3<f64>,
}

impl Compound {
    /// The most parts that contact points can tell apart.
    pub const MAX_PARTS: usize = FeatureId::MAX_PARTS;

    /// A compound of these parts, posed in the body's frame.
    ///
    /// Refused are an empty list and more than [`Compound::MAX_PARTS`] parts, and of the parts those with bad sizes,
    /// poses that are not finite, half-spaces and other compounds.
    pub fn new(parts: impl Into<Box<[Part]>>) -> Result<Self, ShapeError> {
        let parts: Box<[Part]> = parts.into();
        validate(parts.iter())?;
        let bounds: Box<[Aabb]> = parts.iter().map(|part| part.shape.aabb(&part.pose)).collect();
        let whole = bounds[1..].iter().fold(bounds[0], |whole, next| whole.joined(next));
        let radius = parts.iter().map(reach).fold(0.0, f64::max);
        Ok(Self(Arc::new(Geometry {
            parts,
            bounds,
            whole,
            radius,
        })))
    }

    /// A compound of parts in any frame, each with a density in kg/m³, moved so that its origin is its centre of mass.
    ///
    /// A part of known mass m has the density `m / part.shape.volume()`. Refused is what [`Compound::new`] refuses,
    /// densities that are not positive and finite, and parts that together have no usable mass.
    pub fn about_centre_of_mass(parts: impl IntoIterator<Item = (Part, f64)>) -> Result<Centred, ShapeError> {
        let (mut parts, densities): (Vec<Part>, Vec<f64>) = parts.into_iter().unzip();
        validate(parts.iter())?;
        for (index, &density) in densities.iter().enumerate() {
            if !(density > 0.0 && density.is_finite()) {
                return Err(ShapeError::Density { density }.of_part(index));
            }
        }
        let masses = parts
            .iter()
            .zip(&densities)
            .map(|(part, density)| density * part.shape.volume());
        let masses: Vec<f64> = masses.collect();
        let (mass, offset) = centre(&parts, &masses);
        if !(mass > 0.0 && mass.is_finite() && offset.iter().all(|x| x.is_finite())) {
            return Err(ShapeError::Mass { mass });
        }
        for part in &mut parts {
            part.pose.translation.vector -= offset;
        }
        let properties = MassProperties {
            mass,
            inertia: inertia(&parts, &masses),
        };
        Ok(Centred {
            compound: Self::new(parts)?,
            properties,
            offset,
        })
    }

    /// The parts, posed in the body's frame. A part's place in this list is what contact points call it by.
    pub fn parts(&self) -> &[Part] {
        &self.0.parts
    }

    /// The centre of mass at a uniform density, in the body's frame.
    pub fn centroid(&self) -> Vector3<f64> {
        centre(self.parts(), &self.volumes()).1
    }

    /// Bounds of each part in the body's frame, in the order of the parts.
    pub(crate) fn bounds(&self) -> &[Aabb] {
        &self.0.bounds
    }

    /// Bounds of all parts in the body's frame.
    pub(crate) fn whole(&self) -> &Aabb {
        &self.0.whole
    }

    pub(crate) fn bounding_radius(&self) -> f64 {
        self.0.radius
    }

    pub(crate) fn volume(&self) -> f64 {
        self.volumes().iter().sum()
    }

    pub(crate) fn aabb(&self, pose: &Isometry3<f64>) -> Aabb {
        let at = |part: &Part| part.shape.aabb(&(pose * part.pose));
        let parts = self.parts();
        parts[1..]
            .iter()
            .fold(at(&parts[0]), |whole, part| whole.joined(&at(part)))
    }

    /// Mass and inertia at a uniform density; `None` if the centroid is not the origin, because then they are not
    /// those about the centre of mass, and moving the parts without saying so would move the body.
    pub(crate) fn uniform_mass(&self, mass: f64) -> Option<MassProperties> {
        let volumes = self.volumes();
        let (volume, centroid) = centre(self.parts(), &volumes);
        let centred = centroid.norm() <= CENTRED * self.bounding_radius();
        centred.then(|| {
            let masses: Vec<f64> = volumes.iter().map(|part| mass * (part / volume)).collect();
            let inertia = inertia(self.parts(), &masses);
            MassProperties { mass, inertia }
        })
    }

    fn volumes(&self) -> Vec<f64> {
        self.parts().iter().map(|part| part.shape.volume()).collect()
    }
}

fn validate<'a>(parts: impl ExactSizeIterator<Item = &'a Part>) -> Result<(), ShapeError> {
    match parts.len() {
        0 => return Err(ShapeError::NoParts),
        count if count > Compound::MAX_PARTS => return Err(ShapeError::TooManyParts { count }),
        _ => {}
    }
    for (index, part) in parts.enumerate() {
        part.validate().map_err(|error| error.of_part(index))?;
    }
    Ok(())
}

/// How far a part reaches from the body's origin.
fn reach(part: &Part) -> f64 {
    match &part.shape {
        Shape::Sphere(Sphere { radius }) => part.pose.translation.vector.norm() + radius,
        Shape::Cuboid(Cuboid { half_extents }) => {
            // The farthest corner is on the far side of each axis, as the box sees its own centre from the origin.
            let centre = part
                .pose
                .rotation
                .inverse_transform_vector(&part.pose.translation.vector);
            (centre.abs() + half_extents).norm()
        }
        Shape::HalfSpace(_) | Shape::Compound(_) => f64::INFINITY,
    }
}

/// Σ wᵢ and Σ wᵢ cᵢ / Σ wᵢ. Taken from the first part's centre, so that parts far from the frame's origin lose no
/// digits and a single part is its own centre exactly.
fn centre(parts: &[Part], weights: &[f64]) -> (f64, Vector3<f64>) {
    let first = parts[0].pose.translation.vector;
    let total: f64 = weights.iter().sum();
    let sum: Vector3<f64> = parts
        .iter()
        .zip(weights)
        .map(|(part, &weight)| weight * (part.pose.translation.vector - first))
        .sum();
    (total, first + sum / total)
}

/// Σ Rᵢ Iᵢ Rᵢᵀ + mᵢ (dᵢ·dᵢ 1 − dᵢ dᵢᵀ) about the origin.
fn inertia(parts: &[Part], masses: &[f64]) -> Matrix3<f64> {
    let sum: Matrix3<f64> = parts
        .iter()
        .zip(masses)
        .filter_map(|(part, &mass)| Some(MassProperties::from_mass(&part.shape, mass)?.inertia_seen_from(&part.pose)))
        .sum();
    // The products leave a skew part of the size of rounding.
    0.5 * (sum + sum.transpose())
}
