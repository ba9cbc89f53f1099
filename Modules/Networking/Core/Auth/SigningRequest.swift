public import StrataDomain

/// A request as its signer sees it: what is sent, and what the signer may change.
///
/// `X-Request-Id`, `traceparent` and `Accept-Encoding` are added later and are not part of a signature.
public struct SigningRequest: Sendable {
    /// The method of the attempt.
    public let method: HTTPMethod
    /// Without the changes of the signer to its query.
    public let url: HTTPURL
    /// The fields of the request, in order; the signer adds its own. Those that frame a message, such as `Host` and
    /// `Content-Length`, are written by the transport and cannot be set.
    public var headers: HeaderFields
    /// Percent-encoded, without `?`; `nil` when there is none. Some APIs want their signature here.
    public var query: String?
    /// The body of the attempt, with its digests.
    public let body: SignedBody

    /// - Parameter body: `nil` for a request without one.
    public init(_ method: HTTPMethod, _ url: HTTPURL, headers: HeaderFields = [:], body: UploadBody? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        query = url.query
        self.body = SignedBody(body)
    }

    /// The value of `Host` as it is sent: with the port, unless it is the default one of the scheme.
    public var host: String { url.origin.authority }

    /// The path of the request line, percent-encoded.
    public var path: String { url.path }
}

extension Origin {
    /// The host with the port, unless it is the default one of the scheme: the value of `Host` (RFC 9110, section 7.2).
    package var authority: String { isDefaultPort ? urlHost : "\(urlHost):\(port)" }
}
