import FoundationEssentials
import StrataDomain

/// The meaning of the responses of a server that can resume uploads (draft-ietf-httpbis-resumable-upload). Pure.
struct UploadAnswers: Sendable {
    /// Bytes of the file.
    let size: Int64

    /// What a server knows of an upload.
    struct State: Sendable, Equatable {
        var offset: Int64
        var isComplete = false
        /// Bytes of one request; `nil` without a limit.
        var longestAppend: Int64?
    }

    enum Creation: Sendable, Equatable {
        case created(HTTPURL, State)
        /// An earlier request with the same key was completed; the response is its response.
        case complete
        /// The server did not understand the request.
        case unsupported
    }

    /// Reads a success of the request that creates an upload.
    ///
    /// - Throws: `.invalidResponse` for an upload at another origin, which must not get the credentials, and for an impossible
    ///   offset, and for a server that has taken the empty request for a file; `.status` 413 for a file above the limit.
    func creation(_ head: ResponseHead, at target: HTTPURL) throws(NetworkError) -> Creation {
        if UploadFields.boolean(head.headers.values(UploadFields.complete)) == true { return .complete }
        let isUpload = [UploadFields.complete, UploadFields.offset, UploadFields.limit].contains {
            head.headers[$0] != nil
        }
        guard isUpload, let location = head.headers["Location"] else {
            throw NetworkError(
                .invalidResponse(
                    "the server cannot resume uploads, and took the empty first request for a whole file; remove that file, "
                        + "and upload without resuming"))
        }
        let url: HTTPURL
        do { url = try target.resolving(location) } catch { throw NetworkError(.invalidResponse(error.description)) }
        guard url.origin == target.origin else {
            throw NetworkError(.invalidResponse("the upload is to go on at \(url.origin), another server"))
        }
        var state = State(offset: 0)
        if let offset = UploadFields.integer(head.headers.values(UploadFields.offset)) { state.offset = Int64(offset) }
        return .created(url, try limited(state, head))
    }

    /// Reads a success of the request for the offset.
    ///
    /// - Throws: `.invalidResponse` without an offset, and for one behind the end of the file.
    func state(_ head: ResponseHead) throws(NetworkError) -> State {
        guard let offset = UploadFields.integer(head.headers.values(UploadFields.offset)) else {
            throw NetworkError(.invalidResponse("it has no Upload-Offset"))
        }
        let isComplete = UploadFields.boolean(head.headers.values(UploadFields.complete)) == true
        return try limited(State(offset: Int64(offset), isComplete: isComplete), head)
    }

    private func limited(_ state: State, _ head: ResponseHead) throws(NetworkError) -> State {
        guard state.offset <= size else {
            throw NetworkError(.invalidResponse("the server has \(state.offset) bytes of a file of \(size) bytes"))
        }
        let limit = UploadLimit(head.headers.values(UploadFields.limit))
        if let most = limit.maxSize, Int64(most) < size {
            let detail = "The server takes uploads of up to \(most) bytes."
            throw NetworkError(.status(413, Problem(title: "Too large", status: 413, detail: detail)))
        }
        var state = state
        state.longestAppend = limit.maxAppendSize.flatMap { $0 > 0 ? Int64($0) : nil }
        return state
    }

    /// The bytes of the next request.
    func next(after state: State) -> Range<Int64> {
        let rest = size - state.offset
        return state.offset..<state.offset + min(rest, state.longestAppend ?? rest)
    }

    /// Whether the failure of a creation says that the server cannot resume uploads here.
    static func isUnsupported(_ error: NetworkError) -> Bool {
        switch error.kind {
        case .status(405, _), .status(415, _), .server(501, _): true
        default: false
        }
    }

    /// Whether the failure of the request for the offset says that the upload is no more.
    static func isGone(_ error: NetworkError) -> Bool {
        switch error.kind {
        case .notFound, .status(410, _): true
        default: false
        }
    }

    /// Whether the upload may have gone on, or may be gone, after this failure of an append: the server must be asked. A token
    /// that has expired is renewed by that.
    static func isOvertaken(_ error: NetworkError) -> Bool {
        switch error.kind {
        case .conflict, .unauthorized: true
        // Complete since: by another process, or by the last bytes of an earlier request.
        case .validation(let problem): problem?.type.hasSuffix("#inconsistent-upload-length") == true
        default: isGone(error)
        }
    }
}
