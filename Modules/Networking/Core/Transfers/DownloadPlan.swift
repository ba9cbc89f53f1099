import FoundationEssentials
import StrataDomain

/// The request that resumes a part, and the meaning of its response. Pure.
///
/// A range is added to the part only when `If-Range` was sent, the range begins at the end of the part, and total, validator and
/// digest are the same.
struct DownloadPlan: Sendable {
    enum Ask: Equatable, Sendable {
        case whole
        case rest(from: Int64, validator: String)
    }

    enum Answer: Equatable, Sendable {
        /// The content from its first byte: the part is dropped.
        case whole(PartRecord)
        /// The bytes after the part.
        case rest(PartRecord, length: Int64)
        /// The part is the whole content.
        case complete(PartRecord)
        /// Neither the content nor a continuation of the part: ask for the whole content, with the reason.
        case again(String)
        /// The status of a failure.
        case failure
        case unusable(String)
    }

    let source: String
    /// `nil` for a part without a valid record.
    let record: PartRecord?
    /// Bytes of the part.
    let size: Int64

    var ask: Ask {
        guard size > 0, let record, record.version == PartRecord.version, record.source == source,
            let validator = record.validator, record.total.map({ size <= $0 }) ?? true
        else { return .whole }
        return .rest(from: size, validator: validator)
    }

    /// The fields that are added to those of the caller.
    var headers: HeaderFields {
        var headers: HeaderFields = ["Accept-Encoding": "identity"]
        if case .rest(let start, let validator) = ask {
            headers.add("Range", "bytes=\(start)-")
            headers.add("If-Range", validator)
        }
        return headers
    }

    func read(_ head: ResponseHead, now: Date) -> Answer {
        if (200..<300).contains(head.status), let coding = head.headers["Content-Encoding"],
            !coding.trimmed.equalsIgnoringCase("identity")
        {
            return .unusable("it is encoded as '\(coding)' although the plain content was asked for")
        }
        switch (head.status, ask, record) {
        case (200, _, _), (203, _, _): return .whole(PartRecord(source: source, head.headers, now: now))
        case (206, .rest(let start, _), .some(let record)): return rest(of: record, from: start, head.headers)
        case (206, _, _): return .unusable("it has status 206 although no range was asked for")
        case (416, .rest, .some(let record)): return end(of: record, head.headers)
        case (200..<300, _, _): return .unusable("status \(head.status) brings no content to keep")
        default: return .failure
        }
    }

    private func rest(of record: PartRecord, from start: Int64, _ headers: HeaderFields) -> Answer {
        let type = MediaType.essence(headers[FieldName.contentType] ?? "")
        guard type != "multipart/byteranges" else { return .again("it came as several ranges") }
        guard let part = ContentRange(headers.values("Content-Range")) else {
            return .again("its range is not legible")
        }
        guard part.range.lowerBound == start else {
            return .again("the range begins at byte \(part.range.lowerBound), not at \(start)")
        }
        if let known = record.total, let total = part.total, total != known {
            return .again("the whole had \(known) bytes and now has \(total)")
        }
        if let total = record.total, part.range.upperBound > total {
            return .again("the range is longer than the whole")
        }
        guard isSame(record, headers) else { return .again("the content has changed") }
        let length = Int64(part.range.count)
        if let announced = headers[FieldName.contentLength], Int64(announced.trimmed) != length {
            return .again("its length does not fit its range")
        }
        return .rest(learned(record, part.total.map(Int64.init), headers), length: length)
    }

    private func end(of record: PartRecord, _ headers: HeaderFields) -> Answer {
        guard let total = headers["Content-Range"].flatMap(ContentRange.total(ofUnsatisfied:)), total == size,
            record.total ?? size == size, headers["ETag"] == nil || isSame(record, headers)
        else { return .again("no such range") }
        return .complete(learned(record, size, headers))
    }

    /// Whether a response to a range has the validator and digests of the part. It must repeat the entity tag and may omit the
    /// date (RFC 9110, section 15.3.7).
    private func isSame(_ record: PartRecord, _ headers: HeaderFields) -> Bool {
        if let tag = record.entityTag {
            guard headers["ETag"]?.trimmed == tag else { return false }
        } else if let date = record.lastModified, let now = headers["Last-Modified"] {
            guard now.trimmed == date else { return false }
        }
        let ours = record.digests.flatMap(ContentDigest.list)
        return Self.digests(headers).allSatisfy { theirs in
            ours.allSatisfy { $0.algorithm != theirs.algorithm || $0 == theirs }
        }
    }

    private func learned(_ record: PartRecord, _ total: Int64?, _ headers: HeaderFields) -> PartRecord {
        var record = record
        record.total = record.total ?? total
        for digest in Self.digests(headers).map(\.field) where !record.digests.contains(digest) {
            record.digests.append(digest)
        }
        return record
    }

    /// The digests of the whole content; `Content-Digest` of a range is the digest of the range.
    private static func digests(_ headers: HeaderFields) -> [ContentDigest] {
        headers.values("Repr-Digest").flatMap(ContentDigest.list)
    }
}
