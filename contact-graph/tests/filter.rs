//! The collision filter (Gravitas §3.4.3, §3.4.4) against a list of entries that is searched from end to end.

use drystone_contact_graph::{CollisionFilter, FilterError, FilterScope};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use FilterScope::{Body, Group, Groups, Pair};

/// The motivating example: rocks collide with the cliff and not with each other.
#[test]
fn an_avalanche_of_rocks_that_collide_with_the_cliff_only() {
    let (cliff, rocks) = (0, 1..50);
    let mut filter = CollisionFilter::default();
    for rock in rocks.clone() {
        filter.set_groups(rock, &[7]).unwrap();
    }
    assert!(filter.is_trivial(), "groups alone decide nothing");
    filter.add_rule(Groups(7, 7)).unwrap();
    assert!(!filter.is_trivial());
    for rock in rocks.clone() {
        assert!(filter.allows(cliff, rock) && filter.allows(rock, cliff));
        assert!(rocks.clone().all(|other| !filter.allows(rock, other)));
    }
    // A house that is in no group feels every rock.
    assert!(filter.allows(99, 3) && filter.allows(99, cliff));

    // The same by a rule on the group and an exception for the cliff; then the house feels none.
    assert!(filter.remove_rule(Groups(7, 7)));
    assert!(filter.is_trivial());
    filter.add_rule(Group(7)).unwrap();
    filter.add_exception(Body(cliff)).unwrap();
    assert!(filter.allows(cliff, 4) && !filter.allows(4, 5) && !filter.allows(99, 4));
}

#[test]
fn each_kind_beats_the_less_specific_ones_and_exceptions_beat_rules() {
    // Bodies 1 and 2 are in groups 0 and 1; all these scopes speak of their pair.
    let scopes = [Pair(2, 1), Body(1), Groups(1, 0), Group(1)];
    let spare = [Pair(1, 2), Body(2), Groups(0, 1), Group(0)];
    // All tables: for each kind nothing, a rule, an exception or both, and the default.
    for table in 0..512usize {
        let mut filter = CollisionFilter::new(table & 1 == 1);
        filter.set_groups(1, &[0]).unwrap();
        filter.set_groups(2, &[1]).unwrap();
        let mut expected = None;
        for kind in 0..4 {
            let (rule, exception) = (table >> (1 + 2 * kind) & 1 == 1, table >> (2 + 2 * kind) & 1 == 1);
            if rule {
                filter.add_rule(scopes[kind]).unwrap();
            }
            if exception {
                filter.add_exception(spare[kind]).unwrap();
            }
            let here = if exception { Some(true) } else { rule.then_some(false) };
            expected = expected.or(here);
        }
        let expected = expected.unwrap_or(table & 1 == 1);
        assert_eq!(filter.allows(1, 2), expected, "table {table}");
        assert_eq!(filter.allows(2, 1), expected, "table {table}");
        assert_eq!(filter.is_trivial(), table == 1);
    }
}

#[test]
fn wrong_input_is_refused_and_changes_nothing() {
    let mut filter = CollisionFilter::default();
    filter.set_groups(3, &[63]).unwrap();
    let outside = FilterError::GroupOutOfRange { group: 64 };
    assert_eq!(filter.set_groups(3, &[1, 64]), Err(outside));
    assert_eq!(filter.add_rule(Group(64)), Err(outside));
    assert_eq!(filter.add_rule(Groups(2, 64)), Err(outside));
    assert_eq!(filter.add_exception(Groups(64, 2)), Err(outside));
    assert_eq!(filter.add_rule(Pair(5, 5)), Err(FilterError::SelfPair { body: 5 }));
    assert!(!filter.remove_rule(Group(64)) && !filter.remove_exception(Pair(5, 5)) && !filter.remove_rule(Body(9)));
    assert!(filter.is_trivial());
    assert!(filter.is_member(3, 63) && !filter.is_member(3, 1) && !filter.is_member(3, 64));
    assert_eq!(
        outside.to_string(),
        "collision group 64 is out of range: groups are 0 to 63"
    );
    assert!(!filter.allows(3, 3), "a body does not collide with itself");
}

/// Entries in a list, in the order they were made; a question looks at all of them, kind by kind.
#[derive(Clone, Default)]
struct Naive {
    default_allow: bool,
    entries: Vec<(FilterScope, bool)>,
    members: Vec<(u32, u32)>,
}

impl Naive {
    fn is_in(&self, body: u32, group: u32) -> bool {
        self.members.contains(&(body, group))
    }

    fn speaks_of(&self, scope: FilterScope, a: u32, b: u32) -> bool {
        match scope {
            Pair(x, y) => (x, y) == (a, b) || (x, y) == (b, a),
            Body(x) => x == a || x == b,
            Groups(g, h) => (self.is_in(a, g) && self.is_in(b, h)) || (self.is_in(b, g) && self.is_in(a, h)),
            Group(g) => self.is_in(a, g) || self.is_in(b, g),
        }
    }

    fn allows(&self, a: u32, b: u32) -> bool {
        for kind in 0..4 {
            let of_kind = self.entries.iter().filter(|(scope, _)| kind_of(*scope) == kind);
            let matching: Vec<bool> = of_kind.filter(|(s, _)| self.speaks_of(*s, a, b)).map(|e| e.1).collect();
            if !matching.is_empty() {
                return matching.contains(&true);
            }
        }
        self.default_allow
    }

    fn remove(&mut self, scope: FilterScope, allow: bool) -> bool {
        let before = self.entries.len();
        self.entries
            .retain(|&(other, side)| side != allow || !same(scope, other));
        self.entries.len() != before
    }

    fn renumber(&mut self, new_index: impl Fn(u32) -> Option<u32>) {
        let moved = |scope| match scope {
            Pair(a, b) => Some(Pair(new_index(a)?, new_index(b)?)),
            Body(body) => Some(Body(new_index(body)?)),
            groups => Some(groups),
        };
        let entries = self
            .entries
            .iter()
            .filter_map(|&(scope, side)| Some((moved(scope)?, side)));
        self.entries = entries.collect();
        let members = self.members.iter().filter_map(|&(body, g)| Some((new_index(body)?, g)));
        self.members = members.collect();
    }
}

fn kind_of(scope: FilterScope) -> usize {
    match scope {
        Pair(..) => 0,
        Body(_) => 1,
        Groups(..) => 2,
        Group(_) => 3,
    }
}

fn same(a: FilterScope, b: FilterScope) -> bool {
    match (a, b) {
        (Pair(p, q), Pair(r, s)) | (Groups(p, q), Groups(r, s)) => (p, q) == (r, s) || (p, q) == (s, r),
        _ => a == b,
    }
}

const BODIES: u32 = 9;

fn random_scope(random: &mut Pcg64) -> FilterScope {
    // Group 63 is the last there can be.
    let group = |random: &mut Pcg64| [0, 1, 2, 63][random.random_range(0..4)];
    match random.random_range(0..4) {
        0 => {
            let a = random.random_range(0..BODIES);
            Pair(a, (a + random.random_range(1..BODIES)) % BODIES)
        }
        1 => Body(random.random_range(0..BODIES)),
        2 => Groups(group(random), group(random)),
        _ => Group(group(random)),
    }
}

fn assert_same(filter: &CollisionFilter, naive: &Naive) {
    for a in 0..BODIES + 1 {
        for b in (0..BODIES + 1).filter(|&b| b != a) {
            assert_eq!(filter.allows(a, b), naive.allows(a, b), "bodies {a} and {b}");
        }
    }
    assert_eq!(filter.is_trivial(), naive.default_allow && naive.entries.is_empty());
}

/// Entries come and go, bodies change their groups, are shuffled and removed; the answers stay those of the list.
#[test]
fn any_history_gives_the_answers_of_a_plain_list() {
    let mut random = Pcg64::seed_from_u64(31);
    let (mut allowed, mut trivial) = (0, 0);
    for case in 0..400 {
        let default_allow = case % 2 == 0;
        let mut filter = CollisionFilter::new(default_allow);
        let mut naive = Naive {
            default_allow,
            ..Naive::default()
        };
        for _ in 0..random.random_range(1..40) {
            let (scope, allow) = (random_scope(&mut random), random.random_bool(0.5));
            match random.random_range(0..10) {
                0..4 => {
                    naive.entries.push((scope, allow));
                    match allow {
                        true => filter.add_exception(scope).unwrap(),
                        false => filter.add_rule(scope).unwrap(),
                    }
                }
                4..6 => {
                    let removed = match allow {
                        true => filter.remove_exception(scope),
                        false => filter.remove_rule(scope),
                    };
                    assert_eq!(removed, naive.remove(scope, allow));
                }
                6..9 => {
                    let body = random.random_range(0..BODIES);
                    let groups: Vec<u32> = [0, 1, 2, 63].into_iter().filter(|_| random.random_bool(0.3)).collect();
                    filter.set_groups(body, &groups).unwrap();
                    naive.members.retain(|&(member, _)| member != body);
                    naive.members.extend(groups.iter().map(|&group| (body, group)));
                }
                _ => {
                    // A shuffle in which some bodies are removed.
                    let mut new: Vec<Option<u32>> = (0..BODIES).map(Some).collect();
                    for i in (1..new.len()).rev() {
                        new.swap(i, random.random_range(0..=i));
                    }
                    for index in &mut new {
                        if random.random_bool(0.1) {
                            *index = None;
                        }
                    }
                    filter.renumber(|body| new[body as usize]);
                    naive.renumber(|body| new[body as usize]);
                }
            }
            assert_same(&filter, &naive);
        }
        allowed += usize::from(filter.allows(0, 1));
        trivial += usize::from(filter.is_trivial());
    }
    assert!((100..300).contains(&allowed), "the cases must have both answers");
    assert!(trivial < 100, "most cases must have entries");
}

#[test]
fn a_removed_body_takes_its_entries_along() {
    let mut filter = CollisionFilter::default();
    filter.add_rule(Pair(1, 3)).unwrap();
    filter.add_rule(Body(2)).unwrap();
    filter.set_groups(3, &[5]).unwrap();
    // Body 2 goes and the last body takes its place, as in a `swap_remove`.
    filter.renumber(|body| match body {
        2 => None,
        3 => Some(2),
        other => Some(other),
    });
    assert!(!filter.allows(1, 2) && filter.allows(0, 2) && filter.allows(1, 3));
    assert!(filter.is_member(2, 5) && !filter.is_member(3, 5));
    filter.renumber(|body| (body != 1).then_some(body));
    assert!(filter.is_trivial());
}
