import StrataDomain

/// One operation of the document: what the types of an endpoint say, and what the service adds to each endpoint.
struct OpenAPIOperation {
    private let endpoint: MountedEndpoint
    private let description: EndpointDescription

    init(_ endpoint: MountedEndpoint, _ description: EndpointDescription) {
        (self.endpoint, self.description) = (endpoint, description)
    }

    func value(with responses: inout OpenAPIResponses) -> JSONValue {
        var operation = Self.base(endpoint.route, description.summary)
        operation["description"] = description.documentation.details.map { .string($0) }
        operation["security"] = endpoint.access.requirements
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        operation["requestBody"] = body
        let problems = OpenAPIProblems(endpoint, description)
        operation["responses"] = .object(
            success.merging(problems.responses(&responses, beside: alternatives)) { own, _ in own })
        return .object(operation)
    }

    static func value(of raw: RawRoute, with responses: inout OpenAPIResponses) -> JSONValue {
        var operation = base(raw.route, raw.summary)
        let headers = OpenAPIHeader.names(isTagged: raw.isTagged, isCounted: !Probes.contains(raw.route.template))
        var answers = OpenAPIProblems.ofEveryRoute.responses(&responses)
        if !raw.mediaType.isEmpty {
            answers["200"] = OpenAPIResponses.success("The document.", headers, [raw.mediaType: .any])
        }
        for status in raw.emptyStatuses { answers["\(status)"] = OpenAPIResponses.success("No content.", headers, [:]) }
        operation["security"] = []
        operation["responses"] = .object(answers)
        return .object(operation)
    }

    private static func base(_ route: Route, _ summary: String) -> [String: JSONValue] {
        let words = summary.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return [
            "operationId": .string(words.prefix(1).lowercased() + words.dropFirst()), "summary": .string(summary),
            "tags": [.string(route.tag)],
        ]
    }

    // MARK: - Request

    private var parameters: [JSONValue] {
        var list = description.parameters
        func header(_ name: String, _ schema: JSONSchema) {
            list.append(.init(name: name, place: .header, isRequired: false, schema: schema))
        }
        if endpoint.storesResponses {
            header(
                "Idempotency-Key",
                .text(1...255, pattern: "^[!-~]+$").described("The same key and payload repeats the stored response."))
        }
        if isRevalidated {
            header("If-None-Match", .text().described("The ETag of a stored copy; 304 if it is current."))
        }
        if case .file = endpoint.work {
            header("Range", .text().described("A part of the content (RFC 9110, section 14)."))
            header("If-Range", .text().described("The ETag of the part that is there."))
        }
        return list.map(Self.value) + [OpenAPIParameter.deadline]
    }

    /// The sentence of a schema stands beside it, where viewers look.
    private static func value(of parameter: EndpointDescription.Parameter) -> JSONValue {
        var schema = parameter.schema.keywords
        let text = schema.removeValue(forKey: "description")
        let value: [String: JSONValue?] = [
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
            "required": .bool(parameter.isRequired), "schema": .object(schema), "description": text,
            // The style of a list, where it is said.
            "style": parameter.explode.map { _ in JSONValue.string(parameter.style ?? "form") },
            "explode": parameter.explode.map { JSONValue.bool($0) },
        ]
        return .object(value.compactMapValues { $0 })
    }

    private var body: JSONValue? {
        if case .upload(let upload) = endpoint.work {
            // `contentMediaType` is the keyword of 3.1. Generators of clients know the format of 3.0.
            let file = JSONSchema([
                "type": "string", "format": "binary", "contentMediaType": "application/octet-stream",
            ])
            guard case .form(let part, _) = upload.content else {
                return ["required": true, "content": [UploadFields.partial: ["schema": .object(file.keywords)]]]
            }
            let form = JSONSchema.object([part: file], required: [part])
            return ["required": true, "content": ["multipart/form-data": ["schema": .object(form.keywords)]]]
        }
        guard let schema = description.body else { return nil }
        let content = description.bodyTypes.map { ($0, JSONValue.object(["schema": .object(schema.keywords)])) }
        return ["required": true, "content": .object(Dictionary(uniqueKeysWithValues: content))]
    }

    // MARK: - Success

    private var isRevalidated: Bool {
        if case .file = endpoint.work { return true }
        return description.isTagged && endpoint.route.method == .get
    }

    private var success: [String: JSONValue] {
        var headers = OpenAPIHeader.names(isTagged: description.isTagged, isCounted: isCounted)
        if description.isPage { headers.append("Link") }
        if endpoint.storesResponses { headers.append("Idempotency-Replayed") }
        var responses: [String: JSONValue] = [:]
        let status = "\(endpoint.successStatus)"
        switch endpoint.work {
        case .respond, .upload:
            let content = description.response.map { [endpoint.mediaType: $0] } ?? [:]
            responses[status] = OpenAPIResponses.success(description.summary + ".", headers, content)
            if case .upload(let upload) = endpoint.work, case .partial = upload.content {
                responses["204"] = OpenAPIResponses.success("The bytes are stored, and more may follow.", headers, [:])
            }
        case .stream:
            responses[status] = OpenAPIResponses.success(
                "A line for each row.", headers, ["application/x-ndjson": .text()])
        case .file:
            headers += ["ETag", "Accept-Ranges", "Repr-Digest", "Content-Disposition"]
            responses[status] = OpenAPIResponses.success("The content.", headers, ["*/*": .any])
            headers.append("Content-Range")
            responses["206"] = OpenAPIResponses.success("The part that was asked for.", headers, ["*/*": .any])
        }
        if isRevalidated {
            let headers = OpenAPIHeader.names(isTagged: true, isCounted: isCounted)
            responses["304"] = OpenAPIResponses.success("The stored copy is current.", headers, [:])
        }
        return responses
    }

    /// The content of other statuses than that of success, with a sentence for each.
    private var alternatives: [Int: (text: String, content: [String: JSONSchema])] {
        description.documentation.statuses.mapValues { text in
            (text, description.response.map { [endpoint.mediaType: $0] } ?? [:])
        }
    }

    private var isCounted: Bool { !Probes.contains(endpoint.route.template) }
}
