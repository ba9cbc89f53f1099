import StrataDomain

/// How a body is encoded, as far as we can undo it (RFC 9110, section 8.4.1).
enum ContentCoding: Sendable, Equatable {
    case gzip
    /// Deflate in a zlib envelope, or bare, as some servers have it.
    case deflate
    /// Nothing to undo.
    case identity
    /// What we cannot undo, as the server names it.
    case unknown(String)

    init(_ headers: HeaderFields) {
        guard headers["Content-Encoding"] != nil else {
            self = .identity
            return
        }
        let names = headers.elements("Content-Encoding").filter { !$0.equalsIgnoringCase("identity") }
        switch names.first?.lowercased() {
        case nil: self = .identity
        case _ where names.count > 1: self = .unknown(names.joined(separator: ", "))
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: self = .unknown(names[0])
        }
    }
}
