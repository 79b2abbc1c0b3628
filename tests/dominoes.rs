//! A row of dominoes: they fall in order, and the wave settles to a constant speed.

mod common;

use common::*;
use nalgebra::Vector3;

/// The times at which the dominoes of a scene lean by 0.1 rad.
fn falls(text: &str) -> Vec<f64> {
    let scene = drystone::scenes::load(text).expect("a catalogue scene");
    let method = scene.solver.clone().expect("the dominoes say how they are solved");
    let mut simulation = simulation(scene.build().expect("a scene that builds"), &method, scene.dt);
    let count = simulation.world().bodies().len() - 1;
    let mut times = vec![f64::INFINITY; count];
    while simulation.world().time < scene.duration {
        run(&mut simulation, 1);
        let time = simulation.world().time;
        for (body, fall) in simulation.world().bodies()[1..].iter().zip(&mut times) {
            let up = body.pose.rotation * Vector3::z();
            if up.z < 0.1_f64.cos() {
                *fall = fall.min(time);
            }
        }
    }
    times
}

#[test]
fn dominoes_fall_in_order_and_at_a_constant_pace() {
    for text in ["domino-chain", "domino-chain:turn=90"] {
        let times = falls(text);
        let paces: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(times.iter().all(|time| time.is_finite()), "{text}: some stand");
        assert!(paces.iter().all(|&pace| pace > 0.0), "{text}: out of order");
        // Times are known to a step of 5 ms, which is 3 % of a pace.
        let settled = &paces[10..];
        let mean = settled.iter().sum::<f64>() / settled.len() as f64;
        for &pace in settled {
            assert_close(pace, mean, 0.07);
        }
        // Half a metre from one to the next, a metre high: the speed is of the order of √(g · height).
        let speed = 0.5 / mean / G.sqrt();
        assert!((0.7..1.5).contains(&speed), "{text}: {speed} √(gh)");
    }
}

/// After ten dominoes the wave has forgotten how it was begun.
#[test]
fn the_wave_forgets_its_push() {
    let pace = |push: f64| {
        let times = falls(&format!("domino-chain:push={push}"));
        (times[18] - times[10]) / 8.0
    };
    let (gentle, hard) = (pace(1.5), pace(3.0));
    assert_close(gentle, hard, 0.02);
}
