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
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.hasPrefix("/") else {
            throw ServiceError.malformed(
                code: "invalid_path", "The target must be a path that starts with '/', or an http URL.")
        }
        var segments: [String] = []
        for raw in parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let segment = PercentEncoding.decode(raw), !segment.utf8.contains(0) else {
                throw ServiceError.malformed(
                    code: "invalid_path", "The path holds a broken escape, NUL, or text that is not UTF-8.")
            }
            segments.append(segment)
        }
        guard let query = QueryItems(parsing: parts.count > 1 ? parts[1] : ""),
            !query.items.contains(where: { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) })
        else {
            throw ServiceError.malformed(
                code: "invalid_query", "The query holds a broken escape, NUL, or text that is not UTF-8.")
        }
        self.segments = segments
        target = RequestTarget(
            path: "/" + segments.map(PercentEncoding.encode).joined(separator: "/"), query: query)
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
