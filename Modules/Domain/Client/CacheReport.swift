/// What an HTTP cache did with a call: its member of `Cache-Status` (RFC 9211), and where the answer was kept.
public struct CacheReport: Sendable, Hashable {
    public var cache: String
    public var isHit = false
    /// Why the origin was asked: `uri-miss`, `vary-miss`, `stale`, `request`, `bypass`, `method`, `partial`.
    public var forward: String?
    /// What the origin answered, where that is not what the caller gets.
    public var forwardStatus: Int?
    /// Seconds the answer stays fresh; negative ones since it became stale.
    public var timeToLive: Int?
    public var isStored = false
    /// Whether it shared a request with others.
    public var isCollapsed = false
    public var detail: String?
    /// The tier that had the answer, `memory` or `disk`.
    public var tier: String?
    /// Digest of what the answer is found by, its owner included, in hexadecimal.
    public var key: String?

    public init(cache: String) { self.cache = cache }

    /// The last member of `cache` in the values of the field; `nil` when it has none.
    public init?(cache: String, in values: [String]) {
        let members = values.flatMap { Self.parts(of: $0, at: ",") }.map { Self.parts(of: $0, at: ";") }
        guard let member = members.last(where: { $0.first == cache }) else { return nil }
        self.init(cache: cache)
        for parameter in member.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map(String.init)
            let value = pair.count == 2 ? pair[1].filter { $0 != "\"" } : ""
            switch pair.first {
            case "hit": isHit = true
            case "fwd": forward = value
            case "fwd-status": forwardStatus = Int(value)
            case "ttl": timeToLive = Int(value)
            case "stored": isStored = true
            case "collapsed": isCollapsed = true
            case "detail": detail = value
            default: break
            }
        }
    }

    /// Whether the answer was past its freshness.
    public var isStale: Bool { isHit && (timeToLive ?? 0) < 0 }

    /// What stands between separators outside of quotes, without white space around it.
    private static func parts(of text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == separator, !isQuoted { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.map(Self.trimmed)
    }

    private static func trimmed(_ text: String) -> String {
        var text = Substring(text)
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
