//! Work against precision: what a method costs and what it leaves, a point a method, and the front of those that nothing
//! beats both ways.

use crate::plot::pareto::front;
use crate::plot::{Axis, Chart, Layer, Shape};

/// A method in the plane: less is better both ways.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Its name.
    pub label: String,
    /// Its look.
    pub style: usize,
    /// What it costs and what it leaves.
    pub at: (f64, f64),
}

/// What a chart of work against precision is called and shows.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What a point is.
    pub points: &'a str,
    /// The label of the cost.
    pub cost: &'a str,
    /// The label of what is left.
    pub error: &'a str,
}

/// The chart, if at least two methods have a place on it, and one of them leaves something.
pub fn chart(words: Words<'_>, places: Vec<Place>) -> Option<Chart> {
    let usable =
        |place: &Place| place.at.0.is_finite() && place.at.0 > 0.0 && place.at.1.is_finite() && place.at.1 >= 0.0;
    let places: Vec<Place> = places.into_iter().filter(usable).collect();
    if places.len() < 2 || places.iter().all(|place| place.at.1 == 0.0) {
        return None;
    }
    let points: Vec<(f64, f64)> = places.iter().map(|place| place.at).collect();
    let on_front: Vec<(f64, f64)> = front(&points).into_iter().map(|k| points[k]).collect();
    let mut layers = vec![Layer {
        label: "Pareto front".into(),
        style: 5,
        shape: Shape::Front(on_front),
    }];
    layers.extend(places.into_iter().map(|place| Layer {
        label: place.label,
        style: place.style,
        shape: Shape::Points(vec![place.at]),
    }));
    let zeros = points.iter().any(|point| point.1 == 0.0);
    Some(Chart {
        name: words.name.to_owned(),
        title: words.title.to_owned(),
        caption: format!(
            "{}; left and below is better. The dashed line is the Pareto front: nothing is both cheaper and more precise than \
             what lies on it.{}",
            words.points,
            if zeros { " Zeros lie on the lower edge." } else { "" }
        ),
        x: Axis::log(words.cost),
        y: Axis::log(words.error),
        layers,
        over_time: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Words<'_> = Words {
        name: "work-precision",
        title: "",
        points: "",
        cost: "",
        error: "",
    };

    fn place(at: (f64, f64)) -> Place {
        Place {
            label: String::new(),
            style: 0,
            at,
        }
    }

    #[test]
    fn the_front_is_drawn_through_the_best() {
        let places = [(1.0, 1.0), (2.0, 0.1), (3.0, 0.5), (f64::NAN, 0.0)].map(place);
        let chart = chart(WORDS, places.to_vec()).unwrap();
        assert_eq!(chart.layers[0].shape, Shape::Front(vec![(1.0, 1.0), (2.0, 0.1)]));
        assert_eq!(chart.layers.len(), 4);
    }

    #[test]
    fn one_method_is_no_trade_off() {
        assert_eq!(chart(WORDS, vec![place((1.0, 1.0)), place((0.0, 1.0))]), None);
    }

    /// A logarithmic axis has no place for it, and would show zeros at whatever its lower edge is.
    #[test]
    fn where_nothing_is_left_there_is_nothing_to_draw() {
        assert_eq!(chart(WORDS, vec![place((1.0, 0.0)), place((2.0, 0.0))]), None);
        assert!(chart(WORDS, vec![place((1.0, 0.0)), place((2.0, 1.0))]).is_some());
    }
}
