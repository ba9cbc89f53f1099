package import AccountsDomain
package import StrataDomain

/// `POST /v1/sessions`: logs in.
package struct CreateSession: RoutedEndpoint {
    package static let route = Route.post("/v1/sessions")
    package static let successStatus = 201
    package typealias Response = TokenPayload
    package static let documentation = EndpointDocumentation(
        "Log in", details: "For programs of this project only (RFC 9700, section 2.4).",
        problems: [401: ["invalid_credentials"], 403: ["sign_in_disabled"], 429: ["too_many_logins"]])

    @Body package var credentials: Credentials

    package init(credentials: Credentials) { self.credentials = credentials }
}

/// `GET /v1/sessions`: the caller's sessions.
package typealias ListSessions = ListResources<Session>

/// `DELETE /v1/sessions/{target}`: `current`, `all`, or the id of one of the caller's sessions.
package struct EndSession: RoutedEndpoint {
    package static let route = Route.delete("/v1/sessions/{target}")
    package typealias Response = NoContent
    package static let documentation = EndpointDocumentation(
        details: "`current`, `all`, or the id of one of the caller's sessions.")

    @Path package var target: String

    package init(target: String) { self.target = target }
}

/// `GET /v1/me`: the calling user.
package struct GetMe: RoutedEndpoint {
    package static let route = Route.get("/v1/me")
    package typealias Response = User

    package init() {}
}

/// Credentials of a first-party sign-in (RFC 9700, section 2.4 forbids the password grant to third parties).
package struct Credentials: Codable, Sendable {
    package var username: String
    package var password: String
    /// What the session is listed as.
    package var device: String?

    package init(username: String, password: String, device: String?) {
        self.username = username
        self.password = password
        self.device = device
    }
}
