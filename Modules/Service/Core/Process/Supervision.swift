import Logging
import NIOCore
import StrataConcurrency
import StrataSystem

/// The interface to the service manager that started the process: an inherited socket, notifications of ready and stopping,
/// and heartbeats (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)).
///
/// Without a service manager it does nothing. A failed notification never ends the service.
public struct Supervision: Sendable {
    /// The environment variables it reads, and `forget` removes.
    public static let variables = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]

    /// The inherited socket, served instead of the configured address.
    public let socket: InheritedSocket?
    /// How often to send a heartbeat; `nil` without a watchdog.
    let heartbeatInterval: Duration?
    /// Sentences about variables that are ignored.
    let warnings: [String]
    private let manager: NotifySocket?
    private let failures = Failures()

    /// - Parameter environment: The variables of the process. An empty one counts as not set.
    /// - Throws: For sockets that cannot be served.
    public init(environment: [String: String]) throws(InheritedSocketError) {
        try self.init(environment: environment, processId: getpid())
    }

    init(
        environment: [String: String], processId: Int32, firstDescriptor: Int32 = InheritedSocket.firstDescriptor
    ) throws(InheritedSocketError) {
        let variables = environment.filter { Self.variables.contains($0.key) && !$0.value.isEmpty }
        socket = try InheritedSocket(variables, processId: processId, firstDescriptor: firstDescriptor)
        var warnings: [String] = []
        var manager: NotifySocket?
        if let name = variables["NOTIFY_SOCKET"] {
            do { manager = try NotifySocket(name) } catch {
                warnings.append("NOTIFY_SOCKET is '\(name.prefix(120))', which cannot be written to: \(error)")
            }
        }
        let watchdog = Watchdog(variables, processId: processId)
        if watchdog == .malformed {
            warnings.append("WATCHDOG_USEC or WATCHDOG_PID is not a number; no heartbeats are sent")
        }
        self.manager = manager
        self.warnings = warnings
        heartbeatInterval = manager == nil ? nil : watchdog.interval
    }

    /// Removes the variables from the environment, so that child processes do not use them.
    ///
    /// Call it before other threads start: the environment of the C library has no lock.
    public static func forget() { for name in variables { unsetenv(name) } }

    /// Reports that the service is ready at `url`. Retries for 5 s while the service manager does not read.
    func ready(at url: String, clock: any Clock<Duration>, logger: Logger) async {
        for _ in 0..<50 {
            guard notify("READY=1\nSTATUS=Serving at \(url)", logger: logger) == .full else { return }
            do { try await clock.sleep(for: .milliseconds(100)) } catch { return }
        }
    }

    /// Reports that the service drains.
    func stopping(logger: Logger) { notify("STOPPING=1\nSTATUS=Finishing the requests in flight", logger: logger) }

    /// Sends heartbeats until it is cancelled, each after every event loop has run a task.
    ///
    /// A blocked event loop stops the heartbeats, and the service manager then ends the process.
    func sendHeartbeats(of loops: [any EventLoop], every interval: Duration, clock: any Clock<Duration>, logger: Logger)
        async
    {
        while !Task.isCancelled {
            do {
                for loop in loops { try await loop.submit {}.get() }
                notify("WATCHDOG=1", logger: logger)
                try await clock.sleep(for: interval)
            } catch { return }
        }
    }

    /// - Returns: The failure, which is logged once.
    @discardableResult
    private func notify(_ message: String, logger: Logger) -> NotifySocket.Failure? {
        guard let manager else { return nil }
        do throws(NotifySocket.Failure) {
            try manager.send(message)
            return nil
        } catch {
            if failures.isFirst() {
                logger.warning("the service manager cannot be notified", metadata: ["error": "\(error)"])
            }
            return error
        }
    }

    /// Lets only the first failure be logged.
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
