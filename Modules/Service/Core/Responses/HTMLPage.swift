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

    /// A page; `styleNonce` is the nonce of its style sheet.
    public init(status: Int = 200, html: String, styleNonce: String) {
        self.status = status
        self.html = html
        self.styleNonce = styleNonce
    }

    public var content: ResponseContent {
        let policy =
            "default-src 'none'; style-src 'nonce-\(styleNonce)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        return ResponseContent(
            Data(html.utf8), status: status,
            headers: [
                "Content-Type": "\(Self.mediaType); charset=utf-8", "Content-Security-Policy": policy,
                "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
                "Cross-Origin-Opener-Policy": "same-origin",
            ])
    }
}

extension HTMLPage: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .text() }
    public static func placeholder() -> HTMLPage { HTMLPage(html: "", styleNonce: "") }
}
