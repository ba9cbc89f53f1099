import NIOCore
import NIOPosix

/// Keeps a response body from running ahead of the event loops.
///
/// A write returns before its event loop has run, and the event loop is what notices that the connection is full. On a busy
/// machine a whole file could be read into memory in between.
struct WritePacing {
    private static let limit = 128 * 1024
    private var bytes = 0

    /// Call after each write. After 128 KiB it waits until every event loop has run once.
    mutating func wrote(_ count: Int) async throws {
        bytes += count
        guard bytes >= Self.limit else { return }
        bytes = 0
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
    }
}
