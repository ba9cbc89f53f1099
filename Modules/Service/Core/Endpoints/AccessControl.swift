import HTTPTypes
import Hummingbird
import StrataDomain

/// Authenticates and authorizes callers: RFC 6750 for bearer tokens, `X-API-Key` for hosts.
struct AccessControl: Sendable {
    let authenticator: any Authenticator
    let rates: RateLimiter

    /// Whom the bearer token of a call is known to speak for, if nothing has changed since its last request. Counts the request.
    ///
    /// - Returns: `nil` when only `authorize` can tell, also for what it would refuse; nothing is counted then.
    /// - Throws: 429 above the rate limit.
    func expected(_ call: ServiceCall, for access: Access) async throws -> ExpectedPrincipal? {
        let headers = call.request.headers
        guard access != .anyone, headers[.xAPIKey] == nil, headers[values: .authorization].count == 1,
            let token = headers[.authorization].flatMap(Self.bearerToken)
        else { return nil }
        let expected: ExpectedPrincipal?
        do { expected = try await authenticator.expected(bearer: token) } catch is ServiceError { return nil }
        guard let expected, Self.allows(access, expected.principal) else { return nil }
        try count(call, of: expected.principal)
        return expected
    }

    /// The authenticated caller; `nil` for `.anyone`, where credentials are ignored. Counts the request.
    ///
    /// - Throws: 401 without valid credentials, 400 with more than one, 403 without access, 429 above the rate limit.
    func authorize(_ call: ServiceCall, for access: Access) async throws -> Principal? {
        guard access != .anyone else {
            try count(call, of: nil)
            return nil
        }
        let principal: Principal
        do { principal = try await authenticated(call.request.headers) } catch let error as ServiceError {
            try count(call, of: nil)
            throw error
        }
        try count(call, of: principal)
        guard Self.allows(access, principal) else {
            var refusal = ServiceError.forbidden(Self.reason(access))
            refusal.headers["WWW-Authenticate"] = "Bearer error=\"insufficient_scope\""
            throw refusal
        }
        return principal
    }

    /// Counts a request, unless it is a probe.
    ///
    /// - Parameter caller: `nil` without valid credentials.
    /// - Throws: 429.
    func count(_ call: ServiceCall, of caller: Principal?) throws {
        if let route = call.notes.route, Probes.contains(route) { return }
        let method = call.request.method
        let quota = rates.take(caller, address: call.origin.address, isRead: method == .get || method == .head)
        call.notes.quota = quota
        if let wait = quota.wait { throw ServiceError.rateLimited(quota, retryAfter: wait) }
    }

    private func authenticated(_ headers: HTTPFields) async throws -> Principal {
        let authorizations = headers[values: .authorization]
        let keys = headers[values: .xAPIKey]
        guard authorizations.count + keys.count <= 1 else {
            throw ServiceError(
                400, code: "invalid_request", title: "Too many credentials",
                detail: "Send either one Authorization or one X-API-Key header field.",
                headers: ["WWW-Authenticate": "Bearer error=\"invalid_request\""])
        }
        do {
            if let key = keys.first {
                guard !key.isEmpty else { throw ServiceError.unauthorized("X-API-Key is empty.") }
                return try await authenticator.principal(apiKey: key)
            }
            guard let token = authorizations.first.flatMap(Self.bearerToken) else {
                throw MissingCredentials()
            }
            return try await authenticator.principal(bearer: token)
        } catch is MissingCredentials {
            // RFC 6750, section 3.1: no error code where no credentials were sent.
            throw ServiceError.unauthorized("Send an access token as 'Authorization: Bearer …', or log in first.")
        } catch var error as ServiceError where error.problem.status == 401 {
            if error.headers["WWW-Authenticate"] == "Bearer" {
                error.headers["WWW-Authenticate"] = "Bearer error=\"invalid_token\""
            }
            throw error
        }
    }

    private struct MissingCredentials: Error {}

    /// The token of `Bearer b64token` (RFC 6750, section 2.1); `nil` for another scheme or an empty token.
    private static func bearerToken(_ field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }

    private static func allows(_ access: Access, _ principal: Principal) -> Bool {
        switch (access, principal) {
        case (.anyone, _), (.usersAndHosts, _), (.users, .user): true
        case (.admins, .user(let user)): user.isAdmin
        case (.users, .host), (.admins, .host): false
        }
    }

    private static func reason(_ access: Access) -> String {
        access == .admins ? "Only administrators may do this." : "A host token may not do this; log in as a user."
    }
}
