import StrataDomain

/// Error codes of the token endpoint (RFC 6749, section 5.2; RFC 8628, section 3.5).
public enum OAuthErrorCode: String, Sendable {
    /// Something in the request is missing or illegal (RFC 6749, section 5.2).
    case invalidRequest = "invalid_request"
    /// The token or code is not valid any more, or never was (RFC 6749, section 5.2).
    case invalidGrant = "invalid_grant"
    /// The server does not know this grant (RFC 6749, section 5.2).
    case unsupportedGrantType = "unsupported_grant_type"
    /// The person has not decided yet (RFC 8628, section 3.5).
    case authorizationPending = "authorization_pending"
    /// The device asks too often (RFC 8628, section 3.5).
    case slowDown = "slow_down"
    /// The person said no (RFC 8628, section 3.5).
    case accessDenied = "access_denied"
    /// The code is too old (RFC 8628, section 3.5).
    case expiredToken = "expired_token"
}

extension ServiceError {
    /// 400 in the form of RFC 6749 inside a problem document; never cached.
    ///
    /// - Parameter description: A sentence in ASCII without quotation marks and backslashes, as the RFC demands.
    public static func oauth(_ code: OAuthErrorCode, _ description: String) -> ServiceError {
        let problem = Problem(
            title: "The token request was refused", status: 400, detail: description, code: code.rawValue,
            error: code.rawValue, errorDescription: description)
        return ServiceError(problem, headers: ["Cache-Control": "no-store"])
    }
}

/// An endpoint whose errors have the form of RFC 6749, section 5.2: every malformed request is 400 with
/// `{"error": "invalid_request"}`.
public protocol OAuthEndpoint {}

extension ServiceError {
    /// The same failure in the form that an OAuth client reads.
    var asOAuth: ServiceError {
        guard [400, 422].contains(problem.status), problem.error == nil else { return self }
        let flaw = problem.errors?.first.map { "\($0.field) \($0.message)." } ?? problem.detail ?? problem.title
        // RFC 6749, section 5.2, allows visible ASCII and spaces without quotation marks and backslashes.
        let plain = flaw.unicodeScalars.filter { (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\" }
        return .oauth(.invalidRequest, String(String.UnicodeScalarView(plain.prefix(200))))
    }
}
