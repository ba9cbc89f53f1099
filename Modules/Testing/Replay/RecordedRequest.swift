import FoundationEssentials
import StrataDomain
import StrataNetworking

/// A request as a recording compares it: method, URL and body, without what is secret or differs each time.
struct RecordedRequest: Sendable {
    enum Body: Sendable {
        case none
        case json(JSONValue)
        case items([Item])
        /// Text of another type, or bytes that are no text in base64.
        case text(String)
        /// Not kept: equal to any body.
        case unknown
    }

    /// A query item, or a field of a form.
    struct Item: Sendable {
        var name: String
        /// `nil` for a secret, which is equal to any other.
        var value: String?
    }

    let method: String
    let origin: String
    let path: String
    let query: [Item]
    let body: Body

    /// A request of a file.
    init?(_ entry: HAREntry, _ redaction: Redaction) {
        guard let url = try? HTTPURL(entry.url) else { return nil }
        let names = MessageRedaction(redaction)
        let type = entry.requestHeaders[FieldName.contentType]
        let body = entry.requestBody.map { body in
            body.bytes.map { Self.body(names.body($0, contentType: type), type, redaction) } ?? .unknown
        }
        self.init(entry.method, url, body ?? .none, redaction)
    }

    /// A request that is sent.
    ///
    /// - Parameter body: Its bytes; `nil` for a body that is too large to compare.
    init(_ request: ClientRequest, body: Data?, _ redaction: Redaction) {
        let type = request.headers[FieldName.contentType]
        let message = MessageRedaction(redaction, request)
        let kept = body.map { Self.body(message.body($0, contentType: type), type, redaction) }
        self.init(
            request.method.rawValue, request.url, request.body == nil ? .none : kept ?? .unknown, redaction)
    }

    private init(_ method: String, _ url: HTTPURL, _ body: Body, _ redaction: Redaction) {
        self.method = method
        origin = "\(url.origin)"
        path = url.path
        query = Self.items(url.query ?? "", redaction)
        self.body = body
    }

    /// Method and URL, without secrets.
    var summary: String {
        let items = query.map { item in "\(item.name)=\(item.value ?? MessageRedaction.urlMask)" }
        return "\(method) \(origin)\(path)" + (items.isEmpty ? "" : "?\(items.joined(separator: "&"))")
    }

    private static func body(_ bytes: Data, _ type: String?, _ redaction: Redaction) -> Body {
        guard !bytes.isEmpty else { return .none }
        let text = String(validating: bytes, as: UTF8.self)
        if let text, let type, MediaType.essence(type) == MediaType.form { return .items(items(text, redaction)) }
        // Members of a JSON object have no order.
        if text != nil, let value = try? WireJSON.decode(JSONValue.self, from: bytes) { return .json(value) }
        guard let boundary = MessageRedaction.boundary(type), !boundary.isEmpty else {
            return .text(text ?? bytes.base64EncodedString())
        }
        // Each form has a boundary of its own. Bytes that are no text are not told apart.
        return .text(String(decoding: bytes, as: UTF8.self).replacing(boundary, with: "boundary"))
    }

    private static func items(_ query: String, _ redaction: Redaction) -> [Item] {
        query.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            let value = String(pair.dropFirst(name.count + 1))
            let decoded = PercentEncoding.decode(name, plusIsSpace: true)
            let isSecret = decoded.map(redaction.isSensitive) ?? true
            return Item(
                name: decoded ?? String(name),
                value: isSecret ? nil : PercentEncoding.decode(value, plusIsSpace: true) ?? value)
        }
    }
}
