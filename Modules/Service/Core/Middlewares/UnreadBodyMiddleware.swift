import HTTPTypes
import Hummingbird

/// Ends the connection after an answer that left the body, or a large rest of it, unread: nobody keeps a connection
/// busy with bytes that are thrown away.
struct UnreadBodyMiddleware: ServiceMiddleware {
    /// Bodies up to this size are read and dropped, so that a short request refused early keeps its connection.
    private let droppable = 64 * 1024

    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        var response = try await next(call)
        if mustClose(call) { response.headers[.connection] = "close" }
        return response
    }

    private func mustClose(_ call: ServiceCall) -> Bool {
        switch call.notes.body {
        case .consumed: return false
        case .interrupted: return true
        case .unread:
            let headers = call.request.headers
            if headers[.transferEncoding] != nil { return true }
            guard let declared = headers[.contentLength] else { return false }
            // It was not invited, so what comes next may be the body or another request.
            if headers[.expect] != nil, declared != "0" { return true }
            return Int(declared).map { $0 > droppable } ?? true
        }
    }
}
