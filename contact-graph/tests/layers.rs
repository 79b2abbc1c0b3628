//! Stack heights and layers (§6.4.2) on stacks whose heights can be told by looking at them.

use std::f64::consts::FRAC_PI_6;

use drystone_contact_graph::{Cycles, Heights, LayerRule, StackLayers, Support};

const FLOATING: u32 = StackLayers::FLOATING;

fn rule(heights: Heights, cycles: Cycles) -> LayerRule {
    LayerRule {
        heights,
        cycles,
        ..LayerRule::default()
    }
}

fn all_rules() -> [LayerRule; 4] {
    use {Cycles::*, Heights::*};
    [
        rule(Distance, Ignore),
        rule(Distance, Condense),
        rule(Gravity, Ignore),
        rule(Gravity, Condense),
    ]
}

fn rests_on(b: u32, a: u32) -> Support {
    Support { a, b, rise: 1.0 }
}

fn beside(a: u32, b: u32) -> Support {
    Support { a, b, rise: 0.0 }
}

/// Body 0 is ground.
fn heights_of(rule: &LayerRule, bodies: usize, supports: &[Support], links: &[(u32, u32)]) -> Vec<u32> {
    held(rule, bodies, supports, links, &[]).heights().to_vec()
}

fn held(rule: &LayerRule, bodies: usize, supports: &[Support], links: &[(u32, u32)], floors: &[u32]) -> StackLayers {
    let mut is_ground = vec![false; bodies];
    is_ground[0] = true;
    let mut layers = StackLayers::default();
    layers.build(rule, &is_ground, supports, links, floors);
    layers
}

/// Contacts of discs of radius ½ in a vertical plane, numbered from 1; the ground is added by the caller.
fn disc_contacts(centres: &[(f64, f64)]) -> Vec<Support> {
    let mut supports = Vec::new();
    for (i, a) in (1..).zip(centres) {
        for (j, b) in (1..).zip(centres).filter(|&(j, _)| j > i) {
            let (x, y) = (b.0 - a.0, b.1 - a.1);
            let distance = x.hypot(y);
            // The centres below are exact to rounding; 1e-9 is far above that and far below any gap in them.
            if distance < 1.0 + 1e-9 {
                let rise = y / distance;
                supports.push(Support { a: i, b: j, rise });
            }
        }
    }
    supports
}

#[test]
fn the_default_is_the_published_rule() {
    assert_eq!(LayerRule::default(), rule(Heights::Distance, Cycles::Ignore));
    assert_eq!(LayerRule::default().level, 0.05);
}

#[test]
fn nothing_and_ground_alone_have_no_layers() {
    let mut layers = StackLayers::default();
    for rule in all_rules() {
        layers.build(&rule, &[], &[], &[], &[]);
        assert_eq!((layers.heights(), layers.count()), ([].as_slice(), 0));
        layers.build(&rule, &[true, true], &[rests_on(1, 0)], &[(0, 1)], &[5, 5]);
        assert_eq!((layers.heights(), layers.count()), ([0, 0].as_slice(), 0));
        assert_eq!((layers.layer_of(0, 1), layers.layer_of(0, 2)), (None, None));
    }
}

/// A tower that is numbered from the top, so that index order is no help.
#[test]
fn a_tower_has_the_heights_of_its_floors() {
    let supports: Vec<Support> = (1..10)
        .map(|i| Support {
            a: i,
            b: i + 1,
            rise: -1.0,
        })
        .collect();
    let supports: Vec<Support> = supports.into_iter().chain([rests_on(10, 0)]).collect();
    for rule in all_rules() {
        let layers = held(&rule, 11, &supports, &[], &[]);
        let expected: Vec<u32> = [0].into_iter().chain((1..=10).rev()).collect();
        assert_eq!(layers.heights(), expected);
        assert_eq!(layers.count(), 10);
        assert_eq!(layers.layer_of(10, 0), Some(0));
        assert_eq!(layers.layer_of(1, 2), Some(9));
        assert_eq!(
            (layers.height(1), layers.height(0), layers.height(11)),
            (Some(10), Some(0), None)
        );
    }
}

/// Bricks of one course touch sideways and have the height of the course; so the contacts within a course are solved
/// with those that carry it.
#[test]
fn a_wall_in_running_bond_has_the_heights_of_its_courses() {
    let (courses, length) = (6, 5);
    let brick = |course: u32, i: u32| 1 + course * length + i;
    let mut supports = Vec::new();
    for course in 0..courses {
        for i in 0..length {
            if i + 1 < length {
                supports.push(beside(brick(course, i), brick(course, i + 1)));
            }
            if course == 0 {
                supports.push(rests_on(brick(0, i), 0));
                continue;
            }
            // Odd courses are shifted by half a brick to the right, even ones back.
            supports.push(rests_on(brick(course, i), brick(course - 1, i)));
            let other = if course % 2 == 1 { i + 1 } else { i.wrapping_sub(1) };
            if other < length {
                supports.push(rests_on(brick(course, i), brick(course - 1, other)));
            }
        }
    }
    for rule in all_rules() {
        let layers = held(&rule, 1 + (courses * length) as usize, &supports, &[], &[]);
        for course in 0..courses {
            for i in 0..length {
                assert_eq!(layers.height(brick(course, i)), Some(course + 1));
            }
            assert_eq!(layers.layer_of(brick(course, 0), brick(course, 1)), Some(course));
        }
        assert_eq!(layers.count(), courses as usize);
    }
}

/// A row of discs on a slope of 30°, held by a stop at its foot. Each touches the ground, so distance sees one layer;
/// gravity sees that each lies against its downhill neighbour (§6.4.3).
#[test]
fn on_a_slope_an_uphill_body_is_above_its_downhill_neighbour() {
    let centres: Vec<(f64, f64)> = (0..6)
        .map(|i| (f64::from(i) * FRAC_PI_6.cos(), f64::from(i) * FRAC_PI_6.sin()))
        .collect();
    let mut supports = disc_contacts(&centres);
    assert_eq!(supports.len(), 5);
    assert!(supports.iter().all(|support| (support.rise - 0.5).abs() < 1e-12));
    supports.extend((1..=6).map(|body| rests_on(body, 0)));

    let [published, swept, cut, condensed] = all_rules();
    assert_eq!(heights_of(&published, 7, &supports, &[]), [0, 1, 1, 1, 1, 1, 1]);
    for rule in [swept, cut, condensed] {
        let layers = held(&rule, 7, &supports, &[], &[]);
        assert_eq!(layers.heights(), [0, 1, 2, 3, 4, 5, 6]);
        // A contact with the ground belongs to the layer in which its body moves.
        assert_eq!(layers.layer_of(0, 6), Some(5));
        assert_eq!(layers.layer_of(5, 6), Some(5));
    }
    // On level ground the same row is one layer.
    for support in &mut supports[..5] {
        support.rise = 0.049;
    }
    for rule in all_rules() {
        assert_eq!(heights_of(&rule, 7, &supports, &[]), [0, 1, 1, 1, 1, 1, 1]);
    }
}

/// The canyon of Fig 6.55: disc 4 leans on the canyon's wall high up and is carried by disc 3, at the top of a column.
/// Distance gives it height 1, so the sweep does it before the column that carries it.
#[test]
fn bodies_on_a_canyon_wall_share_a_height_with_those_that_carry_them() {
    let centres = [(0.0, 0.5), (0.0, 1.5), (0.0, 2.5), (0.6, 3.3)];
    let mut supports = disc_contacts(&centres);
    assert_eq!(supports.len(), 3);
    supports.push(rests_on(1, 0));
    // The wall is at x = 1.1 and upright.
    supports.push(beside(0, 4));

    let [published, swept, cut, condensed] = all_rules();
    assert_eq!(heights_of(&published, 5, &supports, &[]), [0, 1, 2, 2, 1]);
    // The distances sweep 0 → 4 → 3 and 1 → 2, where 3 lies on 2 and 4 on 3: discs 3 and 4 contradict each other.
    let layers = held(&swept, 5, &supports, &[], &[]);
    assert_eq!(layers.heights(), [0, 1, 2, 3, 3]);
    assert_eq!((layers.layer_of(3, 4), layers.layer_of(2, 3)), (Some(2), Some(2)));
    // By gravity there is no contradiction, only an order.
    for rule in [cut, condensed] {
        assert_eq!(heights_of(&rule, 5, &supports, &[]), [0, 1, 2, 3, 4]);
    }
}

/// Three bodies, each resting on the next, as three logs across each other do. Body 1 stands on a base, 4 lies on them.
#[test]
fn a_ring_of_bodies_that_carry_each_other_shares_a_height() {
    let supports = [
        rests_on(5, 0),
        rests_on(1, 5),
        rests_on(2, 1),
        rests_on(3, 2),
        rests_on(1, 3),
        rests_on(4, 3),
    ];
    let [published, swept, cut, condensed] = all_rules();
    assert_eq!(heights_of(&published, 6, &supports, &[]), [0, 2, 3, 3, 4, 1]);
    assert_eq!(heights_of(&condensed, 6, &supports, &[]), [0, 2, 2, 2, 3, 1]);
    assert_eq!(heights_of(&swept, 6, &supports, &[]), [0, 2, 2, 2, 3, 1]);
    // The search goes from 1 to 3 (which it rests on) to 2, and drops that 2 rests on 1.
    assert_eq!(heights_of(&cut, 6, &supports, &[]), [0, 3, 1, 2, 3, 1]);
}

#[test]
fn a_floating_group_has_no_height_and_no_layers() {
    // 1 on the ground; 2, 3 and 4 touch each other in the air, 4 and 5 are jointed; 6 is alone.
    let supports = [rests_on(1, 0), rests_on(3, 2), rests_on(2, 4), rests_on(4, 3)];
    for rule in all_rules() {
        let layers = held(&rule, 7, &supports, &[(4, 5)], &[0, 0, 4, 4, 4, 4, 4]);
        assert_eq!(layers.heights()[..2], [0, 1]);
        assert!(layers.heights()[2..].iter().all(|&height| height == FLOATING));
        assert_eq!((layers.count(), layers.height(3)), (1, None));
        assert_eq!((layers.layer_of(2, 3), layers.layer_of(1, 2)), (None, None));
    }
}

/// Leaning sideways against a body on the ground is a path to it, though nothing carries.
#[test]
fn a_body_held_sideways_alone_does_not_float() {
    let supports = [rests_on(1, 0), beside(1, 2)];
    let [published, swept, cut, condensed] = all_rules();
    for rule in [published, swept] {
        assert_eq!(heights_of(&rule, 3, &supports, &[]), [0, 1, 2]);
    }
    for rule in [cut, condensed] {
        assert_eq!(heights_of(&rule, 3, &supports, &[]), [0, 1, 1]);
    }
}

/// A pendulum hangs from the ground, and a chain of three stands on a body that stands on the ground.
#[test]
fn joints_count_like_contacts_or_make_one_thing() {
    let supports = [rests_on(2, 0), rests_on(3, 2), rests_on(6, 5)];
    let links = [(1, 0), (3, 4), (5, 4)];
    let [published, swept, _, condensed] = all_rules();
    assert_eq!(heights_of(&published, 7, &supports, &links), [0, 1, 1, 2, 3, 4, 5]);
    assert_eq!(heights_of(&condensed, 7, &supports, &links), [0, 1, 1, 2, 2, 2, 3]);
    assert_eq!(heights_of(&swept, 7, &supports, &links), [0, 1, 1, 2, 2, 2, 3]);
}

/// Fig 6.61: body 5, on top of four, has fallen through to the ground. Without its old height it lifts all it touches.
#[test]
fn a_falling_body_keeps_its_height() {
    let mut supports = vec![
        rests_on(1, 0),
        rests_on(2, 1),
        rests_on(3, 2),
        rests_on(4, 3),
        rests_on(5, 4),
    ];
    let mut layers = held(&LayerRule::default(), 7, &supports, &[], &[]);
    let floors = layers.heights().to_vec();
    assert_eq!(floors, [0, 1, 2, 3, 4, 5, FLOATING]);
    supports.extend([rests_on(5, 0), beside(5, 2)]);
    let is_ground = [true, false, false, false, false, false, false];
    layers.build(&LayerRule::default(), &is_ground, &supports, &[], &[]);
    assert_eq!(layers.heights(), [0, 1, 2, 3, 2, 1, FLOATING]);
    layers.build(&LayerRule::default(), &is_ground, &supports, &[], &floors);
    assert_eq!(layers.heights(), floors);
    // The contact with the ground waits for the body.
    assert_eq!(layers.layer_of(5, 0), Some(4));
    // A body that lands on it goes above, and one that floated has no floor to keep.
    supports.push(rests_on(6, 5));
    for rule in all_rules() {
        layers.build(&rule, &is_ground, &supports, &[], &floors);
        assert_eq!(layers.heights(), [0, 1, 2, 3, 4, 5, 6]);
    }
    // A ring has the highest floor of its bodies. Floors of ground don't count, missing ones are 0.
    let ring = [
        rests_on(1, 0),
        rests_on(2, 1),
        rests_on(3, 2),
        rests_on(2, 3),
        rests_on(4, 3),
    ];
    let condensed = rule(Heights::Gravity, Cycles::Condense);
    assert_eq!(
        held(&condensed, 5, &ring, &[], &[9, 0, 0, 7]).heights(),
        [0, 1, 7, 7, 8]
    );
}

#[test]
fn wrong_pairs_are_passed_over_and_wild_numbers_do_no_harm() {
    let supports = [
        rests_on(1, 0),
        rests_on(2, 1),
        rests_on(2, 2),
        rests_on(9, 1),
        rests_on(1, u32::MAX),
        Support {
            a: 2,
            b: 1,
            rise: f64::NAN,
        },
        Support {
            a: 1,
            b: 2,
            rise: f64::INFINITY,
        },
    ];
    let floors = [0, u32::MAX - 1];
    for mut rule in all_rules() {
        assert_eq!(heights_of(&rule, 3, &supports, &[(7, 1), (1, 1)]), [0, 1, 2]);
        // The largest height there is: nothing can be above, and nothing wraps around.
        let layers = held(&rule, 3, &supports, &[], &floors);
        assert_eq!(layers.heights(), [0, FLOATING - 1, FLOATING - 1]);
        rule.level = -1.0;
        assert_eq!(
            heights_of(&rule, 3, &[rests_on(1, 0), rests_on(2, 0), beside(1, 2)], &[]),
            [0, 1, 1]
        );
    }
}

/// Long enough to overflow a recursive walk, as a tower, as a ring and as a chain of joints.
#[test]
fn half_a_million_bodies_need_no_stack() {
    let count = 500_000u32;
    let mut supports: Vec<Support> = (1..=count).rev().map(|i| rests_on(i, i - 1)).collect();
    let mut is_ground = vec![false; count as usize + 1];
    is_ground[0] = true;
    let mut layers = StackLayers::default();
    for rule in all_rules() {
        layers.build(&rule, &is_ground, &supports, &[], &[]);
        assert_eq!((layers.height(count), layers.count()), (Some(count), count as usize));
    }
    supports.push(rests_on(1, count));
    let condensed = rule(Heights::Gravity, Cycles::Condense);
    layers.build(&condensed, &is_ground, &supports, &[], &[]);
    assert_eq!((layers.height(count), layers.count()), (Some(1), 1));
    let links: Vec<(u32, u32)> = (1..=count).map(|i| (i - 1, i)).collect();
    layers.build(&condensed, &is_ground, &[], &links, &[]);
    assert_eq!((layers.height(count), layers.count()), (Some(1), 1));
}
