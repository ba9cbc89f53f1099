import FoundationEssentials
import HummingbirdCore
import NIOCore
import NIOHTTP1
import StrataDomain
import StrataNetworking

/// The body of a client's request, lent to the pipeline.
///
/// Hummingbird reads the body and the next request through one iterator, and SwiftNIO ends the process when two tasks read at
/// once. AsyncHTTPClient may read on after the response. So one task reads, for each chunk that is asked for.
struct RequestChunks: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    fileprivate typealias Demand = CheckedContinuation<Data?, any Error>

    fileprivate let demands: AsyncStream<Demand>.Continuation

    func makeAsyncIterator() -> Iterator { Iterator(demands: demands) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let demands: AsyncStream<Demand>.Continuation

        func next() async throws -> Data? {
            try await withCheckedThrowingContinuation { demand in
                guard case .enqueued = demands.yield(demand) else {
                    return demand.resume(throwing: NetworkError(.cancelled))
                }
            }
        }
    }
}

extension HummingbirdCore.RequestBody {
    /// Runs `work` with the chunks of this body. After `work` nothing is read any more.
    func lent(to work: (RequestChunks) async throws -> Void) async throws {
        let (demands, continuation) = AsyncStream<RequestChunks.Demand>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var chunks = self.makeAsyncIterator()
                for await demand in demands {
                    do { demand.resume(returning: try await Self.next(&chunks)) } catch {
                        demand.resume(throwing: error)
                    }
                }
            }
            defer {
                continuation.finish()
                group.cancelAll()
            }
            try await work(RequestChunks(demands: continuation))
        }
    }

    // Concurrent, as Hummingbird's iterator is.
    @concurrent private static func next(_ chunks: inout AsyncIterator) async throws -> Data? {
        let buffer: ByteBuffer?
        do { buffer = try await chunks.next() } catch let error as HTTPParserError {
            throw NetworkError(.invalidRequest("its body is no legal HTTP (\(error))"))
        }
        // The sequence also ends when the connection does; then the body is not complete.
        if buffer == nil, Task.isCancelled { throw NetworkError(.cancelled) }
        return buffer.map { Data($0.readableBytesView) }
    }
}
