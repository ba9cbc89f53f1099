import FoundationEssentials
public import StrataDomain
import StrataNetworking
import StrataTesting

/// Requests to a backend and its responses as text, for a comparison with a `Recording`.
///
/// A request is one line, `ada POST /v1/notes {"text":"x"}`, with header fields between path and body: `If-Match:"1"`.
public struct CallTranscript {
    /// All calls and responses so far.
    public private(set) var text = ""
    private let backend: InProcessBackend
    private var ids: [String] = []

    /// A transcript of calls to `backend`.
    public init(_ backend: InProcessBackend) { self.backend = backend }

    /// Sends one request a second and notes the responses.
    ///
    /// - Parameter lines: The caller is a user, a host as `host:web1`, or `-` for none.
    public mutating func send(_ lines: [String]) async throws {
        for line in lines {
            backend.clock.advance(by: .seconds(1))
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            var rest = words[2].split(separator: " ", omittingEmptySubsequences: false)[...]
            let path = rest.removeFirst()
            var headers = HeaderFields()
            while let word = rest.first, word.first?.isLetter == true, let colon = word.firstIndex(of: ":") {
                headers.add(String(word[..<colon]), String(word[word.index(after: colon)...]))
                rest.removeFirst()
            }
            let body =
                rest.isEmpty ? nil : UploadBody.bytes(Data(rest.joined(separator: " ").utf8), contentType: Self.json)
            try await note(
                line, as: words[0],
                RawRequest(
                    HTTPMethod.common.first { $0.rawValue == words[1] } ?? .get, String(path), headers: headers,
                    body: body))
        }
    }

    /// Sends one request.
    ///
    /// - Parameters:
    ///   - title: The line of the request.
    ///   - user: As in `send`.
    public mutating func note(_ title: String, as user: String, _ request: RawRequest) async throws {
        let client =
            switch user {
            case "-": try backend.anonymous()
            case _ where user.hasPrefix("host:"): try backend.machine(String(user.dropFirst(5)))
            default: try backend.client(as: user)
            }
        let response = try await client.collect(request, upTo: 1 << 24, options: CallOptions(), events: { _ in })
        let fields = response.head.headers.filter { !Self.volatile.contains($0.name.lowercased()) }
        let head = fields.map { "\($0.name): \($0.value)" }.sorted()
        let body = String(decoding: response.bytes, as: UTF8.self)
        let lines = ["> \(title)", "< \(response.head.status)"] + head.map { "< \($0)" } + [body, ""]
        text += try stable(lines.joined(separator: "\n")) + "\n"
    }

    /// Notes rows of the backend's database.
    public mutating func note(_ title: String, rows: [String]) throws {
        text += try stable((["= \(title)"] + rows + [""]).joined(separator: "\n")) + "\n"
    }

    private static let json = "application/json"
    private static let volatile: Set<String> = [
        "date", "x-request-id", "traceparent", "content-length", "ratelimit", "ratelimit-policy",
        "x-content-type-options",
    ]

    /// The same text in every run: ids that the server made are numbered, cursors of a synchronisation left out.
    private mutating func stable(_ text: String) throws -> String {
        var text = text
        let uuid = try Regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        for match in text.matches(of: uuid) where !ids.contains(String(text[match.range])) {
            ids.append(String(text[match.range]))
        }
        for (number, id) in ids.enumerated() { text = text.replacing(id, with: "<id \(number + 1)>") }
        for (pattern, stand) in [
            ("\"(cursor|page|next_cursor)\":\"[^\"]*\"", "\"cursor\":\"…\""),
            ("\"request_id\":\"[^\"]*\"", "\"request_id\":\"…\""),
            ("cursor=[^&>]*", "cursor=…"), ("etag: \"[0-9a-f]{16}\"", "etag: …"),
        ] {
            text = text.replacing(try Regex(pattern), with: stand)
        }
        return text
    }
}
