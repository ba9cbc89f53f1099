import FoundationEssentials
public import StrataDomain

/// How a program names itself at a token endpoint (RFC 6749, section 2.3).
public enum OAuthClient: Sendable {
    /// `client_id` in the body, and nothing secret.
    case `public`(id: String)
    /// HTTP Basic with id and secret.
    case basic(id: String, secret: Secret)

    var id: String {
        switch self {
        case .public(let id), .basic(let id, _): id
        }
    }

    /// The value of `Authorization`, if there is one: both parts are form-encoded before they are joined (RFC 6749,
    /// section 2.3.1), so a colon in the id does no harm.
    var authorization: String? {
        guard case .basic(let id, let secret) = self else { return nil }
        let pair = "\(FormText.encode(id)):\(FormText.encode(secret.reveal()))"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
}

/// Text as HTML forms write it (RFC 6749, appendix B): percent-encoded, a space as `+`.
enum FormText {
    static func encode(_ text: String) -> String {
        PercentEncoding.encode(text).replacing("%20", with: "+").replacing("~", with: "%7E")
    }

    static func body(_ fields: [(name: String, value: String)]) -> RequestBody {
        let text = fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
        return RequestBody(contentType: MediaType.form, bytes: Data(text.utf8))
    }
}
