import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import StrataDomain
import StrataSystem

extension Response {
    /// The file, the requested part of it, or 304 when the caller's copy is current (RFC 9110, sections 13 and 14).
    ///
    /// The content is read as fast as the reader takes it, off the event loops. Its first bytes are read before the response
    /// begins. When later bytes are missing or damaged, the connection is closed before the end of the content.
    ///
    /// - Throws: 412, 416; 410 when the content is missing or damaged.
    init(_ file: FileResponse, to request: Request, for access: Access) async throws {
        let tag = EntityTag("sha256-\(file.digest.hex)")
        var headers = Self.headers(file, tag, access)
        // RFC 9110, section 13.2.2, gives the order.
        let fields = request.headers
        if !fields[values: .ifMatch].isEmpty, IfMatch(parsing: fields[values: .ifMatch])?.allows(tag) != true {
            throw ServiceError.preconditionFailed("file", file.fileName, current: tag)
        }
        if IfNoneMatch.names(tag, fields[values: .ifNoneMatch]) {
            self.init(status: .notModified, headers: headers)
            return
        }
        headers.append(contentsOf: Self.contentHeaders(file))
        // Section 14.2: a range applies to GET only.
        let isRanged = request.method == .get && tag.allowsRange(fields[values: .ifRange])
        var range = 0..<file.size
        var status = HTTPResponse.Status.ok
        if isRanged, let requested = ByteRange(fields[values: .range]) {
            guard let part = requested.bytes(of: file.size) else {
                throw ServiceError(
                    416, code: "range_not_satisfiable", title: "No such range",
                    detail: "The content has \(file.size) bytes; request a range within it, or none.",
                    headers: [
                        "Content-Range": ContentRange.unsatisfied(total: file.size), "Accept-Ranges": "bytes",
                        "ETag": tag.text,
                    ])
            }
            if !part.isEmpty {
                range = part
                status = .partialContent
                headers[.contentRange] = ContentRange(part, total: file.size).text
            }
        }
        let reader = try await file.blobs.open(file.id, size: file.size, digest: file.digest)
        var first: ByteBuffer?
        if request.method == .get, !range.isEmpty {
            first = try await reader.read(at: range.lowerBound, count: min(BlobUpload.piece, range.count))
        }
        self.init(status: status, headers: headers, body: ResponseBody(reader, range, first))
    }

    /// The header fields of 200, 206 and 304.
    private static func headers(_ file: FileResponse, _ tag: EntityTag, _ access: Access) -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.eTag] = tag.text
        headers[.acceptRanges] = "bytes"
        headers[.cacheControl] = access == .anyone ? "no-cache" : "private, no-cache"
        return headers
    }

    /// A browser must save uploaded content and never show it, or it would run scripts in the name of this service.
    private static func contentHeaders(_ file: FileResponse) -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.contentType] = MediaType.validEssence(file.mediaType) ?? "application/octet-stream"
        headers[.contentDisposition] = ContentDisposition.attachment(file.fileName)
        headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        // RFC 9530, section 3: the digest of the whole content, also for a part of it.
        headers[.reprDigest] = ContentDigest(.sha256, file.digest)?.field
        return headers
    }
}

extension EntityTag {
    /// Whether a range may be sent: `If-Range` is absent or matches strongly (RFC 9110, section 13.1.5). A date never
    /// matches, because responses have no `Last-Modified`.
    func allowsRange(_ ifRange: [String]) -> Bool {
        ifRange.isEmpty || ifRange.count == 1 && EntityTag(parsing: ifRange[0]).map(stronglyMatches) ?? false
    }
}

extension ResponseBody {
    /// Reads a part of a content in pieces; the next piece is read when the one before is written.
    ///
    /// - Parameter first: Bytes at the start of the range that were read already.
    fileprivate init(_ reader: any BlobReader, _ range: Range<Int>, _ first: ByteBuffer?) {
        self.init(contentLength: range.count) { writer in
            var pacing = WritePacing()
            var offset = range.lowerBound
            var next = first
            while offset < range.upperBound {
                let count = min(BlobUpload.piece, range.upperBound - offset)
                let piece = if let next { next } else { try await reader.read(at: offset, count: count) }
                next = nil
                try await writer.write(piece)
                offset += piece.readableBytes
                try await pacing.wrote(piece.readableBytes)
            }
            try await writer.finish(nil)
        }
    }
}
