public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// A raw client that answers step by step and remembers its calls; the last step repeats.
///
/// ```swift
/// let client = ScriptedRawClient(.failure(.timeout), .answer(200, "hello"))
/// ```
public final class ScriptedRawClient: RawClient {
    /// One call as it arrived.
    public struct Call: Sendable {
        /// What was sent.
        public let request: RawRequest
        /// The options of the call.
        public let options: CallOptions
    }

    /// What one call meets.
    public struct Step: Sendable {
        let run: @Sendable (Call, EventSink) async throws -> RawResponse

        /// - Parameter run: Given the call and the sink of its events.
        public init(_ run: @escaping @Sendable (Call, EventSink) async throws -> RawResponse) { self.run = run }

        /// - Parameter events: Sent before the answer.
        public static func answer(
            _ status: Int, _ body: String = "", headers: HeaderFields = [:], events: [NetworkEvent] = []
        ) -> Step {
            answer(status, Data(body.utf8), headers: headers, events: events)
        }

        /// A step that answers with this status and text.
        public static func answer(
            _ status: Int, _ body: Data, headers: HeaderFields = [:], events: [NetworkEvent] = []
        ) -> Step {
            Step { _, sink in
                for event in events { sink(event) }
                return RawResponse(head: ResponseHead(status: status, headers: headers), bytes: body)
            }
        }

        /// A step that fails with this error.
        public static func failure(_ kind: NetworkError.Kind, events: [NetworkEvent] = []) -> Step {
            Step { _, sink in
                for event in events { sink(event) }
                throw NetworkError(kind)
            }
        }
    }

    private struct State {
        var steps: [Step]
        var calls: [Call] = []
        var origin: OriginState?
    }

    private let state: Mutex<State>

    /// A client that takes these steps in order.
    public init(_ steps: Step...) { state = Mutex(State(steps: steps)) }

    /// Every call so far, in order.
    public var calls: [Call] { state.withLock(\.calls) }

    /// The result of `state(of:)` for every URL.
    public var origin: OriginState? {
        get { state.withLock(\.origin) }
        set { state.withLock { $0.origin = newValue } }
    }

    public func collect(
        _ request: RawRequest, upTo limit: Int, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> RawResponse {
        let response = try await answer(request, options, events)
        guard response.bytes.count <= limit else {
            throw Self.failure(NetworkError(.invalidResponse("the body is larger than \(limit) bytes")), request)
        }
        return response
    }

    public func stream<Result: Sendable>(
        _ request: RawRequest, options: CallOptions, events: @escaping EventSink,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        let response = try await answer(request, options, events)
        let body = AsyncThrowingStream<Data, any Error> { continuation in
            // In two chunks, so that no caller relies on one.
            let half = response.bytes.count / 2
            for piece in [response.bytes.prefix(half), response.bytes.dropFirst(half)] where !piece.isEmpty {
                continuation.yield(Data(piece))
            }
            continuation.finish()
        }
        do { return try await receive(response.head, body) } catch { throw Self.failure(error, request) }
    }

    public func state(of url: String) -> OriginState? { origin }

    private func answer(
        _ request: RawRequest, _ options: CallOptions, _ events: @escaping EventSink
    ) async throws(NetworkError) -> RawResponse {
        let call = Call(request: request, options: options)
        let step = state.withLock { state -> Step? in
            state.calls.append(call)
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps.first
        }
        do {
            guard let step else { throw NetworkError(.unexpected("ScriptedRawClient has no step left")) }
            return try await step.run(call, events)
        } catch {
            throw Self.failure(error, request)
        }
    }

    private static func failure(_ error: any Error, _ request: RawRequest) -> NetworkError {
        var failure = NetworkError(thrown: error)
        if failure.request.isEmpty {
            failure.request = "\(request.method.rawValue) \(request.url.prefix { $0 != "?" })"
        }
        return failure
    }
}
