import Dispatch
import Glibc
import StrataConcurrency
import StrataSystem

@testable import StrataNetworking

/// A network of its own inside this process; what happens there does not touch the host.
final class Namespace: Sendable {
    struct Failure: Error { let command: String }

    static let isPossible: Bool = {
        guard access("/usr/sbin/ip", X_OK) == 0 || access("/sbin/ip", X_OK) == 0 else { return false }
        guard let namespace = try? Namespace() else { return false }
        return (try? namespace.onThread { try $0.ip("link add probe0 type veth peer name probe1") }) != nil
    }()

    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let ready = DispatchSemaphore(value: 0)

    init() throws {
        let isEntered = Locked(false)
        let started = DispatchSemaphore(value: 0)
        // The thread holds the jobs, not this object.
        let box = Unmanaged.passRetained(
            Work { [weak self] in
                isEntered.value = Self.unshareNetwork()
                started.signal()
                guard isEntered.value, let ready = self?.ready else { return }
                while true {
                    ready.wait()
                    guard let self else { return }
                    guard let job = self.state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else {
                        return
                    }
                    job()
                }
            })
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
        started.wait()
        guard isEntered.value else { throw Failure(command: "unshare") }
    }

    deinit { ready.signal() }

    /// Gives the calling thread a network of its own; `unshare` is not in the C library's module.
    private static func unshareNetwork() -> Bool {
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare") else { return false }
        return unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` in the namespace and waits for it.
    func onThread<Value: Sendable>(_ body: @escaping @Sendable (Namespace) throws -> Value) throws -> Value {
        let result = Locked<Result<Value, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        state.withLock { state in
            state.jobs.append {
                result.value = Result { try body(self) }
                done.signal()
            }
        }
        ready.signal()
        done.wait()
        return try result.value?.get() ?? { throw Failure(command: "thread") }()
    }

    /// Runs `ip` with these words. On the namespace's thread only: a child lives where the thread does that starts it.
    fileprivate func ip(_ words: String) throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = (["ip"] + words.split(separator: " ").map(String.init)).map {
            strdup($0)
        }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var child = pid_t()
        var status: Int32 = -1
        guard posix_spawnp(&child, "ip", nil, nil, arguments, environ) == 0, waitpid(child, &status, 0) == child,
            status == 0
        else { throw Failure(command: words) }
    }

    func ip(_ lines: [String]) throws { try onThread { namespace in for line in lines { try namespace.ip(line) } } }

    /// The links of this namespace.
    var links: any LinkSource { Links(namespace: self) }

    /// Asks the kernel on the thread of the namespace.
    private struct Links: LinkSource {
        let namespace: Namespace

        func isReachable(_ target: ReachabilityTarget) async throws(Errno) -> Bool {
            try await runBlocking { () throws(Errno) in
                try ask { () throws(Errno) in try RouteProbe.isReachable(target) }
            }
        }

        func changes() throws(Errno) -> AsyncStream<Void> {
            try ask { () throws(Errno) in try KernelLinks().changes() }
        }

        private func ask<Value: Sendable>(
            _ body: @escaping @Sendable () throws(Errno) -> Value
        ) throws(Errno) -> Value {
            let answer = try? namespace.onThread { _ in Result { () throws(Errno) in try body() } }
            guard let answer else { throw .ioError }
            return try answer.get()
        }
    }

    /// Two ends of one cable, of which `strata0` has an address.
    func addCable() throws {
        try ip([
            "link set lo up", "link add strata0 type veth peer name strata1", "addr add 192.0.2.2/24 dev strata0",
        ])
    }

    func connect() throws {
        try ip([
            "link set strata1 up", "link set strata0 up", "route replace default via 192.0.2.1 dev strata0",
        ])
    }

    func disconnect() throws { try ip(["link set strata0 down"]) }
}
