//! Projection that goes on from the contacts of the velocity solve is the same to the bit as projection of a problem of its own.

mod common;

use common::{bits, catalogue_scene, run};

/// The law is equality. A tolerance that nothing meets makes the projection assemble its problem: it asks for a look after every sweep.
#[test]
fn nothing_but_time_is_saved() {
    for scene in ["wall", "tower", "sphere-pile:count=400,width=4", "box-stack"] {
        let [left, made] = ["", ",tolerance=1e-300"].map(|tolerance| {
            let projection = format!("pgs(order=coloured,forward-below=256{tolerance})");
            let method = format!("semi-implicit:projection={projection}/pgs:order=coloured");
            let mut simulation = catalogue_scene(scene, &method);
            run(&mut simulation, 40);
            bits(&simulation)
        });
        assert!(left == made, "{scene}");
    }
}
