//! What can happen in a step, in the words of `events.csv`: the kinds of events, declared once for the file, the
//! summaries and `drystone list events`.

use drystone_dynamics::{BreakCause, Change, Event, World};

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventKind {
    /// Its name in the file.
    pub name: &'static str,
    /// What the column `change` says of it: begins, goes on, ends. `None` for what just happens.
    pub changes: Option<[&'static str; 3]>,
    /// What it means.
    pub meaning: &'static str,
    /// What the column `detail` says of it.
    pub detail: &'static str,
}

const EDGE: Option<[&str; 3]> = Some(["new", "persistent", "vanishing"]);

/// All kinds.
pub const EVENT_KINDS: [EventKind; 7] = [
    EventKind {
        name: "proximity",
        changes: EDGE,
        meaning: "two bodies are near each other: the broad phase reports them",
        detail: "",
    },
    EventKind {
        name: "touch",
        changes: EDGE,
        meaning: "two bodies touch",
        detail: "",
    },
    EventKind {
        name: "trigger",
        changes: Some(["in", "inside", "out"]),
        meaning: "a body is in a trigger, which is the other",
        detail: "",
    },
    EventKind {
        name: "tick",
        changes: None,
        meaning: "a timer ticks; the time is its own, within the step",
        detail: "timer=NAME",
    },
    EventKind {
        name: "asleep",
        changes: None,
        meaning: "a body is put asleep",
        detail: "",
    },
    EventKind {
        name: "awake",
        changes: None,
        meaning: "a body wakes",
        detail: "cause=contact, force, joint or user",
    },
    EventKind {
        name: "joint-broke",
        changes: None,
        meaning: "a joint between two bodies breaks",
        detail: "joint=NAME and of what: force=N, torque=N·m or distance=m",
    },
];

/// The columns of the file.
pub const COLUMNS: [&str; 7] = ["step", "time", "event", "change", "body", "other", "detail"];

/// An event in words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told<'a> {
    /// Which of [`EVENT_KINDS`].
    pub kind: usize,
    /// When, if not at the end of the step, s.
    pub time: Option<f64>,
    /// Whether it began, goes on or ended.
    pub change: Option<Change>,
    /// The body it befell, or the first of two.
    pub body: Option<&'a str>,
    /// The other body.
    pub other: Option<&'a str>,
    /// What else there is to say.
    pub detail: Detail<'a>,
}

/// What else there is to say of an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Detail<'a> {
    /// Nothing.
    Nothing,
    /// The name of a timer.
    Timer(&'a str),
    /// Why a body woke.
    Cause(&'static str),
    /// The name of a joint, and what it broke of.
    Broke(&'a str, BreakCause),
}

impl<'a> Told<'a> {
    /// An event of a world in words; `None` for a kind that this program does not know.
    pub fn of(event: &Event, world: &'a World) -> Option<Self> {
        let name = |body: usize| world.bodies().get(body).map(|body| body.name.as_str());
        let told = |kind, change, body, other| Self {
            kind,
            time: None,
            change,
            body,
            other,
            detail: Detail::Nothing,
        };
        Some(match *event {
            Event::Proximity { bodies, change } => told(0, Some(change), name(bodies[0]), name(bodies[1])),
            Event::Touch { bodies, change } => told(1, Some(change), name(bodies[0]), name(bodies[1])),
            Event::Trigger { trigger, body, change } => told(2, Some(change), name(body), name(trigger)),
            Event::Tick { timer, time } => Self {
                time: Some(time),
                detail: Detail::Timer(&world.timers().get(timer)?.name),
                ..told(3, None, None, None)
            },
            Event::Asleep { body } => told(4, None, name(body), None),
            Event::Awake { body, cause } => Self {
                detail: Detail::Cause(cause.name()),
                ..told(5, None, name(body), None)
            },
            Event::JointBroke { joint, cause } => {
                let joint = world.joints().get(joint)?;
                let [a, b] = joint.bodies;
                Self {
                    detail: Detail::Broke(&joint.name, cause),
                    ..told(6, None, name(a), name(b))
                }
            }
            _ => return None,
        })
    }

    /// Whether something changed; what goes on as it was has not.
    pub fn is_change(&self) -> bool {
        self.change.is_none_or(Change::is_change)
    }

    /// The word for its change, by its kind.
    pub fn change_name(&self) -> &'static str {
        let words = EVENT_KINDS[self.kind].changes.unwrap_or_default();
        match self.change {
            None => "",
            Some(Change::New) => words[0],
            Some(Change::Persistent) => words[1],
            Some(Change::Vanishing) => words[2],
        }
    }
}

/// What a joint broke of, and how much it was, N, N·m or m.
pub fn break_cause(cause: BreakCause) -> (&'static str, f64) {
    match cause {
        BreakCause::Force(force) => ("force", force),
        BreakCause::Torque(torque) => ("torque", torque),
        BreakCause::Distance(distance) => ("distance", distance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_dynamics::WakeCause;
    use drystone_scenes::parse_scene;

    /// Every event is told under the name of its kind, with the names of those it is about.
    #[test]
    fn events_are_told_by_name() {
        let ball = |name| format!("[[body]]\nname = \"{name}\"\nmass = 1\nshape.sphere.radius = 1\n");
        let joint = "[[joint]]\nname = \"j\"\nbodies = [\"a\", \"b\"]\ntype = \"ball\"\nanchor = [0, 0, 0]\n";
        let timer = "[[timer]]\nname = \"t\"\nperiod = 1\n";
        let text = format!("{}{}{joint}{timer}", ball("a"), ball("b"));
        let world = parse_scene(&text, "text").unwrap().build().unwrap();
        let (bodies, change) = ([0, 1], Change::Vanishing);
        let cause = BreakCause::Force(3.0);
        for (event, words) in [
            (Event::Proximity { bodies, change }, "proximity vanishing a b"),
            (Event::Touch { bodies, change }, "touch vanishing a b"),
            (
                Event::Trigger {
                    trigger: 0,
                    body: 1,
                    change,
                },
                "trigger out b a",
            ),
            (Event::Tick { timer: 0, time: 1.0 }, "tick   "),
            (Event::Asleep { body: 1 }, "asleep  b "),
            (
                Event::Awake {
                    body: 0,
                    cause: WakeCause::User,
                },
                "awake  a ",
            ),
            (Event::JointBroke { joint: 0, cause }, "joint-broke  a b"),
        ] {
            let told = Told::of(&event, &world).unwrap();
            let (body, other) = (told.body.unwrap_or_default(), told.other.unwrap_or_default());
            let name = EVENT_KINDS[told.kind].name;
            assert_eq!(format!("{name} {} {body} {other}", told.change_name()), words);
            assert_eq!(told.change.is_some(), EVENT_KINDS[told.kind].changes.is_some());
            assert!(told.is_change());
            assert_eq!(told.detail == Detail::Nothing, EVENT_KINDS[told.kind].detail.is_empty());
        }
        let event = Event::Touch {
            bodies,
            change: Change::Persistent,
        };
        assert!(!Told::of(&event, &world).unwrap().is_change());
    }
}
