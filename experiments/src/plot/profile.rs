//! Performance profiles (Dolan and Moré 2002): for every solver the share of problems it solves within a factor τ of the
//! best solver's cost,
//!
//! ```text
//! ρ_s(τ) = |{ p : t_ps ≤ τ min_s' t_ps' }| / |{ p }|
//! ```
//!
//! At τ = 1 a line shows how often its solver is the best, at its right end how many problems it solves at all. Problems
//! that no solver solves count in the denominator: they keep every line below 1.

/// The profile of one solver: where ρ changes, τ ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// (τ, ρ), beginning with τ = 1.
    pub points: Vec<(f64, f64)>,
}

/// The profiles of all solvers. `costs[s][p]` is what solver s took for problem p, if it solved it; every solver has as
/// many costs as the first. Costs below `resolution`, the least that can be measured, count as that: a ratio of two
/// immeasurably short times means nothing.
pub fn performance_profile(costs: &[Vec<Option<f64>>], resolution: f64) -> Vec<Profile> {
    let problems = costs.first().map_or(0, Vec::len);
    let measured = |cost: f64| cost.max(resolution);
    let best: Vec<Option<f64>> = (0..problems)
        .map(|problem| {
            let all = costs.iter().filter_map(|of_solver| of_solver[problem]);
            all.map(measured).reduce(f64::min)
        })
        .collect();
    let profile = |of_solver: &Vec<Option<f64>>| {
        let ratio = |(cost, best): (&Option<f64>, &Option<f64>)| Some(measured((*cost)?) / (*best)?);
        let mut ratios: Vec<f64> = of_solver.iter().zip(&best).filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let share = |solved: usize| solved as f64 / problems.max(1) as f64;
        let mut points = vec![(1.0, share(ratios.iter().filter(|&&ratio| ratio <= 1.0).count()))];
        for (solved, &ratio) in (1..).zip(&ratios).filter(|(_, ratio)| **ratio > 1.0) {
            match points.last_mut() {
                Some(last) if last.0 == ratio => last.1 = share(solved),
                _ => points.push((ratio, share(solved))),
            }
        }
        Profile { points }
    };
    costs.iter().map(profile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four problems, worked out by hand: the best costs are 1, 2, 3 and none.
    #[test]
    fn a_small_example_by_hand() {
        let costs = [
            vec![Some(1.0), Some(4.0), Some(6.0), None],
            vec![Some(3.0), Some(2.0), None, None],
            vec![None, Some(2.0), Some(3.0), None],
        ];
        let profiles = performance_profile(&costs, 0.0);
        assert_eq!(profiles[0].points, [(1.0, 0.25), (2.0, 0.75)]);
        assert_eq!(profiles[1].points, [(1.0, 0.25), (3.0, 0.5)]);
        assert_eq!(profiles[2].points, [(1.0, 0.5)]);
    }

    #[test]
    fn what_is_too_short_to_measure_is_equal() {
        let profiles = performance_profile(&[vec![Some(1e-9)], vec![Some(9e-7)], vec![Some(2e-6)]], 1e-6);
        assert_eq!(profiles[0].points, [(1.0, 1.0)]);
        assert_eq!(profiles[1].points, [(1.0, 1.0)]);
        assert_eq!(profiles[2].points, [(1.0, 0.0), (2.0, 1.0)]);
    }

    #[test]
    fn nothing_solved_is_a_line_at_zero() {
        assert_eq!(performance_profile(&[vec![None, None]], 0.0)[0].points, [(1.0, 0.0)]);
        assert_eq!(performance_profile(&[vec![]], 0.0)[0].points, [(1.0, 0.0)]);
        assert!(performance_profile(&[], 0.0).is_empty());
    }
}
