import StrataDomain

/// The size of cursors and page marks. Each request repeats one, in a URL that servers and proxies bound.
enum CursorLimit {
    static let bytes = 4096

    /// - Throws: `.invalidResponse` for a longer one; it is not stored, so that the next run asks with the one before it.
    static func check(_ cursor: String?) throws(NetworkError) {
        let count = cursor?.utf8.count ?? 0
        guard count <= bytes else {
            throw NetworkError(.invalidResponse("a cursor of \(count) bytes; at most \(bytes) can be stored"))
        }
    }
}
