import FoundationEssentials
import StrataConcurrency
import StrataDomain
public import StrataNetworking

/// Answers from a recording: a HAR file of `RecordingTransport`, or of a browser. It never opens a connection.
///
/// A request is found by its method, URL and body:
/// - Values of sensitive names in query, form and JSON do not count, nor does a text that the recording masks.
/// - Query items of different names, and members of a JSON object, may come in any order. Header fields do not count.
/// - Several entries of one request answer in their order, each once. After the last one, the request fails unless
///   `repeatsLast` is true.
///
/// A request that is not in the recording fails with a sentence that names the nearest entry and what differs.
public final class ReplayTransport: Transport {
    /// Bytes of a request body that are compared.
    private static let bodyLimit = 64 << 20

    private struct Entry: Sendable {
        let number: Int
        let request: RecordedRequest
        let outcome: Result<HAREntry.Response, RecordedFailure>

        var title: String { "entry \(number), \(request.summary)" }
    }

    private let name: String
    private let redaction: Redaction
    private let repeatsLast: Bool
    private let entries: [Entry]
    /// How often each entry has answered.
    private let uses: Mutex<[Int]>

    /// - Parameters:
    ///   - file: At most 256 MiB. Entries that are no HTTP request are left out.
    ///   - redaction: That of the recording.
    ///   - repeatsLast: Whether the last entry of a request answers it again and again. Default: no.
    /// - Throws: For a file that cannot be read, is no HAR, or has no HTTP request.
    public init(
        har file: String, redaction: Redaction = .standard, repeatsLast: Bool = false
    ) throws(RecordingError) {
        name = file
        self.redaction = redaction
        self.repeatsLast = repeatsLast
        entries = try HARDocument.read(file).enumerated().compactMap { place, entry in
            guard let entry, let request = RecordedRequest(entry, redaction) else { return nil }
            return Entry(number: place + 1, request: request, outcome: entry.outcome)
        }
        guard !entries.isEmpty else {
            throw RecordingError(description: "The recording '\(file)' has no HTTP request. Record it again.")
        }
        uses = Mutex([Int](repeating: 0, count: entries.count))
    }

    /// The entries that have answered nothing yet, in order: `entry 3, GET https://api.example.com/notes`.
    public var unused: [String] {
        let uses = uses.withLock { $0 }
        return zip(entries, uses).filter { $0.1 == 0 }.map { $0.0.title }
    }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let sent = RecordedRequest(request, body: try await Self.body(of: request), redaction)
        guard let entry = take(sent) else {
            throw NetworkError(.unexpected(request.context.scrubbed(failure(of: sent))))
        }
        let response = try entry.outcome.mapError(\.error).get()
        let hasContent = request.method != .head && ![204, 304].contains(response.head.status)
        let body = hasContent ? ResponseBody(ReplayedBody(body: response.body)) : ResponseBody()
        try await receive(ClientResponse(response.head, body: body))
    }

    /// Reads a body as a transport does, so that its progress is seen. `nil` for one that is too large to compare.
    private static func body(of request: ClientRequest) async throws -> Data? {
        guard let body = request.body else { return nil }
        if let bytes = body.bytes { return bytes }
        var bytes = Data()
        var size = 0
        for try await chunk in try await body.open() {
            size += chunk.count
            if size <= bodyLimit { bytes.append(chunk) }
        }
        return size <= bodyLimit ? bytes : nil
    }

    private func take(_ sent: RecordedRequest) -> Entry? {
        let matches = entries.indices.filter { entries[$0].request.differences(from: sent).isEmpty }
        return uses.withLock { uses in
            guard let place = matches.first(where: { uses[$0] == 0 }) ?? (repeatsLast ? matches.last : nil) else {
                return nil
            }
            uses[place] += 1
            return entries[place]
        }
    }

    private func failure(of sent: RecordedRequest) -> String {
        let compared = entries.map { (entry: $0, differences: $0.request.differences(from: sent)) }
        let matches = compared.filter(\.differences.isEmpty)
        if let last = matches.last {
            return "'\(sent.summary)' is recorded \(matches.count) times in '\(name)', last as entry "
                + "\(last.entry.number), and was sent once more. Record it again, or let the last response repeat: "
                + "repeatsLast: true."
        }
        func weight(_ differences: [RecordedRequest.Difference]) -> Int { differences.reduce(0) { $0 + $1.weight } }
        // The first of the nearest.
        let nearest = compared.min { weight($0.differences) < weight($1.differences) }
        let hint = nearest.map { entry, differences in
            " The nearest is \(entry.title): \(differences.map(\.text).joined(separator: "; "))."
        }
        return "'\(sent.summary)' is not in the recording '\(name)'.\(hint ?? "") Record it, or change the request."
    }
}

/// A recorded body, which ends as it did when it was recorded.
private struct ReplayedBody: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let body: HAREntry.Body

    func makeAsyncIterator() -> Iterator { Iterator(rest: body.bytes ?? Data(), failure: body.failure) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: Data
        let failure: RecordedFailure?

        mutating func next() async throws -> Data? {
            guard rest.isEmpty else {
                defer { rest = Data() }
                return rest
            }
            if let failure { throw failure.error }
            return nil
        }
    }
}
