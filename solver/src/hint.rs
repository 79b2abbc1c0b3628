//! A hint to the processor: what will be needed soon, so that it need not be waited for.
//!
//! Passes over what no cache holds are bound by how many lines a core has asked for at a time. A processor asks for what the next few
//! hundred instructions read, which is two or three contacts; whoever knows what comes later can ask for more.

/// Contact points, or pairs of bodies, that no longer fit into the cache of a core with what is known of them. Below, asking costs more
/// than it saves.
pub const FAR: usize = 8192;

/// Bytes that memory hands over at once.
const LINE: usize = 64;

/// Asks for all that something is stored in. Processors that can't be asked are not.
#[inline(always)]
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "a hint to the processor"))]
pub fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(LINE) {
            // SAFETY: nothing is read or written; any address may be asked for.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * LINE)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, LINE);
}
