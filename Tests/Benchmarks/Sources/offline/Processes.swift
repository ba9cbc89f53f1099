import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#endif

/// This program once more, in another role.
final class Child {
    private let id: pid_t
    /// The end of a pipe that takes its standard output.
    private let output: CInt
    private var written = ""

    init(_ arguments: [String]) throws {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw CocoaError(.executableLoad) }
        defer { close(ends[1]) }
        // Another child must not hold the pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let program = "/proc/self/exe"
        var pointers: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var id: pid_t = 0
        let status = posix_spawn(&id, program, &actions, nil, pointers, environ)
        self.id = id
        guard status == 0 else { throw CocoaError(.executableLoad) }
    }

    deinit { close(output) }

    /// Waits for a line that begins with `start`, for a minute at most from one output to the next.
    ///
    /// - Returns: The rest of the line.
    func line(_ start: String) throws -> Substring {
        while true {
            let lines = written.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix(start) }) { return line.dropFirst(start.count) }
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 60_000) != 0, read() else { throw CocoaError(.fileReadCorruptFile) }
        }
    }

    /// - Returns: What it wrote.
    func wait() -> String {
        while read() {}
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return written
    }

    func kill() {
        Glibc.kill(id, SIGKILL)
        _ = wait()
    }

    /// Waits for output; `false` at its end.
    private func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = 0
        repeat { count = Glibc.read(output, &bytes, bytes.count) } while count < 0 && errno == EINTR
        written += String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return count > 0
    }
}

/// A line of `/proc/self/status`, in kilobytes.
func memory(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
}

func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Writes a line without buffering.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(1, bytes, bytes.count)
}

/// Time of the processor that this process has taken, in seconds.
func processor() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
