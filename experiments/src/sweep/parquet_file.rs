//! `results.parquet`: the rows of `results.csv` with their types, for programs that read tables by column. Numbers that were
//! not measured are nulls, not empty texts. Units and the title are in the metadata of the file.
//!
//! Apache Parquet, one row group, no compression: so it needs no further library, and a table of numbers in full precision
//! hardly shrinks.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::columns::{Column, FIXED};
use super::file::Experiment;
use super::work::Finished;
use crate::error::Error;
use crate::whole_file::WholeFile;

/// The file's name.
pub const RESULTS_PARQUET: &str = "results.parquet";

/// A column with its values.
enum Values {
    Texts(Vec<ByteArray>),
    Counts(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
}

/// Writes the rows there are.
pub fn write_parquet(
    directory: &Path,
    experiment: &Experiment,
    columns: &[Column],
    finished: &[Finished],
) -> Result<(), Error> {
    let file = WholeFile::create(directory, RESULTS_PARQUET)?;
    let path = file.path().to_owned();
    write(file, experiment, &table(columns, finished), columns)
        .map_err(|error| Error::writing(&path)(std::io::Error::other(error)))?
        .finish()
}

fn write(
    file: WholeFile,
    experiment: &Experiment,
    table: &[(String, Values)],
    columns: &[Column],
) -> Result<WholeFile, ParquetError> {
    let fields = table.iter().map(|(name, values)| field(name, values));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("results").with_fields(fields).build()?;
    let entry = |key: String, value: &str| KeyValue::new(key, value.to_owned());
    let units = columns.iter().filter(|column| !column.unit.is_empty());
    let units = units.map(|column| entry(format!("unit of {}", column.name), &column.unit));
    let about = [entry("title".into(), &experiment.title)].into_iter().chain(units);
    let properties = WriterProperties::builder()
        .set_created_by(format!("drystone {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(about.collect()));
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?;
    let mut group = writer.next_row_group()?;
    for (_, values) in table {
        match values {
            Values::Texts(texts) => column::<ByteArrayType>(&mut group, texts, None)?,
            Values::Counts(counts) => optional::<Int64Type>(&mut group, counts)?,
            Values::Numbers(numbers) => optional::<DoubleType>(&mut group, numbers)?,
        }
    }
    group.close()?;
    writer.into_inner()
}

/// What the schema says of a column.
fn field(name: &str, values: &Values) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical, repetition) = match values {
        Values::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        Values::Counts(_) => (Physical::INT64, None, Repetition::OPTIONAL),
        Values::Numbers(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
    };
    let builder = Type::primitive_type_builder(name, physical);
    let builder = builder.with_logical_type(logical).with_repetition(repetition);
    builder.build().map(Arc::new)
}

/// Values with nulls: those that are there, and for each row whether it has one.
fn optional<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, WholeFile>,
    values: &[Option<T::T>],
) -> Result<(), ParquetError> {
    let present: Vec<T::T> = values.iter().flatten().cloned().collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    column::<T>(group, &present, Some(&levels))
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, WholeFile>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else {
        return Err(ParquetError::General(
            "there are more columns than in the schema".into(),
        ));
    };
    writer.typed::<T>().write_batch(values, levels, None)?;
    writer.close()
}

/// All columns, in the order of `results.csv`.
fn table(columns: &[Column], finished: &[Finished]) -> Vec<(String, Values)> {
    let rows = || finished.iter().map(|finished| &finished.row);
    let mut table: Vec<(String, Values)> = Vec::with_capacity(FIXED.len() + columns.len());
    for (k, name) in FIXED.into_iter().enumerate() {
        let cells = || rows().map(move |row| row.fixed()[k].clone());
        let values = match name {
            // A seed beyond the range of signed numbers keeps its bits.
            "run" | "seed" | "repetition" | "steps" => {
                let count = |cell: String| cell.parse::<u64>().ok().map(u64::cast_signed);
                Values::Counts(cells().map(count).collect())
            }
            "time" => Values::Numbers(rows().map(|row| Some(row.time)).collect()),
            _ => Values::Texts(cells().map(|cell| cell.into_bytes().into()).collect()),
        };
        table.push((name.to_owned(), values));
    }
    for (k, column) in columns.iter().enumerate() {
        let values = rows().map(|row| row.value(k)).collect();
        table.push((column.name.clone(), Values::Numbers(values)));
    }
    table
}
