import StrataSystem

/// Scheme, host and port (RFC 6454): what credentials, breakers and limits belong to.
///
/// Two spellings of one origin are equal: the host is lower-cased and loses a trailing dot, the default port is filled in,
/// and an IPv6 address takes its shortest form.
public struct Origin: Sendable, Hashable, Comparable {
    /// A request is copied some twenty times on its way, and its origin looked up eight times.
    private final class Parts: Sendable {
        let scheme: String
        let host: String
        let port: Int
        let text: String
        let hash: Int

        init(scheme: String, host: String, port: Int) {
            (self.scheme, self.host, self.port) = (scheme, host, port)
            let isDefault = Origin.defaultPorts[scheme] == port
            text = "\(scheme)://\(Origin.urlHost(host))\(isDefault ? "" : ":\(port)")"
            hash = text.hashValue
        }
    }

    private let parts: Parts

    /// `http` or `https`.
    public var scheme: String { parts.scheme }
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String { parts.host }
    /// The port, which is the scheme's where the URL names none.
    public var port: Int { parts.port }

    /// - Parameter port: 1 to 65535. Default: 80 for `http`, 443 for `https`.
    public init(scheme: String, host: String, port: Int? = nil) throws(OptionsError) {
        let scheme = scheme.lowercased()
        guard let defaultPort = Self.defaultPorts[scheme] else {
            throw OptionsError("'\(scheme)' is not a scheme this client speaks; use http or https.")
        }
        guard (1...65_535).contains(port ?? defaultPort) else {
            throw OptionsError("\(port ?? 0) is no port; use 1 to 65535.")
        }
        parts = Parts(scheme: scheme, host: try Self.normalised(host), port: port ?? defaultPort)
    }

    public static func == (left: Origin, right: Origin) -> Bool {
        left.parts === right.parts || left.parts.text == right.parts.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(parts.hash) }

    /// Whether the port is that of the scheme, so that it is left out of texts.
    package var isDefaultPort: Bool { Self.defaultPorts[scheme] == port }

    /// The host as it stands in a URL: IPv6 in brackets.
    package var urlHost: String { Self.urlHost(host) }

    private static func urlHost(_ host: String) -> String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    public static func < (left: Origin, right: Origin) -> Bool { left.description < right.description }

    private static let defaultPorts = ["http": 80, "https": 443]

    private static func normalised(_ host: String) throws(OptionsError) -> String {
        var text = host.lowercased()
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if isBracketed { text = String(text.dropFirst().dropLast()) }
        if isBracketed || text.utf8.contains(UInt8(ascii: ":")) {
            guard let address = shortestIPv6(text) else { throw OptionsError("'\(host)' is no IPv6 address.") }
            return address
        }
        if text.hasSuffix(".") { text.removeLast() }
        guard !text.isEmpty, text.utf8.allSatisfy(hostBytes.contains) else {
            throw OptionsError(
                "'\(host)' is no host name; write one of letters, digits, dots and hyphens (international names as xn--…)."
            )
        }
        return text
    }

    private static let hostBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-._".utf8)

    /// The canonical text of an IPv6 address (RFC 5952), as the system writes it.
    private static func shortestIPv6(_ text: String) -> String? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Origin: CustomStringConvertible {
    /// `https://host` or `http://[::1]:8080`, without a default port.
    public var description: String { parts.text }
}
