import StrataDomain

/// The failures of an operation: problem codes by status.
struct OpenAPIProblems {
    private(set) var codes: [Int: Set<String>]

    /// The failures that any request may meet, before its endpoint is known or runs.
    static let ofEveryRoute = OpenAPIProblems(codes: [
        400: ["malformed_request", "invalid_host", "invalid_path", "invalid_query"], 414: ["target_too_long"],
        415: ["unsupported_media_type"], 421: ["unknown_host"], 429: ["rate_limited"], 431: ["headers_too_large"],
        500: ["internal"], 501: ["not_implemented"], 503: ["unavailable"],
    ])

    private init(codes: [Int: Set<String>]) { self.codes = codes }

    init(_ endpoint: MountedEndpoint, _ description: EndpointDescription) {
        self = Self.ofEveryRoute
        add(400, "invalid_parameter")
        add(504, "deadline_exceeded")
        addAccess(endpoint.access)
        let places = Set(description.parameters.map(\.place))
        if places.contains(.path) { add(404, "not_found", "no_such_path") }
        if places.contains(.query) { add(422, "validation_failed") }
        if description.parameters.contains(where: { $0.name == "If-Match" }) { add(412, "version_mismatch") }
        if description.body != nil {
            add(400, "malformed_body")
            addBody()
        }
        if endpoint.route.method != .get {
            add(409, "constraint")
            add(507, "storage_full")
        }
        if endpoint.storesResponses {
            add(409, "idempotency_in_flight", "idempotent_response_dropped")
            add(422, "idempotency_key_reused")
        }
        addWork(endpoint.work)
        if endpoint.usesOAuthErrors {
            add(400, "invalid_request", "invalid_grant", "unsupported_grant_type")
            codes[422] = nil
        }
        for (status, own) in description.documentation.problems { codes[status, default: []].formUnion(own) }
    }

    private mutating func add(_ status: Int, _ new: String...) { codes[status, default: []].formUnion(new) }

    private mutating func addBody() {
        add(408, "body_too_slow")
        add(413, "body_too_large")
        add(422, "validation_failed")
    }

    private mutating func addAccess(_ access: Access) {
        guard access != .anyone else { return }
        add(400, "invalid_request")
        add(401, "unauthorized", "invalid_token", "invalid_api_key")
        add(403, "forbidden")
    }

    private mutating func addWork(_ work: MountedEndpoint.Work) {
        switch work {
        case .respond: break
        case .stream: add(429, "too_many_transfers")
        case .upload(let upload):
            addBody()
            add(429, "too_many_transfers")
            guard case .form(_, let isResumable) = upload.content else { return }
            add(400, "malformed_multipart")
            guard isResumable else { return }
            add(400, "upload_length_mismatch")
            add(409, "upload_offset_mismatch")
            add(410, "upload_completed")
            add(422, "digest_mismatch")
            add(429, "too_many_uploads")
        case .file:
            add(410, "content_lost", "content_damaged")
            add(412, "version_mismatch")
            add(416, "range_not_satisfiable")
            add(429, "too_many_transfers")
        }
    }

    /// References to the responses by status.
    ///
    /// - Parameter others: Content that a status has beside the problem document, or alone, with a sentence.
    func responses(
        _ responses: inout OpenAPIResponses,
        beside others: [Int: (text: String, content: [String: JSONSchema])] = [:]
    ) -> [String: JSONValue] {
        var all: [String: JSONValue] = [:]
        for (status, codes) in codes where others[status] == nil {
            all["\(status)"] = responses.problem(status, codes.sorted())
        }
        for (status, other) in others {
            all["\(status)"] = responses.problem(
                status, codes[status, default: []].sorted(), or: other.content, other.text)
        }
        return all
    }
}
