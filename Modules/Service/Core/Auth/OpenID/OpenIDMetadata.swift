import FoundationEssentials
import StrataDomain

/// What a provider says about itself (OpenID Connect Discovery 1.0, section 3), checked.
struct OpenIDMetadata: Sendable {
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keysURL: String
    /// Where a browser signs out of the provider (OpenID Connect RP-Initiated Logout 1.0, section 2.1); `nil` for a provider without it,
    /// and for an address that cannot be used.
    let endSessionEndpoint: String?
    /// Whether responses to the browser name the issuer (RFC 9207).
    let namesIssuer: Bool
    /// How a secret is sent to the token endpoint.
    let authentication: Authentication

    enum Authentication: Sendable {
        case basic, body
    }

    /// The URL of the document.
    static func url(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// - Parameter json: The document.
    /// - Throws: `.unavailable` for another issuer (section 4.3), and for endpoints that cannot be used.
    init(_ json: Data, of options: OpenIDOptions) throws(OpenIDError) {
        guard TokenForm.isPlainObject(json), let document = try? WireJSON.decode(Document.self, from: json) else {
            throw .unavailable("the discovery document is no JSON object with the required members")
        }
        // Bytes, since Swift's strings compare by characters.
        guard document.issuer.utf8.elementsEqual(options.issuer.utf8) else {
            throw .unavailable("the discovery document is that of another issuer")
        }
        for url in [document.authorizationEndpoint, document.tokenEndpoint, document.jwksUri] {
            guard OpenIDURL.host(url, allowsLoopback: options.isLocal) != nil else {
                throw .unavailable("the discovery document names an endpoint that is not https")
            }
        }
        (authorizationEndpoint, tokenEndpoint) = (document.authorizationEndpoint, document.tokenEndpoint)
        keysURL = document.jwksUri
        endSessionEndpoint = document.endSessionEndpoint.flatMap { url in
            OpenIDURL.host(url, allowsLoopback: options.isLocal) == nil ? nil : url
        }
        namesIssuer = document.authorizationResponseIssParameterSupported ?? false
        // Section 3: client_secret_basic where the member is missing.
        let methods = document.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
        if methods.contains("client_secret_basic") || options.clientSecret == nil {
            authentication = .basic
        } else if methods.contains("client_secret_post") {
            authentication = .body
        } else {
            throw .unavailable("the provider takes neither client_secret_basic nor client_secret_post")
        }
    }

    private struct Document: Decodable {
        var issuer: String
        var authorizationEndpoint: String
        var tokenEndpoint: String
        var jwksUri: String
        var endSessionEndpoint: String?
        var tokenEndpointAuthMethodsSupported: [String]?
        var authorizationResponseIssParameterSupported: Bool?
    }
}
