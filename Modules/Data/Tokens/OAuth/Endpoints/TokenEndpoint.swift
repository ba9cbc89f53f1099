import FoundationEssentials
import StrataDomain
import StrataSystem

/// The token endpoint of a server: trades a grant for tokens (RFC 6749, section 3.2).
struct TokenEndpoint: Sendable {
    let endpoint: OAuthEndpoint
    /// The life of tokens whose response has none, if they can be renewed.
    let defaultLife: Duration
    let clock: ServerClock

    /// - Parameters:
    ///   - grant: Its fields, without those that name the client.
    ///   - secrets: Values of `grant` that no error may show.
    ///   - refresh: Kept when the response has no refresh token.
    ///   - canRepeat: Whether the same grant gives tokens again.
    /// - Throws: With the code of RFC 6749, section 5.2, in its problem document when the server refuses the grant, also
    ///   where it answers 403 or, as some do, 200 with an error. `.invalidRequest` when it refuses this client.
    func tokens(
        for grant: [FormText.Field], secrets: [Secret], keeping refresh: Secret? = nil, canRepeat: Bool = false,
        within limit: Duration? = nil
    ) async throws(NetworkError) -> SessionTokens {
        let asked = clock.now
        let answer = try await endpoint.send(grant, secrets: secrets, within: limit)
        let members = answer.members
        guard let access = members["access_token"]?.string, !access.isEmpty else {
            throw endpoint.failure(Self.refusal(in: members), secrets: secrets)
        }
        if let type = members["token_type"]?.string { try Secret.checkType(type) }
        let next = members["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let issued = clock.learn(from: answer.head, askedAt: asked)
        let renewal = try next.map { text throws(NetworkError) in try Secret(token: text, "refresh token") } ?? refresh
        return SessionTokens(
            access: try Secret(token: access, "access token"), refresh: renewal,
            expiresAt: issued.addingTimeInterval(life(in: members, isRenewable: canRepeat || renewal != nil)),
            issuedAt: issued)
    }

    /// Tokens without a stated end that cannot be renewed last until the server refuses them: an assumed end would cost a login.
    private func life(in members: [String: JSONValue], isRenewable: Bool) -> TimeInterval {
        let longest = 366.0 * 86_400
        guard let seconds = members["expires_in"]?.seconds else {
            return isRenewable ? defaultLife.inSeconds : longest
        }
        return min(max(0, seconds), longest)
    }

    /// The error of a response without a token.
    private static func refusal(in members: [String: JSONValue]) -> NetworkError {
        guard let code = members["error"]?.string else {
            return NetworkError(.invalidResponse("the token endpoint sent no access_token"))
        }
        let text = members["error_description"]?.string
        return NetworkError(
            .validation(
                Problem(
                    title: "Refused", status: 400, detail: text,
                    error: code == "bad_refresh_token" ? "invalid_grant" : code, errorDescription: text)))
    }
}

extension JSONValue {
    /// A number of seconds; some servers send it as text or with a fraction. `nil` for anything else.
    var seconds: Double? {
        let seconds: Double? =
            switch self {
            case .integer(let seconds): Double(seconds)
            case .number(let seconds): seconds
            case .string(let text): Double(text)
            default: nil
            }
        return seconds.flatMap { $0.isFinite ? $0 : nil }
    }
}
