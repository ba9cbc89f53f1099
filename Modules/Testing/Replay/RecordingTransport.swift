import FoundationEssentials
import StrataConcurrency
public import StrataDomain
public import StrataNetworking
import StrataSystem

/// Passes calls on to another transport and keeps them, without secrets, for a file that `ReplayTransport` answers from.
///
/// The file is HAR 1.2, in the order in which calls began, and fit to be committed. Masked are:
/// - fields that may hold a credential (`Authorization`, `Cookie`, `Set-Cookie`, keys, tokens),
/// - values of sensitive names in queries, forms and JSON; a number there becomes 0,
/// - the secrets of the call, and `secrets`, wherever they stand.
///
/// What differs each time (`X-Request-Id`, `traceparent`, `X-Request-Deadline-Ms`) is left out. Compressed bodies are kept
/// decoded. A failure of the transport is kept; a cancelled call, such as one at its attempt timeout, is not.
public final class RecordingTransport: Transport {
    private let base: any Transport
    private let file: String
    private let redaction: Redaction
    private let secrets: [Secret]
    private let bodyLimit: Int
    private let time: MonotonicTime
    private let wallClock: any WallClock
    /// A place for each call in the order of arrival; `nil` while it runs.
    private let entries = Mutex<[HAREntry?]>([])

    /// - Parameters:
    ///   - file: Written by `finish`.
    ///   - redaction: Names what is sensitive besides the usual. Give the same to the replay.
    ///   - secrets: Masked wherever they stand, such as a key in a path.
    ///   - bodyLimit: Bytes of one body; of a larger one only the size is kept. All bodies are in memory until the end. Default 1 MiB.
    ///   - clock: Measures the timings.
    public init(
        wrapping base: any Transport, to file: String, redaction: Redaction = .standard, secrets: [Secret] = [],
        bodyLimit: Int = 1 << 20, clock: any Clock<Duration> = ContinuousClock(),
        wallClock: any WallClock = SystemWallClock()
    ) {
        self.base = base
        self.file = file
        self.redaction = redaction
        self.secrets = secrets
        self.bodyLimit = max(0, bodyLimit)
        time = MonotonicTime(clock)
        self.wallClock = wallClock
    }

    /// Writes the calls that have ended, as a file of mode 0600: whole, or not at all. A later call writes all again.
    ///
    /// - Throws: `RecordingError` when the file cannot be written.
    public func finish() throws {
        let document = try HARDocument.write(entries.withLock { $0 }.compactMap(\.self))
        do { try DurableFile(file).replace(with: document) } catch {
            throw RecordingError(description: "The recording '\(file)' cannot be written: \(error).")
        }
    }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let place = entries.withLock { entries in
            entries.append(nil)
            return entries.count - 1
        }
        let (sent, answered) = (BodyTap(limit: bodyLimit), BodyTap(limit: bodyLimit))
        let (started, begin) = (wallClock.now, time.now)
        let arrived = Mutex<(head: ResponseHead, at: Duration)?>(nil)
        let result: Result<Void, any Error>
        do {
            try await base.send(request.tapped(sent)) { [time] response in
                arrived.withLock { $0 = (response.head, time.now) }
                try await receive(ClientResponse(response.head, body: ResponseBody(answered.tapped(response.body))))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let end = time.now
        var entry: HAREntry?
        if case .failure(let error) = result, answered.body.failure == .unread, Self.isCancellation(error) {
            // What the caller did, and not the server.
        } else if let (head, at) = arrived.withLock({ $0 }) {
            let response = await HAREntry.Response(head: head, body: answered.body).decoded(
                for: request.method, limit: bodyLimit)
            entry = HAREntry(request, sent: sent, limit: bodyLimit, .success(response))
            entry?.wait = at - begin
            entry?.receive = end - at
        } else if case .failure(let error) = result, let failure = RecordedFailure(error) {
            entry = HAREntry(request, sent: sent, limit: bodyLimit, .failure(failure))
            entry?.wait = end - begin
        }
        if var entry {
            entry.started = started
            let redacted = entry.redacted(MessageRedaction(redaction, request, others: secrets))
            entries.withLock { $0[place] = redacted }
        }
        try result.get()
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? NetworkError)?.kind == .cancelled || Task.isCancelled
    }
}

extension ClientRequest {
    /// The request with a body that passes `tap` whenever it is sent.
    fileprivate func tapped(_ tap: BodyTap) -> ClientRequest {
        guard let body, body.bytes == nil else { return self }
        var request = self
        request.body = .stream(length: body.length, isReplayable: body.isReplayable, contentType: body.contentType) {
            tap.tapped(try await body.open())
        }
        return request
    }
}

extension HAREntry {
    private static let leftOut = ["x-request-id", "traceparent", "x-request-deadline-ms", "accept-encoding"]

    fileprivate init(
        _ request: ClientRequest, sent: BodyTap, limit: Int, _ outcome: Result<Response, RecordedFailure>
    ) {
        method = request.method.rawValue
        url = request.url.description
        requestHeaders = request.headers.filter { !Self.leftOut.contains($0.name.lowercased()) }
        requestBody = request.body.map { body in
            // A body that is in memory did not pass the tap.
            if let bytes = body.bytes { return Body(bytes: bytes.count <= limit ? bytes : nil, size: bytes.count) }
            var kept = sent.body
            // A transport that knows the length may stop there. A body that was not sent whole cannot be compared.
            if kept.failure != nil, kept.size != body.length { kept.bytes = nil }
            kept.failure = nil
            return kept
        }
        self.outcome = outcome
    }

    /// Without its secrets.
    fileprivate func redacted(_ redaction: MessageRedaction) -> HAREntry {
        var entry = self
        entry.url = redaction.url(url)
        entry.requestHeaders = redaction.fields(requestHeaders)
        entry.requestBody?.bytes = requestBody?.bytes.map {
            redaction.body($0, contentType: requestHeaders[FieldName.contentType])
        }
        guard case .success(var response) = outcome else { return entry }
        let type = response.head.headers[FieldName.contentType]
        let bytes = response.body.bytes.map { redaction.body($0, contentType: type) }
        response.head.headers = redaction.fields(response.head.headers)
        if bytes != response.body.bytes {
            // Digests of what is not there any more.
            for name in ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"] { response.head.headers[name] = nil }
        }
        response.body.bytes = bytes
        entry.outcome = .success(response)
        return entry
    }
}

extension HAREntry.Response {
    /// Without the coding of the body; a body that was not kept stays as it is.
    fileprivate func decoded(for method: HTTPMethod, limit: Int) async -> HAREntry.Response {
        var result = self
        // The reader of a message without content need not read it (RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5).
        let isBare =
            method == .head || [204, 304].contains(head.status) || head.headers[FieldName.contentLength] == "0"
        if isBare, body.size == 0 { result.body.failure = nil }
        let coding = head.headers.values("Content-Encoding").joined(separator: ",").lowercased()
        guard ["gzip", "x-gzip", "deflate"].contains(coding), let bytes = body.bytes, !bytes.isEmpty else {
            return result
        }
        var (content, failure) = (Data(), body.failure)
        do {
            let inflating = DecompressionInterceptor().inflated(ClientResponse(head, body: ResponseBody(bytes)))
            for try await chunk in inflating.body where content.count <= limit { content.append(chunk) }
        } catch {
            // A cut body ends here; a damaged one is that of a server.
            failure = failure ?? .invalidResponse
        }
        result.head.headers["Content-Encoding"] = nil
        result.head.headers[FieldName.contentLength] = nil
        result.body =
            content.count <= limit
            ? HAREntry.Body(bytes: content, size: content.count, failure: failure)
            : HAREntry.Body(bytes: nil, size: content.count, failure: .tooLarge)
        return result
    }
}
