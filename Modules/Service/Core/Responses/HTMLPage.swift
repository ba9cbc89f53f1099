import FoundationEssentials
public import StrataDomain

/// A page for a browser, as the response of an endpoint. It runs no script, loads nothing, cannot be framed (RFC 8628,
/// section 5.4, clickjacking), sends its forms to this service only, and is stored by no cache.
public struct HTMLPage: Codable, Sendable, NoStore, ContentResponse {
    public static let mediaType = "text/html"

    /// The status of the response, in place of the endpoint's.
    public var status: Int
    /// The document.
    public var html: String
    /// The `nonce` of the only style sheet.
    public var styleNonce: String

    /// Fields beside those of every page, or in their place.
    public var headers: HeaderFields

    /// A page; `styleNonce` is the nonce of its style sheet.
    public init(status: Int = 200, html: String, styleNonce: String, headers: HeaderFields = [:]) {
        self.status = status
        self.html = html
        self.styleNonce = styleNonce
        self.headers = headers
    }

    /// Sends the browser to another page of the service, with GET.
    ///
    /// - Parameters:
    ///   - path: A path of this service with its query.
    ///   - cookies: The fields `Set-Cookie`. Default: none.
    public static func redirect(to path: String, cookies: [String] = []) -> HTMLPage {
        var headers: HeaderFields = ["Location": path]
        for cookie in cookies { headers.add("Set-Cookie", cookie) }
        return HTMLPage(status: 303, html: "", styleNonce: "", headers: headers)
    }

    public var content: ResponseContent {
        let policy =
            "default-src 'none'; style-src 'nonce-\(styleNonce)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        var fields: HeaderFields = [
            "Content-Type": "\(Self.mediaType); charset=utf-8", "Content-Security-Policy": policy,
            // Without a referrer, a browser would send `Origin: null` with the page's own forms.
            "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
        ]
        for field in headers where field.name != "Set-Cookie" { fields[field.name] = nil }
        for field in headers { fields.add(field.name, field.value) }
        return ResponseContent(Data(html.utf8), status: status, headers: fields)
    }
}

extension HTMLPage: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .text() }
    public static func placeholder() -> HTMLPage { HTMLPage(html: "", styleNonce: "") }
}
