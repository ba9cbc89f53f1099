import FoundationEssentials
import NIOHTTP1
import StrataDomain
import StrataNetworking

/// Turns a client's request into one of the pipeline, and the answer back.
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

    /// Answers, with a problem document (RFC 9457) when there is nothing to pass on. Never throws: what cannot be written
    /// ends the connection.
    func answer(_ head: HTTPRequestHead, body: BodyChunks, through writer: ResponseWriter) async {
        do {
            let request = try request(head, body, writer)
            try await pipeline.send(request) { response in
                var response = response
                // RFC 9110, section 6.6.1: who has a clock adds what the origin left out.
                if response.head.headers["Date"] == nil {
                    response.head.headers.add("Date", HTTPDate.string(from: wallClock.now))
                }
                try await writer.write(response)
            }
        } catch {
            guard !writer.hasHead, !Task.isCancelled else { return }
            try? await writer.write(failure(error))
        }
    }

    private func request(
        _ head: HTTPRequestHead, _ body: BodyChunks, _ writer: ResponseWriter
    ) throws -> ClientRequest {
        guard let method = StrataDomain.HTTPMethod(rawValue: head.method.name), method.rawValue != "CONNECT" else {
            throw Refusal(status: 501, detail: "This proxy makes no tunnels; send requests with a path.")
        }
        let url = try url(head.uri)
        var fields = HeaderFields()
        for (name, value) in head.headers {
            // SwiftNIO's parser has repaired it: two that differ would look alike to the cache, and the origin would get
            // what the client never sent.
            guard !value.unicodeScalars.contains("\u{FFFD}") else {
                throw Refusal(
                    status: 400, detail: "A header field has bytes that are no UTF-8, which would be changed here.")
            }
            fields.add(name, value)
        }
        let expects = fields["Expect"]?.lowercased() == "100-continue"
        let length = fields["Content-Length"].flatMap { Int($0) }
        let isChunked = fields["Transfer-Encoding"] != nil
        fields = fields.forwarded
        for name in ["Host", "Content-Length", "Expect"] { fields[name] = nil }
        let context = CallContext(
            requestId: UUID().uuidString.lowercased(), summary: "\(method.rawValue) \(url.path)",
            deadline: Deadline(in: Deadline.longest, on: time), receivesOnce: true,
            interim: { writer.interim($0) })
        return ClientRequest(
            method, url, headers: fields,
            body: upload(body, isChunked ? nil : length, isChunked, expects ? writer : nil),
            context: context)
    }

    /// - Parameter waiting: Has a client that sends its body when it is told to.
    private func upload(
        _ body: BodyChunks, _ length: Int?, _ isChunked: Bool, _ waiting: ResponseWriter?
    ) -> UploadBody? {
        guard isChunked || length != nil else { return nil }
        guard length != 0 else { return .bytes(Data()) }
        return .stream(length: length, isReplayable: false) {
            waiting?.proceed()
            return body
        }
    }

    /// The origin-form or absolute-form target (RFC 9112, section 3.2), at the origin.
    private func url(_ target: String) throws -> HTTPURL {
        var rest = target[...]
        if !rest.hasPrefix("/"), let authority = rest.firstRange(of: "://")?.upperBound {
            rest = rest[authority...]
            rest = rest[(rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex)...]
            if !rest.hasPrefix("/") { rest = "/\(rest)" }
        }
        guard rest.hasPrefix("/"), rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            throw Refusal(status: 400, detail: "The target of the request must be a path, percent-encoded.")
        }
        let path = rest.prefix { $0 != "?" }
        return HTTPURL(
            origin: origin, path: String(path),
            query: path.count < rest.count ? String(rest.dropFirst(path.count + 1)) : nil)
    }

    private func failure(_ error: any Error) -> ClientResponse {
        let refusal = error as? Refusal ?? Refusal(error, origin)
        let problem = Problem(title: refusal.title, status: refusal.status, detail: refusal.detail)
        let bytes = (try? JSONEncoder().encode(problem)) ?? Data()
        let fields: HeaderFields = [
            "Content-Type": "application/problem+json", "Content-Length": "\(bytes.count)",
            "Cache-Control": "no-store", "Date": HTTPDate.string(from: wallClock.now),
        ]
        return ClientResponse(
            ResponseHead(status: refusal.status, reason: refusal.title, headers: fields), body: ResponseBody(bytes))
    }
}

extension NIOHTTP1.HTTPMethod {
    /// As it was sent: SwiftNIO reads `M-SEARCH`, and calls it `MSEARCH`.
    fileprivate var name: String { self == .MSEARCH ? "M-SEARCH" : rawValue }
}

/// An answer of the proxy's own.
private struct Refusal: Error {
    let status: Int
    let detail: String

    init(status: Int, detail: String) {
        self.status = status
        self.detail = detail
    }

    init(_ error: any Error, _ origin: Origin) {
        let error = error as? NetworkError ?? NetworkError(.unexpected("\(type(of: error))"))
        let status =
            switch error.kind {
            case .timeout: 504
            case .invalidRequest: 400
            case .storage, .circuitOpen: 503
            case .unexpected: 500
            default: 502
            }
        self.init(
            status: status, detail: "\(origin) did not answer this request: \(NetworkError(error.kind).description).")
    }

    var title: String { HTTPResponseStatus(statusCode: status).reasonPhrase }
}
