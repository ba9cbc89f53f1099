import HTTPTypes
import Hummingbird

/// Refuses a request without exactly one plausible `Host` (RFC 9112, section 3.2).
struct HostMiddleware: ServiceMiddleware {
    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        let head = call.request.head
        // The server moves the first field into `authority`; any other stays behind.
        guard let host = head.authority, head.headerFields[values: .host].isEmpty else {
            throw ServiceError.malformed(code: "invalid_host", "Send exactly one Host header field.")
        }
        guard Self.isHost(host) else {
            throw ServiceError.malformed(code: "invalid_host", "The Host header field is no host name with a port.")
        }
        return try await next(call)
    }

    /// The characters of a name, an address and a port (RFC 3986, section 3.2.2); never a comma, a path or user info.
    private static func isHost(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "-._~:[]%".utf8.contains(byte)
                }
            }
    }
}
