import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import StrataDomain
import StrataNetworking

/// Sends a client's request through the pipeline, and the response back.
struct Relay: Sendable {
    let origin: Origin
    let pipeline: Pipeline
    let wallClock: any WallClock
    private let time = MonotonicTime(ContinuousClock())

    init(origin: Origin, pipeline: Pipeline, wallClock: any WallClock) {
        self.origin = origin
        self.pipeline = pipeline
        self.wallClock = wallClock
    }

    /// Answers with the response of the pipeline, or with a problem document when there is none.
    ///
    /// - Throws: `CancellationError` when the response cannot be completed, so that the connection must close.
    func answer(_ request: Request, through output: ResponseOutput) async throws {
        do {
            try await request.body.lent { chunks in
                try await pipeline.send(clientRequest(request, chunks, output)) { response in
                    try await write(response, through: output)
                }
            }
        } catch {
            // Not the error itself: Hummingbird answers an error of the parser with a second head.
            guard !output.hasBegun, !Task.isCancelled else { throw CancellationError() }
            try await output.write(Refusal(error, origin).response(at: wallClock.now))
        }
    }

    private func write(_ response: ClientResponse, through output: ResponseOutput) async throws {
        var response = response
        // AsyncHTTPClient hands a change of protocol (101) on as if it were a final response.
        guard (200...999).contains(response.head.status) else {
            throw NetworkError(.invalidResponse("\(response.head.status) is no status of a final response"))
        }
        // RFC 9110, section 6.6.1: a recipient with a clock adds a missing date.
        if response.head.headers["Date"] == nil {
            response.head.headers.add("Date", HTTPDate.string(from: wallClock.now))
        }
        try await output.write(response)
    }

    private func clientRequest(
        _ request: Request, _ chunks: RequestChunks, _ output: ResponseOutput
    ) throws -> ClientRequest {
        // SwiftNIO reads `M-SEARCH` and calls it `MSEARCH`.
        let name = request.method.rawValue == "MSEARCH" ? "M-SEARCH" : request.method.rawValue
        guard let method = HTTPMethod(rawValue: name), request.method != .connect else {
            throw Refusal(status: 501, detail: "This proxy makes no tunnels; send requests with a path.")
        }
        // The first host is the authority; further ones stay among the fields.
        guard request.head.authority != nil, !request.headers.contains(where: { $0.name.canonicalName == "host" })
        else {
            throw Refusal(status: 400, detail: "A request has one Host field (RFC 9112, section 3.2).")
        }
        let url = try url(request.head.path ?? "")
        var fields = HeaderFields()
        for field in request.headers {
            // SwiftNIO's parser has replaced bytes that are no UTF-8. Two different values would look equal to the cache,
            // and the origin would receive a value that the client did not send.
            guard !field.value.unicodeScalars.contains("\u{FFFD}") else {
                throw Refusal(
                    status: 400, detail: "A header field has bytes that are no UTF-8, which would be changed here.")
            }
            fields.add(field.name.rawName, field.value)
        }
        let body = upload(chunks, fields, output)
        fields = fields.forwarded
        for name in ["Host", "Content-Length", "Expect"] { fields[name] = nil }
        let context = CallContext(
            requestId: UUID.random().text, summary: "\(method.rawValue) \(url.path)",
            deadline: Deadline(in: Deadline.longest, on: time), receivesOnce: true,
            interim: { output.interim($0) })
        return ClientRequest(method, url, headers: fields, body: body, context: context)
    }

    private func upload(_ chunks: RequestChunks, _ fields: HeaderFields, _ output: ResponseOutput) -> UploadBody? {
        let isChunked = fields["Transfer-Encoding"] != nil
        let length = isChunked ? nil : fields["Content-Length"].flatMap { Int($0) }
        guard isChunked || length != nil else { return nil }
        guard length != 0 else { return .bytes(Data()) }
        let isWaiting = fields["Expect"]?.lowercased() == "100-continue"
        return .stream(length: length, isReplayable: false) {
            if isWaiting { output.interim(ResponseHead(status: 100, reason: "Continue")) }
            return chunks
        }
    }

    /// - Parameter target: Path and query (RFC 9112, section 3.2.1).
    private func url(_ target: String) throws -> HTTPURL {
        guard target.hasPrefix("/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            throw Refusal(status: 400, detail: "The target of the request must be a path, percent-encoded.")
        }
        let path = target.prefix { $0 != "?" }
        return HTTPURL(
            origin: origin, path: String(path),
            query: path.count < target.count ? String(target.dropFirst(path.count + 1)) : nil)
    }
}
