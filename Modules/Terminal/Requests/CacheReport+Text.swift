import StrataDomain

extension CacheReport {
    /// What the cache did, as text.
    var sentence: String {
        var words: [String] = []
        if isHit {
            words.append("hit" + (tier.map { " in \($0)" } ?? ""))
        } else if let forward {
            words.append("the origin is asked (\(forward))")
        } else {
            words.append("no answer")
        }
        if let forwardStatus { words.append("it answered \(forwardStatus)") }
        if let timeToLive {
            words.append(timeToLive >= 0 ? "fresh for \(timeToLive) s" : "stale since \(timeToLive.magnitude) s")
        }
        if isStored { words.append("the response is stored") }
        if isCollapsed { words.append("one request with others") }
        if let detail { words.append(detail) }
        if let key { words.append("key \(key.prefix(16))") }
        return words.joined(separator: ", ")
    }

    /// A note that says why a response is stale; `nil` for a fresh one.
    var staleNote: String? {
        guard isStale, let timeToLive else { return nil }
        let why =
            switch detail {
            case "origin-unreachable": "the origin cannot be reached"
            case "origin-failed": "the origin fails"
            case "stale-while-revalidate": "it is being validated"
            default: "the origin was not asked"
            }
        return "This response is stale since \(timeToLive.magnitude) s: \(why)."
    }

    /// Whether nothing is stored and the origin must not be asked.
    var isUnsatisfied: Bool { !isHit && forward == nil && detail == "only-if-cached" }

    /// The report in the words of RFC 9211.
    var document: JSONDocument {
        [
            "cache": cache, "hit": isHit, "fwd": forward, "fwd_status": forwardStatus, "ttl": timeToLive,
            "stored": isStored, "collapsed": isCollapsed, "detail": detail, "tier": tier, "key": key,
        ]
    }
}
