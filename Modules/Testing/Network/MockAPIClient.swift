public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// An API client that answers by endpoint type and remembers its calls.
///
/// ```swift
/// let client = MockAPIClient()
/// client.on(ShowNote.self) { endpoint, _ in .sample(id: endpoint.id) }
/// ```
public final class MockAPIClient: APIClient {
    /// One call as it arrived.
    public struct Call: Sendable {
        /// What was sent.
        public let endpoint: any Endpoint
        /// The options of the call.
        public let options: CallOptions
    }

    private typealias Answer = @Sendable (any Endpoint, CallOptions) async throws -> (ResponseHead, any Sendable)
    private typealias Stream = @Sendable (any Endpoint, CallOptions) async throws -> (ResponseHead, [Data])

    private struct State {
        var answers: [ObjectIdentifier: Answer] = [:]
        var streams: [ObjectIdentifier: Stream] = [:]
        var calls: [Call] = []
    }

    private let state = Mutex(State())

    public let context: ClientContext

    /// - Parameter context: Clocks and randomness of polls and of streams that are opened again. Default: the system's.
    public init(context: ClientContext = ClientContext()) { self.context = context }

    /// Answers every call of this type; the last registration counts.
    public func on<E: Endpoint>(
        _ type: E.Type, head: ResponseHead = ResponseHead(status: 200),
        _ answer: @escaping @Sendable (E, CallOptions) async throws -> E.Response
    ) {
        onResponse(type) { APIResponse(head: head, value: try await answer($0, $1)) }
    }

    /// Answers every call of this type that is sent `as:` a value of that type.
    public func on<E: Endpoint, Value: Decodable & Sendable>(
        _ type: E.Type, as value: Value.Type, head: ResponseHead = ResponseHead(status: 200),
        _ answer: @escaping @Sendable (E, CallOptions) async throws -> Value
    ) {
        on(RespondingEndpoint<E, Value>.self, head: head) { try await answer($0.base, $1) }
    }

    /// Answers every call of this type, head included.
    public func onResponse<E: Endpoint>(
        _ type: E.Type, _ answer: @escaping @Sendable (E, CallOptions) async throws -> APIResponse<E.Response>
    ) {
        let erased: Answer = { endpoint, options in
            guard let endpoint = endpoint as? E else { throw MockAPIClient.noAnswer(endpoint) }
            let response = try await answer(endpoint, options)
            return (response.head, response.value)
        }
        state.withLock { $0.answers[ObjectIdentifier(type)] = erased }
    }

    /// Fails every call of this type.
    public func fail<E: Endpoint>(_ type: E.Type, _ kind: NetworkError.Kind) {
        on(type) { _, _ in throw NetworkError(kind) }
    }

    /// Answers every streamed call of this type. Without it, the value registered by `on` is sent as JSON.
    public func onStream<E: Endpoint>(
        _ type: E.Type, _ answer: @escaping @Sendable (E, CallOptions) async throws -> (ResponseHead, [Data])
    ) {
        let erased: Stream = { endpoint, options in
            guard let endpoint = endpoint as? E else { throw MockAPIClient.noAnswer(endpoint) }
            return try await answer(endpoint, options)
        }
        state.withLock { $0.streams[ObjectIdentifier(type)] = erased }
    }

    /// Every call so far, in order.
    public var calls: [Call] { state.withLock(\.calls) }

    /// The calls of one type, in order, also those that were sent `as:` another response.
    public func calls<E: Endpoint>(to type: E.Type) -> [E] {
        calls.compactMap { $0.endpoint as? E ?? ($0.endpoint as? any EndpointWrapper)?.wrapped as? E }
    }

    public func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        let answer = state.withLock { state in
            state.calls.append(Call(endpoint: endpoint, options: options))
            return state.answers[ObjectIdentifier(E.self)]
        }
        do {
            guard let answer else { throw Self.noAnswer(endpoint) }
            let (head, value) = try await answer(endpoint, options)
            guard let value = value as? E.Response else { throw Self.noAnswer(endpoint) }
            return APIResponse(head: head, value: value)
        } catch {
            throw Self.failure(error, endpoint)
        }
    }

    public func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        guard let stream = state.withLock({ $0.streams[ObjectIdentifier(E.self)] }) else {
            let response = try await response(to: endpoint, options: options)
            return try await deliver(response.head, [Self.json(response.value)], endpoint, receive)
        }
        state.withLock { $0.calls.append(Call(endpoint: endpoint, options: options)) }
        let answer: (ResponseHead, [Data])
        do { answer = try await stream(endpoint, options) } catch { throw Self.failure(error, endpoint) }
        return try await deliver(answer.0, answer.1, endpoint, receive)
    }

    private func deliver<Result: Sendable>(
        _ head: ResponseHead, _ chunks: [Data], _ endpoint: some Endpoint,
        _ receive: @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        let body = AsyncThrowingStream<Data, any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        do { return try await receive(head, body) } catch { throw Self.failure(error, endpoint) }
    }

    private static func json(_ value: any Sendable) -> Data {
        guard let value = value as? any Encodable else { return Data() }
        return (try? WireJSON.encode(value)) ?? Data()
    }

    private static func noAnswer(_ endpoint: any Endpoint) -> NetworkError {
        NetworkError(.unexpected("MockAPIClient has no answer for \(type(of: endpoint)); register one with on(_:)"))
    }

    private static func failure(_ error: any Error, _ endpoint: any Endpoint) -> NetworkError {
        var failure = NetworkError(thrown: error)
        if failure.request.isEmpty, let request = try? endpoint.request() {
            failure.request = "\(request.method.rawValue) \(request.path)"
        }
        return failure
    }
}
