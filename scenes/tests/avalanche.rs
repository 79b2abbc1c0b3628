//! The avalanche: who collides with whom, and that rocks come down as Coulomb's law says, through each other.

use drystone_dynamics::{Change, Event, Method, Simulation};
use drystone_scenes::load;

#[test]
fn only_the_boulder_collides_with_rocks() {
    let world = load("avalanche:count=5").unwrap().build().unwrap();
    let index = |name: &str| world.find(name).unwrap() as u32;
    let allows = |a: &str, b: &str| world.filter.allows(index(a), index(b));
    assert!(!allows("rock-0", "rock-4") && allows("rock-0", "boulder") && allows("boulder", "rock-4"));
    for terrain in ["ground", "cliff"] {
        assert!(allows("rock-0", terrain) && allows("boulder", terrain) && !allows("foot", terrain));
    }
    assert!(allows("rock-0", "foot") && allows("boulder", "foot"));
    assert_eq!(world.timers().len(), 1);
}

/// From rest, a rock has gone d after `√(2 d / g (sin α − μ cos α))`, whoever is around it. It is in the volume at the
/// foot, whose face is upright, when the upper front edge gets there: `size · tan α` before the lower one does.
#[test]
fn rocks_arrive_at_the_time_of_the_closed_form() {
    let (angle, friction, size, way, dt): (f64, f64, f64, f64, f64) = (40_f64.to_radians(), 0.25, 0.4, 5.0, 0.005);
    // Two rows, the second 1.5 sizes behind the first; a boulder at rest that stays behind them.
    let scene = load("avalanche:count=12,speed=0").unwrap();
    let mut simulation =
        Simulation::new(scene.build().unwrap(), Method::parse("pgs:iterations=100").unwrap(), dt).unwrap();
    let mut arrivals = [None; 12];
    let mut ticks = Vec::new();
    for _ in 0..400 {
        simulation.step().unwrap();
        let world = simulation.world();
        for event in simulation.events() {
            match event {
                Event::Trigger {
                    trigger,
                    body,
                    change: Change::New,
                } => {
                    assert_eq!(world.bodies()[trigger].name, "foot");
                    let rock = world.bodies()[body]
                        .name
                        .strip_prefix("rock-")
                        .map(|n| n.parse::<usize>().unwrap());
                    if let Some(rock) = rock {
                        arrivals[rock].get_or_insert(world.time);
                    }
                }
                Event::Tick { time, .. } => ticks.push(time),
                Event::Touch { bodies, .. } => {
                    let rocks = bodies.map(|body| world.bodies()[body].name.starts_with("rock-"));
                    assert_ne!(rocks, [true; 2], "{bodies:?}");
                }
                _ => {}
            }
        }
    }
    let acceleration = 9.81 * (angle.sin() - friction * angle.cos());
    for (rock, arrival) in arrivals.iter().enumerate() {
        let distance = way + (rock / 6) as f64 * 1.5 * size - size * angle.tan();
        let expected = (2.0 * distance / acceleration).sqrt();
        let arrival = arrival.unwrap_or_else(|| panic!("rock-{rock} never arrived"));
        // Events are told at the ends of steps, and the semi-implicit step is half a step early.
        assert!(
            (arrival - expected).abs() < 2.0 * dt,
            "rock-{rock}: {arrival} and not {expected}"
        );
    }
    assert_eq!(ticks, [0.5, 1.0, 1.5, 2.0]);
}
