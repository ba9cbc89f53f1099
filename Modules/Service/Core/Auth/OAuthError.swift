import StrataDomain

/// Error codes of the token endpoint (RFC 6749, section 5.2).
public enum OAuthErrorCode: String, Sendable {
    case invalidRequest = "invalid_request"
    case invalidGrant = "invalid_grant"
    case unsupportedGrantType = "unsupported_grant_type"
}

extension ServiceError {
    /// 400 as RFC 6749 words it, inside a problem document; never cached.
    ///
    /// - Parameter description: A sentence in ASCII without quotation marks and backslashes, as the RFC demands.
    public static func oauth(_ code: OAuthErrorCode, _ description: String) -> ServiceError {
        let problem = Problem(
            title: "The token request was refused", status: 400, detail: description, code: code.rawValue,
            error: code.rawValue, errorDescription: description)
        return ServiceError(problem, headers: ["Cache-Control": "no-store"])
    }
}
