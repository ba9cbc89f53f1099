import StrataSystem

/// The process metrics of Prometheus client libraries (prometheus.io, "Writing client libraries"), read from `/proc`. Empty
/// without `/proc`.
enum ProcessMetrics {
    static var now: [MetricSample] {
        // proc(5): the name in parentheses may hold any character; the third field follows it.
        let fields = text("/proc/self/stat").split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
        func field(_ number: Int) -> Double? { fields.count > number - 3 ? Double(fields[number - 3]) : nil }
        let ticks = Double(max(1, sysconf(CInt(_SC_CLK_TCK))))
        let page = Double(max(1, sysconf(CInt(_SC_PAGESIZE))))
        var samples: [MetricSample] = []
        func add(_ name: String, _ kind: MetricSample.Kind, _ help: String, _ value: Double?) {
            if let value { samples.append(MetricSample("process_\(name)", kind, help, value)) }
        }
        add(
            "cpu_seconds_total", .counter, "Total user and system CPU time spent in seconds.",
            field(14).flatMap { user in field(15).map { (user + $0) / ticks } })
        add("resident_memory_bytes", .gauge, "Resident memory size in bytes.", field(24).map { $0 * page })
        add("virtual_memory_bytes", .gauge, "Virtual memory size in bytes.", field(23))
        add(
            "start_time_seconds", .gauge, "Start time of the process since unix epoch in seconds.",
            field(22).flatMap { start in bootTime.map { $0 + start / ticks } })
        add("open_fds", .gauge, "Number of open file descriptors.", openFiles)
        add("max_fds", .gauge, "Maximum number of open file descriptors.", OpenFileLimit.current.map(Double.init))
        add("threads", .gauge, "Number of threads.", field(20))
        return samples
    }

    /// Seconds since 1970.
    private static var bootTime: Double? {
        for line in text("/proc/stat").split(separator: "\n") where line.hasPrefix("btime ") {
            return Double(line.dropFirst(6))
        }
        return nil
    }

    private static var openFiles: Double? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var names = 0
        while readdir(directory) != nil { names += 1 }
        // Without `.`, `..` and the directory itself.
        return Double(names - 3)
    }

    /// The text of a file of `/proc`; empty when it cannot be read.
    static func text(_ path: String) -> String {
        guard let file = try? openFile(path, O_RDONLY) else { return "" }
        defer { file.release() }
        return (try? file.readAll(limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
