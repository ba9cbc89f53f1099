public import FoundationEssentials
import StrataConcurrency
public import StrataDomain
public import StrataNetworking

/// A transport that answers from a script, in order, and remembers what it was asked.
public final class ScriptedTransport: Transport {
    /// One step of the script.
    public struct Answer: Sendable {
        let make: @Sendable (ClientRequest) async throws -> ClientResponse

        /// An answer made of the request.
        public init(_ make: @escaping @Sendable (ClientRequest) async throws -> ClientResponse) { self.make = make }

        /// An answer with this status, these fields and this text.
        public static func status(_ status: Int, headers: HeaderFields = [:], body: String = "") -> Answer {
            chunks(body.isEmpty ? [] : [Data(body.utf8)], status: status, headers: headers)
        }

        /// A 200 with JSON.
        public static func json(_ body: String, status: Int = 200, headers: HeaderFields = [:]) -> Answer {
            var headers = headers
            headers[FieldName.contentType] = headers[FieldName.contentType] ?? MediaType.json
            return .status(status, headers: headers, body: body)
        }

        /// A body in pieces, and after them perhaps a failure.
        public static func chunks(
            _ chunks: [Data], status: Int = 200, headers: HeaderFields = [:], then failure: NetworkError? = nil
        ) -> Answer {
            Answer { _ in
                let body = AsyncThrowingStream<Data, any Error> { continuation in
                    for chunk in chunks { continuation.yield(chunk) }
                    continuation.finish(throwing: failure)
                }
                return ClientResponse(ResponseHead(status: status, headers: headers), body: ResponseBody(body))
            }
        }

        /// An attempt that fails with this error.
        public static func failure(_ kind: NetworkError.Kind) -> Answer { Answer { _ in throw NetworkError(kind) } }

        /// Never, until the call is cancelled.
        public static var silence: Answer { held(by: Gate(), then: .failure(.unexpected("the gate was opened"))) }

        /// `answer`, but not before `gate` opens.
        public static func held(by gate: Gate, then answer: Answer) -> Answer {
            Answer { request in
                try await gate.wait()
                return try await answer.make(request)
            }
        }
    }

    private struct State {
        var script: [Answer]
        var requests: [ClientRequest] = []
        var cancelled = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>
    private let fallback: Answer

    /// - Parameter fallback: Answers when the script has ended. Default: an error that says so.
    public init(_ script: Answer..., then fallback: Answer? = nil) {
        state = Mutex(State(script: script))
        self.fallback = fallback ?? .failure(.unexpected("the script of the transport has ended"))
    }

    /// Every request so far, in order.
    public var requests: [ClientRequest] { state.withLock(\.requests) }
    /// Calls that ended by cancellation.
    public var cancelled: Int { state.withLock(\.cancelled) }

    /// Adds steps at the end of the script.
    public func append(_ answers: Answer...) { state.withLock { $0.script += answers } }

    /// Returns once `count` requests have arrived.
    public func waitForCalls(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let answer = take(request)
        do {
            try await receive(try await answer.make(request))
        } catch is CancellationError {
            state.withLock { $0.cancelled += 1 }
            throw NetworkError(.cancelled)
        }
    }

    private func take(_ request: ClientRequest) -> Answer {
        let (answer, met) = state.withLock { state in
            state.requests.append(request)
            let count = state.requests.count
            let met = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return (state.script.isEmpty ? fallback : state.script.removeFirst(), met)
        }
        for continuation in met { continuation.resume() }
        return answer
    }
}
