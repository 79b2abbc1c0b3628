//! Writing the text files, with all digits.

use super::super::*;
use super::matrix::{self, indices, line, push};

/// The text of a problem.
pub fn format(problem: &StoredProblem) -> Result<String, String> {
    let mut text = String::new();
    match &problem.content {
        Content::Local(local) => {
            push(&mut text, format_args!("{}\n{}\n", local.dimension, local.mu.len()));
            matrix::write(&mut text, &local.w);
            line(&mut text, &local.q);
            line(&mut text, &local.mu);
            local.mu_r.iter().for_each(|mu_r| line(&mut text, mu_r));
        }
        Content::Global(global) => {
            if global.equality.is_some() {
                return Err("a global problem in text has no equality rows".into());
            }
            push(&mut text, format_args!("{}\n{}\n", global.dimension, global.mu.len()));
            matrix::write(&mut text, &global.m);
            matrix::write(&mut text, &global.h);
            [&global.f, &global.w, &global.mu]
                .into_iter()
                .chain(&global.mu_r)
                .for_each(|values| line(&mut text, values));
        }
        Content::Lcp(Lcp { m, q }) => {
            push(&mut text, format_args!("{}\n", q.len()));
            matrix::write(&mut text, m);
            line(&mut text, q);
        }
        Content::Relay(relay) => {
            push(&mut text, format_args!("{}\n", relay.q.len()));
            matrix::write(&mut text, &relay.m);
            [&relay.q, &relay.lower, &relay.upper]
                .into_iter()
                .for_each(|values| line(&mut text, values));
        }
        Content::MixedLcp(mixed) => write_mixed(&mut text, mixed),
        Content::Mechanical(mechanical) => {
            matrix::write(&mut text, &mechanical.m);
            line(&mut text, &mechanical.q);
            for law in &mechanical.laws {
                match law {
                    Law::Complementarity => text.push_str("0\n"),
                    Law::Equality => text.push_str("2\n"),
                    Law::Friction(mu) => push(&mut text, format_args!("4\n{mu:e}\n")),
                }
            }
        }
        Content::Native(_) => return Err("a native problem can be written as JSON only".into()),
    }
    push(&mut text, format_args!("{}\n", problem.remarks));
    Ok(text)
}

fn write_mixed(text: &mut String, mixed: &MixedLcp) {
    let flags = (u8::from(mixed.joined.is_some()), u8::from(mixed.split.is_some()));
    push(
        text,
        format_args!(
            "{}\n{}\n{}\n{}\n",
            flags.0, flags.1, mixed.equalities, mixed.inequalities
        ),
    );
    if let Some(joined) = &mixed.joined {
        indices(text, &joined.starts);
        indices(
            text,
            &joined
                .complementary
                .iter()
                .map(|&kind| usize::from(kind))
                .collect::<Vec<_>>(),
        );
        matrix::write(text, &joined.m);
        line(text, &joined.q);
    }
    if let Some(split) = &mixed.split {
        let parts = [
            &split.a_matrix,
            &split.b_matrix,
            &split.c_matrix,
            &split.d_matrix,
            &split.a,
            &split.b,
        ];
        parts.into_iter().for_each(|values| line(text, values));
    }
}
