//! Columns of integers as bytes: what deflate squeezes best.
//!
//! Residuals are small, of either sign. Zigzag (0, −1, 1, −2, … become 0, 1, 2, 3, …) makes them small without a sign, and the
//! bytes are written plane by plane: the lowest byte of all numbers, then the next, as many as the largest number needs. Higher
//! planes are nearly all zeros, and a column of zeros takes one byte.
//!
//! ```text
//! column = planes: u8, then planes × count bytes
//! ```

use super::error::Damage;

/// The most planes a column has: residuals are below 2⁴⁰ in size.
pub const MAX_PLANES: u8 = 5;

/// Appends a column.
pub fn write(residuals: &[i64], out: &mut Vec<u8>) {
    let all = residuals.iter().fold(0, |bits, &residual| bits | zigzag(residual));
    let planes = (u64::BITS - all.leading_zeros()).div_ceil(8);
    out.push(planes as u8);
    for plane in 0..planes {
        out.extend(
            residuals
                .iter()
                .map(|&residual| (zigzag(residual) >> (8 * plane)) as u8),
        );
    }
}

/// Reads the next column of `count` numbers from the front of `bytes`.
pub fn read(bytes: &mut &[u8], count: usize, out: &mut Vec<i64>) -> Result<(), Damage> {
    let (&planes, rest) = bytes.split_first().ok_or_else(|| Damage::new("a column is missing"))?;
    if planes > MAX_PLANES {
        return Err(Damage::new(format!("a column has {planes} planes")));
    }
    let length = count
        .checked_mul(planes as usize)
        .filter(|&length| length <= rest.len())
        .ok_or_else(|| Damage::new("a column is longer than its chunk"))?;
    let (planes, rest) = rest.split_at(length);
    out.clear();
    out.resize(count, 0);
    if count > 0 {
        for (plane, values) in planes.chunks_exact(count).enumerate() {
            for (number, &byte) in out.iter_mut().zip(values) {
                *number |= i64::from(byte) << (8 * plane);
            }
        }
    }
    for number in out.iter_mut() {
        *number = unzigzag(*number as u64);
    }
    *bytes = rest;
    Ok(())
}

/// About how many bits a residual costs, to choose between ways to foretell it.
pub fn cost(residual: i64) -> u64 {
    u64::from(u64::BITS - zigzag(residual).leading_zeros())
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_come_back(residuals in prop::collection::vec(-(1_i64 << 38)..(1 << 38), 0..50), after: Vec<u8>) {
            let mut bytes = Vec::new();
            write(&residuals, &mut bytes);
            bytes.extend(&after);
            let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
            read(&mut rest, residuals.len(), &mut found).unwrap();
            prop_assert_eq!(found, residuals);
            prop_assert_eq!(rest, after);
        }

        #[test]
        fn any_bytes_are_a_column_or_an_error(bytes: Vec<u8>, count in 0_usize..1000) {
            let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
            if read(&mut rest, count, &mut found).is_ok() {
                prop_assert_eq!(found.len(), count);
            }
        }
    }

    #[test]
    fn zeros_take_one_byte_and_small_numbers_one_each() {
        let mut bytes = Vec::new();
        write(&[0; 1000], &mut bytes);
        assert_eq!(bytes, [0]);
        bytes.clear();
        write(&[0, -1, 1, -2, 127, -128], &mut bytes);
        assert_eq!(bytes, [1, 0, 1, 2, 3, 254, 255]);
        let (mut rest, mut found) = (&[2, 1, 2][..], Vec::new());
        assert!(read(&mut rest, 2, &mut found).is_err());
    }
}
