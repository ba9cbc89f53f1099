import AsyncHTTPClient
import NIOCore
import NIOPosix
import StrataConcurrency

/// The event loop thread of a transport, and its clients: one for each route.
struct Engine: Sendable {
    let group: MultiThreadedEventLoopGroup
    /// The only one of the group.
    let loop: any EventLoop
    let executor: LoopExecutor
    private(set) var clients: [Route: HTTPClient] = [:]

    init() {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.any()
        executor = LoopExecutor(loop)
    }

    mutating func makeClient(for route: Route, _ configuration: HTTPClient.Configuration) -> HTTPClient {
        let client = HTTPClient(eventLoopGroup: group, configuration: configuration)
        clients[route] = client
        return client
    }

    /// Closes every connection, then calls `end`. The thread goes on.
    func shutDown(_ end: @escaping @Sendable () -> Void) {
        guard !clients.isEmpty else { return end() }
        let left = Mutex(clients.count)
        for client in clients.values {
            client.shutdown { _ in
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { end() }
            }
        }
    }
}
