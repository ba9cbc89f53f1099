import FoundationEssentials

/// Where the body of a 206 lies in the whole (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
    let range: Range<Int>
    /// Bytes of the whole; `nil` when the origin does not know.
    let total: Int?

    private static let largest = 1 << 62

    /// - Returns: `nil` for a range that is missing, of another unit, several, or impossible.
    init?(_ fields: FieldList) {
        let values = fields.values("Content-Range")
        guard values.count == 1 else { return nil }
        self.init(values[0])
    }

    init?(_ text: String) {
        let words = text.trimmedOWS.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2, let first = ByteRange.number(ends[0]), let last = ByteRange.number(ends[1]),
            first <= last, last < Self.largest
        else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let whole = ByteRange.number(parts[1]), last < whole else { return nil }
            total = whole
        }
        range = first..<(last + 1)
    }

    init(_ range: Range<Int>, total: Int?) {
        self.range = range
        self.total = total
    }

    var text: String { "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")" }
}

/// One range that a client asks for (RFC 9110, section 14.1.2).
enum ByteRange: Sendable, Hashable {
    case from(Int, through: Int?)
    case last(Int)

    /// - Returns: `nil` for no range, several, another unit, or nonsense: then the whole is the answer.
    init?(_ request: FieldList) {
        let values = request.values("Range")
        guard values.count == 1 else { return nil }
        let parts = values[0].trimmedOWS.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].trimmedOWS.lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { String($0).trimmedOWS }
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Self.number(ends[1]) else { return nil }
            self = .last(count)
        } else {
            guard let first = Self.number(ends[0]) else { return nil }
            guard !ends[1].isEmpty else {
                self = .from(first, through: nil)
                return
            }
            guard let last = Self.number(ends[1]), last >= first else { return nil }
            self = .from(first, through: last)
        }
    }

    /// Digits; what is too large for an `Int` is no number.
    static func number(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    /// The bytes meant in a whole of `total` bytes; `nil` when there are none (416).
    func range(in total: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            guard first < total else { return nil }
            return first..<(min(last ?? total - 1, total - 1) + 1)
        case .last(let count):
            guard count > 0, total > 0 else { return nil }
            return max(0, total - count)..<total
        }
    }
}

/// What a cache does with parts (RFC 9111, sections 3.3 and 3.4).
enum PartialContent {
    /// Where the asked bytes lie in the stored body; `nil` when it does not hold them all.
    ///
    /// - Parameter stored: A 206.
    static func slice(_ asked: ByteRange, of stored: StoredResponse) -> ContentRange? {
        guard let held = stored.range, let place = ContentRange(stored.fields) else { return nil }
        let wanted: Range<Int>
        if let total = place.total {
            guard let range = asked.range(in: total) else { return nil }
            wanted = range
        } else {
            guard case .from(let first, .some(let last)) = asked, last < Int.max else { return nil }
            wanted = first..<(last + 1)
        }
        guard held.lowerBound <= wanted.lowerBound, wanted.upperBound <= held.upperBound else { return nil }
        return ContentRange(wanted, total: place.total)
    }

    /// Whether two parts are of one representation: equal strong validators (RFC 9110, section 15.3.7.3).
    static func belongTogether(_ first: FieldList, _ second: FieldList) -> Bool {
        guard let first = EntityTag(first), let second = EntityTag(second) else { return false }
        return first.matchesStrongly(second)
    }

    /// The two as one body, where they touch; `nil` where a gap remains or they are not of one representation.
    static func combined(
        _ old: StoredResponse, _ oldBody: Data, _ new: StoredResponse, _ newBody: Data
    ) -> (response: StoredResponse, body: Data)? {
        guard let left = old.range, let right = new.range, left.count == oldBody.count, right.count == newBody.count,
            left.lowerBound <= right.upperBound, right.lowerBound <= left.upperBound,
            belongTogether(old.fields, new.fields)
        else { return nil }
        let range = min(left.lowerBound, right.lowerBound)..<max(left.upperBound, right.upperBound)
        var body = Data()
        if left.lowerBound < right.lowerBound { body += oldBody.prefix(right.lowerBound - left.lowerBound) }
        body += newBody
        if left.upperBound > right.upperBound { body += oldBody.suffix(left.upperBound - right.upperBound) }
        guard body.count == range.count else { return nil }
        var response = new
        response.fields = Revalidation.merged(old.fields, with: new.fields)
        let total = ContentRange(new.fields)?.total ?? ContentRange(old.fields)?.total
        response.length = body.count
        response.fields.set("Content-Length", String(body.count))
        if range.lowerBound == 0, total == range.upperBound {
            response.status = 200
            response.reason = "OK"
            response.range = nil
            response.fields.remove("Content-Range")
        } else {
            response.range = range
            response.fields.set("Content-Range", ContentRange(range, total: total).text)
        }
        return (response, body)
    }
}
