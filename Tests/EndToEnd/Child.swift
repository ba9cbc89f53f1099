import Foundation
import StrataConcurrency

/// A child process and a thread that waits for its end: this process keeps no descriptor for it, so that thousands may
/// come and go. (Foundation's `Process` keeps several for each one until it is freed, and watches them with `select`,
/// which ends at the 1,024th.)
final class Child: Sendable {
    struct Ending: Sendable {
        /// The exit status, or the number of the signal.
        let status: Int32
        let wasSignalled: Bool
    }

    enum Input: Sendable {
        case file(String)
        /// Of this process, which keeps it.
        case descriptor(Int32)
    }

    private struct State {
        var ending: Ending?
        var waiters: [CheckedContinuation<Ending, Never>] = []
    }

    let id: pid_t
    private let state = Mutex(State())

    /// Starts a program that reads `input` and writes the files `output` and `errors`, which are emptied or made.
    ///
    /// It gets no other descriptor, no blocked signal, and default handlers.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], input: Input, output: String,
        errors: String
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        switch input {
        case .file(let path): posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY, 0)
        case .descriptor(let number): posix_spawn_file_actions_adddup2(&actions, number, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
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
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let failure = Self.withStrings([path] + arguments) { arguments in
            Self.withStrings(variables) { posix_spawn(&id, path, &actions, &attributes, arguments, $0) }
        }
        guard failure == 0 else { throw EndToEndError("\(path) did not start: \(String(cString: strerror(failure)))") }
        self.id = id
        Thread.detachNewThread { self.wait() }
    }

    var isRunning: Bool { state.withLock { $0.ending == nil } }

    /// Does nothing once the process has ended.
    func signal(_ number: Int32) {
        // Its number is nobody else's before it was asked how it ended, which happens under the same lock.
        state.withLock { if $0.ending == nil { kill(id, number) } }
    }

    func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.ending == nil { state.waiters.append(continuation) }
                return state.ending
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// glibc's since 2.34, in a part of its header that Swift does not see.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast(
            $0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
    }

    private func wait() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (ending, waiters) = state.withLock { state in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            let ending = Ending(status: signal == 0 ? status >> 8 & 0xFF : signal, wasSignalled: signal != 0)
            state.ending = ending
            defer { state.waiters = [] }
            return (ending, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: ending) }
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
