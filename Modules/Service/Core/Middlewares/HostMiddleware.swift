import HTTPTypes
import Hummingbird
import StrataConcurrency

/// Refuses a request without exactly one well-formed `Host` (RFC 9112, section 3.2), and one for another host.
final class HostMiddleware: ServiceMiddleware {
    /// `nil` accepts every name.
    private let address: ServiceAddress?
    /// The last field that named this service. Most requests have the same, which is not parsed again.
    private let lastHost = Mutex<String?>(nil)

    init(address: ServiceAddress?) { self.address = address }

    /// - Throws: 400 for a malformed field, 421 for another host (RFC 9110, section 15.5.20). Probes may use any name,
    ///   because orchestrators and collectors know only addresses.
    func admit(_ call: ServiceCall) throws {
        let head = call.request.head
        // The server moves the first field into `authority`; any other remains.
        guard let host = head.authority, head.headerFields[values: .host].isEmpty else {
            throw ServiceError.malformed(code: "invalid_host", "Send exactly one Host header field.")
        }
        if call.origin.host == nil, lastHost.withLock({ $0 == host }) { return }
        guard let sent = Authority(host) else {
            throw ServiceError.malformed(
                code: "invalid_host", "The Host header field is no host name with a port from 1 to 65535.")
        }
        let requested = call.origin.host.flatMap { Authority($0) } ?? sent
        if let address, !address.isNamed(requested) {
            guard Probes.contains(head.path ?? "") else {
                throw ServiceError(
                    421, code: "unknown_host", title: "Wrong host",
                    detail: "This service is at \(address.url), not at '\(requested)'; send the request there.")
            }
        } else if call.origin.host == nil {
            lastHost.withLock { $0 = host }
        }
    }
}
