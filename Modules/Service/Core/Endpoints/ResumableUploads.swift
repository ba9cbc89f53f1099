import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// The endpoints of one handler's upload resources: create, read, append, cancel.
///
/// Left out of the draft: the interim response 104, because the HTTP server sends none. A client learns the address of an upload
/// from the response to a request with `Upload-Complete: ?0`.
struct ResumableUploads<Handler: ResumableUploadHandler>: Sendable {
    let handler: Handler
    let table: UploadTable
    let encoder: ResponseEncoder<Handler.Call>
    var limits = UploadLimits()
    /// Requests that bring bytes at once, each with some 3 MiB in memory; one more is 503.
    private let appends = Permits(limit: 128)

    init(_ handler: Handler, _ encoder: ResponseEncoder<Handler.Call>) {
        (self.handler, self.encoder) = (handler, encoder)
        table = UploadTable(Handler.uploadName, limit: handler.contentLimit)
    }

    // MARK: Create

    /// Creates an upload and takes the first bytes of its content, which may be all of them.
    ///
    /// A repeated request with one `Idempotency-Key` finds the upload that the first one created, or the response of the complete
    /// one.
    func create(_ input: EndpointInput, _ body: IncomingBody) async throws -> EncodedResponse {
        let offer = try UploadOffer(input.parts.headers)
        let expected = try handler.received(
            StoredBlob(id: "", size: offer.total ?? 0, digest: offer.digest ?? Data(count: 32)),
            fileName: offer.fileName, mediaType: offer.mediaType)
        if let claim = input.claim, offer.digest != nil {
            let whole = claim.with(payload: handler.fingerprint(of: expected))
            let stored = try await input.store.read { [log = input.log, now = input.scope.now] reader in
                try log.response(to: whole, at: now, in: reader)
            }
            if let stored { return stored.ofUpload(isComplete: true, at: offer.total) }
        }
        let claim = UploadState.Claim(
            isLast: offer.isLast, offset: nil, total: offer.total, bytes: try body.length())
        let row = try await created(offer, claim, input, body)
        guard row.state.received == 0 || claim.bytes == 0 && !claim.isLast else {
            // A repeated request brings the first bytes again, or says that there are none.
            throw ServiceError.uploadOffset(0, expected: row.state.received).at(location(of: row))
        }
        if !claim.isLast, claim.bytes == 0 { return created(row, now: body.now) }
        return try await take(row, claim, input, body)
    }

    /// The upload of a new request, or the one that the same request has created before.
    private func created(
        _ offer: UploadOffer, _ claim: UploadState.Claim, _ input: EndpointInput, _ body: IncomingBody
    ) async throws -> UploadRow {
        let call = try Handler.Call(input.parts)
        let owner = try input.scope.caller().key
        var state = UploadState(received: 0, limit: handler.contentLimit)
        state.total = try state.check(claim)
        let new = UploadRow(
            id: UUIDv7.string(at: input.scope.now), owner: owner, target: input.target.replacing([:]),
            fileName: offer.fileName, mediaType: offer.mediaType, digest: offer.digest,
            key: input.scope.idempotencyKey, state: state, at: body.now)
        let bytes = state.total ?? handler.contentLimit
        return try await input.store.quiet.write { [handler, table, limits, scope = input.scope] transaction in
            try handler.admit(call, scope, in: transaction)
            if let key = new.key, let row = try table.open(key, at: new.target, of: owner, in: transaction),
                row.hasContent(of: new)
            {
                return row
            }
            try table.makeRoom(
                of: owner, for: bytes, limits, idle: new.at.addingTimeInterval(-limits.idle),
                in: transaction)
            try table.insert(new, in: transaction)
            return new
        }
    }

    private func created(_ row: UploadRow, now: Date) -> EncodedResponse {
        EncodedResponse(
            status: 201,
            headers: [
                "Location": location(of: row), UploadFields.limit: limit(of: row, now), "Cache-Control": "no-store",
            ], body: Data()
        ).ofUpload(isComplete: false, at: row.state.received)
    }

    private func location(of row: UploadRow) -> String { UploadPath.path(row.id, of: Handler.self) }

    private func limit(of row: UploadRow, _ now: Date) -> String {
        let rest = (limits.lifetime - now.timeIntervalSince(row.at)).rounded(.up)
        return UploadLimit(maxSize: handler.contentLimit, maxAge: Int(min(max(0, rest), limits.lifetime))).text
    }

    // MARK: Read and cancel

    func read(_ input: EndpointInput) async throws -> EncodedResponse {
        let row = try await find(ReadUpload<Handler>(input.parts).id, input)
        var headers: HeaderFields = [
            UploadFields.limit: limit(of: row, input.scope.now), "Cache-Control": "no-store",
        ]
        headers[UploadFields.length] = row.state.total.map(String.init)
        return EncodedResponse(status: 204, headers: headers, body: Data())
            .ofUpload(isComplete: row.state.isComplete, at: row.state.received)
    }

    func cancel(_ input: EndpointInput) async throws -> EncodedResponse {
        let row = try await find(CancelUpload<Handler>(input.parts).id, input)
        try await input.store.quiet.write { [table] transaction in try table.end(row.id, in: transaction) }
        return EncodedResponse(status: 204, headers: [:], body: Data())
    }

    /// - Throws: 404, also for an upload of another caller.
    private func find(_ id: String, _ input: EndpointInput) async throws -> UploadRow {
        let owner = try input.scope.caller().key
        let row = try await input.store.read { [table] reader in try table.find(id, of: owner, in: reader) }
        guard let row else { throw ServiceError.notFound("upload", id) }
        return row
    }

    // MARK: Append

    func append(_ input: EndpointInput, _ body: IncomingBody) async throws -> EncodedResponse {
        let request = try AppendToUpload<Handler>(input.parts)
        guard MediaType.essence(input.parts.headers["Content-Type"] ?? "") == UploadFields.partial else {
            throw EndpointError(.unsupportedMediaType, in: .body, key: "Content-Type", expected: UploadFields.partial)
        }
        guard let isLast = UploadFields.boolean([request.uploadComplete].compactMap(\.self)) else {
            throw EndpointError(
                .missing, in: .header, key: UploadFields.complete, expected: "?1 with the last bytes, else ?0")
        }
        guard let offset = UploadFields.integer([request.uploadOffset].compactMap(\.self)) else {
            throw EndpointError(
                .missing, in: .header, key: UploadFields.offset, expected: "the offset of the first byte")
        }
        let row = try await find(request.id, input)
        let call = try UploadOrigin<Handler>(row).call
        try await input.store.read { [handler, scope = input.scope] reader in
            try handler.admit(call, scope, in: reader)
        }
        let claim = UploadState.Claim(
            isLast: isLast, offset: offset, total: UploadFields.integer([request.uploadLength].compactMap(\.self)),
            bytes: try body.length())
        return try await take(row, claim, input, body)
    }

    /// Stores the body of a request, and commits the content after the last one.
    private func take(
        _ row: UploadRow, _ claim: UploadState.Claim, _ input: EndpointInput, _ body: IncomingBody
    ) async throws -> EncodedResponse {
        let permit = try appends.takeForTransfer()
        defer { withExtendedLifetime(permit) {} }
        var row = row
        if let total = try row.state.check(claim), row.state.total == nil {
            try await input.store.quiet.write { [table, id = row.id] transaction in
                try table.setTotal(total, of: id, in: transaction)
            }
            row.state.total = total
        }
        do {
            row.state = try await body.receive { [row, table, store = input.store.quiet] in
                PieceSink(row, in: table, store) { body.now }
            }
        } catch let error as ServiceError
            where ["upload_length_mismatch", "body_too_large"].contains(error.problem.code)
        {
            // The draft forbids to continue an upload that has grown beyond its length.
            try await input.store.quiet.write { [table, id = row.id] transaction in try table.end(id, in: transaction) }
            throw error
        }
        guard claim.isLast else {
            // The first request of an upload has the response of a creation.
            if claim.offset == nil { return created(row, now: body.now) }
            return EncodedResponse(status: 204, headers: [:], body: Data())
                .ofUpload(isComplete: false, at: row.state.received)
        }
        try row.state.checkEnd()
        return try await finish(row, input, now: body.now)
    }
}

extension UploadRow {
    /// Whether the same content under the same name is announced; then one upload serves both requests.
    fileprivate func hasContent(of other: UploadRow) -> Bool {
        fileName == other.fileName && mediaType == other.mediaType && digest == other.digest
            && (state.total == nil || other.state.total == nil || state.total == other.state.total)
    }
}

extension EncodedResponse {
    func ofUpload(isComplete: Bool, at offset: Int?) -> EncodedResponse {
        var response = self
        response.headers[UploadFields.complete] = UploadFields.text(isComplete)
        response.headers[UploadFields.offset] = offset.map(String.init)
        return response
    }
}

extension ServiceError {
    fileprivate func at(_ location: String) -> ServiceError {
        var error = self
        error.headers["Location"] = location
        return error
    }
}
