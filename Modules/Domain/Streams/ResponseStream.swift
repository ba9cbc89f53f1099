/// The elements of a streamed response, each given out when it is asked for.
///
/// Each iteration sends a request of its own, in a task that reads at most one element ahead: a slow reader slows the server. The
/// request ends when the iteration ends: when the loop is left, its task is cancelled or the iterator is dropped. An error comes
/// after the elements before it; a cancelled task gets `.cancelled`.
public struct ResponseStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = NetworkError
    typealias Produce = @Sendable (Outlet<Element>) async throws(NetworkError) -> Void

    private let produce: Produce

    /// - Parameter produce: Sends the request and gives the elements to the outlet.
    init(_ produce: @escaping Produce) { self.produce = produce }

    public func makeAsyncIterator() -> Iterator { Iterator(state: .new(produce)) }

    /// Reads the elements as they arrive; the first call sends the request.
    public struct Iterator: AsyncIteratorProtocol {
        enum State {
            case new(Produce)
            case open(Handover<Element>)
            case ended
        }

        var state: State

        public mutating func next() async throws(NetworkError) -> Element? { try await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Element? {
            let handover: Handover<Element>
            switch state {
            case .ended: return nil
            case .open(let open): handover = open
            case .new(let produce):
                handover = Handover(produce)
                state = .open(handover)
            }
            switch await handover.take(isolation: actor) {
            case .success(let element): return element
            case .failure(let error):
                state = .ended
                throw error
            case nil:
                state = .ended
                guard !Task.isCancelled else { throw NetworkError(.cancelled) }
                return nil
            }
        }
    }
}

/// Where a task puts the elements of a response stream.
struct Outlet<Element: Sendable>: Sendable {
    fileprivate let elements: AsyncStream<Result<Element, NetworkError>>.Continuation
    fileprivate let demands: Demands

    /// Hands `element` over when the reader has asked for it. Call it from one task at a time.
    ///
    /// - Throws: `CancellationError` when the task is cancelled: the reader has left, or a time limit of the connection is over. The
    ///   element was not handed over then, and what the reader asked for is still asked for.
    func send(_ element: Element) async throws(CancellationError) {
        guard await demands.take() else { throw CancellationError() }
        elements.yield(.success(element))
    }
}

/// A task and its reader: one asks for an element, the other makes it.
struct Handover<Element: Sendable> {
    private var elements: AsyncStream<Result<Element, NetworkError>>.Iterator
    private let demands = Demands()

    /// Starts the task. It is cancelled when the last copy of this value is gone, since nothing else holds the stream of elements.
    init(_ produce: @escaping ResponseStream<Element>.Produce) {
        // Unbounded by type, but one demand lets one element in, and an error is the last.
        let (elements, sink) = AsyncStream.makeStream(of: Result<Element, NetworkError>.self)
        let outlet = Outlet(elements: sink, demands: demands)
        let task = Task {
            do throws(NetworkError) { try await produce(outlet) } catch { sink.yield(.failure(error)) }
            sink.finish()
        }
        sink.onTermination = { _ in task.cancel() }
        self.elements = elements.makeAsyncIterator()
    }

    /// The next element or the failure of the task; `nil` at the end of either.
    func take(isolation actor: isolated (any Actor)?) async -> Result<Element, NetworkError>? {
        await demands.add()
        var elements = elements
        return await elements.next(isolation: actor)
    }
}
