import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import StrataDomain
import StrataSystem

extension Response {
    /// The file, the part of it that was asked for, or that the caller has it already (RFC 9110, sections 13 and 14).
    ///
    /// Content is read from disk as the reader takes it, off the event loops.
    /// - Throws: 412, 416; 410 when the file is lost, or is not what the answer says.
    init(_ answer: FileAnswer, to request: Request, for access: Access) async throws {
        let tag = EntityTag("sha256-\(answer.digest.hex)")
        var headers = Self.headers(answer, tag, access)
        // RFC 9110, section 13.2.2, gives the order.
        let fields = request.headers
        if !fields[values: .ifMatch].isEmpty, IfMatch(parsing: fields[values: .ifMatch])?.allows(tag) != true {
            throw ServiceError.preconditionFailed("file", answer.fileName, current: tag)
        }
        if IfNoneMatch.names(tag, fields[values: .ifNoneMatch]) {
            self.init(status: .notModified, headers: headers)
            return
        }
        headers.append(contentsOf: Self.contentHeaders(answer))
        // Section 14.2: a range means something to GET only.
        let isRanged = request.method == .get && Conditions.allowsRange(tag, fields[values: .ifRange])
        var range = 0..<answer.size
        var status = HTTPResponse.Status.ok
        if isRanged, let asked = ByteRange(fields[values: .range]) {
            guard let part = asked.bytes(of: answer.size) else {
                throw ServiceError(
                    416, code: "range_not_satisfiable", title: "No such range",
                    detail: "The content has \(answer.size) bytes; ask for a range within, or for none.",
                    headers: [
                        "Content-Range": ContentRange.unsatisfied(total: answer.size), "Accept-Ranges": "bytes",
                        "ETag": tag.text,
                    ])
            }
            if !part.isEmpty {
                range = part
                status = .partialContent
                headers[.contentRange] = ContentRange(part, total: answer.size).text
            }
        }
        let file = try await answer.blobs.open(answer.id, size: answer.size, digest: answer.digest)
        self.init(status: status, headers: headers, body: ResponseBody(file, range, answer.blobs.pool))
    }

    /// What every answer about the file says, also that it has not changed.
    private static func headers(_ answer: FileAnswer, _ tag: EntityTag, _ access: Access) -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.eTag] = tag.text
        headers[.acceptRanges] = "bytes"
        headers[.cacheControl] = access == .anyone ? "no-cache" : "private, no-cache"
        return headers
    }

    /// Content from outside is saved, never shown: a browser would run it in our name.
    private static func contentHeaders(_ answer: FileAnswer) -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.contentType] = MediaType.validEssence(answer.mediaType) ?? "application/octet-stream"
        headers[.contentDisposition] = ContentDisposition.attachment(answer.fileName)
        headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        // RFC 9530, section 3: of the whole content, whichever part is sent.
        headers[.reprDigest] = "sha-256=:\(answer.digest.base64EncodedString()):"
        return headers
    }
}

extension ResponseBody {
    /// Bytes that are handed to the event loops before they have had a turn. A write does not wait for that turn, in which a
    /// full connection is noticed: on a busy machine a disk would be read into memory meanwhile.
    private static let longestLead = 128 << 10

    /// A part of a file, one piece at a time: the next is read when the one before has gone.
    fileprivate init(_ file: BlobReader, _ range: Range<Int>, _ pool: BlockingPool) {
        self.init(contentLength: range.count) { writer in
            var place = range.lowerBound
            var unseen = 0
            while place < range.upperBound {
                let offset = place
                let count = min(BlobDirectory.chunk, range.upperBound - offset)
                let piece = try await pool.run { try file.read(at: offset, count: count) }
                try await writer.write(piece)
                place += piece.readableBytes
                unseen += piece.readableBytes
                guard unseen >= Self.longestLead else { continue }
                unseen = 0
                for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
            }
            try await writer.finish(nil)
        }
    }
}
