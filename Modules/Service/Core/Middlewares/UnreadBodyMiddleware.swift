import HTTPTypes
import Hummingbird

/// Closes the connection after a response that left a large part of the body unread, so that no client keeps it busy with
/// bytes that are dropped.
struct UnreadBodyMiddleware: ServiceMiddleware {
    /// Unread bodies up to this size are read and dropped, which keeps the connection of a small refused request.
    private let limit = 64 * 1024

    func finish(_ response: inout Response, of call: ServiceCall) {
        if mustClose(call) { response.headers[.connection] = "close" }
    }

    private func mustClose(_ call: ServiceCall) -> Bool {
        switch call.notes.body {
        case .consumed: return false
        case .interrupted: return true
        case .unread:
            let headers = call.request.headers
            if headers[.transferEncoding] != nil { return true }
            guard let declared = headers[.contentLength] else { return false }
            // No `100 Continue` was sent, so the next bytes may be the body or another request.
            if headers[.expect] != nil, declared != "0" { return true }
            return Int(declared).map { $0 > limit } ?? true
        }
    }
}
