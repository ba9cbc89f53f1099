package import StrataDomain

/// `POST /v1/sessions`: logs in.
package struct CreateSession: RoutedEndpoint {
    package static let route = Route.post("/v1/sessions")
    package static let successStatus = 201
    package typealias Response = TokenPayload

    @Body package var credentials: Credentials

    package init(credentials: Credentials) { self.credentials = credentials }
}

/// `GET /v1/sessions`: the caller's sessions.
package struct ListSessions: RoutedEndpoint {
    package static let route = Route.get("/v1/sessions")
    package typealias Response = ListPayload<SessionPayload>

    package init() {}
}

/// `DELETE /v1/sessions/{target}`: `current`, `all`, or the id of one of the caller's sessions.
package struct EndSession: RoutedEndpoint {
    package static let route = Route.delete("/v1/sessions/{target}")
    package typealias Response = NoContent

    @Path package var target: String

    package init(target: String) { self.target = target }
}

/// `POST /v1/oauth/token` with `grant_type=refresh_token` (RFC 6749, section 6).
package struct RefreshSession: RoutedEndpoint {
    package static let route = Route.post("/v1/oauth/token")
    package typealias Response = TokenPayload

    @Body package var grant: RefreshGrant

    package init(grant: RefreshGrant) { self.grant = grant }
}

/// `POST /v1/oauth/revoke` (RFC 7009): 200 for unknown tokens too.
package struct RevokeToken: RoutedEndpoint {
    package static let route = Route.post("/v1/oauth/revoke")
    package static let successStatus = 200
    package typealias Response = NoContent

    @Body package var revocation: Revocation

    package init(revocation: Revocation) { self.revocation = revocation }
}

/// `GET /v1/me`: the calling user.
package struct GetMe: RoutedEndpoint {
    package static let route = Route.get("/v1/me")
    package typealias Response = UserPayload

    package init() {}
}
