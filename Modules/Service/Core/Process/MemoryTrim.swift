import StrataSystem

/// Returns freed memory to the system. glibc keeps it, so the process would stay at its peak size.
struct MemoryTrim: Sendable {
    let clock: any Clock<Duration>

    private static let interval = Duration.seconds(5)
    /// Resident bytes below which it does nothing.
    private static let threshold = 64 * 1024 * 1024

    /// malloc_trim(3), which only glibc has. It takes milliseconds.
    private static let trim = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> CInt).self)
    }

    /// Runs until it is cancelled.
    func run() async {
        while (try? await clock.sleep(for: Self.interval)) != nil {
            guard let trim = Self.trim, Self.resident > Self.threshold else { continue }
            _ = await runBlocking { trim(0) }
        }
    }

    /// Resident bytes of the process (proc(5)); 0 when unknown.
    private static var resident: Int {
        let pages =
            ProcessMetrics.text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }
}
