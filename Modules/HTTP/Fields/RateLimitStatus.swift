public import FoundationEssentials

/// What a response says of the rate limit that its request counted for. A hint: a server may refuse earlier.
///
/// Of several fields the newest form counts: `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11, and the
/// dictionary of draft 07), then `RateLimit-Limit`, `-Remaining` and `-Reset` (drafts 00 to 06), then the same names with
/// `X-RateLimit` and `X-Rate-Limit`, as GitHub, GitLab and many others send them. A reset in one of these is a wait, a Unix time, or a
/// time of RFC 3339, as Mastodon sends it.
public struct RateLimitStatus: Sendable, Hashable {
    /// Requests, or another unit of the server, in one window; `nil` when it is not said.
    public var limit: Int?
    /// What is left of `limit`, 0 or more; `nil` when it is not said.
    public var remaining: Int?
    /// The time from the response until more is allowed, 0 or more and at most ten years; `nil` when it is not said.
    public var reset: Duration?

    /// A status with what is known; `nil` for what the response does not say.
    public init(limit: Int? = nil, remaining: Int? = nil, reset: Duration? = nil) {
        self.limit = limit
        self.remaining = remaining
        self.reset = reset
    }

    /// Whether nothing is left.
    public var isExhausted: Bool { remaining == 0 }

    /// Reads header fields. `Retry-After` is not one of them: see `RateLimitRefusal`.
    ///
    /// - Parameter now: The time here. A reset at a moment is measured against the field `Date`, or against `now` without one.
    /// - Returns: `nil` without any field, or with none that can be read.
    public init?(_ headers: HeaderFields, now: Date) {
        let sent = headers["Date"].flatMap { HTTPDate.date(from: $0.trimmed, now: now) } ?? now
        guard
            let found = Self.structured(headers)
                ?? Self.families.lazy.compactMap({ Self.family($0, headers, sent: sent) }).first
        else { return nil }
        self = found
    }

    // MARK: - RateLimit and RateLimit-Policy

    /// Of several policies the one with the least left; of equal ones the one with the later reset.
    private static func structured(_ headers: HeaderFields) -> RateLimitStatus? {
        let items = headers.elements("RateLimit")
        guard !items.isEmpty else { return nil }
        if let dictionary = dictionary(items) { return dictionary }
        let quotas = headers.elements("RateLimit-Policy").compactMap { item in
            Item(item).flatMap { item in item.number("q").map { (item.name, $0) } }
        }
        let all = items.compactMap(Item.init).compactMap { item -> RateLimitStatus? in
            guard let remaining = item.number("r") else { return nil }
            return RateLimitStatus(
                limit: quotas.first { $0.0 == item.name }?.1, remaining: remaining,
                reset: item.number("t").map { .seconds($0) })
        }
        return all.min { one, other in
            let (left, right) = (one.remaining ?? 0, other.remaining ?? 0)
            return left == right ? (one.reset ?? .zero) > (other.reset ?? .zero) : left < right
        }
    }

    /// `limit=100, remaining=50, reset=5` of draft 07.
    private static func dictionary(_ items: [String]) -> RateLimitStatus? {
        func number(_ key: String) -> Int? {
            items.lazy.compactMap { item in
                item.hasPrefix(key + "=") ? Self.number(item.dropFirst(key.utf8.count + 1)) : nil
            }.first
        }
        guard let remaining = number("remaining") else { return nil }
        return RateLimitStatus(
            limit: number("limit"), remaining: remaining, reset: number("reset").map { .seconds($0) })
    }

    /// One item of a structured list: a name, then parameters.
    private struct Item {
        let name: String
        private let parameters: [(String, Substring)]

        init?(_ text: String) {
            let parts = FieldList.split(text, at: FieldList.semicolon).map(\.trimmed)
            guard let first = parts.first, !first.isEmpty else { return nil }
            name = first
            parameters = parts.dropFirst().compactMap { part in
                part.firstIndex(of: "=").map { (String(part[..<$0]), part[part.index(after: $0)...]) }
            }
        }

        func number(_ name: String) -> Int? {
            parameters.last { $0.0 == name }.flatMap { RateLimitStatus.number($0.1) }
        }
    }

    // MARK: - Limit, Remaining and Reset

    private static let families = ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"]

    private static func family(_ prefix: String, _ headers: HeaderFields, sent: Date) -> RateLimitStatus? {
        // A limit may be a list that begins with the quota: `100, 100;w=60`.
        let limit = headers[prefix + "Limit"].flatMap { number($0.prefix { $0 != "," && $0 != ";" }) }
        let remaining = headers[prefix + "Remaining"].flatMap { number($0) }
        let reset = headers[prefix + "Reset"].flatMap { wait(reset: $0, sent: sent) }
        guard limit != nil || remaining != nil || reset != nil else { return nil }
        return RateLimitStatus(limit: limit, remaining: remaining, reset: reset)
    }

    /// A number does not say whether it is a wait or a moment, in seconds or milliseconds since 1970. Its size does: a wait
    /// of a thousand million seconds would be 31 years.
    private static func wait(reset: String, sent: Date) -> Duration? {
        guard let value = number(reset, roundsUp: true) else {
            return RFC3339.date(from: reset.trimmed).map { wait(until: $0.timeIntervalSince1970, sent: sent) }
        }
        guard value >= 1_000_000_000 else { return .seconds(min(value, longest)) }
        return wait(until: value >= 1_000_000_000_000 ? Double(value) / 1000 : Double(value), sent: sent)
    }

    private static func wait(until moment: TimeInterval, sent: Date) -> Duration {
        .seconds(min(max((moment - sent.timeIntervalSince1970).rounded(.up), 0), Double(longest)))
    }

    /// Ten years, as for `Retry-After`.
    private static let longest = 315_360_000

    /// A whole number; of one with a fraction, as some servers send, the whole part.
    private static func number(_ text: some StringProtocol) -> Int? { number(text, roundsUp: false) }

    private static func number(_ text: some StringProtocol, roundsUp: Bool) -> Int? {
        let parts = text.trimmed.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first?.decimal(upTo: 1 << 53) else { return nil }
        guard parts.count == 2 else { return whole }
        guard let fraction = parts[1].decimal() else { return nil }
        return roundsUp && fraction > 0 ? whole + 1 : whole
    }
}
