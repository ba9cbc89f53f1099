public import FoundationEssentials

/// The response of a call that failed by its status: everything that the server said, for code.
///
/// `headers` and `bytes` are what was received, secrets included. Every text of this value (printed, debugged, dumped, mirrored) and
/// `problem` and `line` are without the secrets of the call, so that they may be logged and shown.
public struct FailedResponse: Sendable {
    /// Bytes of a body that are kept: 64 KiB.
    public static let bodyLimit = 64 * 1024

    /// One reference, so that an error stays cheap to move.
    private final class Storage: Sendable {
        let head: ResponseHead
        let bytes: Data
        let receivedAt: Date
        let problem: Problem?
        let line: String?
        let form: JSONForm
        let text: (@Sendable (ResponseHead, Data) -> String)?

        init(
            _ head: ResponseHead, _ bytes: Data, receivedAt: Date, _ problem: Problem?, line: String?, form: JSONForm,
            text: (@Sendable (ResponseHead, Data) -> String)?
        ) {
            self.head = head
            self.bytes = bytes
            self.receivedAt = receivedAt
            self.problem = problem
            self.line = line
            self.form = form
            self.text = text
        }
    }

    private let storage: Storage

    /// - Parameters:
    ///   - bytes: The body; only its first `bodyLimit` bytes are kept.
    ///   - receivedAt: The time here. Default: now.
    ///   - json: How `decode` reads the body. Default: snake_case.
    public init(
        _ head: ResponseHead, bytes: Data = Data(), receivedAt: Date = SystemWallClock().now,
        json: JSONForm = .snakeCase
    ) {
        let bytes = bytes.count > Self.bodyLimit ? bytes.prefix(Self.bodyLimit) : bytes
        let problem = Problem(status: head.status, headers: head.headers, bytes: bytes)
        storage = Storage(
            head, bytes, receivedAt: receivedAt, problem,
            line: problem == nil ? Self.line(of: bytes, head.headers) { $0 } : nil, form: json, text: nil)
    }

    private static func line(of bytes: Data, _ headers: HeaderFields, _ scrub: (String) -> String) -> String? {
        PlainTextLine.read(headers, bytes, scrub) ?? HTMLTitle.read(headers, bytes, scrub)
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// Status and fields of the response.
    public var head: ResponseHead { storage.head }
    /// The status of the response.
    public var status: Int { storage.head.status }
    /// All fields as they were received.
    public var headers: HeaderFields { storage.head.headers }
    /// The first 64 KiB of the body as they were received; empty without a body.
    public var bytes: Data { storage.bytes }

    /// What the server says of the failure in JSON, read from any of the common forms; `nil` for another body.
    public var problem: Problem? { storage.problem }
    /// The first line of a body of `text/plain`, or the `<title>` of a page in HTML, at most 200 characters; `nil` for another body.
    public var line: String? { storage.line }
    /// What the server says of the failure, in its own words; `nil` when it says nothing that can be read.
    public var detail: String? { storage.problem?.words ?? storage.line }

    /// The time here when the response was received, which a wait until a moment is measured against.
    public var receivedAt: Date { storage.receivedAt }

    /// What the response says of a rate limit.
    public var rateLimit: RateLimitStatus? { head.rateLimit(now: receivedAt) }

    /// The body as a value.
    ///
    /// Reads as the client reads a success, in the form of the endpoint or the client.
    ///
    /// - Throws: `WireJSON.Failure` for a body of another form, and for one that is longer than 64 KiB.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try storage.form.decode(type, from: bytes)
    }

    /// The same response for the caller of a call with secrets.
    ///
    /// - Parameters:
    ///   - scrub: Takes the secrets of the call out of a text.
    ///   - text: Head and body as a text without any secret, made when it is asked for.
    package func hiding(
        _ scrub: (String) -> String, text: @escaping @Sendable (ResponseHead, Data) -> String
    ) -> FailedResponse {
        // Scrubbed before it is cut, or half a secret would remain.
        let line = storage.line == nil ? nil : Self.line(of: bytes, headers, scrub)
        return FailedResponse(
            Storage(
                head, bytes, receivedAt: storage.receivedAt, storage.problem?.mapTexts(scrub), line: line,
                form: storage.form, text: text))
    }
}

extension FailedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, fields and the beginning of the body with the secrets masked. Of a response that no client has received: only the
    /// status and the size.
    public var description: String {
        storage.text?(head, bytes) ?? "status \(status), \(headers.fields.count) fields, \(bytes.count) bytes"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}
