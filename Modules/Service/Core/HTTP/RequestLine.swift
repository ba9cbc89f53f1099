import StrataDomain

/// The target of a request, percent-decoded once.
struct RequestLine: Sendable, Hashable {
    /// Decoded segments. Empty ones stay, so `//` and a trailing `/` make another path.
    let segments: [String]
    let target: RequestTarget

    /// - Throws: 414 above `limit` bytes, 400 for broken escapes, text that is not UTF-8, and NUL.
    init(_ text: String, limit: Int) throws {
        guard text.utf8.count <= limit else {
            throw ServiceError(
                414, code: "target_too_long", title: "Target too long",
                detail: "Path and query may have \(limit) bytes together.")
        }
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw ServiceError.malformed(
                code: "invalid_path", "The target must be a path that starts with '/', or an http URL.")
        }
        let raw = text.utf8[..<mark].dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // Almost every path is plain: decoding and encoding would leave it as it is.
        let isPlain = text.utf8[..<mark].allSatisfy { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
        let segments = try raw.map { segment in
            if isPlain { return String(Substring(segment)) }
            guard let decoded = PercentEncoding.decode(Substring(segment)), !decoded.utf8.contains(0) else {
                throw ServiceError.malformed(
                    code: "invalid_path", "The path holds a broken escape, NUL, or text that is not UTF-8.")
            }
            return decoded
        }
        guard let query = QueryItems(parsing: text[mark...].dropFirst()),
            !query.items.contains(where: { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) })
        else {
            throw ServiceError.malformed(
                code: "invalid_query", "The query holds a broken escape, NUL, or text that is not UTF-8.")
        }
        self.segments = segments
        target = RequestTarget(
            path: isPlain
                ? String(text[..<mark]) : "/" + segments.map(PercentEncoding.encode).joined(separator: "/"),
            query: query)
    }
}

/// Path and query of a request, from which the links of its response are made.
struct RequestTarget: Sendable, Hashable {
    /// Percent-encoded and normalised.
    var path: String
    var query: QueryItems

    /// The target with `items` in place of query items of the same name.
    func replacing(_ items: [String: String]) -> String {
        var merged = QueryItems()
        for item in query.items where items[item.name] == nil { merged.add(item.name, item.value) }
        for (name, value) in items.sorted(by: { $0.key < $1.key }) { merged.add(name, value) }
        return merged.items.isEmpty ? path : "\(path)?\(merged.encoded)"
    }
}
