import HTTPTypes
import Hummingbird

/// Refuses a request without exactly one well-formed `Host` (RFC 9112, section 3.2), and one that names another
/// service.
struct HostMiddleware: ServiceMiddleware {
    /// `nil` takes every name.
    let address: ServiceAddress?

    /// - Throws: 400 for the form, 421 for a name that is not ours (RFC 9110, section 15.5.20). Probes may use any
    /// name:
    ///   orchestrators and collectors know addresses only.
    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        let head = call.request.head
        // The server moves the first field into `authority`; any other stays behind.
        guard let host = head.authority, head.headerFields[values: .host].isEmpty else {
            throw ServiceError.malformed(code: "invalid_host", "Send exactly one Host header field.")
        }
        guard let sent = Authority(host) else {
            throw ServiceError.malformed(
                code: "invalid_host", "The Host header field is no host name with a port from 1 to 65535.")
        }
        let asked = call.origin.host.flatMap { Authority($0) } ?? sent
        if let address, !address.isNamed(asked), !Probes.contains(head.path ?? "") {
            throw ServiceError(
                421, code: "unknown_host", title: "Wrong host",
                detail: "This service answers at \(address.url), not at '\(asked.host)'; send the request there.")
        }
        return try await next(call)
    }
}
