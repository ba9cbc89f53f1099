package import StrataDomain

/// `POST /v1/oauth/token` with `grant_type=refresh_token` (RFC 6749, section 6), or with the grant type of a device code
/// (RFC 8628, section 3.4).
package struct RefreshSession: RoutedEndpoint {
    package static let route = Route.post("/v1/oauth/token")
    package typealias Response = TokenPayload
    package static let documentation = EndpointDocumentation(
        details: "Exchanges a refresh token (RFC 6749, section 6), or the code of a device (RFC 8628, section 3.4).",
        problems: [
            400: ["authorization_pending", "slow_down", "access_denied", "expired_token"], 429: ["too_many_logins"],
        ])

    @Body package var grant: TokenGrant

    package init(grant: TokenGrant) { self.grant = grant }
}

/// `POST /v1/oauth/revoke` (RFC 7009): 200 for unknown tokens too.
package struct RevokeToken: RoutedEndpoint {
    package static let route = Route.post("/v1/oauth/revoke")
    package static let successStatus = 200
    package typealias Response = NoContent
    package static let documentation = EndpointDocumentation(
        details: "Ends the session of a token (RFC 7009); 200 for an unknown token, too.")

    @Body package var revocation: Revocation

    package init(revocation: Revocation) { self.revocation = revocation }
}

/// Tokens as RFC 6749, section 5.1, names them.
package struct TokenPayload: Codable, Sendable {
    package var accessToken: String
    /// Always `Bearer`.
    package var tokenType: String
    /// Seconds until the access token expires.
    package var expiresIn: Int
    package var refreshToken: String

    package init(accessToken: String, expiresIn: Int, refreshToken: String) {
        self.accessToken = accessToken
        tokenType = "Bearer"
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
    }
}

/// RFC 6749, section 6, or RFC 8628, section 3.4; as a form or as JSON.
package struct TokenGrant: FormBody {
    /// `refresh_token`, or `deviceCodeType`.
    package var grantType: String?
    package var refreshToken: String?
    package var deviceCode: String?

    package static let deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code"

    package init(refreshToken: String) {
        grantType = "refresh_token"
        self.refreshToken = refreshToken
    }

    package init(deviceCode: String) {
        grantType = Self.deviceCodeType
        self.deviceCode = deviceCode
    }
}

/// RFC 7009, section 2.1; as a form or as JSON.
package struct Revocation: FormBody {
    package var token: String?
    package var tokenTypeHint: String?

    package init(token: String) { self.token = token }
}

// The types read absent parameters, because their failures have the form of RFC 6749.

extension TokenGrant: SchemaRefining {
    package static func refined(_ schema: JSONSchema) -> JSONSchema {
        .object(
            [
                "grant_type": .choice(["refresh_token", deviceCodeType]), "refresh_token": .text().orNull,
                "device_code": .text().orNull,
            ], required: ["grant_type"])
    }
}

extension Revocation: SchemaRefining {
    package static func refined(_ schema: JSONSchema) -> JSONSchema {
        .object(["token": .text(), "token_type_hint": .text().orNull], required: ["token"])
    }
}
