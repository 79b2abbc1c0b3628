//! Matrices in the three storages of the text files.
//!
//! After the storage code and the sizes come: 0, the numbers column by column; 1, the blocks in compressed block rows,
//! each column by column; 2, a code for what follows (1 triplets, 2 compressed columns) and CSparse's printout of it.
//! That printout has six digits and rounds indices beyond a million, so "locations" are not relied upon: entries are
//! recognised by their colons. We write all digits.

use std::fmt::Write;

use super::super::error::Mismatch;
use super::super::matrix::{Blocks, Matrix, Storage};
use super::tokens::Tokens;

/// Reads a matrix; `rows` and `columns` are checked where they are known.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    name: &str,
    rows: Option<usize>,
    columns: Option<usize>,
) -> Result<Matrix, Mismatch> {
    let storage = tokens.value(&format!("the storage of {name}, 0, 1 or 2"), |text| match text {
        "0" => Some(0),
        "1" => Some(1),
        "2" => Some(2),
        _ => None,
    })?;
    let mut size = |what: &str, known: Option<usize>| {
        let what = format!("the {what} of {name}");
        match known {
            Some(known) => tokens.exactly(known, &what).map(|()| known),
            None => tokens.count(&what),
        }
    };
    let rows = size("rows", rows)?;
    let columns = size("columns", columns)?;
    let storage = match storage {
        0 => dense(tokens, name, rows, columns)?,
        1 => Storage::Blocks(blocks(tokens, name)?),
        _ => sparse(tokens, name, rows, columns)?,
    };
    let matrix = Matrix { rows, columns, storage };
    match matrix.check() {
        Ok(()) => Ok(matrix),
        Err(found) => Err(Mismatch {
            found,
            ..tokens.mismatch(format!("a consistent matrix {name} before here"))
        }),
    }
}

fn dense(tokens: &mut Tokens<'_>, name: &str, rows: usize, columns: usize) -> Result<Storage, Mismatch> {
    tokens.exactly(rows, &format!("the rows of {name} again"))?;
    tokens.exactly(columns, &format!("the columns of {name} again"))?;
    Ok(Storage::Dense(tokens.numbers(rows * columns, name)?))
}

fn blocks(tokens: &mut Tokens<'_>, name: &str) -> Result<Blocks, Mismatch> {
    let count = tokens.count(&format!("the number of blocks of {name}"))?;
    let block_rows = tokens.count(&format!("the number of block rows of {name}"))?;
    let block_columns = tokens.count(&format!("the number of block columns of {name}"))?;
    let row_ends = tokens.counts(block_rows, &format!("the row ends of {name}"))?;
    let column_ends = tokens.counts(block_columns, &format!("the column ends of {name}"))?;
    let starts = tokens.count(&format!("the number of row starts of {name}"))?;
    tokens.exactly(count, &format!("the number of block columns stored of {name}"))?;
    let row_starts = tokens.counts(starts, &format!("the row starts of {name}"))?;
    let columns = tokens.counts(count, &format!("the block columns of {name}"))?;
    let mut blocks = Blocks {
        row_ends,
        column_ends,
        row_starts,
        block_columns: columns,
        values: Vec::new(),
    };
    for block in 0..count {
        let what = format!("block {block} of {name}");
        let consistent = blocks.row_starts.first() == Some(&0) && blocks.row_starts.len() <= block_rows + 1;
        let row = blocks.row_starts.partition_point(|&start| start <= block);
        let column = blocks.block_columns[block];
        if !consistent || row == 0 || row > block_rows || column >= block_columns {
            return Err(tokens.mismatch(format!("{what} to be in one of {block_rows}×{block_columns} places")));
        }
        let (top, bottom) = Blocks::span(&blocks.row_ends, row - 1);
        let (left, right) = Blocks::span(&blocks.column_ends, column);
        if bottom < top || right < left {
            return Err(tokens.mismatch(format!("ascending ends of the blocks of {name}")));
        }
        tokens.exactly(block, &format!("the index of {what}"))?;
        blocks
            .values
            .push(tokens.numbers((bottom - top) * (right - left), &what)?);
    }
    Ok(blocks)
}

fn sparse(tokens: &mut Tokens<'_>, name: &str, rows: usize, columns: usize) -> Result<Storage, Mismatch> {
    tokens.value(&format!("the origin of {name}, 1 or 2"), |text| {
        matches!(text, "1" | "2").then_some(())
    })?;
    let sizes = format!("{rows}-by-{columns},");
    if tokens.peek(0) == Some("CSparse") {
        while tokens.same_line(1) {
            tokens.skip();
        }
        tokens.skip();
    }
    let triplets = tokens.peek(0) == Some("triplet:");
    if triplets {
        tokens.skip();
    }
    tokens.word(&sizes)?;
    tokens.word("nzmax:")?;
    tokens.number("nzmax")?;
    tokens.word("nnz:")?;
    let stored = tokens.value("the number of entries", |text| {
        text.trim_end_matches(',').parse::<f64>().ok()
    })?;
    let storage = if triplets {
        let (mut i, mut j, mut x) = (Vec::new(), Vec::new(), Vec::new());
        while tokens.peek(2) == Some(":") {
            i.push(tokens.count(&format!("a row of {name}"))?);
            j.push(tokens.count(&format!("a column of {name}"))?);
            tokens.skip();
            x.push(tokens.number(name)?);
        }
        Storage::Triplets {
            rows: i,
            columns: j,
            values: x,
        }
    } else {
        tokens.word("1-norm:")?;
        tokens.number("the 1-norm")?;
        compressed_columns(tokens, name, columns)?
    };
    let values = match &storage {
        Storage::Triplets { values, .. } | Storage::CompressedColumns { values, .. } => values.len(),
        _ => 0,
    };
    // The printed count has six digits.
    if (values as f64 - stored).abs() > 1e-5 * stored {
        return Err(tokens.mismatch(format!("entry {values} of {stored} of {name}")));
    }
    Ok(storage)
}

fn compressed_columns(tokens: &mut Tokens<'_>, name: &str, columns: usize) -> Result<Storage, Mismatch> {
    let mut starts = vec![0];
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for column in 0..columns {
        tokens.word("col")?;
        tokens.number(&format!("column {column}"))?;
        tokens.word(":")?;
        tokens.word("locations")?;
        tokens.number("a location")?;
        tokens.word("to")?;
        tokens.number("a location")?;
        while tokens.peek(1) == Some(":") {
            rows.push(tokens.count(&format!("a row of {name}"))?);
            tokens.skip();
            values.push(tokens.number(name)?);
        }
        starts.push(values.len());
    }
    Ok(Storage::CompressedColumns { starts, rows, values })
}

/// Writes a matrix. Compressed rows, which these files can't hold, become triplets.
pub(super) fn write(text: &mut String, matrix: &Matrix) {
    let (rows, columns) = (matrix.rows, matrix.columns);
    let code = match &matrix.storage {
        Storage::Dense(_) => 0,
        Storage::Blocks(_) => 1,
        Storage::Triplets { .. } | Storage::CompressedColumns { .. } | Storage::CompressedRows { .. } => 2,
    };
    push(text, format_args!("{code}\n{rows}\n{columns}\n"));
    match &matrix.storage {
        Storage::Dense(values) => {
            push(text, format_args!("{rows}\t{columns}\n"));
            values.chunks(rows.max(1)).for_each(|column| line(text, column));
        }
        Storage::Blocks(blocks) => write_blocks(text, blocks),
        Storage::CompressedColumns {
            starts,
            rows: i,
            values,
        } => {
            push(text, format_args!("2\n{BANNER}\n"));
            let sum = |pair: &[usize]| values[pair[0]..pair[1]].iter().map(|x| x.abs()).sum::<f64>();
            let norm = starts.windows(2).map(sum).fold(0.0, f64::max);
            let count = values.len();
            push(
                text,
                format_args!("{rows}-by-{columns}, nzmax: {count} nnz: {count}, 1-norm: {norm:e}\n"),
            );
            for (column, pair) in starts.windows(2).enumerate() {
                let last = pair[1] as i64 - 1;
                push(
                    text,
                    format_args!("    col {column} : locations {} to {last}\n", pair[0]),
                );
                for k in pair[0]..pair[1] {
                    push(text, format_args!("      {} : {:e}\n", i[k], values[k]));
                }
            }
        }
        Storage::Triplets { .. } | Storage::CompressedRows { .. } => {
            push(text, format_args!("1\n{BANNER}\n"));
            let count = matrix.entries().count();
            push(
                text,
                format_args!("triplet: {rows}-by-{columns}, nzmax: {count} nnz: {count}\n"),
            );
            for (row, column, value) in matrix.entries() {
                push(text, format_args!("    {row} {column} : {value:e}\n"));
            }
        }
    }
}

/// What a reader of these files skips before a sparse matrix.
const BANNER: &str = "CSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016";

fn write_blocks(text: &mut String, blocks: &Blocks) {
    let count = blocks.values.len();
    push(
        text,
        format_args!("{count}\n{}\n{}\n", blocks.row_ends.len(), blocks.column_ends.len()),
    );
    indices(text, &blocks.row_ends);
    indices(text, &blocks.column_ends);
    push(text, format_args!("{}\n{count}\n", blocks.row_starts.len()));
    indices(text, &blocks.row_starts);
    indices(text, &blocks.block_columns);
    for (block, values) in blocks.values.iter().enumerate() {
        push(text, format_args!("{block}\n"));
        values.iter().for_each(|value| push(text, format_args!("{value:e}\n")));
    }
}

pub(super) fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = text.write_fmt(arguments);
}

/// A line of numbers.
pub(super) fn line(text: &mut String, values: &[f64]) {
    for value in values {
        push(text, format_args!("{value:e} "));
    }
    text.push('\n');
}

pub(super) fn indices(text: &mut String, values: &[usize]) {
    for value in values {
        push(text, format_args!("{value}\t"));
    }
    text.push('\n');
}
