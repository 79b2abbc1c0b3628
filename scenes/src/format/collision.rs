//! Which bodies may collide, as it is written in a scene: groups of bodies by name, and rules about bodies, pairs of
//! bodies, groups and pairs of groups (Gravitas §3.4.3, §3.4.4).
//!
//! What decides for a pair, if several rules speak of it, is the order of [`CollisionFilter`]: a pair of bodies before
//! a body, before a pair of groups, before a group, before the scene's `collide-by-default`; and of one kind, an
//! exception before a rule. A group exists if a body is in it; groups are numbered in the order they are first named.

use std::collections::{HashMap, HashSet};

use drystone_dynamics::{CollisionFilter, FilterScope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::array::exactly_if_given;
use super::fault::{Fault, Step, unknown_name};
use super::scene::Scene;

/// A rule that forbids pairs of bodies to collide, or an exception that allows them. It speaks of exactly one of a body,
/// a pair of bodies, a group, or a pair of groups.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CollisionRule {
    /// All pairs with this body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The pair of these two bodies, in any order.
    #[serde(
        deserialize_with = "exactly_if_given",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub bodies: Option<[String; 2]>,
    /// All pairs with a body of this group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// All pairs across these two groups, in any order; the same group twice stands for the pairs inside it.
    #[serde(
        deserialize_with = "exactly_if_given",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub groups: Option<[String; 2]>,
    /// Whether they may collide: `false` for a rule, `true` for an exception.
    pub allow: bool,
}

impl CollisionRule {
    /// About all pairs with a body.
    pub fn body(body: impl Into<String>, allow: bool) -> Self {
        Self {
            body: Some(body.into()),
            allow,
            ..Self::default()
        }
    }

    /// About a pair of bodies.
    pub fn bodies(a: impl Into<String>, b: impl Into<String>, allow: bool) -> Self {
        Self {
            bodies: Some([a.into(), b.into()]),
            allow,
            ..Self::default()
        }
    }

    /// About all pairs with a body of a group.
    pub fn group(group: impl Into<String>, allow: bool) -> Self {
        Self {
            group: Some(group.into()),
            allow,
            ..Self::default()
        }
    }

    /// About all pairs across two groups, or inside one that is given twice.
    pub fn groups(a: impl Into<String>, b: impl Into<String>, allow: bool) -> Self {
        Self {
            groups: Some([a.into(), b.into()]),
            allow,
            ..Self::default()
        }
    }

    fn scope(&self, names: &Names<'_>) -> Result<FilterScope, Fault> {
        let given = [
            ("body", self.body.is_some()),
            ("bodies", self.bodies.is_some()),
            ("group", self.group.is_some()),
            ("groups", self.groups.is_some()),
        ];
        let mut given = given.iter().filter(|(_, given)| *given);
        if given.next().is_none() {
            return Err(Fault::here("a rule needs one of body, bodies, group, groups"));
        }
        if let Some((second, _)) = given.next() {
            return Err(Fault::at(second, "give only one of body, bodies, group, groups"));
        }
        let one = |key, name: &String, find: &dyn Fn(&str) -> Result<u32, Fault>| {
            find(name).map_err(|fault| fault.within(Step::Key(key)))
        };
        let two = |key, pair: &[String; 2], find: &dyn Fn(&str) -> Result<u32, Fault>| {
            let side =
                |side: usize| find(&pair[side]).map_err(|fault| fault.within(Step::Index(side)).within(Step::Key(key)));
            Ok::<_, Fault>((side(0)?, side(1)?))
        };
        let (body, group) = (|name: &str| names.body(name), |name: &str| names.group(name));
        match (&self.body, &self.bodies, &self.group, &self.groups) {
            (Some(name), ..) => one("body", name, &body).map(FilterScope::Body),
            (_, Some(pair), ..) => match two("bodies", pair, &body)? {
                (a, b) if a == b => Err(Fault::at("bodies", "the two bodies of a rule must differ")),
                (a, b) => Ok(FilterScope::Pair(a.min(b), a.max(b))),
            },
            (_, _, Some(name), _) => one("group", name, &group).map(FilterScope::Group),
            (.., Some(pair)) => {
                let (a, b) = two("groups", pair, &group)?;
                Ok(FilterScope::Groups(a.min(b), a.max(b)))
            }
            (None, None, None, None) => Err(Fault::here("a rule needs one of body, bodies, group, groups")),
        }
    }
}

/// What the names in rules stand for.
struct Names<'a> {
    scene: &'a Scene,
    /// By name; empty unless a rule speaks of bodies. Never iterated.
    bodies: HashMap<String, u32>,
    /// By number.
    groups: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn body(&self, name: &str) -> Result<u32, Fault> {
        if let Some(&index) = self.bodies.get(name) {
            return Ok(index);
        }
        let descriptions = || self.scene.bodies.iter().enumerate();
        if let Some((index, repeated)) = descriptions().find(|(index, body)| body.name_or_index(*index) == name) {
            let first = repeated
                .expanded(index)
                .next()
                .map_or(String::new(), |(first, _)| first);
            let message = format!("'{name}' is repeated, as '{first}' and so on; put these in a group");
            return Err(Fault::here(message));
        }
        let known: Vec<String> = descriptions()
            .flat_map(|(index, body)| body.expanded(index).map(|(name, _)| name))
            .collect();
        Err(unknown_name("body", name, known.iter().map(String::as_str)))
    }

    fn group(&self, name: &str) -> Result<u32, Fault> {
        match self.groups.iter().position(|known| *known == name) {
            Some(group) => Ok(group as u32),
            None => Err(unknown_name("group", name, self.groups.iter().copied())),
        }
    }

    /// The number of a group that a body is in; a name not seen before gets the next number.
    fn number(&mut self, name: &'a str) -> Result<u32, Fault> {
        if let Ok(group) = self.group(name) {
            return Ok(group);
        }
        if name.trim().is_empty() {
            return Err(Fault::here("the name of a group must not be empty"));
        }
        let most = CollisionFilter::MAX_GROUPS;
        if self.groups.len() >= most as usize {
            let message = format!("with group '{name}' the scene has more than {most} collision groups");
            return Err(Fault::here(message));
        }
        self.groups.push(name);
        Ok(self.groups.len() as u32 - 1)
    }
}

impl Scene {
    /// The filter that groups and rules make, for bodies by their indices in the world. This is their check as well.
    pub(super) fn collision_filter(&self) -> Result<CollisionFilter, Fault> {
        let mut filter = CollisionFilter::new(self.collide_by_default);
        let mut names = Names {
            scene: self,
            bodies: HashMap::new(),
            groups: Vec::new(),
        };
        self.enter_groups(&mut names, &mut filter)?;
        if self.rules_name_bodies() {
            let expanded = self.bodies.iter().enumerate();
            let expanded = expanded.flat_map(|(index, body)| body.expanded(index));
            names.bodies = expanded.zip(0..).map(|((name, _), index)| (name, index)).collect();
        }
        let mut seen = HashSet::new();
        for (index, rule) in self.collision_rules.iter().enumerate() {
            let mut enter = || {
                let scope = rule.scope(&names)?;
                // Of a rule and an exception about the same, the rule would be ignored.
                if !seen.insert(key_of(scope)) {
                    return Err(Fault::here("there is already a rule about the same"));
                }
                let entered = if rule.allow {
                    filter.add_exception(scope)
                } else {
                    filter.add_rule(scope)
                };
                entered.map_err(|error| Fault::here(error.to_string()))
            };
            let element = format!("collision-rule[{index}]");
            enter().map_err(|fault| fault.within_element("collision-rule", index, &element))?;
        }
        Ok(filter)
    }

    fn rules_name_bodies(&self) -> bool {
        let mut rules = self.collision_rules.iter();
        rules.any(|rule| rule.body.is_some() || rule.bodies.is_some())
    }

    /// Puts every body in its groups.
    fn enter_groups<'a>(&'a self, names: &mut Names<'a>, filter: &mut CollisionFilter) -> Result<(), Fault> {
        let mut next = 0_u32;
        let mut numbers = Vec::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let mut enter = |filter: &mut CollisionFilter| {
                numbers.clear();
                for (place, name) in body.groups.iter().enumerate() {
                    let here = |fault: Fault| fault.within(Step::Index(place)).within(Step::Key("groups"));
                    let number = names.number(name).map_err(here)?;
                    if numbers.contains(&number) {
                        return Err(here(Fault::here(format!("group '{name}' is given twice"))));
                    }
                    numbers.push(number);
                }
                for copy in 0..body.copies() as u32 {
                    let entered = filter.set_groups(next + copy, &numbers);
                    entered.map_err(|error| Fault::at("groups", error.to_string()))?;
                }
                Ok(())
            };
            let element = || format!("body '{}'", body.name_or_index(index));
            enter(filter).map_err(|fault| fault.within_element("body", index, &element()))?;
            next += body.copies() as u32;
        }
        Ok(())
    }
}

/// Equal for equal scopes, and fit for a set.
fn key_of(scope: FilterScope) -> (u8, u32, u32) {
    match scope {
        FilterScope::Pair(a, b) => (0, a, b),
        FilterScope::Body(body) => (1, body, body),
        FilterScope::Groups(a, b) => (2, a, b),
        FilterScope::Group(group) => (3, group, group),
    }
}
