import FoundationEssentials
public import StrataDomain

/// How a program names itself at a token endpoint (RFC 6749, section 2.3).
public enum OAuthClient: Sendable {
    /// `client_id` in the body, and nothing secret: an installed program, which cannot keep a secret.
    case `public`(id: String)
    /// HTTP Basic with id and secret (`client_secret_basic`), which every server takes.
    case basic(id: String, secret: Secret)
    /// `client_id` and `client_secret` in the body (`client_secret_post`), for a server that does not take Basic.
    case body(id: String, secret: Secret)

    var id: String {
        switch self {
        case .public(let id), .basic(let id, _), .body(let id, _): id
        }
    }

    /// The value of `Authorization`, if there is one: both parts are form-encoded before they are joined (RFC 6749,
    /// section 2.3.1), so a colon in the id does no harm. A space is `%20`: some servers read `+` as a plus.
    var authorization: String? {
        guard case .basic(let id, let secret) = self else { return nil }
        let pair = "\(FormText.percentEncoded(id)):\(FormText.percentEncoded(secret.reveal()))"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    /// What names the client in the body.
    var fields: [FormText.Field] {
        switch self {
        case .public(let id): [("client_id", id)]
        case .basic: []
        case .body(let id, let secret): [("client_id", id), ("client_secret", secret.reveal())]
        }
    }

    /// What no text may show.
    var secrets: [Secret] {
        switch self {
        case .public: []
        case .basic(_, let secret):
            [secret] + [authorization].compactMap { $0.map { Secret(String($0.dropFirst("Basic ".count))) } }
        case .body(_, let secret): [secret]
        }
    }
}

/// Text as HTML forms write it (RFC 6749, appendix B): percent-encoded, a space as `+`.
enum FormText {
    typealias Field = (name: String, value: String)

    /// As `encode`, with a space as `%20`, which every reader of forms knows.
    static func percentEncoded(_ text: String) -> String { encode(text).replacing("+", with: "%20") }

    static func encode(_ text: String) -> String {
        PercentEncoding.encode(text).replacing("%20", with: "+").replacing("~", with: "%7E")
    }

    static func body(_ fields: [Field]) -> RequestBody {
        let text = fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
        return RequestBody(contentType: MediaType.form, bytes: Data(text.utf8))
    }

    /// `own` and the caller's `others`, which are sorted by their names.
    ///
    /// - Throws: `.invalidRequest` for a field that the grant or the client sets itself.
    static func joined(_ own: [Field], _ others: [String: String]) throws(NetworkError) -> [Field] {
        let taken = Set(own.map(\.name)).union(["client_id", "client_secret"])
        if let name = others.keys.sorted().first(where: taken.contains) {
            throw NetworkError(.invalidRequest("the parameter '\(name)' is set by the grant itself; leave it out"))
        }
        return own + others.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}
