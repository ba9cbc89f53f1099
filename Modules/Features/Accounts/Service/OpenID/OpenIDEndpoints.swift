import StrataDomain
import StrataService

/// `GET /signin/openid`: sends the browser to the OpenID provider.
struct StartOpenIDSignIn: RoutedEndpoint {
    static let route = Route.get("/signin/openid")
    static let successStatus = 303
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "Sends the browser to the OpenID provider. `next` is the path of this service to show afterwards.",
        statuses: [503: "A page: the provider cannot be used."])

    @Query var next: String?
}

/// `GET /signout/openid`: sends the browser to the page of the OpenID provider that signs its user out.
struct StartOpenIDSignOut: RoutedEndpoint {
    static let route = Route.get("/signout/openid")
    static let successStatus = 303
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "Sends the browser to the OpenID provider, which asks its user and comes back to `/signin`.",
        statuses: [200: "A page: the provider has no such page.", 503: "A page: the provider cannot be used."])
}

/// `GET /signin/openid/callback`: the browser comes back from the OpenID provider.
struct FinishOpenIDSignIn: RoutedEndpoint {
    static let route = Route.get("/signin/openid/callback")
    static let successStatus = 303
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details:
            "The browser comes back from the OpenID provider, gets the cookie of a session, and is sent to the page that the sign-in was started for.",
        statuses: [
            400: "A page: the sign-in was started by another browser, is over, or was used before.",
            403: "A page: the provider or a check says no, or no account is linked.",
            503: "A page: the provider cannot be used.",
        ])

    @Query var state: String?
    @Query var code: String?
    @Query var error: String?
    /// Who sent the response (RFC 9207).
    @Query var iss: String?
}
