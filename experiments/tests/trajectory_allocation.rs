//! Writing a trajectory takes no memory once the first chunks have been written.

use drystone_dynamics::{Method, Simulation};
use drystone_experiments::trajectory::TrajectoryWriter;
use drystone_experiments::trajectory::header::Header;
use drystone_experiments::trajectory::writer::FRAMES_PER_CHUNK;

#[test]
fn frames_of_a_settled_scene_allocate_nothing() {
    let world = drystone_scenes::load("wall:rows=3,columns=5").unwrap().build().unwrap();
    let mut simulation = Simulation::new(world, Method::parse("pgs").unwrap(), 0.01).unwrap();
    let header = Header::new(simulation.world(), "wall", "pgs", 0.01, 100.0);
    let mut writer = TrajectoryWriter::new(std::io::sink(), header).unwrap();
    let mut allocated = Vec::new();
    for frame in 0..6 * FRAMES_PER_CHUNK {
        simulation.step().unwrap();
        let mut result = Ok(());
        let counted = allocation_counter::measure(|| result = writer.frame(&simulation));
        result.unwrap();
        if frame >= 4 * FRAMES_PER_CHUNK {
            allocated.push(counted.count_total);
        }
    }
    assert_eq!(allocated.iter().sum::<u64>(), 0, "{allocated:?}");
}
