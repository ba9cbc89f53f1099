package import StrataDomain

/// `GET /.well-known/jwks.json`: the public keys that access tokens are verified with (RFC 7517, section 5).
package struct GetKeySet: RoutedEndpoint {
    package static let route = Route.get("/.well-known/jwks.json")
    package typealias Response = KeySetPayload
    package static let documentation = EndpointDocumentation(details: "The keys that verify access tokens (RFC 7517).")

    package init() {}
}

/// `GET /.well-known/oauth-authorization-server`: where a stock OAuth client finds the endpoints (RFC 8414).
package struct GetServerMetadata: RoutedEndpoint {
    package static let route = Route.get("/.well-known/oauth-authorization-server")
    package typealias Response = ServerMetadataPayload
    package static let documentation = EndpointDocumentation(
        details: "Where an OAuth client finds the endpoints (RFC 8414).")

    package init() {}
}

package struct KeySetPayload: Codable, Sendable, Hashable {
    package var keys: [KeyPayload]
    package init(keys: [KeyPayload]) { self.keys = keys }
}

/// An ES256 public key as a JWK (RFC 7518, section 6.2.1).
package struct KeyPayload: Codable, Sendable, Hashable {
    package var kty: String
    package var crv: String
    package var use: String
    package var alg: String
    package var kid: String
    package var x: String
    package var y: String

    /// - Parameters:
    ///   - id: `kid` of the tokens it verifies.
    ///   - x: Coordinate, 32 bytes in base64url; likewise `y`.
    package init(id: String, x: String, y: String) {
        kty = "EC"
        crv = "P-256"
        use = "sig"
        alg = "ES256"
        kid = id
        self.x = x
        self.y = y
    }
}

/// RFC 8414, section 2, for a server that logs devices in, refreshes and revokes.
package struct ServerMetadataPayload: Codable, Sendable, Hashable {
    package var issuer: String
    package var tokenEndpoint: String
    package var revocationEndpoint: String
    package var deviceAuthorizationEndpoint: String
    package var jwksUri: String
    package var responseTypesSupported: [String]
    package var grantTypesSupported: [String]
    package var tokenEndpointAuthMethodsSupported: [String]
    package var revocationEndpointAuthMethodsSupported: [String]

    /// - Parameter issuer: The URL clients reach the server at, without a slash at the end.
    package init(issuer: String) {
        self.issuer = issuer
        tokenEndpoint = issuer + RefreshSession.route.template
        revocationEndpoint = issuer + RevokeToken.route.template
        deviceAuthorizationEndpoint = issuer + AuthorizeDevice.route.template
        jwksUri = issuer + GetKeySet.route.template
        responseTypesSupported = []
        grantTypesSupported = ["refresh_token", TokenGrant.deviceCodeType]
        tokenEndpointAuthMethodsSupported = ["none"]
        revocationEndpointAuthMethodsSupported = ["none"]
    }
}
