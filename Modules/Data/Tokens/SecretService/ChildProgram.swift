import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program that is run to its end on the calling thread, with its input given and its output kept.
///
/// It sees only the environment it is given, and its input is complete before it starts, so that nothing waits for a
/// program that does not read. It is alone in its process group: when its time is over, it and what it started are
/// killed, and it is collected.
struct ChildProgram: Sendable {
    /// What a program that ended said.
    struct Answer: Sendable {
        /// The exit status; 128 and the number of the signal for a program that a signal ended.
        var status: Int32
        var output: Data
        /// What it wrote to standard error, at most 4 KiB.
        var complaint: Data
    }

    enum Failure: Error, Equatable {
        case notStarted(SystemError)
        case tookTooLong
        /// More output than `outputLimit`.
        case tooTalkative
        /// Somebody else in this process collected the exit status.
        case lost
    }

    /// An absolute path.
    let path: String
    let environment: [String: String]

    /// Bytes of output that are accepted.
    static let outputLimit = 1 << 18
    private static let complaintLimit = 4096

    /// Runs the program. Blocks.
    ///
    /// - Parameters:
    ///   - input: What it reads from standard input; no more than the system buffers, which is above 64 KiB.
    ///   - limit: How long it may run.
    func run(_ arguments: [String], input: Data = Data(), within limit: Duration) throws(Failure) -> Answer {
        let streams: Streams
        let process: pid_t
        do throws(SystemError) {
            streams = try Streams(input: input)
            do throws(SystemError) { process = try start(arguments, streams) } catch {
                streams.closeAll()
                throw error
            }
        } catch {
            throw .notStarted(error)
        }
        streams.closeTheirs()
        defer { streams.closeOurs() }
        return try Self.attend(process, streams, until: .now + limit)
    }

    private static func attend(
        _ process: pid_t, _ streams: Streams, until deadline: ContinuousClock.Instant
    ) throws(Failure) -> Answer {
        var output = Outlet(descriptor: streams.output.reading, limit: outputLimit)
        var complaint = Outlet(descriptor: streams.complaint.reading, limit: complaintLimit)
        while true {
            wait(for: [output, complaint].filter { !$0.isAtEnd })
            output.readAvailable()
            complaint.readAvailable()
            switch Exit(of: process) {
            case .status(let status):
                // What it wrote last may have come between the reading and the end.
                output.readAvailable()
                complaint.readAvailable()
                guard !output.isTooLong else { throw .tooTalkative }
                return Answer(status: status, output: output.bytes, complaint: complaint.bytes)
            case .lost: throw .lost
            case .running: break
            }
            if output.isTooLong || .now >= deadline {
                kill(-process, SIGKILL)
                Exit.collect(process)
                throw output.isTooLong ? .tooTalkative : .tookTooLong
            }
        }
    }

    /// Until there is something to read, but no longer than 10 ms: the end of the process is no event here.
    private static func wait(for outlets: [Outlet]) {
        var polled = outlets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        _ = poll(&polled, nfds_t(polled.count), polled.isEmpty ? 1 : 10)
    }

    private func start(_ arguments: [String], _ streams: Streams) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, streams.input.reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, streams.output.writing, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, streams.complaint.writing, STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of a queue block signals, and a program of ours may ignore some; neither is to be inherited.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var process = pid_t()
        let code = Self.withStrings([path] + arguments) { arguments in
            Self.withStrings(environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&process, path, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError(code: code) }
        return process
    }

    /// Lends `texts` as C wants them: an array of pointers that ends with none.
    private static func withStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

/// How a child stands.
private enum Exit {
    case running
    case status(Int32)
    case lost

    /// Looks without waiting; a process that ended is collected.
    init(of process: pid_t) {
        var status: Int32 = 0
        switch waitpid(process, &status, WNOHANG) {
        case process: self = .status(status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F)
        case -1 where errno == ECHILD: self = .lost
        default: self = .running
        }
    }

    /// Collects a process that was killed; one that the kernel does not let go yet, later and elsewhere.
    static func collect(_ process: pid_t) {
        for _ in 0..<1000 {
            guard case .running = Exit(of: process) else { return }
            _ = poll(nil, 0, 1)
        }
        BlockingQueue(label: "strata.tokens.collect").start {
            var status: Int32 = 0
            while waitpid(process, &status, 0) == -1, errno == EINTR {}
        }
    }
}

/// One stream of a child, read as far as it goes without waiting.
private struct Outlet {
    let descriptor: Int32
    let limit: Int
    private(set) var bytes = Data()
    private(set) var isTooLong = false
    private(set) var isAtEnd = false

    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    mutating func readAvailable() {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        // Bounded: a program that writes without end must not keep us from looking at the time.
        for _ in 0..<16 where !isAtEnd {
            guard let count = try? checked({ systemRead(descriptor, &chunk, chunk.count) }) else { return }
            if count == 0 { isAtEnd = true }
            let kept = min(count, limit - bytes.count)
            bytes.append(contentsOf: chunk[..<kept])
            if kept < count { isTooLong = true }
        }
    }
}
