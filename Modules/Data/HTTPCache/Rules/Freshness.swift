import FoundationEssentials
import StrataDomain

/// The age and the lifetime of a stored response (RFC 9111, section 4.2).
struct Freshness: Sendable, Hashable {
    /// Seconds, 0 or more.
    let lifetime: TimeInterval
    /// Seconds since the origin made or revalidated the response, 0 or more.
    let age: TimeInterval
    /// Whether the clock is before the time of the request, so that the age is unknown.
    let isClockBehind: Bool

    /// Seconds until the response is stale; negative since it became stale.
    var timeToLive: TimeInterval { lifetime - age }
    var isFresh: Bool { !isClockBehind && lifetime > age }

    /// Seconds by which the clock may be set back without effect.
    private static let tolerance: TimeInterval = 60

    init(of response: StoredResponse, now: Date, rules: CacheRules) {
        lifetime = Self.lifetime(
            status: response.status, fields: response.fields, responseTime: response.responseTime, rules: rules)
        age = Self.age(of: response, now: now)
        isClockBehind = now < response.requestTime.addingTimeInterval(-Self.tolerance)
    }

    // MARK: - Lifetime

    /// Statuses with a heuristic lifetime (RFC 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Whether the response states a lifetime, valid or not.
    static func isExplicit(_ fields: HeaderFields, mode: CacheMode) -> Bool {
        let control = CacheControl(fields)
        return control.has("max-age") || (mode == .shared && control.has("s-maxage")) || fields["Expires"] != nil
    }

    /// The lifetime in seconds; 0 for a stated lifetime that cannot be read (RFC 9111, section 4.2.1).
    static func lifetime(status: Int, fields: HeaderFields, responseTime: Date, rules: CacheRules) -> TimeInterval {
        let control = CacheControl(fields)
        if rules.mode == .shared, control.has("s-maxage") { return TimeInterval(control.seconds("s-maxage") ?? 0) }
        if control.has("max-age") { return TimeInterval(control.seconds("max-age") ?? 0) }
        let date = date(of: fields, responseTime: responseTime)
        if let expires = fields["Expires"] {
            guard let expires = Self.date(expires, responseTime) else { return 0 }
            return min(TimeInterval(CacheControl.longest), max(0, expires.timeIntervalSince(date)))
        }
        guard heuristicStatuses.contains(status) || control.has("public") else { return 0 }
        if let lifetime = rules.heuristicLifetime, status < 400 {
            return min(TimeInterval(CacheControl.longest), lifetime)
        }
        guard let modified = fields["Last-Modified"].flatMap({ Self.date($0, responseTime) }) else { return 0 }
        return min(rules.heuristicLimit, max(0, date.timeIntervalSince(modified) * rules.heuristicFraction))
    }

    /// The time of the response: `Date`, or its arrival.
    static func date(of fields: HeaderFields, responseTime: Date) -> Date {
        fields["Date"].flatMap { Self.date($0, responseTime) } ?? responseTime
    }

    private static func date(_ text: String, _ responseTime: Date) -> Date? {
        HTTPDate.date(from: text.trimmed, now: responseTime, ignoringCase: true)
    }

    // MARK: - Age

    private static func age(of response: StoredResponse, now: Date) -> TimeInterval {
        let date = date(of: response.fields, responseTime: response.responseTime)
        let apparent = max(0, response.responseTime.timeIntervalSince(date))
        let delay = max(0, response.responseTime.timeIntervalSince(response.requestTime))
        let corrected = TimeInterval(age(in: response.fields)) + delay
        return max(apparent, corrected) + max(0, now.timeIntervalSince(response.responseTime))
    }

    /// The first value of `Age` in seconds; 0 without a number (RFC 9111, section 5.1).
    static func age(in fields: HeaderFields) -> Int {
        fields["Age"]?.split(separator: ",", omittingEmptySubsequences: false).first?.trimmed
            .decimal(upTo: CacheControl.longest) ?? 0
    }
}

extension TimeInterval {
    /// Rounded down; what an `Int` cannot hold is cut.
    var wholeSeconds: Int { Int(max(-1e15, min(1e15, rounded(.down)))) }
}
