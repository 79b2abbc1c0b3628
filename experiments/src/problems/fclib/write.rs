//! Writing FCLIB's files.

use hdf5_pure::FileBuilder;

use super::super::*;
use super::{GROUPS, one_line};

/// The bytes of a file. Matrices in storages that FCLIB does not have become compressed rows.
pub fn format(problem: &StoredProblem) -> Result<Vec<u8>, String> {
    let mut file = FileBuilder::new();
    let (dimension, is_global, rolling) = match &problem.content {
        Content::Local(local) => (local.dimension, false, local.mu_r.is_some()),
        Content::Global(global) => (global.dimension, true, global.mu_r.is_some()),
        other => return Err(format!("FCLIB holds friction problems, not a {}", other.kind().name())),
    };
    let Some(&(name, ..)) = GROUPS.iter().find(|group| (group.1, group.2) == (is_global, rolling)) else {
        return Err("FCLIB has no group for it".into());
    };
    let mut top = file.create_group(name);
    top.create_dataset("spacedim").with_i32_data(&[dimension as i32]);
    let mut vectors = top.create_group("vectors");
    let mut add = |name: &str, values: &[f64]| {
        vectors.create_dataset(name).with_f64_data(values);
    };
    let mut matrices = Vec::new();
    match &problem.content {
        Content::Local(local) => {
            matrices.push(("W", &local.w));
            add("q", &local.q);
            add("mu", &local.mu);
            local.mu_r.iter().for_each(|mu_r| add("mu_r", mu_r));
        }
        Content::Global(global) => {
            matrices.push(("M", &global.m));
            matrices.push(("H", &global.h));
            if let Some(Equality { g, b }) = &global.equality {
                matrices.push(("G", g));
                add("b", b);
            }
            add("f", &global.f);
            add("w", &global.w);
            add("mu", &global.mu);
            global.mu_r.iter().for_each(|mu_r| add("mu_r", mu_r));
        }
        _ => {}
    }
    top.add_group(vectors.finish());
    for (name, matrix) in matrices {
        let mut group = top.create_group(name);
        write_matrix(&mut group, matrix)?;
        top.add_group(group.finish());
    }
    let mut info = top.create_group("info");
    let Info {
        title,
        description,
        math_info,
    } = &problem.info;
    for (name, text) in [("title", title), ("description", description), ("math_info", math_info)] {
        // C programs read these texts with the zero at their end.
        let width = u32::try_from(text.len() + 1).map_err(|_| format!("the {name} is too long"))?;
        let dataset = info.create_dataset(name);
        dataset
            .with_strings_sized(&[text], width)
            .map_err(|error| error.to_string())?
            .with_shape(&[]);
    }
    top.add_group(info.finish());
    file.add_group(top.finish());
    if let Some(solution) = &problem.solution {
        let mut group = file.create_group("solution");
        write_state(&mut group, solution);
        file.add_group(group.finish());
    }
    if !problem.guesses.is_empty() {
        let mut guesses = file.create_group("guesses");
        guesses
            .create_dataset("number_of_guesses")
            .with_i32_data(&[problem.guesses.len() as i32]);
        for (k, state) in problem.guesses.iter().enumerate() {
            let mut group = guesses.create_group(&(k + 1).to_string());
            write_state(&mut group, state);
            guesses.add_group(group.finish());
        }
        file.add_group(guesses.finish());
    }
    file.finish().map_err(|error| one_line(&error))
}

fn write_state(group: &mut hdf5_pure::GroupBuilder, state: &State) {
    let parts = [
        ("r", Some(&state.r)),
        ("u", state.u.as_ref()),
        ("v", state.v.as_ref()),
        ("l", state.l.as_ref()),
    ];
    for (name, values) in parts {
        if let Some(values) = values {
            group.create_dataset(name).with_f64_data(values);
        }
    }
}

fn write_matrix(group: &mut hdf5_pure::GroupBuilder, matrix: &Matrix) -> Result<(), String> {
    let converted;
    let (nz, i, p, x) = match &matrix.storage {
        Storage::Triplets { rows, columns, values } => (values.len() as i64, rows, columns, values),
        Storage::CompressedColumns { starts, rows, values } => (-1, rows, starts, values),
        Storage::CompressedRows {
            starts,
            columns,
            values,
        } => (-2, columns, starts, values),
        Storage::Dense(_) | Storage::Blocks(_) => {
            converted = matrix.to_csr().disassemble();
            (-2, &converted.1, &converted.0, &converted.2)
        }
    };
    let narrow = |value: usize| i32::try_from(value).map_err(|_| format!("{value} is too large for FCLIB's 32 bits"));
    let all = |values: &[usize]| {
        values
            .iter()
            .map(|&value| narrow(value))
            .collect::<Result<Vec<i32>, String>>()
    };
    for (name, value) in [
        ("m", narrow(matrix.rows)?),
        ("n", narrow(matrix.columns)?),
        ("nz", i32::try_from(nz).map_err(|error| error.to_string())?),
        ("nzmax", narrow(x.len())?),
    ] {
        group.create_dataset(name).with_i32_data(&[value]);
    }
    group.create_dataset("i").with_i32_data(&all(i)?);
    group.create_dataset("p").with_i32_data(&all(p)?);
    group.create_dataset("x").with_f64_data(x);
    Ok(())
}
