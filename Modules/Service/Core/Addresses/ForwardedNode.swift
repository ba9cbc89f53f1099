import StrataHTTP
import StrataSystem

/// The peer that a proxy reports: a node of `Forwarded` (RFC 7239, section 6) or an element of `X-Forwarded-For`.
enum ForwardedNode: Sendable, Hashable {
    case address(IPAddress)
    /// An obfuscated identifier such as `_hidden`, constant for a client.
    case obfuscated(String)
    /// The proxy hides the peer, or the text is malformed.
    case unknown

    /// - Parameter text: An address with or without a port, which is ignored. An IPv6 address may lack its brackets.
    init(_ text: some StringProtocol) {
        let text = text.trimmed
        if let address = IPAddress(text) {
            self = .address(address)
        } else if text.hasPrefix("["), let end = text.firstIndex(of: "]"), Self.isPort(text[text.index(after: end)...])
        {
            let inside = text[text.index(after: text.startIndex)..<end]
            self = IPAddress(inside).flatMap { inside.contains(":") ? .address($0) : nil } ?? .unknown
        } else {
            let name = text.prefix { $0 != ":" }
            guard Self.isPort(text[name.endIndex...]) else {
                self = .unknown
                return
            }
            if let address = IPAddress(name) {
                self = .address(address)
            } else {
                self = Self.isObfuscated(name) ? .obfuscated(String(name)) : .unknown
            }
        }
    }

    /// Empty, or `:` with a number or an obfuscated port.
    private static func isPort(_ text: some StringProtocol) -> Bool {
        guard !text.isEmpty else { return true }
        let port = text.dropFirst()
        guard text.hasPrefix(":") else { return false }
        return isObfuscated(port)
            || (port.utf8.count <= 5 && port.decimal() != nil)
    }

    /// `_` and 1 to 63 letters, digits, dots, underscores and hyphens.
    private static func isObfuscated(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("_") && (2...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "._-".utf8.contains($0) }
    }
}
