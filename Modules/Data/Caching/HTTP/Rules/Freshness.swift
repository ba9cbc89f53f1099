import FoundationEssentials

/// How old a stored response is and how long it is fresh (RFC 9111, section 4.2).
struct Freshness: Sendable, Hashable {
    /// Seconds, 0 or more.
    let lifetime: TimeInterval
    /// Seconds since the origin made or validated it, 0 or more.
    let age: TimeInterval
    /// The clock stands before the response was asked for: what it says about age is worth nothing.
    let isClockBehind: Bool

    /// Seconds it stays fresh; negative ones since it became stale.
    var timeToLive: TimeInterval { lifetime - age }
    var isFresh: Bool { !isClockBehind && lifetime > age }

    /// A clock may be set back by so many seconds before nothing counts as fresh.
    private static let tolerance: TimeInterval = 60

    init(of response: StoredResponse, now: Date, rules: CacheRules) {
        lifetime = Self.lifetime(
            status: response.status, fields: response.fields, responseTime: response.responseTime, rules: rules)
        age = Self.age(of: response, now: now)
        isClockBehind = now < response.requestTime.addingTimeInterval(-Self.tolerance)
    }

    // MARK: - Lifetime

    /// Statuses that may be reused without explicit lifetime (RFC 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Whether the response says itself how long it is fresh, rightly or wrongly.
    static func isExplicit(_ fields: FieldList, mode: CacheMode) -> Bool {
        let control = CacheControl(fields)
        return control.has("max-age") || (mode == .shared && control.has("s-maxage")) || fields.value("Expires") != nil
    }

    /// Seconds of freshness, 0 where what is said cannot be read (RFC 9111, section 4.2.1).
    static func lifetime(status: Int, fields: FieldList, responseTime: Date, rules: CacheRules) -> TimeInterval {
        let control = CacheControl(fields)
        if rules.mode == .shared, control.has("s-maxage") { return TimeInterval(control.seconds("s-maxage") ?? 0) }
        if control.has("max-age") { return TimeInterval(control.seconds("max-age") ?? 0) }
        let date = date(of: fields, responseTime: responseTime)
        if let expires = fields.value("Expires") {
            guard let expires = CacheDate.date(expires.trimmedOWS, now: responseTime) else { return 0 }
            return min(TimeInterval(CacheControl.longest), max(0, expires.timeIntervalSince(date)))
        }
        guard heuristicStatuses.contains(status) || control.has("public"),
            let modified = fields.value("Last-Modified").flatMap({ CacheDate.date($0.trimmedOWS, now: responseTime) })
        else { return 0 }
        return min(rules.heuristicLimit, max(0, date.timeIntervalSince(modified) * rules.heuristicFraction))
    }

    /// When the origin made the response: `Date`, or when it arrived.
    static func date(of fields: FieldList, responseTime: Date) -> Date {
        fields.value("Date").flatMap { CacheDate.date($0.trimmedOWS, now: responseTime) } ?? responseTime
    }

    // MARK: - Age

    private static func age(of response: StoredResponse, now: Date) -> TimeInterval {
        let date = date(of: response.fields, responseTime: response.responseTime)
        let apparent = max(0, response.responseTime.timeIntervalSince(date))
        let delay = max(0, response.responseTime.timeIntervalSince(response.requestTime))
        let corrected = TimeInterval(age(in: response.fields)) + delay
        return max(apparent, corrected) + max(0, now.timeIntervalSince(response.responseTime))
    }

    /// The first value of `Age` in seconds; 0 where it is missing or no number (RFC 9111, section 5.1).
    static func age(in fields: FieldList) -> Int {
        fields.value("Age")?.split(separator: ",", omittingEmptySubsequences: false).first
            .flatMap { String($0).trimmedOWS.decimal(upTo: CacheControl.longest) } ?? 0
    }
}
