import StrataDomain

/// How far an upload is, and which requests continue it: the rules of draft-ietf-httpbis-resumable-upload, without input and
/// output.
struct UploadState: Sendable, Hashable {
    /// Bytes that are stored.
    var received: Int
    /// Bytes of the whole content; `nil` until a request says it.
    var total: Int?
    var isComplete = false
    /// Largest content in bytes.
    let limit: Int

    /// What a request says about its place in the upload.
    struct Claim: Sendable, Hashable {
        /// Whether the upload ends with this request: `Upload-Complete`.
        var isLast: Bool
        /// `Upload-Offset`; `nil` for the request that creates the upload.
        var offset: Int?
        /// `Upload-Length`, if any.
        var total: Int?
        /// `Content-Length`; `nil` for a body in chunks.
        var bytes: Int?
    }

    /// Checks a request before its body is read.
    ///
    /// - Returns: The bytes of the whole content, if they are known now.
    /// - Throws: 409 for another offset, 400 for lengths that contradict each other, 410 for an upload that is complete, 413.
    func check(_ claim: Claim) throws(ServiceError) -> Int? {
        guard !isComplete else {
            if claim.bytes == 0 { throw .uploadCompleted(at: received) }
            throw .uploadLength("The upload is complete with \(received) bytes; nothing can be added.")
        }
        if let offset = claim.offset, offset != received { throw .uploadOffset(offset, expected: received) }
        let end = claim.bytes.map { received.addingReportingOverflow($0) }
        guard end?.overflow != true, end.map({ $0.partialValue <= limit }) ?? true else { throw tooLarge }
        let ends = [total, claim.total, claim.isLast ? end?.partialValue : nil].compactMap(\.self)
        guard let known = ends.first else { return nil }
        guard known <= limit else { throw tooLarge }
        if let other = ends.first(where: { $0 != known }) {
            throw .uploadLength("The upload was said to have \(known) bytes, and now \(other).")
        }
        if let end = end?.partialValue, end > known { throw tooLong(known) }
        return known
    }

    /// Checks bytes that have arrived, also of a body in chunks.
    ///
    /// - Parameter place: The offset behind them.
    func checkBytes(to place: Int) throws(ServiceError) {
        if let total, place > total { throw tooLong(total) }
        guard place <= limit else { throw tooLarge }
    }

    /// Checks an upload whose last request has arrived.
    func checkEnd() throws(ServiceError) {
        if let total, total != received {
            throw .uploadLength("The upload was said to have \(total) bytes, and ends after \(received).")
        }
    }

    private func tooLong(_ total: Int) -> ServiceError {
        .uploadLength("The upload was said to have \(total) bytes, and more were sent.")
    }

    /// A client that reads the limit sends no larger upload.
    private var tooLarge: ServiceError {
        var error = ServiceError.bodyTooLarge(limit)
        error.headers[UploadFields.limit] = UploadLimit(maxSize: limit).text
        return error
    }
}
