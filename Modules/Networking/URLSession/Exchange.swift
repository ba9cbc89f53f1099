import Foundation
import StrataConcurrency
import StrataDomain
import StrataNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: what the session tells of it, handed to the one task that waits for it.
///
/// libcurl cannot be paused here, so bytes arrive as fast as the server sends them. Those not yet read are kept up to
/// `unreadLimit`; one byte more ends the exchange with an error.
final class Exchange: Sendable {
    private struct State {
        var head: Result<ResponseHead, any Error>?
        var headWaiter: CheckedContinuation<ResponseHead, any Error>?
        var chunks: [Data] = []
        var unread = 0
        var end: Result<Data?, any Error>?
        var chunkWaiter: CheckedContinuation<Data?, any Error>?
    }

    private let task: URLSessionTask
    private let unreadLimit: Int
    private let state = Mutex(State())

    init(_ task: URLSessionTask, unreadLimit: Int) {
        self.task = task
        self.unreadLimit = unreadLimit
    }

    /// Sends the request and waits for the head of its response.
    func start() async throws -> ResponseHead {
        try await withTaskCancellationHandler {
            task.resume()
            return try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state in
                    if state.head == nil { state.headWaiter = continuation }
                    return state.head
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            fail(NetworkError(.cancelled))
        }
    }

    /// The next bytes of the body; `nil` at its end.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Data?, any Error>? in
                    if !state.chunks.isEmpty {
                        // All at once: they are here, and one long chunk costs less than many short ones.
                        let bytes = state.chunks.count == 1 ? state.chunks[0] : Data(state.chunks.joined())
                        state.chunks = []
                        state.unread = 0
                        return .success(bytes)
                    }
                    if state.end == nil { state.chunkWaiter = continuation }
                    return state.end
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            fail(NetworkError(.cancelled))
        }
    }

    /// The session has the head. One of status 1xx is not the response yet (RFC 9110, section 15.2).
    func received(_ response: URLResponse) {
        guard let head = ResponseHead(response), !(100..<200).contains(head.status) else { return }
        let waiter = state.withLock { state in
            guard state.head == nil else { return nil as CheckedContinuation<ResponseHead, any Error>? }
            state.head = .success(head)
            return state.headWaiter.take()
        }
        waiter?.resume(returning: head)
    }

    /// The session has some bytes.
    func received(_ bytes: Data) {
        guard !bytes.isEmpty else { return }
        let (waiter, isTooMuch) = state.withLock { state in
            guard state.end == nil else { return (nil as CheckedContinuation<Data?, any Error>?, false) }
            if let waiter = state.chunkWaiter.take() { return (waiter, false) }
            state.unread += bytes.count
            state.chunks.append(bytes)
            return (nil, state.unread > unreadLimit)
        }
        waiter?.resume(returning: bytes)
        if isTooMuch {
            fail(
                NetworkError(
                    .invalidResponse(
                        "more than \(unreadLimit) bytes arrived before they were read; read faster or raise unreadLimit"
                    )))
        }
    }

    /// The session is done with the request.
    func completed(_ error: (any Error)?) {
        if let error {
            end(with: .failure(NetworkError(transport: error)), dropping: false)
        } else {
            // FoundationNetworking keeps back the head of a redirect that names no target.
            if let response = task.response { received(response) }
            end(with: .success(nil), dropping: false)
        }
    }

    /// Ends the exchange from our side and closes its connection; what was not read is dropped.
    func fail(_ error: NetworkError) {
        task.cancel()
        end(with: .failure(error), dropping: true)
    }

    private func end(with result: Result<Data?, any Error>, dropping: Bool) {
        let missing = NetworkError(.invalidResponse("it has no head"))
        let (headWaiter, headResult, chunkWaiter, chunkResult) = state.withLock { state in
            if dropping {
                state.chunks = []
                state.unread = 0
            }
            let end = state.end ?? result
            state.end = end
            let head = state.head ?? end.flatMap { _ in .failure(missing) }
            state.head = head
            return (state.headWaiter.take(), head, state.chunkWaiter.take(), end)
        }
        headWaiter?.resume(with: headResult)
        chunkWaiter?.resume(with: chunkResult)
    }
}

extension Exchange {
    /// The body as a sequence.
    struct Body: AsyncSequence, Sendable {
        typealias Element = Data
        typealias Failure = any Error
        let exchange: Exchange

        func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

        struct Iterator: AsyncIteratorProtocol {
            let exchange: Exchange
            mutating func next() async throws -> Data? { try await exchange.next() }
        }
    }
}
