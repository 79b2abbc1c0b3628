//! How much memory the program has, as the system counts it: `VmHWM`, the most it ever had resident, and `VmRSS`, what it
//! has now, of `/proc/self/status` on Linux. Elsewhere nothing is known.
//!
//! Both are of the whole program, and what one run gives back is mostly kept by the allocator for the next: see
//! [`growth`] for what can be said of one run.

/// The most memory this program ever had resident, bytes.
pub fn peak() -> Option<u64> {
    field(&status()?, "VmHWM")
}

/// The memory this program has resident now, bytes.
pub fn resident() -> Option<u64> {
    field(&status()?, "VmRSS")
}

/// The memory that something took which raised the program's peak from `before` to `after`, when the program needs
/// `at_first` for itself. Nothing can be said of what stayed below an older peak: it may have used again what
/// others gave back.
pub fn growth(at_first: Option<u64>, before: Option<u64>, after: Option<u64>) -> Option<u64> {
    let (at_first, before, after) = (at_first?, before?, after?);
    (after > before).then(|| after.saturating_sub(at_first))
}

fn status() -> Option<String> {
    std::fs::read_to_string("/proc/self/status").ok()
}

/// `VmHWM:     2208 kB`, in bytes.
fn field(status: &str, key: &str) -> Option<u64> {
    let value = status
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_bytes() {
        let text = "Name:\tdrystone\nVmHWM:\t    2208 kB\nVmRSS:\t       1 kB\n";
        assert_eq!(field(text, "VmHWM"), Some(2_260_992));
        assert_eq!(field(text, "VmRSS"), Some(1024));
        assert_eq!(field(text, "VmSwap"), None);
    }

    #[test]
    fn only_a_new_peak_tells_how_much_was_taken() {
        assert_eq!(growth(Some(100), Some(150), Some(400)), Some(300));
        assert_eq!(growth(Some(100), Some(400), Some(400)), None);
        assert_eq!(growth(None, Some(1), Some(2)), None);
    }

    /// The kernel counts pages a little late, so half of what was touched must be enough.
    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_is_touched_is_counted() {
        const SIZE: usize = 64 << 20;
        let before = resident().unwrap();
        let block = std::hint::black_box(vec![1_u8; SIZE]);
        let with = resident().unwrap();
        assert!(with >= before + SIZE as u64 / 2, "{before} {with}");
        assert!(peak().unwrap() >= with - SIZE as u64 / 2);
        drop(block);
    }
}
