//! The scenes as collision detection sees them: nothing overlaps that should not, and what rests is touched from
//! below.
//!
//! The tolerance of 1e-9 m is far above the rounding of sums of a few dozen metres and far below any contact.

use drystone_collision::NarrowPhase;
use drystone_dynamics::World;
use drystone_scenes::load;

const TOLERANCE: f64 = 1e-9;

struct Touch {
    a: usize,
    b: usize,
    depth: f64,
    /// From A to B, upwards positive.
    rise: f64,
}

fn touches(world: &World) -> Vec<Touch> {
    let narrow_phase = NarrowPhase {
        envelope: TOLERANCE,
        ..NarrowPhase::default()
    };
    let bodies = world.bodies();
    let boxes: Vec<_> = bodies.iter().map(|body| body.shape.aabb(&body.pose)).collect();
    // Bodies on a joint may overlap there.
    let joints = || world.joints().iter().filter(|joint| !joint.collide);
    let joined = |a, b| joints().any(|joint| joint.bodies == [a, b] || joint.bodies == [b, a]);
    let mut found = Vec::new();
    let mut points = Vec::new();
    for b in 0..bodies.len() {
        for a in 0..b {
            let near = (0..3).all(|axis| {
                boxes[a].min[axis] <= boxes[b].max[axis] + TOLERANCE
                    && boxes[b].min[axis] <= boxes[a].max[axis] + TOLERANCE
            });
            if !near || !(bodies[a].is_dynamic() || bodies[b].is_dynamic()) || joined(a, b) {
                continue;
            }
            points.clear();
            narrow_phase.contacts(
                &bodies[a].shape,
                &bodies[a].pose,
                &bodies[b].shape,
                &bodies[b].pose,
                &mut points,
            );
            found.extend(points.iter().map(|point| Touch {
                a,
                b,
                depth: point.depth,
                rise: point.normal.z,
            }));
        }
    }
    found
}

/// How many bodies carry each body.
fn supporters(world: &World) -> Vec<usize> {
    let mut pairs: Vec<(usize, usize)> = touches(world)
        .iter()
        .filter(|touch| touch.depth.abs() < TOLERANCE && touch.rise.abs() > 0.5)
        .map(|touch| {
            if touch.rise > 0.0 {
                (touch.b, touch.a)
            } else {
                (touch.a, touch.b)
            }
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut count = vec![0; world.bodies().len()];
    for (carried, _) in pairs {
        count[carried] += 1;
    }
    count
}

#[test]
fn nothing_overlaps_at_the_beginning() {
    for text in [
        "ball-grid",
        "ball-grid:side=3,radius=0.1",
        "box-stack",
        "box-stack:size=0.3",
        "wall",
        "wall:rows=5,columns=3,length=0.7,height=0.3,depth=0.35,gap=0.01",
        "tower",
        "tower:per-layer=3,layers=4,gap=0",
        "tower:per-layer=5,layers=4",
        "tower:layers=4,width=1,height=1",
        "two-balls",
        "heavy-top",
        "sphere-pile",
        "sphere-pile:spread=0.5,seed=7,jitter=0.5",
        "sphere-pile:width=1,count=20,drop=0",
        "silo",
        "silo:count=500,width=2,looseness=0.02,jitter=1,seed=3",
        "silo:count=300,width=3,spread=0.6,jitter=1,drop=1",
        "silo:count=20,width=0.9,looseness=0",
        "canyon",
        "canyon:across=2,along=3,opening=0",
        "canyon:across=5,along=2,levels=9,opening=8",
        "engraved-plane",
        "engraved-plane:count=900,slope=40,radius=0.2,drop=0,seed=5",
        "incline",
        "incline:angle=45",
        "sliding-boxes",
        "billiards",
        "billiards:gap=0.001,offset=0.3",
        "see-saw",
        "see-saw:length=4,pivot=1",
        "flip-over",
        "flip-over:length=4,pivot=1",
        "rolling-plate",
        "rolling-plate:side=9,spacing=1",
        "conveyor",
        "avalanche",
        "avalanche:count=7,across=3,boulder=2,angle=60",
        "pendulum:links=4",
        "chain",
        "rope-bridge:drop=0",
        "four-bar",
        "slider-crank",
        "newton-cradle:gap=0,lifted=2",
        "spinning-top",
        "robot-assembly",
        "motor-spheres",
        "domino-chain:turn=180",
        "levered-stack",
        "levered-stack:length=4,pivot=1",
    ] {
        let world = load(text).unwrap().build().unwrap();
        for touch in touches(&world) {
            let [a, b] = [touch.a, touch.b].map(|index| &world.bodies()[index].name);
            assert!(
                touch.depth <= TOLERANCE,
                "{text}: {a} and {b} overlap by {}",
                touch.depth
            );
        }
    }
}

#[test]
fn what_rests_is_carried() {
    for text in [
        "ball-grid",
        "box-stack",
        "box-stack:size=0.3",
        "wall",
        "wall:rows=5,columns=3,length=0.7,height=0.3,depth=0.35,gap=0.01",
        "tower",
        "tower:layers=4,width=1,height=1",
        "two-balls",
        "heavy-top",
        "incline",
        "incline:angle=45",
        "sliding-boxes",
        "billiards",
        "see-saw",
        "rolling-plate",
        "conveyor",
        "domino-chain",
    ] {
        let world = load(text).unwrap().build().unwrap();
        for (body, supporters) in world.bodies().iter().zip(supporters(&world)) {
            assert!(!body.is_dynamic() || supporters > 0, "{text}: {} floats", body.name);
        }
    }
}

/// In the tower each brick lies on two; in the wall all but the teeth at the ends do.
#[test]
fn bricks_lie_on_two_bricks() {
    for text in [
        "tower",
        "tower:per-layer=3,layers=4",
        "tower:per-layer=6,layers=4",
        "tower:layers=4,width=1,height=1",
    ] {
        let world = load(text).unwrap().build().unwrap();
        for (body, supporters) in world.bodies().iter().zip(supporters(&world)) {
            let expected = match body.name.as_str() {
                "ground" => 0,
                name if name.starts_with("brick-0-") => 1,
                _ => 2,
            };
            assert_eq!(supporters, expected, "{text}: {}", body.name);
        }
    }
    let world = load("wall").unwrap().build().unwrap();
    let on_one = supporters(&world).iter().filter(|&&count| count == 1).count();
    assert_eq!(
        on_one,
        20 + 9,
        "the lowest row on the ground, and one tooth in each other row"
    );
}

#[test]
fn the_lever_of_the_flip_over_touches_ground_ridge_and_load() {
    let world = load("flip-over").unwrap().build().unwrap();
    let touching = |a: &str, b: &str| {
        let pair = [world.find(a).unwrap(), world.find(b).unwrap()];
        let is_pair = |touch: &Touch| pair == [touch.a, touch.b] || pair == [touch.b, touch.a];
        touches(&world)
            .iter()
            .any(|touch| is_pair(touch) && touch.depth.abs() < TOLERANCE)
    };
    assert!(touching("plank", "ground"));
    assert!(touching("plank", "pivot"));
    assert!(touching("plank", "light"));
    assert!(!touching("plank", "heavy"));
}

/// Dissertation figure 6.53: the grid begins with the overlap that was asked for, everywhere.
#[test]
fn the_penetrating_grid_overlaps_as_asked() {
    let world = load("ball-grid:overlap=0.2").unwrap().build().unwrap();
    let axial: Vec<_> = touches(&world).into_iter().filter(|touch| touch.depth > 0.1).collect();
    // 4·5·5 pairs along each of three axes, and 25 balls in the ground.
    assert_eq!(axial.len(), 325);
    for touch in axial {
        assert!((touch.depth - 0.2).abs() < TOLERANCE);
    }
}

/// With `sideways` the same grid overlaps less from side to side, down to only touching; gravity can be left out.
#[test]
fn the_grid_can_overlap_along_the_vertical_only() {
    for sideways in [0.0, 0.25] {
        let world = load(&format!("ball-grid:overlap=0.2,sideways={sideways},gravity=0")).unwrap();
        let world = world.build().unwrap();
        assert_eq!(world.gravity.norm(), 0.0);
        let (upright, level): (Vec<_>, Vec<_>) = touches(&world).into_iter().partition(|touch| touch.rise.abs() > 0.9);
        assert_eq!((upright.len(), level.len()), (4 * 25 + 25, 2 * 4 * 25));
        assert!(upright.iter().all(|touch| (touch.depth - 0.2).abs() < TOLERANCE));
        assert!(
            level
                .iter()
                .all(|touch| (touch.depth - 0.2 * sideways).abs() < TOLERANCE)
        );
    }
}

/// The column begins near the density it will settle to: random packings of equal balls fill 0.55 to 0.64 of space.
#[test]
fn a_tall_silo_has_not_far_to_fall() {
    let world = load("silo:count=30000").unwrap().build().unwrap();
    let balls = || world.bodies().iter().filter(|body| body.is_dynamic());
    let top = balls().map(|ball| ball.pose.translation.z + 0.25).fold(0.0, f64::max);
    let filled = balls().map(|ball| ball.shape.volume()).sum::<f64>() / (8.0 * 8.0 * top);
    // The lattice fills 0.556; its margins at the walls take some of that.
    assert!((0.5..0.56).contains(&filled), "{filled}");
    let wall = &world.bodies()[world.find("wall-left").unwrap()];
    assert!(wall.shape.aabb(&wall.pose).max.z >= top);
}
