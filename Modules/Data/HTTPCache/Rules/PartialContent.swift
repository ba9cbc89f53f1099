import FoundationEssentials
import StrataDomain

/// Parts of a content: serving from them and combining them (RFC 9111, sections 3.3 and 3.4).
enum PartialContent {
    /// The requested bytes of the content; `nil` unless the stored part has all of them.
    ///
    /// - Parameter stored: A 206.
    static func slice(_ asked: ByteRange, of stored: StoredResponse) -> ContentRange? {
        guard let held = stored.range, let place = ContentRange(stored.fields.values("Content-Range")) else {
            return nil
        }
        let wanted: Range<Int>
        if let total = place.total {
            guard let range = asked.bytes(of: total) else { return nil }
            wanted = range
        } else {
            guard case .from(let first, .some(let last)) = asked, last < Int.max else { return nil }
            wanted = first..<(last + 1)
        }
        guard held.lowerBound <= wanted.lowerBound, wanted.upperBound <= held.upperBound else { return nil }
        return ContentRange(wanted, total: place.total)
    }

    /// The part of a whole stored response that answers a GET.
    enum Cut {
        case whole
        case part(ContentRange)
        /// The requested range has no byte of the content.
        case nothing
    }

    static func cut(_ stored: StoredResponse, for request: CacheRequest) -> Cut {
        guard stored.status == 200, let asked = ByteRange(request.fields.values("Range")),
            Conditions.allowsRange(request.fields, stored)
        else { return .whole }
        guard let range = asked.bytes(of: stored.length) else { return .nothing }
        return range.isEmpty ? .whole : .part(ContentRange(range, total: stored.length))
    }

    /// Whether two parts are of one representation: equal strong validators (RFC 9110, section 15.3.7.3).
    static func belongTogether(_ first: HeaderFields, _ second: HeaderFields) -> Bool {
        guard let first = EntityTag(first), let second = EntityTag(second) else { return false }
        return first.stronglyMatches(second)
    }

    /// Two parts that touch or overlap as one body; `nil` for parts with a gap or of different representations.
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
        let total = [new, old].compactMap { ContentRange($0.fields.values("Content-Range"))?.total }.first
        response.length = body.count
        response.fields["Content-Length"] = String(body.count)
        if range.lowerBound == 0, total == range.upperBound {
            response.status = 200
            response.reason = "OK"
            response.range = nil
            response.fields["Content-Range"] = nil
        } else {
            response.range = range
            response.fields["Content-Range"] = ContentRange(range, total: total).text
        }
        return (response, body)
    }
}
