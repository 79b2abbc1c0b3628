//! Threads on processors of their own.
//!
//! Some systems let two busy threads share one processor for seconds while another rests, most of all on virtual machines. What threads
//! gain is then the system's doing and not ours, so each is bound to a processor.

/// Makes so many threads the ones that everything is shared out to, each bound to a processor if there are enough.
pub fn occupy(threads: usize) -> Result<(), rayon::ThreadPoolBuildError> {
    let processors = core_affinity::get_core_ids().unwrap_or_default();
    let bind = move |thread: usize| {
        if let Some(&processor) = processors.get(thread).filter(|_| threads <= processors.len()) {
            // Where that is refused, the system sees to it as it can.
            core_affinity::set_for_current(processor);
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.start_handler(bind).build_global()
}
