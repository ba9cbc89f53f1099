import Logging
import NIOCore
import ServiceLifecycle
import StrataConcurrency
import StrataService
import StrataTesting

/// A service that runs as in production: own port, service group, graceful shutdown.
final class LiveService: Sendable {
    let port: Int
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    /// Starts `service` and returns once it listens.
    init(_ service: TestService) async throws {
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let application = try service.application { port in
            found.yield(port)
            found.finish()
        }
        try await application.prepare()
        let group = ServiceGroup(services: [application], logger: service.log.logger())
        self.group = group
        task = Task {
            defer { found.finish() }
            try await group.run()
        }
        var iterator = ports.makeAsyncIterator()
        port = await iterator.next() ?? 0
    }

    func beginShutdown() async { await group.triggerGracefulShutdown() }

    /// Returns when the service has ended.
    func wait() async throws { try await task.value }
}

/// Whose socket a service listens at.
enum Listening: CaseIterable {
    case own, inherited
}

func withLiveService(
    _ listening: Listening = .own, configure: @Sendable (inout TestService) -> Void = { _ in },
    _ body: (TestService, LiveService) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        var service = try await TestService(directory: directory)
        if listening == .inherited { service.supervision = try .handing(ListeningSocket().descriptor) }
        configure(&service)
        let live = try await LiveService(service)
        do {
            try await body(service, live)
        } catch {
            await live.beginShutdown()
            throw error
        }
        await live.beginShutdown()
        try await live.wait()
        try await service.close()
    }
}
