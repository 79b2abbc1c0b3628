//! Records: the pieces a trajectory file is made of, each with its length and a checksum.
//!
//! ```text
//! file   = "DRYTRAJ1", record…, the last of them "ENDS"
//! record = tag: 4 bytes, length: u32, CRC-32 of the payload: u32, payload
//!
//! "HEAD"   JSON: see `header`
//! "POPU"   raw length: u32, raw deflate of JSON: see `population`; holds for the chunks that follow
//! "CHNK"   first frame: u32, frames: u32, raw length: u32, step of each frame: u64, raw deflate of a chunk: see `chunk`
//! "ENDS"   frames in the file: u32
//! ```
//!
//! Integers are little-endian. Raw deflate (RFC 1951) is what browsers can inflate by themselves.

use std::io::{self, Write};

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use super::error::Damage;

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"DRYTRAJ1";
/// Tag of the header.
pub const HEAD: [u8; 4] = *b"HEAD";
/// Tag of a population.
pub const POPULATION: [u8; 4] = *b"POPU";
/// Tag of a chunk.
pub const CHUNK: [u8; 4] = *b"CHNK";
/// Tag of the end.
pub const END: [u8; 4] = *b"ENDS";
/// Bytes before a record's payload.
pub const PREFIX: usize = 12;

/// Deflate makes nothing smaller than this part of it.
const LARGEST_RATIO: usize = 1032;

/// Writes a record whose payload is in two pieces.
pub fn write(to: &mut impl Write, tag: [u8; 4], fields: &[u8], body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(fields.len() + body.len())
        .map_err(|_| io::Error::other("a record of a trajectory would be longer than 4 GiB"))?;
    let mut crc = Crc::new();
    crc.update(fields);
    crc.update(body);
    to.write_all(&tag)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&crc.sum().to_le_bytes())?;
    to.write_all(fields)?;
    to.write_all(body)
}

/// The checksum of a payload.
pub fn checksum(payload: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(payload);
    crc.sum()
}

/// Takes a number from the front.
pub fn take_u32(bytes: &mut &[u8]) -> Result<u32, Damage> {
    let (number, rest) = bytes
        .split_first_chunk::<4>()
        .ok_or_else(|| Damage::new("a record is too short"))?;
    *bytes = rest;
    Ok(u32::from_le_bytes(*number))
}

/// Takes a long number from the front.
pub fn take_u64(bytes: &mut &[u8]) -> Result<u64, Damage> {
    let low = take_u32(bytes)?;
    Ok(u64::from(take_u32(bytes)?) << 32 | u64::from(low))
}

/// A compressor whose memory is kept.
pub struct Deflater {
    compress: Compress,
    out: Vec<u8>,
}

impl std::fmt::Debug for Deflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deflater").finish_non_exhaustive()
    }
}

impl Default for Deflater {
    fn default() -> Self {
        Self {
            compress: Compress::new(Compression::new(6), false),
            out: Vec::new(),
        }
    }
}

impl Deflater {
    /// Deflates all of it at once.
    pub fn deflate(&mut self, bytes: &[u8]) -> io::Result<&[u8]> {
        self.compress.reset();
        self.out.clear();
        loop {
            // Room for what can't be made smaller; it stays for the next time.
            let done = self.compress.total_in() as usize;
            self.out.reserve((bytes.len() - done) / 2 + 1024);
            let status = self
                .compress
                .compress_vec(&bytes[done..], &mut self.out, FlushCompress::Finish)
                .map_err(io::Error::other)?;
            if status == Status::StreamEnd {
                return Ok(&self.out);
            }
        }
    }
}

/// Inflates what must come to `length` bytes.
pub fn inflate(bytes: &[u8], length: u32) -> Result<Vec<u8>, Damage> {
    let length = length as usize;
    if length > bytes.len().saturating_mul(LARGEST_RATIO).saturating_add(64) {
        return Err(Damage::new(format!("{} bytes can't be {length} deflated", bytes.len())));
    }
    // One more, to see what is too long.
    let mut out = Vec::with_capacity(length + 1);
    let status = Decompress::new(false)
        .decompress_vec(bytes, &mut out, FlushDecompress::Finish)
        .map_err(|_| Damage::new("what should be deflated is not"))?;
    if status == Status::StreamEnd && out.len() == length {
        Ok(out)
    } else {
        Err(Damage::new(format!(
            "{} bytes came out where {length} should",
            out.len()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_deflated_can_be_inflated(first: Vec<u8>, second in prop::collection::vec(0..3_u8, 0..5000)) {
            // One compressor, several times.
            let mut deflater = Deflater::default();
            for bytes in [&first, &second, &first] {
                let squeezed = deflater.deflate(bytes).unwrap().to_vec();
                prop_assert_eq!(&inflate(&squeezed, bytes.len() as u32).unwrap(), bytes);
                prop_assert!(inflate(&squeezed, bytes.len() as u32 + 1).is_err());
            }
        }

        #[test]
        fn any_bytes_inflate_or_are_refused(bytes: Vec<u8>, length in 0..100_000_u32) {
            let _ = inflate(&bytes, length);
        }
    }
}
