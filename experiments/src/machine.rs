//! The machine a run was made on: timings mean nothing without it.

use serde::Serialize;

/// What is known of the machine without asking it hard questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Operating system.
    pub os: &'static str,
    /// Processor architecture.
    pub architecture: &'static str,
    /// Cores this program may use.
    pub cores: usize,
    /// The processor's name, where the system tells it.
    pub processor: Option<String>,
}

impl Machine {
    /// This machine.
    pub fn here() -> Self {
        Self {
            os: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            processor: std::fs::read_to_string("/proc/cpuinfo")
                .ok()
                .and_then(|text| processor_name(&text)),
        }
    }
}

fn processor_name(cpuinfo: &str) -> Option<String> {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "model name")
        .map(|(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_after_its_colon() {
        let text = "processor\t: 0\nmodel name\t: Abacus 9000: fast\nflags\t: a b\n";
        assert_eq!(processor_name(text).as_deref(), Some("Abacus 9000: fast"));
        assert_eq!(processor_name("nothing here"), None);
    }
}
