/// An absolute `http` or `https` URL: origin, path and query. It never holds user information or a fragment.
public struct HTTPURL: Sendable, Hashable {
    /// Scheme, host and port.
    public var origin: Origin
    /// Percent-encoded, starting with `/`.
    public var path: String
    /// Percent-encoded, without `?`; `nil` when there is none.
    public var query: String?

    /// A URL of `origin`; path and query are escaped already.
    public init(origin: Origin, path: String = "/", query: String? = nil) {
        self.origin = origin
        self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        self.query = query
    }

    /// Reads `text`; a fragment is dropped.
    ///
    /// - Throws: A sentence with the fault. It quotes neither a text with an `@` nor a query, because both may contain a secret.
    public init(_ text: String) throws(OptionsError) {
        do { try self.init(parsing: text) } catch {
            guard text.contains("@") || text.contains("%40") else { throw error }
            throw OptionsError(
                "The URL cannot be read, or has a user name or password before the host, which is refused; write "
                    + "http://host/path or https://host/path.")
        }
    }

    private init(parsing text: String) throws(OptionsError) {
        guard let schemeEnd = text.firstRange(of: "://") else {
            let shown = text.prefix { $0 != "?" && $0 != "#" }
            throw OptionsError("'\(shown)' is no absolute URL; write http://host or https://host.")
        }
        let rest = text[schemeEnd.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw OptionsError("A URL with a user name or password before the host is refused; log in instead.")
        }
        let (host, port) = try Self.split(authority)
        let target = rest.dropFirst(authority.count)
        let path = target.prefix { $0 != "?" }
        guard target.utf8.allSatisfy(Self.isURLByte) else {
            throw OptionsError("The URL of '\(host)' contains a character that must be percent-encoded.")
        }
        self.init(
            origin: try Origin(scheme: String(text[..<schemeEnd.lowerBound]), host: String(host), port: port),
            path: String(path), query: path.count < target.count ? String(target.dropFirst(path.count + 1)) : nil)
    }

    /// Path and query as they stand in a request line.
    public var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// Visible ASCII; everything else must be escaped (RFC 3986, section 2).
    static func isURLByte(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\\") }

    private static func split(_ authority: Substring) throws(OptionsError) -> (host: Substring, port: Int?) {
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        guard let hostEnd else {
            guard !authority.hasPrefix("[") else { throw OptionsError("'\(authority)' lacks its closing bracket.") }
            return (authority, nil)
        }
        let tail = authority[hostEnd...]
        if tail.isEmpty || tail == ":" { return (authority[..<hostEnd], nil) }
        let digits = tail.dropFirst()
        guard tail.hasPrefix(":"), digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits) else {
            throw OptionsError("What follows the host is no port; use 1 to 65535.")
        }
        return (authority[..<hostEnd], port)
    }
}

extension HTTPURL: CustomStringConvertible {
    public var description: String { "\(origin)\(target)" }
}
