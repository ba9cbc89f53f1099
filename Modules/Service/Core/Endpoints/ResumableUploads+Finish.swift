import FoundationEssentials
import NIOCore
import StrataDomain

extension ResumableUploads {
    /// - Throws: A failure with `Upload-Complete: ?1` has ended the upload. After any other one the client can ask again, with an
    ///   empty request.
    func finish(_ row: UploadRow, _ input: EndpointInput, now: Date) async throws -> EncodedResponse {
        do {
            return try await commit(row, input, now: now).ofUpload(isComplete: true, at: row.state.received)
        } catch var error as ServiceError where error.endsUpload {
            try await input.store.quiet.write { [table] transaction in try table.end(row.id, in: transaction) }
            error.headers[UploadFields.complete] = UploadFields.text(true)
            throw error
        }
    }

    /// Puts the content together and makes it visible.
    private func commit(_ row: UploadRow, _ input: EndpointInput, now: Date) async throws -> EncodedResponse {
        let origin = try UploadOrigin<Handler>(row)
        let (blob, _) = try await handler.blobs.receive(limit: handler.contentLimit) { upload in
            var place = 0
            while place < row.state.received {
                let bytes = try await input.store.read { [table, place] reader in
                    guard let piece = try table.piece(at: place, of: row.id, in: reader) else {
                        throw try overtaken(row, in: reader)
                    }
                    // The last one may have grown since the request began.
                    return piece.prefix(row.state.received - place)
                }
                try await upload.append(ByteBuffer(bytes: bytes))
                place += bytes.count
            }
        }
        guard row.digest == nil || row.digest == blob.digest else {
            try? await handler.blobs.remove(blob.id)
            throw ServiceError.uploadDigest
        }
        let received = try handler.received(blob, fileName: row.fileName, mediaType: row.mediaType)
        do {
            let claim = try row.key.map { key in
                IdempotencyClaim(
                    key: key, owner: try input.scope.caller(), method: Handler.Call.route.method, target: origin.target,
                    body: Data()
                ).with(payload: handler.fingerprint(of: received))
            }
            let (response, isReplay) = try await input.write(claim: claim, at: now) {
                [handler, table, encoder] transaction in
                guard try table.complete(row.id, at: row.state.received, now: now, in: transaction) else {
                    throw try overtaken(row, in: transaction)
                }
                let response = try handler.commit(origin.call, received, input.scope, in: transaction)
                return try encoder.encode(response, to: origin.target)
            }
            guard isReplay else { return response }
            await handler.discard(received)
            _ = try await input.store.quiet.write { [table] transaction in
                try table.complete(row.id, at: row.state.received, now: now, in: transaction)
            }
            return response
        } catch {
            // Any other failure may follow the commit. The content then stays until maintenance has checked it.
            if error is ServiceError { await handler.discard(received) }
            throw error
        }
    }

    /// The failure of a request when another one has completed, continued or ended the upload.
    private func overtaken(_ row: UploadRow, in store: any StoreReader) throws -> ServiceError {
        guard let state = try table.state(of: row.id, in: store) else { return .notFound("upload", row.id) }
        return state.isComplete
            ? .uploadCompleted(at: state.received) : .uploadOffset(row.state.received, expected: state.received)
    }
}

/// The request that created an upload.
struct UploadOrigin<Handler: ResumableUploadHandler>: Sendable {
    let call: Handler.Call
    let target: RequestTarget

    init(_ row: UploadRow) throws {
        let line = try RequestLine(row.target, limit: .max)
        var routes = RouteTable<Bool>()
        try routes.insert(Handler.Call.route, true)
        guard let match = routes.match(line.segments), let entry = match.values[Handler.Call.route.method] else {
            throw StoreError.failed("an upload has another path than its endpoint")
        }
        target = line.target
        call = try Handler.Call(EndpointParts(pathParameters: match.parameters(of: entry), query: target.query))
    }
}

extension ServiceError {
    /// Whether the content was refused for good. 408, 409 and 429 may pass.
    fileprivate var endsUpload: Bool {
        (400..<500).contains(problem.status) && ![408, 409, 410, 429].contains(problem.status)
    }
}
