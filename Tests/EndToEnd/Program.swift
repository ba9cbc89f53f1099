import Foundation
import StrataConcurrency
import StrataTesting

struct Outcome: Sendable {
    /// The exit status, or the number of the signal.
    let status: Int32
    let wasSignalled: Bool
    let out: String
    let err: String

    /// Standard output as JSON; the error has both outputs.
    func json() throws -> JSON {
        do { return try JSON(out) } catch { throw EndToEndError("\(error) \(err)") }
    }
}

/// A started process whose output goes to files, so that it never waits for a reader. It is killed with this value.
///
/// This process keeps no descriptor for it, so that thousands may run. (Foundation's `Process` keeps several until it is
/// freed, and watches them with `select`, which ends at the 1,024th.)
final class Program: Sendable {
    let id: Int32
    private let end: End
    private let out: String
    private let err: String

    /// It gets no other descriptor of this process, no blocked signal, and default handlers.
    ///
    /// - Parameters:
    ///   - folder: Where its output is kept.
    ///   - input: The text of standard input; `nil` for `/dev/null`.
    ///   - standardInput: A descriptor of this process in place of `input`.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], folder: String, input: String? = nil,
        standardInput: Int32? = nil
    ) throws {
        let name = "\(folder)/\(UUID().uuidString)"
        (out, err) = (name + ".out", name + ".err")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let standardInput {
            posix_spawn_file_actions_adddup2(&actions, standardInput, 0)
        } else {
            if let input { try Data(input.utf8).write(to: URL(filePath: name + ".in")) }
            posix_spawn_file_actions_addopen(&actions, 0, input == nil ? "/dev/null" : name + ".in", O_RDONLY, 0)
        }
        for (number, file) in [(Int32(1), out), (2, err)] {
            posix_spawn_file_actions_addopen(&actions, number, file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        try require(Self.closeFrom?(&actions, 3) == 0, "this C library cannot close descriptors for a child")

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var id = pid_t()
        let failure = Self.withStrings([path] + arguments) { arguments in
            Self.withStrings(environment.map { "\($0.key)=\($0.value)" }) {
                posix_spawn(&id, path, &actions, &attributes, arguments, $0)
            }
        }
        guard failure == 0 else { throw EndToEndError("\(path) did not start: \(String(cString: strerror(failure)))") }
        self.id = id
        end = End(of: id)
    }

    deinit { end.signal(SIGKILL) }

    var isRunning: Bool { end.isOpen }
    /// Does nothing once the process has ended.
    func signal(_ number: Int32) { end.signal(number) }

    func outcome() async throws -> Outcome {
        let status = await end.status()
        let signal = status & 0x7F
        return Outcome(
            status: signal == 0 ? status >> 8 & 0xFF : signal, wasSignalled: signal != 0, out: Self.text(out),
            err: Self.text(err))
    }

    var outputSoFar: String { Self.text(out) }
    var errorsSoFar: String { Self.text(err) }

    /// The first line on standard error with these words. Fails if the program ends before, or after a minute.
    func firstErrorLine(containing words: String) async throws -> String {
        var line: Substring?
        try await eventually("the program says '\(words)'") {
            let isOver = !isRunning
            let lines = Self.text(err).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            line = lines.first { $0.contains(words) }
            return line != nil || isOver
        }
        guard let line else { throw EndToEndError("the program never said '\(words)':\n\(Self.text(err))") }
        return String(line)
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// glibc's since 2.34, in a part of its header that Swift does not see.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast(
            $0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
    }

    /// Lends a list of C strings with a null at its end.
    private static func withStrings<Value>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let strings = texts.map { strdup($0) }
        defer { for string in strings { free(string) } }
        return body(strings + [nil])
    }
}

/// The end of a process; a thread waits for it.
private final class End: Sendable {
    private struct State {
        var status: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }

    private let id: pid_t
    private let state = Mutex(State())

    init(of id: pid_t) {
        self.id = id
        Thread.detachNewThread { self.wait() }
    }

    var isOpen: Bool { state.withLock { $0.status == nil } }

    func signal(_ number: Int32) {
        // The kernel gives the number to no other process before `waitpid`, which runs under the same lock.
        state.withLock { if $0.status == nil { kill(id, number) } }
    }

    /// As `waitpid` tells it.
    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func wait() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (status, waiters) = state.withLock { state in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            state.status = status
            defer { state.waiters = [] }
            return (status, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }
}
