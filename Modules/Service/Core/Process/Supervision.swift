import Logging
import NIOCore
import StrataConcurrency
import StrataSystem

/// What the service manager that started this process hands over and wants to hear: a socket to serve, when the service is
/// ready and when it stops, and a sign of life (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)).
///
/// Without a service manager it is empty and does nothing. What cannot be told never ends the service.
public struct Supervision: Sendable {
    /// What it reads, and `forget` takes out of the environment.
    public static let variables = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]

    /// Served instead of an address of the options.
    public let socket: InheritedSocket?
    /// How often to give a sign of life; `nil` where nobody waits for one.
    let signOfLife: Duration?
    /// Sentences on variables that have no effect.
    let flaws: [String]
    private let manager: NotifySocket?
    private let failures = Failures()

    /// - Parameter environment: The variables of the process. An empty one counts as not set.
    /// - Throws: for sockets that cannot be served.
    public init(environment: [String: String]) throws(InheritedSocketError) {
        try self.init(environment: environment, processId: getpid())
    }

    init(
        environment: [String: String], processId: Int32, firstDescriptor: Int32 = InheritedSocket.firstDescriptor
    ) throws(InheritedSocketError) {
        let variables = environment.filter { Self.variables.contains($0.key) && !$0.value.isEmpty }
        socket = try InheritedSocket(variables, processId: processId, firstDescriptor: firstDescriptor)
        var flaws: [String] = []
        var manager: NotifySocket?
        if let name = variables["NOTIFY_SOCKET"] {
            do { manager = try NotifySocket(name) } catch {
                flaws.append("NOTIFY_SOCKET is '\(name.prefix(120))', which cannot be written to: \(error)")
            }
        }
        let watchdog = Watchdog(variables, processId: processId)
        if watchdog == .malformed {
            flaws.append("WATCHDOG_USEC or WATCHDOG_PID is no number; no signs of life are sent")
        }
        self.manager = manager
        self.flaws = flaws
        signOfLife = manager == nil ? nil : watchdog.interval
    }

    /// Takes the variables out of the environment of this process, so that no program it starts speaks in its name.
    ///
    /// Call it before there are other threads: the C library's environment has no lock.
    public static func forget() { for name in variables { unsetenv(name) } }

    /// Says that requests are answered at `url`; tries again, for 5 s, while nobody reads.
    func ready(at url: String, clock: any Clock<Duration>, logger: Logger) async {
        for _ in 0..<50 {
            guard tell("READY=1\nSTATUS=Answering at \(url)", logger: logger) == .full else { return }
            do { try await clock.sleep(for: .milliseconds(100)) } catch { return }
        }
    }

    /// Says that the service takes no more requests.
    func stopping(logger: Logger) { tell("STOPPING=1\nSTATUS=Finishing the requests in flight", logger: logger) }

    /// Gives the sign of life, each time after every event loop has done a piece of work; until it is cancelled.
    ///
    /// A loop that hangs ends the signs, and with them, by the service manager's hand, the process.
    func giveSigns(of loops: [any EventLoop], every interval: Duration, clock: any Clock<Duration>, logger: Logger)
        async
    {
        while !Task.isCancelled {
            do {
                for loop in loops { try await loop.submit {}.get() }
                tell("WATCHDOG=1", logger: logger)
                try await clock.sleep(for: interval)
            } catch { return }
        }
    }

    /// - Returns: What went wrong; it is logged once.
    @discardableResult
    private func tell(_ message: String, logger: Logger) -> NotifySocket.Failure? {
        guard let manager else { return nil }
        do throws(NotifySocket.Failure) {
            try manager.send(message)
            return nil
        } catch {
            if failures.isFirst() {
                logger.warning("the service manager cannot be told", metadata: ["error": "\(error)"])
            }
            return error
        }
    }

    /// Lets the first failure be logged, and no other.
    private final class Failures: Sendable {
        private let any = Mutex(false)
        func isFirst() -> Bool {
            any.withLock { any in
                defer { any = true }
                return !any
            }
        }
    }
}
