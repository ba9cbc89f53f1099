/// Where an API is: scheme, host, port and a path in front of those of its endpoints, without a slash at the end.
package struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    /// Scheme and host in small letters.
    package let description: String

    /// - Throws: A refusal with an address that would do; it repeats no user and no password.
    package init(_ text: String) throws(ScaffoldRefusal) {
        func refusal(_ reason: String) -> ScaffoldRefusal {
            ScaffoldRefusal("\(reason); write one like 'https://api.example.com/v1'.", .usage)
        }
        guard !text.contains("@") else {
            throw refusal("The address has a user or a password in it, which would stand in the sources: use --auth")
        }
        let shown = "The address '\(text.printable)'"
        let halves = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, ["http", "https"].contains(halves[0].lowercased()) else {
            throw refusal("\(shown) does not begin with http:// or https://")
        }
        guard !text.contains("?"), !text.contains("#") else { throw refusal("\(shown) has a query or a fragment") }
        // It stands in quotes in the sources.
        let marks = "-._~%/:[]!$&()*+,;=".utf8
        guard text.utf8.count <= 200, text.utf8.allSatisfy({ Self.isLetterOrDigit($0) || marks.contains($0) }) else {
            throw refusal("\(shown) is longer than 200 bytes, or has a character that a URL needs encoded")
        }
        let authority = halves[1].prefix { $0 != "/" }
        var path = halves[1].dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        guard Self.isAuthority(authority) else {
            throw refusal("\(shown) has no host, or a port that is not 1 to 65535")
        }
        guard Self.isEncoded(path) else { throw refusal("\(shown) has a '%' without two hexadecimal digits behind it") }
        description = "\(halves[0].lowercased())://\(authority.lowercased())\(path)"
    }

    /// `host`, `host:8080`, `[::1]:8080`.
    private static func isAuthority(_ text: Substring) -> Bool {
        let isBracketed = text.hasPrefix("[")
        let host = isBracketed ? text.dropFirst().prefix { $0 != "]" } : text.prefix { $0 != ":" }
        let rest = text.dropFirst(host.count + (isBracketed ? 1 : 0))
        let tail = isBracketed ? rest.dropFirst() : rest
        guard !isBracketed || rest.hasPrefix("]") else { return false }
        let isHost =
            isBracketed
            ? host.contains(":") && host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            : host.utf8.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) } && host.contains { $0 != "." }
        guard isHost, !tail.isEmpty else { return isHost }
        let digits = tail.dropFirst()
        return tail.hasPrefix(":") && digits.allSatisfy(\.isWholeNumber) && (1...65_535).contains(Int(digits) ?? 0)
    }

    private static func isEncoded(_ path: Substring) -> Bool {
        !path.contains("[") && !path.contains("]")
            && path.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
                part.prefix(2).count == 2 && part.prefix(2).allSatisfy(\.isHexDigit)
            }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
