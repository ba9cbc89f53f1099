import StrataHTTP

/// The origins whose pages may call a service and read its responses (CORS protocol of the Fetch standard).
public struct CORSOrigins: Sendable, Hashable {
    /// No origin, so no response has a CORS field.
    public static let none = CORSOrigins(origins: [], allowsAll: false)

    private let origins: Set<String>
    /// Whether pages of every origin are allowed.
    let allowsAll: Bool

    /// - Parameter text: Origins as browsers send them, separated by commas, or `*` alone for every origin. Empty text means none.
    /// - Throws: For the first part that is no such origin.
    public init(_ text: String) throws(CORSOriginError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        guard parts != ["*"], parts != [""] else {
            self.init(origins: [], allowsAll: parts == ["*"])
            return
        }
        for part in parts {
            let origin = PublicURL(part)?.origin
            guard origin == part else { throw CORSOriginError(part, correct: origin) }
        }
        self.init(origins: Set(parts), allowsAll: false)
    }

    private init(origins: Set<String>, allowsAll: Bool) { (self.origins, self.allowsAll) = (origins, allowsAll) }

    /// Whether no origin is allowed.
    public var isEmpty: Bool { origins.isEmpty && !allowsAll }

    /// The `Access-Control-Allow-Origin` of a response; `nil` for an origin that is not allowed.
    ///
    /// - Parameter origin: The `Origin` of the request. Several fields are joined with commas, and so equal no origin.
    func allowed(_ origin: String?) -> String? {
        if allowsAll { return "*" }
        return origin.flatMap { origins.contains($0) ? $0 : nil }
    }
}

/// Text that is not an origin, and its correction.
public struct CORSOriginError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text that is no origin.
    public let text: String
    /// The origin that the text probably means; `nil` when there is none.
    public let correct: String?

    init(_ text: String, correct: String? = nil) { (self.text, self.correct) = (text, correct) }

    public var description: String {
        // A password may stand before the '@'.
        let shown = "'\(text.contains("@") ? "…" : text.prefix(100))'"
        if text == "*" { return "'*' means every origin; write it alone, or leave it out of the list" }
        let example = "https://app.example.org,http://localhost:5173, in lower case and without a path"
        return "\(shown) is no origin as a browser sends it; write \(correct ?? example)"
    }
}
