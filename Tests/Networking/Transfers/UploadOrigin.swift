import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting

/// A server of one upload (draft-ietf-httpbis-resumable-upload) whose connection is lost where a test wants it.
final class UploadOrigin: Sendable {
    /// What goes wrong with one request.
    enum Fault: Sendable {
        /// The server never sees the request.
        case refused
        /// The connection is lost after so many bytes of the body, which the server keeps.
        case cut(Int)
        /// The request takes effect, and its response is lost.
        case answerLost
        /// So many bytes of `whole` were added by an earlier request that was still under way.
        case overtaken(Int)
        /// The response has this status and no effect.
        case status(Int, HeaderFields = [:])
    }

    struct State {
        var content = Data()
        var exists = false
        var isComplete = false
        /// Bytes of bodies that arrived, also of those that were refused.
        var arrived = 0
        var faults: [Fault?] = []
        /// Further fields of the responses about the state.
        var fields: HeaderFields = [:]
        var location = "/uploads/1"
    }

    private let whole: Data
    private let state = Mutex(State())

    init(_ whole: Data) { self.whole = whole }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }
    /// Faults of the next requests, in order; `nil` is none.
    func fail(_ faults: Fault?...) { change { $0.faults += faults } }

    var answer: ScriptedTransport.Answer {
        ScriptedTransport.Answer { request in
            let fault: Fault? = self.state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
            switch fault {
            case .refused: throw NetworkError(.offline("refused"))
            case .status(let status, let fields):
                try await self.take(request, upTo: .max) { _ in }
                return Self.response(status, fields)
            case .overtaken(let count):
                self.change { $0.content.append(self.whole.dropFirst($0.content.count).prefix(count)) }
            case .cut, .answerLost, nil: break
            }
            let response = try await self.response(to: request, fault)
            if case .answerLost = fault { throw NetworkError(.connectionLost("answer")) }
            return response
        }
    }

    private func response(to request: ClientRequest, _ fault: Fault?) async throws -> ClientResponse {
        switch request.method {
        case .post:
            try await take(request, upTo: .max) { _ in }
            return state.withLock { state in
                if state.isComplete { return Self.done(state.content.count) }
                if !state.exists { (state.exists, state.content) = (true, Data()) }
                return Self.response(201, Self.fields(of: state, location: state.location))
            }
        case .head:
            let state = current
            guard state.exists else { return Self.response(404) }
            return Self.response(204, Self.fields(of: state))
        case .patch:
            let state = current
            guard state.exists else { return Self.response(404) }
            guard request.headers["Upload-Offset"] == "\(state.content.count)", !state.isComplete else {
                return Self.response(409, Self.fields(of: state))
            }
            var limit = Int.max
            if case .cut(let bytes) = fault { limit = bytes }
            try await take(request, upTo: limit) { piece in self.change { $0.content.append(piece) } }
            guard request.headers["Upload-Complete"] == "?1" else {
                return Self.response(204, Self.fields(of: current))
            }
            change { $0.isComplete = true }
            return Self.done(current.content.count)
        default:
            change { ($0.exists, $0.content) = (false, Data()) }
            return Self.response(204)
        }
    }

    private func take(_ request: ClientRequest, upTo limit: Int, _ keep: (Data) -> Void) async throws {
        guard let body = request.body else { return }
        var taken = 0
        for try await piece in try await body.open() {
            let part = piece.prefix(limit - taken)
            taken += part.count
            change { $0.arrived += part.count }
            keep(part)
            if taken == limit { throw NetworkError(.connectionLost("cut after \(taken) bytes")) }
        }
    }

    private static func fields(of state: State, location: String? = nil) -> HeaderFields {
        var fields: HeaderFields = [
            "Upload-Offset": "\(state.content.count)", "Upload-Complete": state.isComplete ? "?1" : "?0",
        ]
        for field in state.fields { fields[field.name] = field.value }
        fields["Location"] = location
        return fields
    }

    private static func done(_ size: Int) -> ClientResponse {
        response(201, ["Upload-Complete": "?1", "Content-Type": "application/json"], "{\"size\":\(size)}")
    }

    private static func response(_ status: Int, _ fields: HeaderFields = [:], _ body: String = "") -> ClientResponse {
        ClientResponse(ResponseHead(status: status, headers: fields), body: ResponseBody(Data(body.utf8)))
    }
}
