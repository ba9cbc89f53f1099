import StrataHTTP
import StrataNetworking
import StrataSystem

/// The servers that `NO_PROXY` excepts, read as curl reads them.
///
/// The elements stand between commas or spaces: a domain, which includes all names in it, with a leading dot or without; an
/// address; a block of addresses (CIDR); `*` for every server. With `:port` behind it an element excepts that port alone, which
/// curl does not know. An element that is none of these is ignored.
struct NoProxy: Sendable, Hashable {
    private enum Subject: Sendable, Hashable {
        case everything
        /// In lower case, without dots around it.
        case domain(String)
        case block(start: IPAddress, prefix: Int)
    }

    private struct Element: Sendable, Hashable {
        let subject: Subject
        /// `nil` for every port.
        var port: Int?
    }

    private let elements: [Element]

    init(_ text: String) {
        elements = text.lowercased().split { $0 == "," || $0.isWhitespace }.compactMap(Self.element)
    }

    func contains(_ origin: Origin) -> Bool {
        guard !elements.isEmpty else { return false }
        let (host, address) = (origin.host, IPAddress(origin.host))
        return elements.contains { element in
            guard element.port == nil || element.port == origin.port else { return false }
            return switch element.subject {
            case .everything: true
            // The end of an address is no domain.
            case .domain(let name): address == nil && (host == name || host.hasSuffix(".\(name)"))
            case .block(let start, let prefix):
                address.map { $0.isIPv4 == start.isIPv4 && $0.start(ofPrefix: prefix) == start } ?? false
            }
        }
    }

    private static func element(_ text: Substring) -> Element? {
        // An IPv6 address has colons of its own.
        if let subject = subject(text) { return Element(subject: subject) }
        guard let colon = text.lastIndex(of: ":"),
            let port = text[text.index(after: colon)...].decimal(), let subject = subject(text[..<colon])
        else { return nil }
        return Element(subject: subject, port: port)
    }

    private static func subject(_ text: Substring) -> Subject? {
        if text == "*" { return .everything }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let isBracketed = parts.first.map { $0.hasPrefix("[") && $0.hasSuffix("]") } ?? false
        guard let first = parts.first.map({ isBracketed ? $0.dropFirst().dropLast() : $0 }) else { return nil }
        if let address = IPAddress(first) {
            let bits = address.isIPv4 ? 32 : 128
            guard parts.count == 2 else { return .block(start: address, prefix: bits) }
            // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
            let mapped = address.isIPv4 && first.contains(":") ? 96 : 0
            guard let prefix = parts[1].decimal(), (mapped...mapped + bits).contains(prefix) else { return nil }
            return .block(start: address.start(ofPrefix: prefix - mapped), prefix: prefix - mapped)
        }
        guard parts.count == 1, !text.contains(":") else { return nil }
        var name = text.hasPrefix("*.") ? text.dropFirst() : text
        if name.hasPrefix(".") { name.removeFirst() }
        if name.hasSuffix(".") { name.removeLast() }
        return name.isEmpty ? nil : .domain(String(name))
    }
}
