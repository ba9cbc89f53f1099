import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataSystem

/// A recording that cannot be used, or not written: the file and the reason.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
}

extension HARDocument {
    /// Bytes of a file that are read.
    private static let fileLimit = 256 << 20

    /// The exchanges in a file of ours, or of a browser: what replay does not need may be missing or different. `nil` stands for
    /// an entry that is no HTTP request.
    static func read(_ path: String) throws(RecordingError) -> [HAREntry?] {
        let bytes: Data?
        do { bytes = try SmallFile(path, limit: fileLimit).read() } catch {
            throw RecordingError(description: "The recording '\(path)' cannot be read: \(error.description).")
        }
        guard let bytes else {
            throw RecordingError(
                description: "There is no recording '\(path)'. Make one with RecordingTransport, or correct the path.")
        }
        // Some programs put a byte order mark first.
        let document = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(bytes.dropFirst(3)) : bytes
        guard let entries = (try? WireJSON.decode(JSONValue.self, from: document))?.member("log")?.list("entries")
        else {
            throw RecordingError(
                description: "'\(path)' is no HAR file: JSON with 'log' and its 'entries' is expected. Record it again."
            )
        }
        return entries.map(HAREntry.init)
    }
}

extension HAREntry {
    /// - Returns: `nil` for what is no HTTP request, such as an entry about a `data:` URL.
    fileprivate init?(_ entry: JSONValue) {
        guard let request = entry.member("request"), let method = request.member("method")?.string,
            let url = request.member("url")?.string, (try? HTTPURL(url)) != nil
        else { return nil }
        self.method = method
        self.url = url
        requestHeaders = request.fields
        requestBody = Self.requestBody(request)
        let response = entry.member("response") ?? .null
        guard let status = response.member("status")?.whole, (100...999).contains(status) else {
            // A browser writes status 0 and words of its own.
            let failure = response.member("_error")?.string.flatMap(RecordedFailure.init(rawValue:))
            outcome = .failure(failure ?? .connectionLost)
            return
        }
        let reason = response.member("statusText")?.string
        var headers = response.fields
        // The content is stored decoded; its length is that of the bytes.
        for name in ["Content-Encoding", "Transfer-Encoding", "Connection"] { headers[name] = nil }
        if method != HTTPMethod.head.rawValue { headers[FieldName.contentLength] = nil }
        outcome = .success(
            Response(
                head: ResponseHead(status: status, reason: reason.flatMap { $0.isEmpty ? nil : $0 }, headers: headers),
                body: Self.body(response.member("content") ?? .null, encoding: "encoding")))
    }

    private static func requestBody(_ request: JSONValue) -> Body? {
        guard let data = request.member("postData"), data.object?.isEmpty == false else {
            let size = request.member("bodySize")?.whole ?? 0
            return size > 0 ? Body(bytes: nil, size: size) : nil
        }
        if data.member("text") == nil, let params = data.list("params"), !params.isEmpty,
            data.member("mimeType")?.string.map(MediaType.essence) == MediaType.form
        {
            var items = QueryItems()
            for item in params {
                items.add(item.member("name")?.string ?? "", item.member("value")?.string ?? "")
            }
            return Body(bytes: Data(items.encoded.utf8), size: items.encoded.utf8.count)
        }
        var body = body(data, encoding: "_encoding")
        if data.member("text") == nil { body.bytes = nil }
        return body
    }

    /// A body without text is empty when its size says so, or says nothing.
    private static func body(_ content: JSONValue, encoding: String) -> Body {
        let size = max(0, content.member("size")?.whole ?? 0)
        let cut = content.member("_cut")?.string.map { RecordedFailure(rawValue: $0) ?? .connectionLost }
        guard let text = content.member("text")?.string else {
            return Body(bytes: size == 0 ? Data() : nil, size: size, failure: cut ?? (size == 0 ? nil : .tooLarge))
        }
        guard content.member(encoding)?.string?.lowercased() == "base64" else {
            return Body(bytes: Data(text.utf8), size: text.utf8.count, failure: cut)
        }
        let bytes = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
        return Body(bytes: bytes, size: bytes?.count ?? size, failure: cut ?? (bytes == nil ? .tooLarge : nil))
    }
}

extension JSONValue {
    fileprivate func member(_ name: String) -> JSONValue? { object?[name] }

    fileprivate func list(_ name: String) -> [JSONValue]? {
        if case .array(let values) = member(name) { values } else { nil }
    }

    fileprivate var whole: Int? {
        switch self {
        case .integer(let number): number
        case .number(let number): Int(exactly: number.rounded())
        default: nil
        }
    }

    /// The fields of a message, without the pseudo-fields of HTTP/2 (RFC 9113, section 8.3). Browsers join several values of a
    /// field with line breaks.
    fileprivate var fields: HeaderFields {
        var fields = HeaderFields()
        for field in list("headers") ?? [] {
            guard let name = field.member("name")?.string, !name.hasPrefix(":"), !name.isEmpty else { continue }
            let values = (field.member("value")?.string ?? "").split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for value in values { fields.add(name, String(value)) }
        }
        return fields
    }
}
