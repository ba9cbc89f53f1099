import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#endif

/// This program once more, in another role.
struct Child {
    let id: pid_t
    private let output: String

    /// - Parameter output: The file that takes its standard output.
    init(_ arguments: [String], output: String) throws {
        self.output = output
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let program = "/proc/self/exe"
        var pointers: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var id: pid_t = 0
        guard posix_spawn(&id, program, &actions, nil, pointers, environ) == 0 else {
            throw CocoaError(.executableLoad)
        }
        self.id = id
    }

    /// - Returns: What it wrote.
    func wait() throws -> String {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    func kill() throws {
        Glibc.kill(id, SIGKILL)
        _ = try wait()
    }

    var written: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
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
